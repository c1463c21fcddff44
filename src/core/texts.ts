import type { Digest } from './base.ts';
import type { Format } from './documents.ts';
import { parseJson } from './json.ts';
import type { Ending, Text } from './text.ts';

/** A text as it was at some base. */
export interface Snapshot {
  readonly text: Text;
  readonly format: Format;
}

/** Where texts outlive the window. */
export interface TextStore {
  readonly keepText: (digest: Digest, snapshot: Snapshot) => void;
  readonly findText: (digest: Digest) => Snapshot | undefined;
}

/** A snapshot as one line of JSON and the content as it is. */
export function printSnapshot({ text, format }: Snapshot): string {
  return `${JSON.stringify({ endings: text.endings, format, length: text.content.length })}\n${text.content}`;
}

/** @returns `undefined` for anything that {@link printSnapshot} did not write, a torn file included. */
export function parseSnapshot(stored: string): Snapshot | undefined {
  const end = stored.indexOf('\n');
  const header = parseJson(stored.slice(0, end)) as {
    endings?: unknown;
    format?: Partial<Format>;
    length?: unknown;
  } | null;
  const { endings, format, length } = header ?? {};
  const content = stored.slice(end + 1);
  const isFormat = typeof format?.encoding === 'string' && typeof format.bom === 'boolean';
  const isEndings = Array.isArray(endings) ? endings.every(isEnding) : isEnding(endings);
  return isFormat && isEndings && content.length === length
    ? { text: { content, endings: endings as Text['endings'] }, format: format as Format }
    : undefined;
}

function isEnding(value: unknown): value is Ending {
  return value === '\n' || value === '\r\n' || value === '\r';
}

/**
 * Remembers texts by the digest of their effective bytes, so that a refusal can show what changed since the read.
 * Bounded in bytes (two per UTF-16 unit, eight per recorded line ending); the least recently used go first.
 */
export class Texts {
  readonly #store: TextStore | undefined;
  readonly #snapshots = new Map<Digest, Snapshot>();
  #limit: number;
  #size = 0;

  constructor(limit: number, store?: TextStore) {
    this.#limit = limit;
    this.#store = store;
  }

  /** Bytes in use. */
  get size(): number {
    return this.#size;
  }

  set limit(bytes: number) {
    this.#limit = bytes;
    this.#evict();
  }

  /** @param isStored whether it may outlive the window. */
  keep(digest: Digest, snapshot: Snapshot, isStored = true): void {
    if (isStored && !this.#snapshots.has(digest)) {
      this.#store?.keepText(digest, snapshot);
    }
    this.#drop(digest);
    this.#snapshots.set(digest, snapshot);
    this.#size += cost(snapshot);
    this.#evict();
  }

  /**
   * @param digest may be abbreviated.
   * @returns `undefined` when the text is not, or no longer, remembered.
   */
  find(digest: Digest): Snapshot | undefined {
    const full = this.#snapshots.has(digest)
      ? digest
      : [...this.#snapshots.keys()].find((key) => key.startsWith(digest));
    const snapshot = full === undefined ? this.#store?.findText(digest) : this.#snapshots.get(full);
    if (full !== undefined && snapshot !== undefined) {
      this.#snapshots.delete(full);
      this.#snapshots.set(full, snapshot);
    }
    return snapshot;
  }

  #evict(): void {
    for (const digest of this.#snapshots.keys()) {
      if (this.#size <= this.#limit) {
        return;
      }
      this.#drop(digest);
    }
  }

  #drop(digest: Digest): void {
    const snapshot = this.#snapshots.get(digest);
    if (snapshot) {
      this.#size -= cost(snapshot);
      this.#snapshots.delete(digest);
    }
  }
}

function cost({ text }: Snapshot): number {
  return 2 * text.content.length + (typeof text.endings === 'string' ? 0 : 8 * text.endings.length) + 100;
}
