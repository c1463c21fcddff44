import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type * as vscode from 'vscode';
import { codeOf, describe } from './errors.ts';

/** How many folders are watched at most; what is held beyond them is looked at when the editor tells of it. */
const MAX_FOLDERS = 256;

/**
 * Hears of writes to a set of files from other programs, open in the editor or not. One watcher per folder that holds any of
 * them, never recursive, and none while the set is empty: the editor's own watcher comes a quarter of a second later, and
 * leaves out what `files.watcherExclude` says. A hint only: what has happened to a file, a look at it tells.
 */
export class DiskWatch implements vscode.Disposable {
  readonly #onDidTouch: (key: string) => void;
  readonly #log: vscode.LogOutputChannel;
  readonly #watchers = new Map<string, FSWatcher>();
  #names = new Map<string, Set<string>>();

  constructor(onDidTouch: (key: string) => void, log: vscode.LogOutputChannel) {
    this.#onDidTouch = onDidTouch;
    this.#log = log;
  }

  /** The real paths of the files. */
  set files(files: ReadonlySet<string>) {
    const names = new Map<string, Set<string>>();
    for (const file of files) {
      const folder = dirname(file);
      const known = names.get(folder);
      if (known) {
        known.add(basename(file));
      } else if (names.size < MAX_FOLDERS) {
        names.set(folder, new Set([basename(file)]));
      }
    }
    this.#names = names;
    for (const [folder, watcher] of this.#watchers) {
      if (!names.has(folder)) {
        watcher.close();
        this.#watchers.delete(folder);
      }
    }
    for (const folder of names.keys()) {
      if (!this.#watchers.has(folder)) {
        this.#watch(folder);
      }
    }
  }

  /** How many folders are watched now. */
  get folders(): number {
    return this.#watchers.size;
  }

  dispose(): void {
    this.files = new Set();
  }

  #watch(folder: string): void {
    try {
      const inode = statSync(folder).ino;
      const watcher = watch(folder, { persistent: false }, (kind, name) => {
        // A folder that went and came again, as in a checkout, is another one: its old watcher hears nothing of it.
        if (kind === 'rename' && statSync(folder, { throwIfNoEntry: false })?.ino !== inode) {
          this.#watchAgain(folder);
        }
        this.#touched(folder, name);
      });
      watcher.on('error', (error) => this.#lost(folder, error));
      this.#watchers.set(folder, watcher);
    } catch (error) {
      // A folder that is not there yet, or no watcher left to give: the file is looked at on the next call or save.
      if (codeOf(error) === undefined) {
        throw error;
      }
      this.#lost(folder, error);
    }
  }

  #watchAgain(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
    this.#watch(folder);
    this.#touched(folder, null);
  }

  #lost(folder: string, error: unknown): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
    if (codeOf(error) !== 'ENOENT') {
      this.#log.debug(`${folder} is not watched: ${describe(error)}`);
    }
  }

  #touched(folder: string, name: string | null): void {
    const names = this.#names.get(folder) ?? new Set();
    for (const touched of name === null ? names : [name]) {
      if (names.has(touched)) {
        this.#onDidTouch(join(folder, touched));
      }
    }
  }
}
