import { appendFileSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import Mocha from 'mocha';
import { type RunResults, type TestFailure, variables } from './runResults.ts';

const testTimeout = 20_000;

/**
 * Runs a suite of mocha tests inside the extension host: the body of the `run()` that VS Code calls.
 *
 * The report goes to the files that the environment names (see `runResults.ts`); without them, as under F5, to the
 * console.
 *
 * @param define calls `describe` and `it`, or loads the modules that do.
 * @returns when every test has passed; rejects otherwise, and when there was no test at all.
 */
export async function runSuite(define: () => void): Promise<void> {
  const { [variables.grep]: grep } = process.env;
  const mocha = new Mocha({ ui: 'bdd', timeout: testTimeout, slow: 1000, reporter: Report });
  if (grep !== undefined) mocha.grep(new RegExp(grep));
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  define();
  const results = await new Promise<RunResults>((resolve) => {
    const runner = mocha.run(() => resolve(resultsOf(runner)));
  });
  writeResults(results);
  if (results.failed > 0) throw new Error(`${results.failed} tests failed.`);
  if (results.passed === 0) {
    const reason = `No test was run${grep === undefined ? '' : `: none matches ${grep}`}.`;
    write(reason);
    throw new Error(reason);
  }
}

const collected = new WeakMap<Mocha.Runner, { skipped: number; passed: number; failures: TestFailure[] }>();

/** Prints each test as it ends, and each failure with its stack right there, so that a hang shows where it is. */
class Report extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner) {
    super(runner);
    const seen = { passed: 0, skipped: 0, failures: [] as TestFailure[] };
    collected.set(runner, seen);
    let depth = 0;
    const indent = () => '  '.repeat(depth);
    runner.on('suite', (suite) => {
      if (suite.title !== '') write(`${indent()}${suite.title}`);
      depth++;
    });
    runner.on('suite end', () => {
      depth--;
    });
    runner.on('pass', (test) => {
      seen.passed++;
      write(`${indent()}✔ ${test.title}${test.speed === 'slow' ? ` (${test.duration} ms)` : ''}`);
    });
    runner.on('pending', (test) => {
      seen.skipped++;
      write(`${indent()}- ${test.title}`);
    });
    runner.on('fail', (test, error) => {
      const failure = { title: test.fullTitle(), error: describeError(error) };
      seen.failures.push(failure);
      write(`${indent()}✘ ${test.title}\n${failure.error.replace(/^/gm, `${indent()}    `)}`);
    });
  }
}

function resultsOf(runner: Mocha.Runner): RunResults {
  const { passed, skipped, failures } = collected.get(runner) ?? { passed: 0, skipped: 0, failures: [] };
  return { passed, failed: failures.length, skipped, failures };
}

/** An assertion's message holds the difference already; what it was computed from follows only when it has none. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `Thrown: ${inspect(error)}`;
  const text = error.stack?.includes(error.message) ? error.stack : `${error.message}\n${error.stack ?? ''}`;
  return error.cause === undefined ? text : `${text}\nCaused by: ${inspect(error.cause)}`;
}

/** Puts a line of a test's own, a measurement for instance, into the report. */
export function write(line: string): void {
  const { [variables.report]: report } = process.env;
  if (report === undefined) console.log(line);
  else appendFileSync(report, `${line}\n`); // At once: the last line before a crash is the one that matters.
}

function writeResults(results: RunResults): void {
  const { [variables.results]: file } = process.env;
  const json = JSON.stringify(results, undefined, 2);
  if (file === undefined) console.log(json);
  else writeFileSync(file, json);
}
