import { join, resolve } from 'node:path';

/** The repository's root: the folder that holds package.json. */
export const repositoryRoot = resolve(import.meta.dirname, '../..');

/** Downloads of VS Code live here, beside those of `@vscode/test-electron`. Git ignores it. */
export const downloadsFolder = join(repositoryRoot, '.vscode-test');

/** Everything a test run leaves behind for a person to look at. Git ignores it. */
export const outputFolder = join(repositoryRoot, 'out');

/** Pictures of the workbench taken when a run fails. */
export const screenshotsFolder = join(outputFolder, 'screenshots');

/** The compiled integration suite: one CommonJS file that exports `run()`. */
export const integrationSuite = join(outputFolder, 'test', 'integration.cjs');

/** The built companion: an extension folder. */
export const companionFolder = join(outputFolder, 'companion');
