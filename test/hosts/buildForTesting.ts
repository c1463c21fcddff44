import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle } from './bundle.ts';
import { companionFolder, integrationSuite, repositoryRoot } from './paths.ts';

/** Compiles the integration suite. The extension itself must have been built: it is tested as it will be shipped. */
export async function buildForTesting(): Promise<void> {
  if (!existsSync(join(repositoryRoot, 'dist', 'extension.cjs'))) {
    throw new Error('dist/extension.cjs is missing, so there is no extension to test. Run `npm run build` first.');
  }
  await bundle(join(repositoryRoot, 'test', 'integration', 'index.ts'), integrationSuite);
}

/** Builds the companion into an extension folder of its own. */
export async function buildCompanion(): Promise<void> {
  const source = join(repositoryRoot, 'test', 'companion');
  await bundle(join(source, 'extension.ts'), join(companionFolder, 'companion.cjs'));
  await copyFile(join(source, 'package.json'), join(companionFolder, 'package.json'));
}
