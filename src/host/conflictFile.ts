import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type * as vscode from 'vscode';
import type { Conflicts } from '../core/conflict.ts';
import { parseConflicts, printConflicts } from '../core/conflictStore.ts';
import { codeOf } from './errors.ts';

/** How long changes are gathered before they are written, in milliseconds. */
const GATHER_TIME = 250;

/**
 * Keeps the open conflicts over a reload of the window, in one small file that is replaced as a whole: after a crash, it is
 * the old one or the new one. Losing it costs the engineer a list, never an edit.
 */
export class ConflictFile implements vscode.Disposable {
  readonly #path: string;
  readonly #conflicts: Conflicts;
  readonly #log: vscode.LogOutputChannel;
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Nothing is written over what was not read yet. */
  #isLoaded = false;
  #isBroken = false;

  /** @param path need not exist, nor its folder. */
  constructor(path: string, conflicts: Conflicts, log: vscode.LogOutputChannel) {
    this.#path = path;
    this.#conflicts = conflicts;
    this.#log = log;
    this.#stop = conflicts.onDidChange(() => this.#writeSoon());
  }

  /** Brings back what was open before. Never rejects. @returns whether there was anything. */
  async load(): Promise<boolean> {
    let stored: ReturnType<typeof parseConflicts> = [];
    try {
      stored = parseConflicts(await readFile(this.#path, 'utf8'));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') {
        // What could not be read is not written over either.
        this.#broken('read', error);
        return false;
      }
    }
    this.#isLoaded = true;
    this.#conflicts.restore(stored);
    return stored.length > 0;
  }

  dispose(): void {
    this.#stop();
    if (this.#timer) {
      clearTimeout(this.#timer);
      this.#write();
    }
  }

  #writeSoon(): void {
    if (!this.#isLoaded) {
      return;
    }
    this.#timer ??= setTimeout(() => this.#write(), GATHER_TIME);
  }

  #write(): void {
    this.#timer = undefined;
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      writeFileSync(`${this.#path}.new`, printConflicts(this.#conflicts.open));
      renameSync(`${this.#path}.new`, this.#path);
    } catch (error) {
      this.#broken('written', error);
    }
  }

  #broken(what: string, error: unknown): void {
    if (!this.#isBroken) {
      this.#isBroken = true;
      this.#log.error(
        `Open conflicts could not be ${what}: ${this.#path}. They are forgotten when this window closes.`,
        error instanceof Error ? error : String(error),
      );
    }
  }
}
