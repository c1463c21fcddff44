import { randomUUID } from 'node:crypto';
import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Base } from '../core/base.ts';
import type { Move, Transition } from '../core/ledger.ts';
import { OtherWindows, Passages, parsePassage, printPassage } from '../core/otherWindows.ts';
import { codeOf } from './errors.ts';

/** Above this size, the file is put aside and a new one begun. Bytes. */
const MAX_SIZE = 1024 * 1024;
/** How much of the file is read when this window first asks: its newest lines are at the end. Bytes. */
const TAIL = 256 * 1024;

/**
 * Windows tell each other how files came from one state to the next, through one file in the extension's own storage: an edit
 * that lands in one window is an edit for the other too, not some program's write.
 */
export class WindowExchange {
  readonly #file: string;
  readonly #window = randomUUID();
  readonly #workspace: string;
  readonly #others = new OtherWindows();
  readonly #own: Passages;
  readonly #log: vscode.LogOutputChannel;
  #offset: number | undefined;
  /** The file that {@link #offset} speaks of. */
  #inode = 0;
  /** A line that was not whole yet when it was read. */
  #rest = '';
  #isBroken = false;

  /** @param folder the extension's own, shared by all windows; it need not exist. */
  constructor(folder: string, log: vscode.LogOutputChannel) {
    this.#file = join(folder, 'passages.jsonl');
    this.#log = log;
    this.#workspace = workspaceName();
    this.#own = new Passages(this.#window, this.#workspace);
  }

  /** Takes one of this window's transitions, in order. */
  tell(key: string, transition: Transition): void {
    const passage = this.#own.add(key, transition);
    if (passage && !this.#isBroken) {
      this.#guard(() => {
        mkdirSync(dirname(this.#file), { recursive: true });
        appendFileSync(this.#file, `\n${printPassage(passage)}`);
      });
    }
  }

  /** See {@link OtherWindows.wayFrom}. */
  wayFrom(key: string, since: number, from: Base, to: Base): readonly Move[] {
    this.#listen();
    return this.#others.wayFrom(key, since, from, to);
  }

  /** The highest number of an edit that another window of this workspace has told. */
  get lastEdit(): number {
    this.#listen();
    return this.#others.lastEditIn(this.#workspace);
  }

  /** Reads what has been told since the last time. */
  #listen(): void {
    if (this.#isBroken) {
      return;
    }
    this.#guard(() => {
      mkdirSync(dirname(this.#file), { recursive: true });
      const descriptor = openSync(this.#file, 'a+');
      try {
        const { size, ino } = fstatSync(descriptor);
        if (this.#offset === undefined || ino !== this.#inode || size < this.#offset) {
          this.#offset = this.#offset === undefined ? Math.max(0, size - TAIL) : 0;
          this.#inode = ino;
          this.#rest = '';
        }
        const chunk = Buffer.alloc(size - this.#offset);
        this.#offset += readSync(descriptor, chunk, 0, chunk.length, this.#offset);
        const lines = (this.#rest + chunk.toString('utf8')).split('\n');
        this.#rest = lines.pop() ?? '';
        this.#take(lines);
        if (size > MAX_SIZE) {
          renameSync(this.#file, `${this.#file}.old`);
        }
      } finally {
        closeSync(descriptor);
      }
    });
  }

  #take(lines: readonly string[]): void {
    for (const line of lines) {
      const passage = parsePassage(line);
      if (passage && passage.window !== this.#window) {
        this.#others.add(passage);
      }
    }
  }

  /** Told once; this window then knows of no other. */
  #guard(body: () => void): void {
    try {
      body();
    } catch (error) {
      if (codeOf(error) === undefined) {
        throw error;
      }
      this.#isBroken = true;
      this.#log.warn(
        `Windows cannot tell each other of edits through ${this.#file}: in this window, those of others are external writes.`,
        error instanceof Error ? error : String(error),
      );
    }
  }
}

function workspaceName(): string {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  return workspaceFile?.toString() ?? workspaceFolders.map(({ uri }) => uri.toString()).join('\n');
}
