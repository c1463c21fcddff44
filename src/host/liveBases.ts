import * as vscode from 'vscode';
import type { Arbiter } from '../core/arbiter.ts';
import { idOf, type StaleBase } from '../core/staleBases.ts';
import { DiskWatch } from './diskWatch.ts';
import type { WorkspaceDocuments } from './documents.ts';

/** How long what happens to files is gathered before they are looked at, in milliseconds. */
const GATHER_TIME = 50;
/** Of all time, at most this part is spent on looking. */
const MAX_SHARE = 1 / 4;
const MAX_DELAY = 2_000;
/** How long the keyboard rests before a file that is shown as stale is looked at again, in milliseconds. */
const PAUSE = 200;
/** When a file that some program wrote is looked at once more: by then git, or a command that ended, may be known to be it. */
const SECOND_LOOK = 2_000;

/**
 * The held bases that are stale at this moment. A file is looked at only when something has happened to it and some session
 * holds a base of it: after a keystroke, a save, a write of another program or a call. Nothing runs in between, and nothing
 * is hashed on the keystroke itself.
 */
export class LiveBases implements vscode.Disposable {
  readonly #arbiter: Arbiter;
  readonly #log: vscode.LogOutputChannel;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#onDidChange.event;
  readonly #disk: DiskWatch;
  readonly #touched = new Set<string>();
  readonly #stale = new Map<string, StaleBase>();
  readonly #subscriptions: readonly vscode.Disposable[];
  readonly #secondLooks = new Set<NodeJS.Timeout>();
  #held: ReadonlySet<string> = new Set();
  /** The files of which a stale base is shown. */
  #shown: ReadonlySet<string> = new Set();
  /** Files that are being typed in, and until when the keyboard must have rested, by the clock of `performance`. */
  readonly #pauses = new Map<string, number>();
  #pause: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #lastLook = 0;

  constructor(arbiter: Arbiter, documents: WorkspaceDocuments, log: vscode.LogOutputChannel) {
    this.#arbiter = arbiter;
    this.#log = log;
    this.#disk = new DiskWatch((key) => this.#touch(key), log);
    const touchDocument = (document: vscode.TextDocument) => {
      if (this.#held.size > 0 && document.uri.scheme === 'file') {
        this.#touch(documents.looks.recentKeyOf(document));
      }
    };
    this.#subscriptions = [
      this.#onDidChange,
      this.#disk,
      documents.onDidChange(({ key }) => this.#changed(key)),
      vscode.workspace.onDidSaveTextDocument(touchDocument),
      vscode.workspace.onDidCloseTextDocument(touchDocument),
      new vscode.Disposable(arbiter.held.onDidChange((keys) => this.#heldAnew(keys))),
      new vscode.Disposable(() => {
        clearTimeout(this.#timer);
        clearTimeout(this.#pause);
      }),
    ];
  }

  /** The newest move first. */
  get stale(): readonly StaleBase[] {
    return [...this.#stale.values()].sort((a, b) => b.since - a.since);
  }

  /** How many files are held, and how many folders are watched for them. */
  get watched(): { readonly files: number; readonly folders: number } {
    return { files: this.#held.size, folders: this.#disk.folders };
  }

  dispose(): void {
    for (const timer of this.#secondLooks) {
      clearTimeout(timer);
    }
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  #heldAnew(keys: readonly string[]): void {
    const before = this.#held;
    this.#held = this.#arbiter.held.files;
    this.#disk.files = this.#held;
    // A session that made no call for a day lets go of what it held.
    const dropped = [...before].filter((key) => !this.#held.has(key));
    for (const key of [...keys, ...dropped]) {
      this.#touched.add(key);
    }
    this.#lookSoon();
  }

  /** What is shown as stale already is looked at again when the keyboard rests. */
  #changed(key: string): void {
    if (!this.#shown.has(key)) {
      this.#touch(key);
      return;
    }
    this.#pauses.set(key, performance.now() + PAUSE);
    this.#pause ??= setTimeout(() => this.#rested(), PAUSE);
  }

  #rested(): void {
    const now = performance.now();
    this.#pause = undefined;
    for (const [key, until] of this.#pauses) {
      if (until <= now) {
        this.#pauses.delete(key);
        this.#touch(key);
      }
    }
    if (this.#pauses.size > 0) {
      this.#pause = setTimeout(() => this.#rested(), Math.max(1, Math.min(...this.#pauses.values()) - now));
    }
  }

  #touch(key: string): void {
    if (this.#held.has(key)) {
      this.#touched.add(key);
      this.#lookSoon();
    }
  }

  #lookSoon(): void {
    if (!this.#isLooking && this.#touched.size > 0) {
      const delay = Math.min(MAX_DELAY, Math.max(GATHER_TIME, this.#lastLook * (1 / MAX_SHARE - 1)));
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#look().catch((error: unknown) =>
          this.#log.error('Held bases could not be looked at', error instanceof Error ? error : String(error)),
        );
      }, delay);
    }
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    const start = performance.now();
    try {
      // An edit that is under way tells when it is over.
      const keys = new Set([...this.#touched].filter((key) => !this.#arbiter.held.isEditing(key)));
      this.#touched.clear();
      const found = await this.#arbiter.held.stale(keys);
      if (this.#replace(keys, found)) {
        this.#onDidChange.fire();
        this.#lookAgain(found);
      }
    } finally {
      this.#lastLook = performance.now() - start;
      this.#isLooking = false;
      this.#lookSoon();
    }
  }

  #lookAgain(found: readonly StaleBase[]): void {
    const written = found.filter(({ causes }) => causes.at(-1)?.startsWith('external writer'));
    if (written.length > 0) {
      const timer = setTimeout(() => {
        this.#secondLooks.delete(timer);
        for (const { key } of written) {
          this.#touch(key);
        }
      }, SECOND_LOOK);
      this.#secondLooks.add(timer);
    }
  }

  /** @returns whether anything is otherwise than it was. */
  #replace(keys: ReadonlySet<string>, found: readonly StaleBase[]): boolean {
    const before = [...this.#stale.values()].filter(({ key }) => keys.has(key));
    const after = found.map((stale) => {
      const known = this.#stale.get(idOf(stale));
      return known?.base === stale.base ? { ...stale, since: Math.min(known.since, stale.since) } : stale;
    });
    for (const stale of before) {
      this.#stale.delete(idOf(stale));
    }
    for (const stale of after) {
      this.#stale.set(idOf(stale), stale);
    }
    this.#shown = new Set([...this.#stale.values()].map(({ key }) => key));
    return JSON.stringify(before) !== JSON.stringify(after);
  }
}
