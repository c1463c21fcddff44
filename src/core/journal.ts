import { parseBase, printBase } from './base.ts';
import { parseJson } from './json.ts';
import type { Cause, Transition } from './ledger.ts';

/** The version of the format. A journal of a newer one is left alone. */
const VERSION = 1;

/** One line of the stored ledger: a transition of the file with that real path. */
export interface JournalEntry {
  readonly key: string;
  readonly transition: Transition;
}

/** What a stored ledger holds. */
export type Journal =
  | {
      readonly kind: 'read';
      readonly entries: readonly JournalEntry[];
      /** How many lines could not be read: a torn last one after a crash, or a damaged one. */
      readonly dropped: number;
    }
  /** Written by a newer version: it can neither be read nor added to. */
  | { readonly kind: 'newer'; readonly version: number };

export function printHeader(): string {
  return `${JSON.stringify({ version: VERSION })}\n`;
}

export function printEntry({ key, transition: { cause, to, time, evidence } }: JournalEntry): string {
  return `${JSON.stringify({ key, time, cause, to: to && printBase(to), evidence })}\n`;
}

/** Reads a journal. Whatever stands in it, this gives an answer: a line that makes no sense is counted, and left out. */
export function parseJournal(text: string): Journal {
  const [header = '', ...lines] = text.split('\n');
  const version = versionIn(header);
  if (version !== undefined && version > VERSION) {
    return { kind: 'newer', version };
  }
  const entries: JournalEntry[] = [];
  let dropped = version === undefined && header !== '' ? 1 : 0;
  for (const line of lines.filter((candidate) => candidate !== '')) {
    const entry = parseEntry(line);
    if (entry) {
      entries.push(entry);
    } else {
      dropped += 1;
    }
  }
  return { kind: 'read', entries, dropped };
}

function versionIn(header: string): number | undefined {
  const value = parseJson(header);
  return typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'number'
    ? value.version
    : undefined;
}

function parseEntry(line: string): JournalEntry | undefined {
  const value = parseJson(line);
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const { key, time, cause, to, evidence } = value as Record<string, unknown>;
  const base = typeof to === 'string' ? parseBase(to) : undefined;
  const isBaseRight = to === undefined || base !== undefined;
  const isCauseRight = cause === undefined || isCause(cause);
  if (typeof key !== 'string' || typeof time !== 'number' || !isBaseRight || !isCauseRight) {
    return undefined;
  }
  return {
    key,
    transition: {
      time,
      ...(cause === undefined ? {} : { cause: cause as Cause }),
      ...(base ? { to: base } : {}),
      ...(typeof evidence === 'string' ? { evidence } : {}),
    },
  };
}

/** What each kind of cause needs, so that an unknown or damaged one is not told as something else. */
const FIELDS: Readonly<Record<Cause['kind'], Readonly<Record<string, 'number' | 'string' | 'boolean'>>>> = {
  edit: { number: 'number', turn: 'number' },
  hook: { name: 'string' },
  typed: { count: 'number' },
  undo: { edit: 'number' },
  redo: { edit: 'number' },
  format: {},
  chat: {},
  not_typed: {},
  renamed: { to: 'string' },
  generator: { command: 'string', via: 'string' },
  git: { action: 'string' },
  external: { deleted: 'boolean' },
  save: {},
};

/** Whether a value from a file is a cause, with all that its kind needs. */
export function isCause(value: unknown): value is Cause {
  if (typeof value !== 'object' || value === null || !('kind' in value) || typeof value.kind !== 'string') {
    return false;
  }
  const fields = Object.hasOwn(FIELDS, value.kind) ? FIELDS[value.kind as Cause['kind']] : undefined;
  const record = value as Record<string, unknown>;
  return fields !== undefined && Object.entries(fields).every(([name, type]) => typeof record[name] === type);
}
