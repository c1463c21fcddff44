import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type * as vscode from 'vscode';
import type { Digest } from '../core/base.ts';
import { type JournalEntry, parseJournal, printEntry, printHeader } from '../core/journal.ts';
import type { Ledger, Transition } from '../core/ledger.ts';
import { parseTallies, printTally, type Tally } from '../core/statistics.ts';
import { parseSnapshot, printSnapshot, type Snapshot } from '../core/texts.ts';
import { codeOf } from './errors.ts';

/** What is stored. */
type Part = 'ledger' | 'statistics' | 'texts';

/** Above this size, the ledger is written anew at the next start, with the newest transitions only. Bytes. */
const MAX_LEDGER = 4 * 1024 * 1024;
/** How many transitions are then kept, over all files. */
const KEPT = 10_000;
/** Above this size, the older half of the statistics is dropped at the next start. Bytes. */
const MAX_STATISTICS = 8 * 1024 * 1024;
/** How many texts are stored before the oldest are looked for. */
const TEXTS_PER_PRUNE = 200;
/** How long typing that may go on is held back, in milliseconds. */
const TYPING_TIME = 1_000;

/**
 * Keeps the ledger and the texts at bases under the workspace's storage, so that a refusal still has its causes and its diff
 * after the window was reloaded or the extension host killed. Losing it costs answers their detail, never an edit.
 */
export class Storage implements vscode.Disposable {
  readonly #folder: string;
  readonly #ledger: Ledger;
  readonly #log: vscode.LogOutputChannel;
  readonly #tell: (key: string, transition: Transition) => void;
  #isLoaded = false;
  /** What has failed: it is told once, and not tried again while this window is open. The others go on. */
  readonly #broken = new Set<Part>();
  #lastEdit = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #textLimit: () => number;
  /** Texts that this window has stored. */
  readonly #texts = new Set<Digest>();

  /**
   * @param folder the workspace's own; it need not exist.
   * @param textLimit bytes of texts that are kept.
   * @param tell told of every final transition, too.
   */
  constructor(
    folder: string,
    ledger: Ledger,
    textLimit: () => number,
    tell: (key: string, transition: Transition) => void,
    log: vscode.LogOutputChannel,
  ) {
    this.#textLimit = textLimit;
    this.#tell = tell;
    this.#folder = folder;
    this.#ledger = ledger;
    this.#log = log;
  }

  /** Brings back what was stored, and stores from now on. Must come before anything is recorded; does so once. */
  load(): void {
    if (this.#isLoaded) {
      return;
    }
    this.#isLoaded = true;
    this.#guard('ledger', 'read', () => {
      mkdirSync(join(this.#folder, 'texts'), { recursive: true });
      const journal = existsSync(this.#journal) ? readFileSync(this.#journal, 'utf8') : '';
      const entries = this.#restore(journal);
      if (entries && (journal === '' || journal.length > MAX_LEDGER)) {
        this.#rewrite(entries.slice(-KEPT));
      } else if (entries && !journal.endsWith('\n')) {
        // A crash tore the last line: what comes next must not be glued to it.
        appendFileSync(this.#journal, '\n');
      }
    });
    this.#guard('statistics', 'read', () => this.#boundStatistics());
    this.#ledger.scribe = (key, transition) => {
      this.#append(key, transition);
      this.#tell(key, transition);
    };
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#ledger.close();
  }

  /** The highest edit number that was stored. */
  get lastEdit(): number {
    return this.#lastEdit;
  }

  keepTally(tally: Tally): void {
    if (this.#isLoaded) {
      // A line torn by a crash must not swallow this one.
      this.#guard('statistics', 'written', () => appendFileSync(this.#tallies, `\n${printTally(tally)}`));
    }
  }

  /** Every entry of a call that was stored, oldest first. */
  readTallies(): Tally[] {
    let text = '';
    this.#guard('statistics', 'read', () => {
      text = existsSync(this.#tallies) ? readFileSync(this.#tallies, 'utf8') : '';
    });
    return parseTallies(text);
  }

  /** Stores a text in the background; it is there within moments, whole or not at all. */
  keepText(digest: Digest, snapshot: Snapshot): void {
    if (!this.#isLoaded || this.#texts.has(digest) || this.#broken.has('texts')) {
      return;
    }
    this.#texts.add(digest);
    void this.#writeText(join(this.#folder, 'texts', digest), printSnapshot(snapshot));
    if (this.#texts.size % TEXTS_PER_PRUNE === 0) {
      void this.prune();
    }
  }

  async #writeText(path: string, text: string): Promise<void> {
    try {
      if (existsSync(path)) {
        // Its time says that it is in use.
        await utimes(path, new Date(), new Date());
        return;
      }
      const next = `${path}.${randomUUID()}`;
      await writeFile(next, text);
      await rename(next, path);
    } catch (error) {
      this.#fail('texts', 'written', error);
    }
  }

  /** @returns `undefined` where the text is not stored, or is damaged. */
  findText(digest: Digest): Snapshot | undefined {
    const path = join(this.#folder, 'texts', digest);
    if (!this.#isLoaded || digest.length !== 64 || !existsSync(path)) {
      return undefined;
    }
    let snapshot: Snapshot | undefined;
    this.#guard('texts', 'read', () => {
      snapshot = parseSnapshot(readFileSync(path, 'utf8'));
    });
    return snapshot;
  }

  /** Removes the texts that were used longest ago until the rest fits. */
  async prune(): Promise<void> {
    try {
      const folder = join(this.#folder, 'texts');
      const names = existsSync(folder) ? await readdir(folder) : [];
      const files = (await Promise.all(names.map((name) => sizeOf(join(folder, name))))).filter(
        (file) => file !== undefined,
      );
      let size = files.reduce((sum, file) => sum + file.size, 0);
      for (const { path, size: freed } of files.sort((a, b) => a.time - b.time)) {
        if (size <= this.#textLimit()) {
          return;
        }
        await rm(path, { force: true });
        this.#texts.delete(basename(path));
        size -= freed;
      }
    } catch (error) {
      this.#fail('texts', 'cleaned up', error);
    }
  }

  get #tallies(): string {
    return join(this.#folder, 'statistics.jsonl');
  }

  get #journal(): string {
    return join(this.#folder, 'ledger.jsonl');
  }

  /** @returns `undefined` where the ledger is of a newer version, and must be left alone. */
  #restore(text: string): readonly JournalEntry[] | undefined {
    const journal = parseJournal(text);
    if (journal.kind === 'newer') {
      this.#broken.add('ledger');
      this.#log.warn(
        `The stored ledger is of version ${journal.version}, newer than this extension: it is left alone, and nothing is added.`,
      );
      return undefined;
    }
    if (journal.dropped > 0) {
      this.#log.warn(
        `${journal.dropped} lines of the stored ledger could not be read and are left out: ${this.#journal}`,
      );
    }
    for (const { key, transition } of journal.entries) {
      this.#ledger.restore(key, transition);
      if (transition.cause?.kind === 'edit') {
        this.#lastEdit = Math.max(this.#lastEdit, transition.cause.number);
      }
    }
    return journal.entries;
  }

  #rewrite(entries: readonly JournalEntry[]): void {
    replaceFile(this.#journal, printHeader() + entries.map(printEntry).join(''));
  }

  #boundStatistics(): void {
    if ((statSync(this.#tallies, { throwIfNoEntry: false })?.size ?? 0) > MAX_STATISTICS) {
      const lines = readFileSync(this.#tallies, 'utf8').split('\n');
      replaceFile(this.#tallies, lines.slice(lines.length / 2).join('\n'));
    }
  }

  /** At once, so that it survives a kill of the process; the system writes it to the disk in its own time. */
  #append(key: string, transition: Transition): void {
    if (this.#isLoaded) {
      this.#guard('ledger', 'written', () => appendFileSync(this.#journal, printEntry({ key, transition })));
    }
  }

  /** To be called now and then while somebody types. */
  settleSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#ledger.settle();
    }, TYPING_TIME);
  }

  #guard(part: Part, what: string, body: () => void): void {
    if (this.#broken.has(part)) {
      return;
    }
    try {
      body();
    } catch (error) {
      if (codeOf(error) === undefined) {
        throw error;
      }
      this.#fail(part, what, error);
    }
  }

  /** Told once; edits go on without it. */
  #fail(part: Part, what: string, error: unknown): void {
    if (!this.#broken.has(part)) {
      this.#broken.add(part);
      this.#log.error(
        `The ${part} in ${this.#folder} could not be ${what}. Edits go on; ${LOST[part]}.`,
        error instanceof Error ? error : String(error),
      );
    }
  }
}

/** What is lost with each part. */
const LOST: Readonly<Record<Part, string>> = {
  ledger: 'who changed what is forgotten when this window closes',
  statistics: 'they are not counted',
  texts: 'diffs since a read are forgotten when this window closes',
};

/** @returns `undefined` for what is gone by now, and for what is no file. */
async function sizeOf(path: string): Promise<{ path: string; size: number; time: number } | undefined> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? { path, size: stats.size, time: stats.mtimeMs } : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

/** All at once: after a crash there is the old file or the new one. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
