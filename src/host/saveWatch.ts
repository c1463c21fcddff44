import { type FSWatcher, watch } from 'node:fs';
import type * as vscode from 'vscode';
import { readDisk } from './disk.ts';
import { describe } from './errors.ts';

/** How much of the time may go into looking, at most: a large file is written in many steps, and each is told of. */
const MAX_SHARE = 1 / 4;
/** A look that takes no longer is never left out, in milliseconds. */
const QUICK = 2;

/**
 * Sees what other programs write to a file while the editor saves it. From its own look at the disk to its write, the editor takes
 * tens of milliseconds, and what is written in between, it overwrites: here it is read the moment the system tells of it.
 */
export class SaveWatch {
  readonly #path: string;
  readonly #isExpected: (bytes: Buffer) => boolean;
  readonly #watcher: FSWatcher | undefined;
  #seen: Buffer | undefined;
  /** Before this time of `performance.now()`, a large file is not looked at again. */
  #next = 0;

  /** @param isExpected whether the bytes are there by the editor's doing, half of them included, or were there before. */
  constructor(path: string, isExpected: (bytes: Buffer) => boolean, log: vscode.LogOutputChannel) {
    this.#path = path;
    this.#isExpected = isExpected;
    try {
      this.#watcher = watch(path, { persistent: false }, () => this.#look());
      this.#watcher.on('error', (error) => log.debug(`${path} is not watched any more: ${describe(error)}`));
    } catch (error) {
      // Not every file system can; then only the looks before and after the save protect the others.
      log.debug(`${path} cannot be watched: ${describe(error)}`);
    }
  }

  /** The newest bytes that somebody else wrote meanwhile. */
  get seen(): Buffer | undefined {
    return this.#seen;
  }

  stop(): void {
    this.#watcher?.close();
  }

  #look(): void {
    const begun = performance.now();
    if (begun < this.#next) {
      return;
    }
    const disk = readDisk(this.#path);
    if (disk.kind === 'file' && !this.#isExpected(disk.bytes)) {
      this.#seen = disk.bytes;
    }
    const taken = performance.now() - begun;
    this.#next = taken < QUICK ? 0 : begun + taken / MAX_SHARE;
  }
}
