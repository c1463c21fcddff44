import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atProcessEnd } from './cleanup.ts';

export interface ExtensionFolder {
  readonly path: string;
  remove(): void;
}

/**
 * One folder that holds several extensions by links: VS Code's page takes a single `extensionDevelopmentPath`, and loads
 * every extension it finds in there.
 */
export function linkExtensions(extensions: readonly string[]): ExtensionFolder {
  const path = mkdtempSync(join(tmpdir(), 'edit-arbiter-extensions-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  const forget = atProcessEnd(remove);
  for (const [index, extension] of extensions.entries()) {
    symlinkSync(extension, join(path, String(index)), 'junction'); // Only Windows knows the difference to `dir`.
  }
  return {
    path,
    remove() {
      remove();
      forget();
    },
  };
}
