import { existsSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type IndexEntry, parseIndex } from '../core/gitIndex.ts';
import type { Move } from '../core/ledger.ts';
import { causeOfWrite, type GitMove, parseReflog } from '../core/runs.ts';
import { codeOf } from './errors.ts';
import type { Runs } from './runs.ts';

/** How much of a git log is read: its newest entries are at the end. Bytes. */
const LOG_TAIL = 64 * 1024;

/** Says who wrote a file outside the editor. Asked only when the bytes have moved; times support a cause, never staleness. */
export class Writers {
  readonly #runs: Runs;
  /** The index that was read last, and what it was then. */
  #index: { readonly version: string; readonly entries: ReadonlyMap<string, IndexEntry> | undefined } | undefined;

  constructor(runs: Runs) {
    this.#runs = runs;
  }

  /** Read anew when it has moved: a checkout moves many files, and each is asked about. */
  #indexOf({ folder }: Repository): ReadonlyMap<string, IndexEntry> | undefined {
    const path = join(folder, 'index');
    const stats = statSync(path, { throwIfNoEntry: false });
    const version = stats ? `${path} ${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
    if (this.#index?.version !== version) {
      this.#index = { version, entries: stats ? parseIndex(readFileSync(path)) : undefined };
    }
    return this.#index.entries;
  }

  /** @param since when the file was last seen otherwise, in milliseconds since the epoch. */
  causeOf(path: string, since: number): Move {
    const now = Date.now();
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      const repository = repositoryOf(path);
      const evidence = {
        writtenAt: stats ? timeOfWrite(stats, since) : timeOfFolder(dirname(path)),
        isDeleted: stats === undefined,
        since,
        runs: this.#runs.all,
        gitMoves: repository ? movesIn(repository) : [],
        isAsInIndex: repository && isAsInIndex(repository, this.#indexOf(repository), path, stats),
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

/** A copy can bring an old modification time along, and a change of the mode moves the change time alone. */
function timeOfWrite({ mtimeMs, ctimeMs }: Stats, since: number): number {
  return mtimeMs >= since && mtimeMs <= ctimeMs ? mtimeMs : ctimeMs;
}

/** A folder's time moves when one of its entries goes; where the folder is gone with it, that of the one above. */
function timeOfFolder(folder: string): number {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats ? stats.mtimeMs : timeOfFolder(dirname(folder));
}

/** A git repository: its work tree, the folder with its index and logs, and the one that linked work trees share. */
interface Repository {
  readonly workTree: string;
  readonly folder: string;
  readonly common: string;
}

/** The newest moves of HEAD and of the stash, oldest first. */
function movesIn({ folder, common }: Repository): GitMove[] {
  const stash = join(common, 'logs', 'refs', 'stash');
  const stashes = parseReflog(tailOf(stash), true);
  const moves = parseReflog(tailOf(join(folder, 'logs', 'HEAD')));
  // Git makes a stash by way of a reset.
  const isOfStash = ({ action, time }: GitMove) =>
    action === 'reset' && stashes.some((one) => Math.abs(one.time - time) <= 1_000);
  return [...moves.filter((move) => !isOfStash(move)), ...stashes, ...popsOf(stash, stashes.at(-1)?.time)].sort(
    (a, b) => a.time - b.time,
  );
}

/** Whether git has left the file as it is: written it, or taken it away. @returns `undefined` where its index does not tell. */
function isAsInIndex(
  { workTree }: Repository,
  index: ReadonlyMap<string, IndexEntry> | undefined,
  path: string,
  stats: Stats | undefined,
): boolean | undefined {
  if (index === undefined) {
    return undefined;
  }
  const entry = index.get(relative(workTree, path).split(sep).join('/'));
  if (entry === undefined || stats === undefined) {
    return entry === undefined && stats === undefined;
  }
  return entry.size === stats.size % 2 ** 32 && entry.seconds === Math.floor(stats.mtimeMs / 1_000);
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

/** The repository that holds a file, if any; in a linked work tree, `.git` is a file that names the folder. */
function repositoryOf(path: string): Repository | undefined {
  for (let at = dirname(path); ; at = dirname(at)) {
    const candidate = join(at, '.git');
    const stats = statSync(candidate, { throwIfNoEntry: false });
    if (stats?.isDirectory()) {
      return { workTree: at, folder: candidate, common: candidate };
    }
    const named = stats?.isFile() ? /^gitdir: (.+)$/m.exec(readFileSync(candidate, 'utf8'))?.[1] : undefined;
    if (named !== undefined) {
      const folder = resolve(at, named);
      const shared = join(folder, 'commondir');
      const common = existsSync(shared) ? resolve(folder, readFileSync(shared, 'utf8').trim()) : folder;
      return { workTree: at, folder, common };
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
