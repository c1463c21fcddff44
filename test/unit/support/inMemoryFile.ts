import { detectFormat, encode } from '../../../src/core/codec.ts';
import type { Format } from '../../../src/core/documents.ts';
import { applyEdits, type BufferEdit, inverseOf } from '../../../src/core/landing.ts';
import type { Cause } from '../../../src/core/ledger.ts';

/** Whose hand changes a file. */
export type Author =
  /** The adapter: an apply, its save, taking it back, a file operation. */
  | 'arbiter'
  | 'engineer'
  /** Something else in the editor that changes a buffer, a quick fix for instance. */
  | 'extension'
  | 'save participant'
  /** A configured hook, after an apply. */
  | 'hook'
  /** The editor reloads a clean buffer from disk. */
  | 'editor'
  /** Another program. */
  | 'program';

/** All that a file holds. `undefined` where there is no such file, or no buffer. */
export interface Content {
  readonly disk: string | undefined;
  readonly buffer: string | undefined;
  /** The editor's own flag. */
  readonly isDirty: boolean;
}

/** One change of what files hold, as it really happened: of two files where one was moved to the other's place. */
export interface Mutation {
  readonly by: Author;
  /** In words: `types`, `saves`, `takes back`. */
  readonly what: string;
  readonly files: readonly { readonly path: string; readonly before: Content; readonly after: Content }[];
}

/** One change of a buffer. */
export interface BufferChange {
  readonly edits: readonly BufferEdit[];
  readonly by: Author;
  readonly reason?: 'undo' | 'redo';
  /** Where it takes back, or brings back, an edit of an agent: its number. */
  readonly number?: number;
}

/** One step of a buffer's undo stack; `number` where it is an edit of an agent. */
export interface UndoStep {
  readonly edits: readonly BufferEdit[];
  readonly inverse: readonly BufferEdit[];
  number?: number;
}

interface OpenBuffer {
  raw: string;
  /** Goes up with each change: what the editor compares before it takes an edit. */
  version: number;
  readonly undo: UndoStep[];
  readonly redo: UndoStep[];
  /** The newest step when the buffer was loaded or saved; the editor calls the buffer clean where it is the newest one. */
  savedAt: UndoStep | undefined;
  /** The bytes that the buffer was loaded from, or saved as: the editor's own guard compares with them. */
  origin: Uint8Array | undefined;
}

export const UTF8: Format = { encoding: 'utf8', bom: false };

/** A file on disk with at most one buffer, UTF-8. Knows nothing of agents; tells of each change of what it holds. */
export class InMemoryFile {
  readonly path: string;
  bytes: Uint8Array | undefined;
  buffer: OpenBuffer | undefined;
  /** Goes up with everything that happens to the file. */
  version = 0;
  isReadOnly = false;
  /** Whether every save and every delete fails. */
  isStuck = false;
  /** Who wrote the disk last, where that is known. */
  writer: Cause | undefined;
  /** The newest save that is under way. */
  saving: Promise<unknown> = Promise.resolve();
  readonly #onDidMutate: (mutation: Mutation) => void;

  constructor(path: string, onDidMutate: (mutation: Mutation) => void) {
    this.path = path;
    this.#onDidMutate = onDidMutate;
  }

  get content(): Content {
    return { disk: this.textOnDisk, buffer: this.buffer?.raw, isDirty: this.isDirty };
  }

  get textOnDisk(): string | undefined {
    return this.bytes && decodeUtf8(this.bytes);
  }

  /** The editor's own flag: text that was typed and taken away again by hand counts as unsaved. */
  get isDirty(): boolean {
    return this.buffer !== undefined && this.buffer.undo.at(-1) !== this.buffer.savedAt;
  }

  /** Whether the editor's clean copy is not what is on disk: it has not been reloaded yet. */
  get isLagging(): boolean {
    return (
      this.buffer !== undefined && !this.isDirty && this.bytes !== undefined && this.buffer.raw !== this.textOnDisk
    );
  }

  get format(): Format {
    return this.bytes === undefined ? UTF8 : detectFormat(this.bytes, 'utf8');
  }

  /** Changes the disk. */
  write(bytes: Uint8Array | undefined, by: Author, what: string): void {
    this.#mutate(by, what, () => {
      this.bytes = bytes;
    });
  }

  /** Opens the file in the editor, where it is not open. */
  open(): OpenBuffer {
    this.buffer ??= {
      raw: decodeUtf8(this.bytes),
      version: 1,
      undo: [],
      redo: [],
      savedAt: undefined,
      origin: this.bytes,
    };
    return this.buffer;
  }

  /** Changes the buffer, as one step of its undo stack. */
  edit(edits: readonly BufferEdit[], by: Author, what: string): BufferChange {
    const buffer = this.open();
    this.#mutate(by, what, () => {
      buffer.undo.push({ edits, inverse: inverseOf(buffer.raw, edits) });
      buffer.redo.length = 0;
      buffer.raw = applyEdits(buffer.raw, edits);
      buffer.version += 1;
    });
    return { edits, by };
  }

  /** The engineer takes the last step back, or brings it back. */
  step(kind: 'undo' | 'redo'): BufferChange {
    const { buffer } = this;
    const step = buffer?.[kind].at(-1);
    if (!buffer || !step) {
      throw new Error(`nothing to ${kind} in ${this.path}`);
    }
    const edits = kind === 'undo' ? step.inverse : step.edits;
    this.#mutate('engineer', kind === 'undo' ? 'undoes' : 'redoes', () => {
      buffer.raw = applyEdits(buffer.raw, edits);
      buffer[kind].pop();
      buffer[kind === 'undo' ? 'redo' : 'undo'].push(step);
      buffer.version += 1;
    });
    return { edits, by: 'engineer', reason: kind, ...(step.number === undefined ? {} : { number: step.number }) };
  }

  /**
   * Makes the buffer what is on disk, and clean: the editor reloads it, or the engineer gives up what is unsaved. It can be
   * undone like any change.
   */
  reload(by: 'editor' | 'engineer', what: string): BufferChange | undefined {
    const { buffer } = this;
    if (!buffer || this.bytes === undefined) {
      return undefined;
    }
    const raw = decodeUtf8(this.bytes);
    const edits = [{ offset: 0, length: buffer.raw.length, text: raw }];
    const isMoved = buffer.raw !== raw;
    this.#mutate(by, what, () => {
      if (isMoved) {
        buffer.undo.push({ edits, inverse: inverseOf(buffer.raw, edits) });
        buffer.redo.length = 0;
        buffer.raw = raw;
        buffer.version += 1;
      }
      buffer.savedAt = buffer.undo.at(-1);
      buffer.origin = this.bytes;
    });
    // To the editor's side it looks like any reload.
    return isMoved ? { edits, by: 'editor' } : undefined;
  }

  /** Writes a text that the buffer had at a step to the disk. Whatever has come since is unsaved. */
  saveAs(raw: string, at: UndoStep | undefined, by: Author): void {
    const { buffer } = this;
    this.#mutate(by, 'saves', () => {
      this.bytes = encode(raw, this.format);
      if (buffer) {
        buffer.savedAt = at;
        buffer.origin = this.bytes;
      }
    });
  }

  /** Lets the buffer go, with what is unsaved in it. */
  close(by: Author, what: string): void {
    this.#mutate(by, what, () => {
      this.buffer = undefined;
    });
  }

  /** Moves the disk to another place, and the buffer with it where `withBuffer` says so. What is there goes. */
  moveTo(target: InMemoryFile, by: Author, what: string, withBuffer: boolean): void {
    this.#mutate(
      by,
      what,
      () => {
        target.bytes = this.bytes;
        this.bytes = undefined;
        if (withBuffer) {
          target.buffer = this.buffer;
          this.buffer = undefined;
        }
      },
      [this, target],
    );
  }

  #mutate(by: Author, what: string, body: () => void, files: readonly InMemoryFile[] = [this]): void {
    const before = files.map(({ content }) => content);
    body();
    for (const file of files) {
      file.version += 1;
    }
    this.#onDidMutate({
      by,
      what,
      files: files.map(({ path, content }, index) => ({ path, before: before[index] ?? content, after: content })),
    });
  }
}

const DECODER = new TextDecoder();

export function decodeUtf8(bytes: Uint8Array | undefined): string {
  return DECODER.decode(bytes);
}

export function isSameBytes(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && Buffer.from(one).equals(other));
}
