import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fresh, pathOf } from './disk.ts';

/** Runs git in a folder, to its end. */
export function git(folder: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
}

/**
 * A file alone in a git repository, committed on `main`.
 *
 * @param name without a folder: the editor's watcher can miss folders that appear one in the other, and then reloads nothing.
 */
export function committed(content: string, name = 'file.txt'): string {
  const path = fresh(content, name);
  const folder = dirname(pathOf(path));
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'config', 'user.name', 'test');
  git(folder, 'config', 'user.email', 'test@example.org');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'one');
  return path;
}
