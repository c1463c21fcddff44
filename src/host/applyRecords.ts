import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writevSync,
} from 'node:fs';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import {
  type ApplyRecord,
  type Author,
  type Found,
  type OnDisk,
  parseFound,
  parseRecord,
  printFound,
  printRecord,
} from '../core/applyRecord.ts';

import type { FileRef } from '../core/documents.ts';
import { digestOf } from './digests.ts';
import { codeOf, describe } from './errors.ts';
import { statOrNothing } from './fileOperations.ts';

/** What is about to happen to one file. */
export interface Intent {
  readonly file: FileRef;
  /** What it holds; `undefined` where there is no file. */
  readonly before: Buffer | undefined;
  /** Left out where it is not known yet. */
  readonly after?: OnDisk | undefined;
}

/** An apply that is on record. */
export interface Recording {
  /** It is over, however it ended. */
  end(): void;
  /** It could neither be finished nor taken back: once it is over, it stays on record for the engineer. */
  leave(): void;
}

/** A record that a process has left behind. */
export interface StoredRecord {
  readonly id: string;
  readonly record: ApplyRecord;
  /** What the files held before, in the record's order; `undefined` where there was no file. */
  readonly before: readonly (Buffer | undefined)[];
}

/** A record older than this belongs to nobody who still works on it, in milliseconds: process numbers come again. */
const MAX_AGE = 10 * 60 * 1_000;

/** How the names of records end that are being written. */
const UNREADY = '.new';
/** How the names of files end that say what was found of a record. */
const FOUND = '.found';

const NOTHING: Recording = { end: () => {}, leave: () => {} };

interface OpenRecord {
  readonly keys: readonly string[];
  isLeft: boolean;
}

/**
 * Puts on record what an apply is about to do, in one small file each under the workspace's storage, and takes it away when
 * the apply is over. Whatever is left there by a process that has ended was cut off.
 */
export class ApplyRecords {
  readonly #folder: string | undefined;
  readonly #log: vscode.LogOutputChannel;
  /** The records of this window, by id. */
  readonly #open = new Map<string, OpenRecord>();
  /** Told when a record of this window is left behind. */
  onDidLeave: () => void = () => {};
  #isBroken = false;

  /** @param storage the workspace's own folder, where there is one. It need not exist. */
  constructor(storage: string | undefined, log: vscode.LogOutputChannel) {
    this.#folder = storage && join(storage, 'applies');
    this.#log = log;
  }

  /**
   * To be called right before the first byte is written, in one synchronous step. Files that an open record speaks of already
   * are left out. Where nothing can be stored, that is said once, and edits go on.
   */
  begin(author: Author, intents: readonly Intent[]): Recording {
    const speaksOf = (keys: readonly string[]) => intents.some(({ file }) => keys.includes(file.key));
    const others = [...this.#open.values()].filter(({ keys }) => speaksOf(keys));
    const files = intents.filter(({ file }) => !others.some(({ keys }) => keys.includes(file.key)));
    const leaveAll = (records: readonly OpenRecord[]) => {
      for (const record of records) {
        record.isLeft = true;
      }
    };
    if (this.#folder === undefined) {
      return NOTHING;
    }
    if (files.length === 0) {
      return { end: () => {}, leave: () => leaveAll(others) };
    }
    const id = randomUUID();
    const path = join(this.#folder, id);
    const record: ApplyRecord = {
      session: author.session,
      turn: author.turn,
      time: Date.now(),
      pid: process.pid,
      files: files.map(({ file, before, after }) => ({
        key: file.key,
        path: file.path,
        before: before === undefined ? 'absent' : digestOf(before),
        ...(after === undefined ? {} : { after }),
        length: before?.length ?? 0,
        ...modeOf(before && file.key),
      })),
    };
    const open: OpenRecord = { keys: files.map(({ file }) => file.key), isLeft: false };
    this.#open.set(id, open);
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      // For nobody else to read, and under another name until it is whole: other windows on the workspace look here, too.
      writeAll(`${path}${UNREADY}`, [
        Buffer.from(printRecord(record)),
        ...files.flatMap(({ before }) => (before ? [before] : [])),
      ]);
      renameSync(`${path}${UNREADY}`, path);
    } catch (error) {
      this.#broken('put on record', error);
    }
    return { end: () => this.#end(id, path), leave: () => leaveAll([...others, open]) };
  }

  /** The records of processes that have ended, oldest first. @returns also whether others are still at work. */
  leftBehind(): { readonly records: readonly StoredRecord[]; readonly areOthersAtWork: boolean } {
    const records: StoredRecord[] = [];
    let areOthersAtWork = false;
    for (const id of this.#names()) {
      const stored = this.#read(id);
      if (stored !== undefined && isAtWork(stored.record)) {
        areOthersAtWork = true;
      } else if (stored !== undefined) {
        records.push(stored);
      }
    }
    return { records: records.sort((a, b) => a.record.time - b.record.time), areOthersAtWork };
  }

  /** What was left behind is settled. */
  forget(id: string): void {
    if (this.#folder !== undefined) {
      remove(join(this.#folder, id));
      remove(join(this.#folder, `${id}${FOUND}`));
    }
  }

  /** Keeps what was found of an apply that was cut off: later starts must not take what has happened since for it. */
  keepFound(id: string, found: Found): void {
    if (this.#folder !== undefined) {
      writeFileSync(join(this.#folder, `${id}${FOUND}`), printFound(found));
    }
  }

  /** @returns `undefined` where nothing was found of it yet. */
  found(id: string): Found | undefined {
    const path = join(this.#folder ?? '', `${id}${FOUND}`);
    return existsSync(path) ? parseFound(readFileSync(path, 'utf8')) : undefined;
  }

  #names(): string[] {
    try {
      const names = this.#folder === undefined ? [] : readdirSync(this.#folder);
      for (const name of names.filter((unready) => unready.endsWith(UNREADY))) {
        this.#dropOld(name);
      }
      return names.filter((name) => !this.#open.has(name) && !name.endsWith(FOUND) && !name.endsWith(UNREADY));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') {
        this.#broken('looked at', error);
      }
      return [];
    }
  }

  /** A record whose writing was cut off: nothing was begun. What is young may still be written by another window. */
  #dropOld(name: string): void {
    const path = join(this.#folder ?? '', name);
    const stats = statOrNothing(path);
    if (stats && Date.now() - stats.mtimeMs > MAX_AGE) {
      remove(path);
    }
  }

  /** @returns `undefined` for a record that is damaged, which is removed, and for one of a later version, which is left alone. */
  #read(id: string): StoredRecord | undefined {
    const path = join(this.#folder ?? '', id);
    try {
      const bytes = readFileSync(path);
      const end = bytes.indexOf('\n');
      const record = end === -1 ? undefined : parseRecord(bytes.toString('utf8', 0, end));
      if (record === 'newer') {
        return undefined;
      }
      const before = record && cut(record, bytes.subarray(end + 1));
      if (record && before) {
        return { id, record, before };
      }
      this.#log.warn(`The record of an edit is damaged and left out: ${path}`);
      remove(path);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') {
        this.#broken('read', error);
      }
    }
    return undefined;
  }

  #end(id: string, path: string): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (open?.isLeft) {
      this.onDidLeave();
      return;
    }
    try {
      remove(path);
    } catch (error) {
      this.#broken('removed', error);
    }
  }

  #broken(what: string, error: unknown): void {
    if (!this.#isBroken) {
      this.#isBroken = true;
      this.#log.error(
        `What is about to be saved could not be ${what} in ${this.#folder}. Edits go on; one that is cut off now is not recognised later: ${describe(error)}`,
      );
    }
  }
}

/** @returns `undefined` where the record does not hold what it says. */
function cut({ files }: ApplyRecord, bytes: Buffer): (Buffer | undefined)[] | undefined {
  let at = 0;
  const parts = files.map(({ before, length }) => {
    const part = bytes.subarray(at, at + length);
    at += length;
    return before === 'absent' ? undefined : part;
  });
  const isWhole = parts.every((part, index) => part === undefined || digestOf(part) === files[index]?.before);
  return isWhole && at === bytes.length ? parts : undefined;
}

/** Whether the process that made a record may still be carrying it out. This window's own records are not asked about. */
function isAtWork({ pid, time }: ApplyRecord): boolean {
  if (pid === process.pid || Date.now() - time > MAX_AGE) {
    return false;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function modeOf(path: string | undefined): { readonly mode?: number } {
  const stats = path === undefined ? undefined : statOrNothing(path);
  return stats ? { mode: stats.mode & 0o7777 } : {};
}

function writeAll(path: string, parts: readonly Uint8Array[]): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    const whole = parts.length <= 2 ? parts : [Buffer.concat(parts)];
    const size = whole.reduce((sum, part) => sum + part.length, 0);
    if (writevSync(descriptor, whole) < size) {
      throw new Error('not all of it could be written');
    }
  } finally {
    closeSync(descriptor);
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') {
      throw error;
    }
  }
}
