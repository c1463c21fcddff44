import * as vscode from 'vscode';
import { fatesOf, type OnDisk, progressOf } from '../core/applyRecord.ts';
import type { Arbiter } from '../core/arbiter.ts';
import { digest, printBase } from '../core/base.ts';
import { decode, detectFormat, isBinary, isOwnEncoding } from '../core/codec.ts';
import type { Conflict } from '../core/conflict.ts';
import type { FileRef } from '../core/documents.ts';
import { parseText } from '../core/text.ts';
import type { Snapshot } from '../core/texts.ts';
import type { ApplyRecords, StoredRecord } from './applyRecords.ts';
import { type Disk, readDisk } from './disk.ts';
import { describe } from './errors.ts';
import { deleteExactly, overwriteExactly, restoreFile } from './fileOperations.ts';
import type { Looks } from './looks.ts';

/** How long after a look the next one follows while another process is still at work, in milliseconds. */
const AGAIN = 5_000;

/** What an apply that was cut off is recognised with. */
export interface InterruptionTools {
  readonly records: ApplyRecords;
  readonly arbiter: Arbiter;
  readonly looks: Looks;
  readonly log: vscode.LogOutputChannel;
}

/** Recognises edits that an earlier window was cut off in, and puts back what was there where the engineer asks for it. */
export class Interruptions implements vscode.Disposable {
  readonly #tools: InterruptionTools;
  readonly #stop: () => void;
  readonly #torn = new Map<string, StoredRecord>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tools: InterruptionTools) {
    this.#tools = tools;
    tools.records.onDidLeave = () => this.recognise();
    this.#stop = tools.arbiter.conflicts.onDidChange(() => this.#forgetSettled());
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#stop();
  }

  /** Looks for edits that were cut off. */
  recognise(): void {
    clearTimeout(this.#timer);
    const { records, areOthersAtWork } = this.#tools.records.leftBehind();
    for (const stored of records) {
      if (!this.#torn.has(stored.id)) {
        this.#recogniseOne(stored);
      }
    }
    if (areOthersAtWork) {
      this.#timer = setTimeout(() => this.recognise(), AGAIN);
      this.#timer.unref();
    }
  }

  /** Puts back what a file held before the edit, where it still holds what it was found with and nobody works on it. */
  async restore(conflict: Conflict): Promise<void> {
    const { interruption, key, path } = conflict;
    const stored = interruption && this.#torn.get(interruption.record);
    const index = stored?.record.files.findIndex((file) => file.key === key) ?? -1;
    const file = this.#tools.looks.resolve(key);
    // Its place may have become a link to another file.
    if (interruption === undefined || stored === undefined || 'status' in file || file.key !== key) {
      throw new Error(`What ${path} held before the edit is not on record any more.`);
    }
    const { state, disk } = await this.#tools.looks.look(file);
    const isAsFound = state.base !== undefined && printBase(state.base) === conflict.actual;
    if (!isAsFound) {
      throw new Error(
        `${path} has changed since, or has unsaved changes. Nothing was restored: look at its difference, and take over what you need.`,
      );
    }
    if (!interruption.isSure && !(await isMeant(path))) {
      return;
    }
    const before = stored.before[index];
    const mode = stored.record.files[index]?.mode ?? 0o644;
    if (!putBack(file, disk, before, mode)) {
      throw new Error(`${path} was written in this very moment. Nothing was restored.`);
    }
    this.#tools.arbiter.restored(file, interruption.edit, { disk: before === undefined ? 'absent' : digest(before) });
    this.#tools.arbiter.dismiss(conflict.id);
  }

  #recogniseOne(stored: StoredRecord): void {
    const { id, record, before } = stored;
    const { log, arbiter, records } = this.#tools;
    const paths = record.files.map(({ path }) => path).join(', ');
    const found = records.found(id);
    const now = found?.now ?? record.files.map(({ key }) => this.#onDisk(key));
    const fates = fatesOf(
      record,
      now.map((state) => state ?? undefined),
    );
    const progress = progressOf(fates);
    log.warn(`An edit of ${paths} was cut off: ${progress}.`);
    if (progress === 'torn') {
      this.#torn.set(id, stored);
    }
    const edit = arbiter.interrupted({
      id,
      record,
      fates,
      now,
      edit: found?.edit,
      texts: before.map((bytes, index) => bytes && this.#textOf(record.files[index]?.key ?? '', bytes)),
    });
    if (progress !== 'torn') {
      records.forget(id);
    } else if (found === undefined && edit !== undefined) {
      records.keepFound(id, { edit, now });
    }
  }

  /** @returns `null` where it cannot be told. */
  #onDisk(key: string): OnDisk | null {
    const file = this.#tools.looks.resolve(key);
    const disk = 'key' in file && file.key === key ? readDisk(key) : undefined;
    return disk?.kind === 'file' ? digest(disk.bytes) : disk?.kind === 'absent' ? 'absent' : null;
  }

  #textOf(key: string, bytes: Buffer): Snapshot | undefined {
    const format = detectFormat(bytes, this.#tools.looks.expectedEncoding(key, undefined));
    const raw = isBinary(bytes, format) || !isOwnEncoding(format.encoding) ? undefined : decode(bytes, format);
    return typeof raw === 'string' ? { text: parseText(raw), format } : undefined;
  }

  /** A record goes once none of its files waits for the engineer. */
  #forgetSettled(): void {
    const { arbiter, records, log } = this.#tools;
    const waiting = new Set(arbiter.conflicts.open.map(({ interruption }) => interruption?.record));
    for (const id of this.#torn.keys()) {
      if (!waiting.has(id)) {
        this.#torn.delete(id);
        try {
          records.forget(id);
        } catch (error) {
          log.error(`The record of an edit that was cut off could not be removed: ${describe(error)}`);
        }
      }
    }
  }
}

/** Asks before what may be another program's work is replaced. */
async function isMeant(path: string): Promise<boolean> {
  const restore = 'Restore';
  const answer = await vscode.window.showWarningMessage(
    `Replace what ${path} holds now?`,
    {
      modal: true,
      detail:
        'It is not what the edit was to write, so another program may have written it since. Look at the difference first.',
    },
    restore,
  );
  return answer === restore;
}

/** @returns whether it was done; never over bytes that are not the expected ones. */
function putBack({ key }: FileRef, now: Disk, before: Buffer | undefined, mode: number): boolean {
  if (now.kind === 'absent') {
    if (before !== undefined) {
      restoreFile(key, before, mode);
    }
    return true;
  }
  if (now.kind !== 'file') {
    return false;
  }
  const { kind } = before === undefined ? deleteExactly(key, now.bytes) : overwriteExactly(key, now.bytes, before);
  return kind === 'done';
}
