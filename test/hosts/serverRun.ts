import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pictures } from './pictures.ts';
import type { RunResults } from './runResults.ts';
import { extensionHostLogs } from './serverLogs.ts';
import type { Settings } from './settings.ts';
import { startReport } from './suiteReport.ts';
import { startVSCodeServer, type VSCodeServer } from './vscodeServer.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const runTimeoutMinutes = 20;

export interface SuiteRun {
  /** The folder of the extension under test. */
  readonly extension: string;
  /** The compiled suite: a CommonJS file that exports `run()`. */
  readonly suite: string;
  readonly settings?: Settings;
  readonly env?: Readonly<Record<string, string>>;
  readonly grep?: string | undefined;
  /** Where pictures of failures go: the name of a folder inside `out/screenshots`. */
  readonly name: string;
  /** Receives the suite's report while it runs, and what explains a failure. */
  readonly print: (text: string) => void;
}

export interface SuiteOutcome {
  /** 0 when every test passed. */
  readonly exitCode: number;
  /** `undefined` when the suite did not come to its end. */
  readonly results: RunResults | undefined;
  /** Pictures of the workbench, taken when a test failed and at the end of a failed run. */
  readonly screenshots: readonly string[];
}

/** Runs a suite in the extension host of a VS Code of its own, with a fresh user and a fresh, empty workspace. */
export async function runSuiteInServer(run: SuiteRun): Promise<SuiteOutcome> {
  const pictures = new Pictures(run.name);
  const report = startReport(run.grep, (text) => {
    run.print(text);
    if (text.includes('✘')) pictures.take();
  });
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'edit-arbiter-workspace-')));
  let results: RunResults | undefined;
  let exitCode = 1;
  try {
    exitCode = await inServer(run, report.env, folder, pictures);
  } finally {
    results = report.finish();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  if (results === undefined && exitCode === 0) exitCode = 1; // A suite that counts nothing proves nothing.
  return { exitCode, results, screenshots: pictures.paths };
}

async function inServer(
  run: SuiteRun,
  env: Readonly<Record<string, string>>,
  folder: string,
  pictures: Pictures,
): Promise<number> {
  const server = await startVSCodeServer({ settings: run.settings ?? {}, env: { ...run.env, ...env } });
  try {
    const workbench = await openWorkbench({
      server,
      folder,
      extensionDevelopmentPath: run.extension,
      extensionTestsPath: run.suite,
    });
    pictures.of(workbench);
    try {
      const exitCode = await firstToEnd(workbench, server);
      if (exitCode !== 0) {
        pictures.take();
        run.print(`\nThe extension host's logs:\n${extensionHostLogs(server.dataDir)}\n`);
      }
      return exitCode;
    } catch (error) {
      run.print(`\nThe page's console:\n${workbench.log.slice(-60).join('\n')}\n`);
      run.print(`\nThe extension host's logs:\n${extensionHostLogs(server.dataDir)}\n`);
      throw error;
    } finally {
      await pictures.finish();
      await workbench.close();
    }
  } finally {
    await server.stop();
  }
}

async function firstToEnd(workbench: Workbench, server: VSCodeServer): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const tooLong = new Error(`The suite did not end within ${runTimeoutMinutes} minutes.`);
    timer = setTimeout(() => reject(tooLong), runTimeoutMinutes * 60_000);
  });
  try {
    return await Promise.race([workbench.exitCode, server.crashed, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
