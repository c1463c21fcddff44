import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Move } from '../core/ledger.ts';
import { causeOfWrite, type GitMove, parseReflog } from '../core/runs.ts';
import { codeOf } from './errors.ts';
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
  causeOf(path: string, since: number): Move {
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
      return {
        cause: { kind: 'external', deleted: false },
        evidence: `its folder could not be looked at: ${codeOf(error)}`,
      };
    }
  }
}

/** The newest moves of HEAD and of the stash in the repository that holds a file, oldest first. */
function gitMovesFor(path: string): GitMove[] {
  const folder = gitFolderOf(dirname(path));
  if (folder === undefined) {
    return [];
  }
  const stash = join(folder, 'logs', 'refs', 'stash');
  const stashes = parseReflog(tailOf(stash), true);
  const moves = parseReflog(tailOf(join(folder, 'logs', 'HEAD')));
  // Git makes a stash by way of a reset.
  const isOfStash = ({ action, time }: GitMove) =>
    action === 'reset' && stashes.some((stash) => Math.abs(stash.time - time) <= 1_000);
  return [...moves.filter((move) => !isOfStash(move)), ...stashes, ...popsOf(stash, stashes.at(-1)?.time)].sort(
    (a, b) => a.time - b.time,
  );
}

/** How much later than its newest entry git's log of stashes may have been written with that entry, in milliseconds. */
const SAME_ENTRY = 1_500;

/** Taking a stash leaves no entry: it takes one out of the log. That the last one is taken cannot be seen. */
function popsOf(log: string, newest: number | undefined): GitMove[] {
  const stats = statSync(log, { throwIfNoEntry: false });
  return stats !== undefined && newest !== undefined && stats.mtimeMs > newest + SAME_ENTRY
    ? [{ action: 'stash pop', time: Math.floor(stats.mtimeMs / 1_000) * 1_000 }]
    : [];
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
