import type { Move } from './ledger.ts';

/** A command that ran, or runs, in this window. Times are milliseconds since the epoch. */
export interface Run {
  /** For a hook: its name. */
  readonly commandLine: string;
  /** A task, a line in a terminal, or a hook that ran for another file. */
  readonly via: 'task' | 'terminal' | 'hook';
  readonly start: number;
  /** `undefined` while it runs. */
  readonly end: number | undefined;
  /** Whether it is meant to run on beside other work: a server, a watcher. */
  readonly isBackground: boolean;
}

/** A move of HEAD or of the stash, from git's own logs. */
export interface GitMove {
  /** What git was asked for: `checkout feature`, for instance. */
  readonly action: string;
  /** Milliseconds since the epoch, to the second: git stores no more. */
  readonly time: number;
}

/** What may explain a write. Times are milliseconds since the epoch. */
export interface Evidence {
  /** When the bytes on disk were written, as far as the file system tells; for a file that is gone, its folder. */
  readonly writtenAt: number;
  /** Whether the file is gone: then `writtenAt` is only the latest that it can have been, something else may have come after. */
  readonly isDeleted: boolean;
  /** When the file was last seen otherwise. */
  readonly since: number;
  readonly runs: readonly Run[];
  readonly gitMoves: readonly GitMove[];
  /** Whether the file is what git's index says that git left there; `undefined` where the index cannot be read. */
  readonly isAsInIndex: boolean | undefined;
}

/** How late the event may come that says that a command has started, in milliseconds. We start hooks ourselves. */
const START_SLACK: Readonly<Record<Run['via'], number>> = { task: 1_500, terminal: 250, hook: 0 };
/** The event of its end comes after all that it wrote; the file system's clock ticks more slowly. Milliseconds. */
const END_SLACK = 20;
/** How long before its log entry a checkout may have written a file, in milliseconds. */
const GIT_BEFORE = 3_000;
/** Git writes files before the log entry; this much the clocks may differ, in milliseconds. */
const GIT_AFTER = 200;
/** A command that still runs after this time counts as one in the background, in milliseconds. */
const LONG = 2 * 60_000;
/** A command that has run for this time counts as one in the background also when it has ended, in milliseconds. */
const VERY_LONG = 10 * 60_000;
/** What the words of a command say: that it runs on beside other work, as servers and watchers do. */
const STAYS =
  /\s--watch(=\S+)?(\s|$)|^(tsc|rollup|babel|sass|esbuild)\s(.*\s)?-w(\s|$)|^(npm|yarn|pnpm|bun|npx)\s+(run\s+)?(\S+:)?(dev|serve|server|start|watch)(:\S+)?(\s|$)|^make\s+(.*\s)?(dev|serve|server|start|watch)$|^(npx\s+)?(nodemon|(vite|webpack)(\s+(serve|dev))?)(\s|$)|^tail\s.*-[a-z]*[fF]/;
/** Words of commands that take files away. */
const DELETES = /(^|[\s;&|:/-])(rm|rmdir|mv|del|unlink|clean|clear|purge|prune|remove|delete|git|rimraf)(\s|$)/;
/** A line of git, alone or after others. */
const GIT_LINE = /(?:^|&&|;)\s*git\s+(?:-C\s+\S+\s+)?([^;&|]+?)\s*$/;

/**
 * Names who wrote a file outside the editor. A command is named only where it was the only one that could have, and is not
 * one in the background; a move of git goes first, because its log says what it did.
 */
export function causeOfWrite(evidence: Evidence, now: number): Move {
  const { writtenAt, isDeleted, since, runs, gitMoves, isAsInIndex } = evidence;
  const move = (isAsInIndex === false ? [] : gitMoves).findLast(
    ({ time }) => time >= since - 1_000 && writtenAt >= time - GIT_BEFORE && writtenAt <= time + 1_000 + GIT_AFTER,
  );
  if (move) {
    const proof = isAsInIndex ? ', and its index says that git wrote the file' : '';
    return {
      cause: { kind: 'git', action: move.action },
      evidence: `git's own log has it in the seconds around the write${proof}`,
    };
  }
  const able = runs.filter(
    ({ via, start, end }) =>
      (end ?? now) >= since && writtenAt >= start - START_SLACK[via] && writtenAt <= (end ?? now) + END_SLACK,
  );
  const [only] = able;
  // The time of a folder moves with each of its entries: a command that deletes nothing has moved it for another.
  const isFit = !isDeleted || only?.via === 'hook' || DELETES.test(only?.commandLine ?? '');
  if (only && able.length === 1 && isFit && !isBackground(only, now)) {
    return { cause: causeOf(only), evidence: evidenceOf(only, writtenAt) };
  }
  const names = [...new Set(able.map(({ commandLine }) => shorten(commandLine)))];
  return {
    cause: { kind: 'external', deleted: isDeleted, ...(names.length > 0 ? { during: names.join(', ') } : {}) },
    evidence:
      names.length === 0
        ? 'nothing that this window knows of ran when the file was written'
        : `the file was written while ${names.length === 1 ? 'this ran, in the background' : 'several commands ran'}`,
  };
}

function causeOf({ commandLine, via }: Run): Move['cause'] {
  if (via === 'hook') {
    return { kind: 'hook', name: commandLine };
  }
  const git = GIT_LINE.exec(commandLine.trim());
  return git?.[1]
    ? { kind: 'git', action: shorten(git[1]) }
    : { kind: 'generator', command: shorten(commandLine), via };
}

function evidenceOf({ start, end }: Run, writtenAt: number): string {
  const until =
    end === undefined ? 'and it still runs' : `and ${seconds(Math.max(0, end - writtenAt))} before it ended`;
  return `written ${seconds(Math.max(0, writtenAt - start))} after it began ${until}; nothing else ran then`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

function isBackground({ commandLine, via, isBackground: isMeant, start, end }: Run, now: number): boolean {
  const isLong = end === undefined ? now - start > LONG : end - start > VERY_LONG;
  return isMeant || isLong || (via !== 'hook' && end === undefined && STAYS.test(commandLine.trim()));
}

/** One line, of a length that an answer can hold. */
function shorten(commandLine: string): string {
  const line = commandLine.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}

const ENTRY = /^([0-9a-f]+) ([0-9a-f]+) .*? (\d+) [-+]\d{4}\t(.*)$/;

/**
 * Reads entries of a git log file (`logs/HEAD`, `logs/refs/stash`): format of git's reflog, one entry a line, with the time in
 * seconds and, after a tab, what was done.
 */
export function parseReflog(log: string, isStash = false): GitMove[] {
  return log.split('\n').flatMap((line) => {
    const found = ENTRY.exec(line);
    const [, before, after, seconds, message = ''] = found ?? [];
    // Where HEAD did not move to another commit, or a commit was made of what is there, no file was written; but for a reset.
    const isSame = before === after && !message.startsWith('reset');
    if (!isStash && (isSame || message.startsWith('commit'))) {
      return [];
    }
    return seconds !== undefined
      ? [{ action: isStash ? 'stash' : actionOf(message), time: Number(seconds) * 1_000 }]
      : [];
  });
}

function actionOf(message: string): string {
  const checkout = /^checkout: moving from \S+ to (\S+)$/.exec(message);
  if (checkout?.[1]) {
    return `checkout ${checkout[1]}`;
  }
  const [action = message] = message.split(':');
  return shorten(action.replace(/ \((finish|start|pick|continue|abort)\)$/, ''));
}
