import type { Digest } from './base.ts';
import type { Format } from './documents.ts';
import type { Text } from './text.ts';

/** A text as it was at some base. */
export interface Snapshot {
  readonly text: Text;
  readonly format: Format;
}

/**
 * Remembers texts by the digest of their effective bytes, so that a refusal can show what changed since the read.
 * Bounded in bytes (two per UTF-16 unit, eight per recorded line ending); the least recently used go first.
 */
export class Texts {
  readonly #snapshots = new Map<Digest, Snapshot>();
  #limit: number;
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes in use. */
  get size(): number {
    return this.#size;
  }

  set limit(bytes: number) {
    this.#limit = bytes;
    this.#evict();
  }

  keep(digest: Digest, snapshot: Snapshot): void {
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
    const snapshot = full === undefined ? undefined : this.#snapshots.get(full);
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
