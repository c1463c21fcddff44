import type { EditRequest } from './input.ts';
import type { Refusal } from './status.ts';

/** An edit that was cut off in the middle: see `ApplyRecord`. */
export interface Interruption {
  /** The record that tells what the file held before. */
  readonly record: string;
  /** The edit's number. */
  readonly edit: number;
  /** Whether the file held just what the edit was to write; else, another program may have written it since. */
  readonly isSure: boolean;
}

/** One refused edit, or one that was cut off, for the engineer to see until it is resolved. */
export interface Conflict {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly key: string;
  readonly path: string;
  readonly session: string | undefined;
  readonly turn: number;
  readonly status: Refusal | 'interrupted';
  /** Token of the base that the refused call carried. */
  readonly expected: string;
  /** Token of the base that the edit was planned on: an earlier one than `expected` where it was sent again by reflex. */
  readonly since: string;
  /** Token of the state that the gate found; left out where the file could not be read. */
  readonly actual?: string;
  readonly changedBy: readonly string[];
  /** What speaks for each of them, one sentence each. */
  readonly evidence?: readonly string[];
  /** Unified diff from the base to the state the gate found; `null` when the text at the base was not remembered. */
  readonly diffSinceRead: string | null;
  readonly yourEdit?: string;
  readonly reason?: string;
  /** The agent's one sentence about the call. */
  readonly explanation: string | undefined;
  readonly request: EditRequest;
  /** Whether the file may hold secrets: then nothing of its text, or of what was to be written, is stored or sent on. */
  readonly isSecret?: boolean;
  /** Settled by the engineer alone. */
  readonly interruption?: Interruption;
}

/** How many conflicts are kept, and how much of their text in UTF-16 units; the oldest go first. */
const LIMIT = 1_000;
const MAX_CHARS = 16 * 1024 * 1024;
/** How many settled ones are kept. */
const RESOLVED_LIMIT = 200;

/** The open conflicts, newest first. */
export class Conflicts {
  #open: Conflict[] = [];
  #resolved: Conflict[] = [];
  #nextId = 1;
  readonly #listeners = new Set<() => void>();
  readonly #addListeners = new Set<(conflict: Conflict) => void>();

  get open(): readonly Conflict[] {
    return this.#open;
  }

  /** Resolved or dismissed since the last {@link clearResolved}, newest first. */
  get resolved(): readonly Conflict[] {
    return this.#resolved;
  }

  /** Adds a conflict. An earlier one of the same session over the same edit of the same file is replaced. */
  add(conflict: Omit<Conflict, 'id'>): void {
    const isSame = (other: Conflict) =>
      other.key === conflict.key &&
      other.session === conflict.session &&
      other.request.signature === conflict.request.signature;
    const added = { ...conflict, id: this.#nextId++ };
    this.#open = bounded([added, ...this.#open.filter((other) => !isSame(other))]);
    this.#changed();
    for (const listener of this.#addListeners) {
      listener(added);
    }
  }

  /** Brings back conflicts that were open before, newest first: they are older than all that are open now. */
  restore(conflicts: readonly Omit<Conflict, 'id'>[]): void {
    if (conflicts.length > 0) {
      this.#open = bounded([...this.#open, ...conflicts.map((conflict) => ({ ...conflict, id: this.#nextId++ }))]);
      this.#changed();
    }
  }

  clearResolved(): void {
    this.#resolved = [];
    this.#changed();
  }

  /** @returns what stops the listener. */
  onDidChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Told of each refusal, also of one that replaces an earlier one. @returns what stops the listener. */
  onDidAdd(listener: (conflict: Conflict) => void): () => void {
    this.#addListeners.add(listener);
    return () => this.#addListeners.delete(listener);
  }

  /** Moves refused edits that are settled out of the open ones. */
  close(isMeant: (conflict: Conflict) => boolean): void {
    this.#close((conflict) => conflict.interruption === undefined && isMeant(conflict));
  }

  /** The engineer has settled one. */
  settle(id: number): void {
    this.#close((conflict) => conflict.id === id);
  }

  #close(isMeant: (conflict: Conflict) => boolean): void {
    const closed = this.#open.filter(isMeant);
    if (closed.length > 0) {
      this.#open = this.#open.filter((conflict) => !closed.includes(conflict));
      this.#resolved = bounded([...closed, ...this.#resolved]).slice(0, RESOLVED_LIMIT);
      this.#changed();
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

function bounded(conflicts: readonly Conflict[]): Conflict[] {
  let chars = 0;
  let count = 0;
  // What an edit that was cut off has left goes only when the engineer says so.
  return conflicts.filter((conflict) => {
    if (conflict.interruption !== undefined) {
      return true;
    }
    chars += sizeOf(conflict);
    count += 1;
    return count <= LIMIT && (chars <= MAX_CHARS || count === 1);
  });
}

/** About how much text a conflict holds, in UTF-16 units. */
export function sizeOf({ request: { wish }, diffSinceRead }: Pick<Conflict, 'request' | 'diffSinceRead'>): number {
  const diff = diffSinceRead?.length ?? 0;
  switch (wish.kind) {
    case 'edits':
      return wish.replacements.reduce((sum, { oldText, newText }) => sum + oldText.length + newText.length, diff);
    case 'patch':
      return diff + wish.patch.length;
    case 'content':
      return diff + wish.content.length;
    default:
      return diff;
  }
}
