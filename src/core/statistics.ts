import { parseJson } from './json.ts';

/** One entry of an `arbiter_edit` call, and how it ended. Kept on this machine, never sent anywhere. */
export interface Tally {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly session: string | undefined;
  /** Left out where the host does not tell. */
  readonly model?: string;
  readonly status: string;
  /** `changed_by`, where the file had moved. */
  readonly causes: readonly string[];
}

/** Who moves files under agents: the words of the statistics. */
export type CauseClass =
  | 'own edit'
  | 'other session'
  | 'hook'
  | 'code generator'
  | 'git'
  | 'engineer'
  | 'chat edit'
  | 'other extension'
  | 'external writer'
  | 'unknown';

export interface Share {
  readonly name: string;
  readonly count: number;
  /** Of all that is counted beside it; 0 to 1. */
  readonly share: number;
}

export interface Period {
  /** A day as `2026-11-30`, a session as `session 1` in the order of appearance, or a model. */
  readonly name: string;
  readonly applies: number;
  readonly stale: number;
}

export interface Statistics {
  /** Edits that landed, and those that were refused because their file had moved. */
  readonly applies: number;
  readonly stale: number;
  /** Of `applies`; 0 to 1. */
  readonly staleRate: number;
  readonly refusals: readonly Share[];
  readonly causes: readonly Share[];
  readonly days: readonly Period[];
  readonly sessions: readonly Period[];
  /** By the model that the agent ran on: one entry, `model unknown`, where no chat has told. */
  readonly models: readonly Period[];
}

const STALE = ['stale_base', 'disk_changed_during_save'];

/** @param dayOf the day of a time, in the engineer's own calendar. */
export function computeStatistics(tallies: readonly Tally[], dayOf: (time: number) => string): Statistics {
  const gated = tallies.filter(({ status }) => status === 'applied' || STALE.includes(status));
  const stale = gated.filter(({ status }) => STALE.includes(status));
  const refused = tallies.filter(({ status }) => status !== 'applied' && status !== 'already_applied');
  const sessions = [...new Set(tallies.map(({ session }) => session))];
  return {
    applies: gated.length,
    stale: stale.length,
    staleRate: gated.length === 0 ? 0 : stale.length / gated.length,
    refusals: sharesOf(refused.map(({ status }) => status)),
    causes: sharesOf(stale.flatMap(({ causes }) => [...new Set(causes.map(classOf))])),
    days: periodsOf(gated, ({ time }) => dayOf(time)),
    sessions: periodsOf(gated, ({ session }) =>
      session === undefined
        ? 'session unknown'
        : `session ${sessions.filter((id) => id !== undefined).indexOf(session) + 1}`,
    ),
    models: periodsOf(gated, ({ model = 'model unknown' }) => model),
  };
}

/** The class of a string of `changed_by`. */
export function classOf(cause: string): CauseClass {
  const classes: readonly (readonly [RegExp, CauseClass])[] = [
    [/^edit #\d+ \(another session/, 'other session'],
    [/^edit #/, 'own edit'],
    [/^post-write hook:/, 'hook'],
    [/^code generator:/, 'code generator'],
    [/^git:/, 'git'],
    [/^(engineer:|renamed to)/, 'engineer'],
    [/^changed in the editor/, 'other extension'],
    [/^chat edit outside/, 'chat edit'],
    [/^(external writer|deleted on disk)/, 'external writer'],
  ];
  return classes.find(([pattern]) => pattern.test(cause))?.[1] ?? 'unknown';
}

/** For a spreadsheet: a line per entry, quoted as RFC 4180 says; a leading sign is kept from being taken for a formula. */
export function printCsv(tallies: readonly Tally[], printTime: (time: number) => string): string {
  const quote = (value: string) => `"${value.replace(/^\s*[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
  const rows = tallies.map(({ time, session, model, status, causes }) =>
    [printTime(time), session ?? '', model ?? '', status, causes.join('; ')].map(quote).join(','),
  );
  return `time,session,model,status,causes\r\n${rows.map((row) => `${row}\r\n`).join('')}`;
}

export function printTally(tally: Tally): string {
  return `${JSON.stringify(tally)}\n`;
}

/** Reads what {@link printTally} wrote; lines that make no sense are left out. */
export function parseTallies(text: string): Tally[] {
  return text.split('\n').flatMap((line) => {
    const tally = line === '' ? undefined : parseTally(line);
    return tally ? [tally] : [];
  });
}

function parseTally(line: string): Tally | undefined {
  const value = parseJson(line);
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const { time, session, model, status, causes } = value as Record<string, unknown>;
  // The range of a date.
  const isTime = typeof time === 'number' && Math.abs(time) <= 8.64e15;
  return isTime && typeof status === 'string' && Array.isArray(causes)
    ? {
        time,
        session: typeof session === 'string' ? session : undefined,
        ...(typeof model === 'string' ? { model } : {}),
        status,
        causes: causes.map(String),
      }
    : undefined;
}

function sharesOf(names: readonly string[]): Share[] {
  const counts = new Map<string, number>();
  for (const name of names) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .map(([name, count]) => ({ name, count, share: count / names.length }))
    .sort((a, b) => b.count - a.count || a.name.localeCompare(b.name));
}

function periodsOf(gated: readonly Tally[], nameOf: (tally: Tally) => string): Period[] {
  const periods = new Map<string, Period>();
  for (const tally of gated) {
    const name = nameOf(tally);
    const { applies, stale } = periods.get(name) ?? { applies: 0, stale: 0 };
    periods.set(name, { name, applies: applies + 1, stale: stale + (STALE.includes(tally.status) ? 1 : 0) });
  }
  return [...periods.values()];
}
