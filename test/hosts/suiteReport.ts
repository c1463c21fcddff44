import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atProcessEnd } from './cleanup.ts';
import { follow } from './follow.ts';
import { type RunResults, variables } from './runResults.ts';

export interface SuiteReport {
  /** To be put into the environment of the VS Code that runs the suite. */
  readonly env: Readonly<Record<string, string>>;
  /** Passes the rest on. @returns the counts, or `undefined` when the suite did not come to its end. */
  finish(): RunResults | undefined;
}

/**
 * The runner's end of `runResults.ts`: gives a suite its files and passes on its report while it runs.
 * The counts go to the file that EDIT_ARBITER_RESULTS names, when it is set already.
 */
export function startReport(grep: string | undefined, onText: (text: string) => void): SuiteReport {
  const folder = mkdtempSync(join(tmpdir(), 'edit-arbiter-report-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const forget = atProcessEnd(remove);
  const { [variables.results]: wanted } = process.env;
  const results = wanted ?? join(folder, 'results.json');
  rmSync(results, { force: true }); // Those of an earlier run must not pass for ours.
  const report = join(folder, 'report.txt');
  const stopFollowing = follow(report, onText);
  const env: Record<string, string> = { [variables.results]: results, [variables.report]: report };
  if (grep !== undefined) env[variables.grep] = grep;
  return {
    env,
    finish() {
      stopFollowing();
      const counts = readResults(results);
      remove();
      forget();
      return counts;
    },
  };
}

/** The counts for people and for scripts, in mocha's own words. */
export function summary({ passed, failed, skipped }: RunResults): string {
  return `\n  ${passed} passing\n  ${failed} failing\n  ${skipped} pending\n`;
}

function readResults(file: string): RunResults | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunResults;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
