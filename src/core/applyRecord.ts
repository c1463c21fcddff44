// What an apply is about to do to files on disk, put on record before it does it: so that an apply that was cut off is
// recognised at the next start. Loss of power is out of scope: nothing is forced to the disk.

import type { Digest } from './base.ts';
import { parseJson } from './json.ts';

/** What one file holds on disk. */
export type OnDisk = Digest | 'absent';

/** Who an apply is carried out for. */
export interface Author {
  /** `undefined` where the host cannot tell. */
  readonly session: string | undefined;
  readonly turn: number;
}

export interface RecordedFile {
  readonly key: string;
  /** As it is shown to agents. */
  readonly path: string;
  readonly before: OnDisk;
  /** Left out where it could not be known before. */
  readonly after?: OnDisk;
  /** How many bytes of the record are those that the file held before. */
  readonly length: number;
  /** The mode bits that it had. */
  readonly mode?: number;
}

export interface ApplyRecord extends Author {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The process that carries it out. */
  readonly pid: number;
  readonly files: readonly RecordedFile[];
}

/**
 * How far an apply came with one file. `neither`: its bytes are torn, or another program has written them since. `unknown`: it
 * cannot be read now.
 */
export type Fate = 'before' | 'after' | 'neither' | 'unknown';

/** What was found of an apply that was cut off, when it was first recognised. */
export interface Found {
  /** The number that its edit was given. */
  readonly edit: number;
  /** What each file held; `null` where that could not be told. */
  readonly now: readonly (OnDisk | null)[];
}

export function printFound(found: Found): string {
  return JSON.stringify(found);
}

/** Reads what {@link printFound} wrote. @returns `undefined` for anything else. */
export function parseFound(text: string): Found | undefined {
  const fields = fieldsOf(parseJson(text));
  const { edit, now } = fields ?? {};
  const isWhole =
    Number.isSafeInteger(edit) &&
    Array.isArray(now) &&
    now.every((state) => state === null || typeof state === 'string');
  return isWhole ? { edit: edit as number, now: now as (OnDisk | null)[] } : undefined;
}

const VERSION = 1;

/** One line; the bytes that the files held before follow it, in order. */
export function printRecord(record: ApplyRecord): string {
  return `${JSON.stringify({ version: VERSION, ...record })}\n`;
}

/** Reads what {@link printRecord} wrote. @returns `undefined` for what is damaged; `newer` for that of a later version. */
export function parseRecord(line: string): ApplyRecord | 'newer' | undefined {
  const fields = fieldsOf(parseJson(line));
  const version = fields?.['version'];
  if (typeof version === 'number' && version > VERSION) {
    return 'newer';
  }
  if (fields === undefined || version !== VERSION) {
    return undefined;
  }
  const { time, pid, session, turn, files } = fields;
  const isWhole =
    [time, pid, turn].every(Number.isSafeInteger) &&
    (session === undefined || typeof session === 'string') &&
    Array.isArray(files) &&
    files.every(isRecordedFile);
  return isWhole
    ? {
        time: time as number,
        pid: pid as number,
        turn: turn as number,
        session,
        files: files as RecordedFile[],
      }
    : undefined;
}

/** @param now what each file holds, in the order of the record; `undefined` where that cannot be told. */
export function fatesOf({ files }: ApplyRecord, now: readonly (OnDisk | undefined)[]): Fate[] {
  return files.map(({ before, after }, index) => {
    if (now[index] === undefined) {
      return 'unknown';
    }
    if (now[index] === before) {
      return 'before';
    }
    return after !== undefined && now[index] === after ? 'after' : 'neither';
  });
}

/** How far an apply came as a whole. */
export function progressOf(fates: readonly Fate[]): 'not begun' | 'finished' | 'torn' {
  const isAll = (fate: Fate) => fates.every((one) => one === fate);
  return isAll('before') ? 'not begun' : isAll('after') ? 'finished' : 'torn';
}

/** For the engineer: which file is where. */
export function describeInterruption({ files }: ApplyRecord, fates: readonly Fate[]): string {
  const [only] = files;
  if (files.length === 1 && only) {
    return `an edit was cut off while it was saved: ${wordsOf(only, fates[0])}`;
  }
  const parts = files.map((file, index) => `${file.path}: ${wordsOf(file, fates[index])}`);
  return `an edit of ${files.length} files was cut off: ${parts.join('; ')}`;
}

function wordsOf({ before, after }: RecordedFile, fate: Fate | undefined): string {
  switch (fate) {
    case 'before':
      return 'as before';
    case 'after':
      return before === 'absent' ? 'created' : after === 'absent' ? 'gone' : 'edited';
    case 'unknown':
      return 'cannot be read now';
    default:
      return 'neither as before nor as it was to become';
  }
}

function isRecordedFile(value: unknown): boolean {
  const fields = fieldsOf(value);
  return (
    fields !== undefined &&
    [fields['key'], fields['path'], fields['before']].every((text) => typeof text === 'string') &&
    (fields['after'] === undefined || typeof fields['after'] === 'string') &&
    Number.isSafeInteger(fields['length']) &&
    (fields['length'] as number) >= 0 &&
    (fields['mode'] === undefined || Number.isSafeInteger(fields['mode']))
  );
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
}
