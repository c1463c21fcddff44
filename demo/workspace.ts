import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A copy of the demo workspace in a temporary folder: the stories change it. */
export function copyWorkspace(): { readonly path: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'edit-arbiter-demo-'));
  const path = join(folder, 'shop');
  cpSync(join(import.meta.dirname, 'workspace'), path, { recursive: true });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
