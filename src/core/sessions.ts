import type { Base } from './base.ts';
import type { FileRef } from './documents.ts';

/** A base that a session was given for a file and may still plan on. */
export interface HeldBase {
  readonly file: FileRef;
  readonly base: Base;
  /** Turn in which it was given. */
  readonly turn: number;
  /** Token of the moved state that the session has already been told about, so that each move is told once. */
  readonly told?: string;
}

/** An edit that was refused because its base was stale. */
export interface RefusedEdit {
  /** See `EditRequest.parts`. */
  readonly parts: readonly string[];
  /** The base it carried. */
  readonly base: Base;
}

/** An entry that was applied, for the answer to the same call sent again. */
export interface AppliedEntry {
  readonly edit: number;
  /** Token of the state it led to. */
  readonly result: string;
  /** Whether the session has been shown all of that state. */
  readonly isShown: boolean;
  /** Where the entry renamed the file: its old path, while `result` speaks of the new one. */
  readonly renamedFrom?: string;
}

/** A region of a file that a session edited since it last read it; content offsets. */
export interface EditedRegion {
  readonly start: number;
  readonly end: number;
  readonly edits: number;
}

/** How many applied entries a session remembers, for the answer to the same call sent again. */
const MAX_APPLIED = 500;
/** How many refused edits of one file it remembers. */
const MAX_PER_FILE = 100;

/** What is remembered of one chat session. It enriches answers; the gate itself needs none of it. */
export class Session {
  /** `undefined` for the one session that stands for all that are not known. */
  readonly id: string | undefined;
  readonly held = new Map<string, HeldBase>();
  readonly #applied = new Map<string, AppliedEntry>();
  readonly refused = new Map<string, RefusedEdit[]>();
  readonly regions = new Map<string, readonly EditedRegion[]>();
  /** Milliseconds since the epoch of the last call. */
  lastCall = 0;
  readonly #reread = new Map<string, number>();
  #turn = 0;
  #running = 0;

  constructor(id: string | undefined) {
    this.id = id;
  }

  /** Takes a turn: a new one, or that of the call that is still running. Balance with {@link end}. */
  begin(now: number): number {
    this.#turn += this.#running === 0 ? 1 : 0;
    this.#running += 1;
    this.lastCall = now;
    return this.#turn;
  }

  get isRunning(): boolean {
    return this.#running > 0;
  }

  end(): void {
    this.#running -= 1;
  }

  /** The session was shown the file: what it was refused before may now be considered anew. */
  read(held: HeldBase): void {
    const { key } = held.file;
    this.held.set(key, held);
    this.refused.delete(key);
    this.regions.delete(key);
    this.#reread.set(key, held.turn);
  }

  /** Refused again, it stays refused since the first time: what has moved since then is still not considered. */
  refuse(key: string, edit: RefusedEdit): void {
    const refused = this.refused.get(key) ?? [];
    if (!refused.some(({ parts }) => isSameSet(parts, edit.parts))) {
      this.refused.set(key, [...refused, edit].slice(-MAX_PER_FILE));
    }
    this.#reread.delete(key);
  }

  /** The entry of that key, if it was applied in this session. */
  appliedEntry(key: string): AppliedEntry | undefined {
    return this.#applied.get(key);
  }

  keepApplied(key: string, entry: AppliedEntry): void {
    this.#applied.delete(key);
    this.#applied.set(key, entry);
    for (const oldest of this.#applied.keys()) {
      if (this.#applied.size <= MAX_APPLIED) {
        return;
      }
      this.#applied.delete(oldest);
    }
  }

  /** The session has been told that the file is now in the state of that token. */
  tell(key: string, token: string): void {
    const held = this.held.get(key);
    if (held) {
      this.held.set(key, { ...held, told: token });
    }
  }

  /** The refused edit that a call sends again, whole, whatever else it sends beside it. */
  refusedAmong(key: string, parts: readonly string[]): RefusedEdit | undefined {
    return this.refused.get(key)?.find((refused) => refused.parts.every((part) => parts.includes(part)));
  }

  /** The edit landed after all: it is no longer a refused one. */
  landed(key: string, parts: readonly string[]): void {
    const others = this.refused.get(key)?.filter((refused) => !refused.parts.every((part) => parts.includes(part)));
    this.refused.set(key, others ?? []);
  }

  /** Files that were read in an earlier turn than `turn`, each given once: the agent has read them and moved on. */
  takeReread(turn: number): readonly string[] {
    const moved = [...this.#reread].filter(([, at]) => at < turn).map(([key]) => key);
    for (const key of moved) {
      this.#reread.delete(key);
    }
    return moved;
  }
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((part) => other.includes(part));
}

const DAY = 24 * 60 * 60 * 1_000;

export class Sessions {
  readonly #sessions = new Map<string, Session>();

  /** The session of that id; one and the same for all calls whose session is not known. */
  of(id: string | undefined): Session {
    const key = id ?? '';
    let session = this.#sessions.get(key);
    if (!session) {
      session = new Session(id);
      this.#sessions.set(key, session);
    }
    return session;
  }

  /** Every session that is remembered. */
  get all(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  /** Forgets sessions that have not made a call for a day, and with them the bases they held. */
  dropIdle(now: number): void {
    for (const [key, session] of this.#sessions) {
      if (now - session.lastCall > DAY && !session.isRunning) {
        this.#sessions.delete(key);
      }
    }
  }
}
