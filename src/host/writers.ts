import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Cause } from '../core/ledger.ts';
import { causeOfWrite, type GitMove, parseReflog } from '../core/runs.ts';
import { codeOf } from './paths.ts';
import type { Runs } from './runs.ts';

/** How much of a git log is read: its newest entries are at the end. Bytes. */
const LOG_TAIL = 64 * 1024;

/** Says who wrote a file outside the editor. Asked only when the bytes have moved; times support a cause, never staleness. */
export class Writers {
  readonly #runs: Runs;

  constructor(runs: Runs) {
    this.#runs = runs;
  }

  /** @param since when the file was last seen otherwise, in milliseconds since the epoch. */
  causeOf(path: string, since: number): Cause {
    const now = Date.now();
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      // The change time, because a copy can bring an old modification time with it; a folder's own time moves when one of its
      // entries goes.
      const writtenAt = stats?.ctimeMs ?? statSync(dirname(path), { throwIfNoEntry: false })?.mtimeMs ?? now;
      const evidence = {
        writtenAt,
        isDeleted: stats === undefined,
        since,
        runs: this.#runs.all,
        gitMoves: gitMovesFor(path),
      };
      return causeOfWrite(evidence, now);
    } catch (error) {
      if (codeOf(error) === undefined) {
        throw error;
      }
      // A broken repository or a path that cannot be looked at: then nobody is named.
      return { kind: 'external', deleted: false };
    }
  }
}

/** The newest moves of HEAD and of the stash in the repository that holds a file, oldest first. */
function gitMovesFor(path: string): GitMove[] {
  const folder = gitFolderOf(dirname(path));
  if (folder === undefined) {
    return [];
  }
  return [
    ...parseReflog(tailOf(join(folder, 'logs', 'refs', 'stash')), true),
    ...parseReflog(tailOf(join(folder, 'logs', 'HEAD'))),
  ].sort((a, b) => a.time - b.time);
}

/** The repository's `.git` folder; in a linked worktree, `.git` is a file that names it. */
function gitFolderOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const candidate = join(at, '.git');
    const stats = statSync(candidate, { throwIfNoEntry: false });
    if (stats?.isDirectory()) {
      return candidate;
    }
    if (stats?.isFile()) {
      const named = /^gitdir: (.+)$/m.exec(readFileSync(candidate, 'utf8'))?.[1];
      return named === undefined || isAbsolute(named) ? named : resolve(at, named);
    }
    if (dirname(at) === at) {
      return undefined;
    }
  }
}

function tailOf(path: string): string {
  try {
    return existsSync(path) ? readFileSync(path).subarray(-LOG_TAIL).toString('utf8') : '';
  } catch (error) {
    if (codeOf(error) === undefined) {
      throw error;
    }
    // Gone or closed to us in between: then git says nothing.
    return '';
  }
}
