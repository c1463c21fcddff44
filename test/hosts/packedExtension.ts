import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './paths.ts';

/** Copies what a package would hold, and nothing else, into a folder: the extension as it is when it is installed. */
export function copyPackedExtension(folder: string): void {
  const vsce = join(repositoryRoot, 'node_modules/@vscode/vsce/vsce');
  const list = execFileSync(process.execPath, [vsce, 'ls', '--no-dependencies'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for (const path of list.split('\n').filter((line) => line !== '')) {
    cpSync(join(repositoryRoot, path), join(folder, path));
  }
}
