import { type Base, isSameBase } from './base.ts';

/** One observed reason why a file moved between two states. */
export type Cause =
  /** Our own apply. `session` is `undefined` where the host could not tell. */
  | { readonly kind: 'edit'; readonly number: number; readonly session: string | undefined; readonly turn: number }
  /** Something that rewrote the file as part of our own apply. */
  | { readonly kind: 'hook'; readonly name: string }
  /** The engineer typed, pasted or cut; `count` is the number of change events. */
  | { readonly kind: 'typed'; readonly count: number }
  /** The engineer took back, or brought back, edit `edit` (of ours, where that is known). */
  | { readonly kind: 'undo' | 'redo'; readonly edit: number }
  /** Save participants in a save that was not ours. */
  | { readonly kind: 'format' }
  /** A built-in edit tool of the chat wrote into the buffer. */
  | { readonly kind: 'chat' }
  /** The buffer moved and nobody typed. */
  | { readonly kind: 'not_typed' }
  /** The file was renamed or moved in the editor; `to` as it is shown to agents. */
  | { readonly kind: 'renamed'; readonly to: string }
  /** A task or a terminal command that ran while the bytes changed, and the only one that could have changed them. */
  | { readonly kind: 'generator'; readonly command: string; readonly via: 'task' | 'terminal' }
  /** A move of git: `checkout feature`, for instance. */
  | { readonly kind: 'git'; readonly action: string }
  /** The disk moved and nothing known explains it. `during`: commands that ran, none of which can be blamed alone. */
  | { readonly kind: 'external'; readonly deleted: boolean; readonly during?: string }
  /** The engineer saved. Not a reason of its own: it says that what came before is on disk. */
  | { readonly kind: 'save' };

/**
 * One line of the ledger. Without `cause` it is a sighting: the file was in state `to`, and nothing says how it came
 * there. Without `to` the state that followed was not looked at: nothing is hashed on a keystroke.
 */
export interface Transition {
  readonly cause?: Cause;
  readonly to?: Base;
  /** Milliseconds since the epoch. Supports a cause; never decides staleness. */
  readonly time: number;
  /** What speaks for the cause, for a person: one sentence. Left out where the cause itself says it. */
  readonly evidence?: string;
}

/** A transition that has happened, and whose cause is not known yet. Its place in the order is taken. */
export interface Pending {
  /** Names the cause, and the state that followed where that was looked at. Final once the scribe has been told. */
  become(cause: Cause, to?: Base): void;
  /** Names the cause as far as it is known by now: {@link become} or {@link withdraw} follows. */
  suppose(cause: Cause): void;
  /** Takes the transition back: it turned out to be none, or another record explains it. */
  withdraw(): void;
}

/** What somebody did to a file: one step of the way from one state to another. */
export interface Move {
  readonly cause: Cause;
  readonly to?: Base;
  /** See {@link Transition.evidence}. */
  readonly evidence?: string;
}

/** An apply of ours that is under way. Its place in the order is taken. */
export interface Landing {
  /** Names what it did, in order; all of it stands before whatever came while it was under way. */
  end(moves: readonly Move[]): void;
  /** It came to nothing. */
  withdraw(): void;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** How many transitions are remembered per file; the oldest go first. */
const LIMIT_PER_FILE = 1_000;

/** Told of transitions once they are final: per file in order, each once. */
export type Scribe = (key: string, transition: Transition) => void;

/** Append-only record of what happened to each file, keyed by real path. */
export class Ledger {
  readonly #files = new Map<string, Writable<Transition>[]>();
  /** Files on which an apply of ours is under way: at most one each, under the file's lock. */
  readonly #landings = new Set<string>();
  /** What the scribe has been told. It is not changed any more. */
  readonly #told = new WeakSet<Transition>();
  /** Their causes are only supposed. */
  readonly #supposed = new WeakSet<Transition>();
  #scribe: Scribe | undefined;

  /** Whether anything is known of the file: only such files are worth watching. */
  knows(key: string): boolean {
    return this.#files.has(key);
  }

  /** The files that are known below a path, itself included; `separator` is the system's. */
  keysBelow(path: string, separator: string): string[] {
    return [...this.#files.keys()].filter((key) => key === path || key.startsWith(path + separator));
  }

  transitions(key: string): readonly Transition[] {
    return this.#files.get(key) ?? [];
  }

  /** Brings back what was recorded before, in order. To be called before anything else is recorded. */
  restore(key: string, transition: Transition): void {
    append(this.#of(key), transition);
    this.#told.add(transition);
  }

  /**
   * From now on, final transitions are told to `scribe`. Typing that may go on is told when something follows it, or by
   * {@link settle}.
   */
  set scribe(scribe: Scribe) {
    this.#scribe = scribe;
  }

  /** Tells the scribe of typing, too, that may still go on. */
  settle(): void {
    for (const [key, transitions] of this.#files) {
      this.#tell(key, transitions, 'typing');
    }
  }

  /** Tells the scribe of everything: nothing more will be known. */
  close(): void {
    for (const [key, transitions] of this.#files) {
      this.#tell(key, transitions, 'everything');
    }
  }

  /** Records that `cause` moved the file, to `to` where that was looked at. */
  moved(key: string, cause: Cause, time: number, to?: Base): void {
    this.pending(key, time).become(cause, to);
  }

  /** Records one change by hand. As {@link moved}, for what comes with every key. */
  typed(key: string, time: number): void {
    const last = this.#files.get(key)?.at(-1);
    if (last?.cause?.kind === 'typed' && last.to === undefined && !this.#told.has(last)) {
      last.cause = { kind: 'typed', count: last.cause.count + 1 };
      last.time = time;
    } else {
      this.moved(key, { kind: 'typed', count: 1 }, time);
    }
  }

  /** Records that something moved the file just now; what it was is told later. Equal neighbours become one. */
  pending(key: string, time: number): Pending {
    const transitions = this.#of(key);
    const transition: Writable<Transition> = { time };
    append(transitions, transition);
    const withdraw = () => {
      const index = transitions.indexOf(transition);
      if (index !== -1) {
        transitions.splice(index, 1);
      }
    };
    return {
      become: (cause, to) => {
        if (this.#told.has(transition)) {
          return;
        }
        this.#supposed.delete(transition);
        transition.cause = cause;
        if (to !== undefined) {
          transition.to = to;
        }
        const before = transitions[transitions.indexOf(transition) - 1];
        if (
          cause.kind === 'typed' &&
          before?.cause?.kind === 'typed' &&
          before.to === undefined &&
          !this.#told.has(before)
        ) {
          transition.cause = { kind: 'typed', count: before.cause.count + cause.count };
          transitions.splice(transitions.indexOf(before), 1);
        }
        this.#tell(key, transitions);
      },
      suppose: (cause) => {
        transition.cause = cause;
        this.#supposed.add(transition);
      },
      withdraw: () => {
        withdraw();
        this.#tell(key, transitions);
      },
    };
  }

  /**
   * Records that an apply of ours is under way. Until it is told how it ended, the states in between are its own and nobody
   * else's move, so sightings are not recorded.
   */
  landing(key: string, time: number): Landing {
    const transitions = this.#of(key);
    const transition: Transition = { time };
    append(transitions, transition);
    this.#landings.add(key);
    const end = (moves: readonly Move[]) => {
      this.#landings.delete(key);
      const index = transitions.indexOf(transition);
      if (index !== -1) {
        transitions.splice(index, 1, ...moves.map((move) => ({ ...move, time })));
      }
      // All of it at once: what landed must be known after a kill.
      this.#tell(key, transitions, 'everything');
    };
    return { end, withdraw: () => end([]) };
  }

  /**
   * Records that the file was seen in state `base`, and names the cause where the state moved and nothing recorded
   * since the last sighting explains it: who wrote the disk, or a change nobody typed for the buffer.
   *
   * @param writersSince who wrote the disk after a time, coming from a state, oldest first; asked only when nothing in the
   *   ledger tells.
   */
  seen(key: string, base: Base, time: number, writersSince?: (since: number, from: Base) => readonly Move[]): void {
    if (this.#landings.has(key)) {
      return;
    }
    const transitions = this.#of(key);
    const lastIndex = transitions.findLastIndex((transition) => transition.to !== undefined);
    const last = transitions[lastIndex];
    const isExplained = lastIndex < transitions.length - 1;
    if (last?.to === undefined) {
      append(transitions, { to: base, time });
    } else if (isSameBase(last.to, base)) {
      if (isExplained) {
        append(transitions, { to: base, time });
      }
    } else if (last.to.disk !== base.disk) {
      const nobody: Move = { cause: { kind: 'external', deleted: base.disk === 'absent' } };
      const moves = writersSince?.(last.time, last.to) ?? [nobody];
      for (const [index, move] of moves.entries()) {
        append(transitions, index === moves.length - 1 ? { ...move, time, to: base } : { ...move, time });
      }
    } else if (isExplained) {
      append(transitions, { to: base, time });
    } else {
      append(transitions, { cause: { kind: 'not_typed' }, time, to: base });
    }
    this.#tell(key, transitions);
  }

  /** Another file that was in this state, if any. */
  ownerOf(base: Base, exceptKey: string): string | undefined {
    if (base.disk === 'absent') {
      return undefined;
    }
    for (const [key, transitions] of this.#files) {
      if (key !== exceptKey && transitions.some(({ to }) => to !== undefined && isSameBase(base, to))) {
        return key;
      }
    }
    return undefined;
  }

  /** The full base that an abbreviated one stands for, where the file was seen in it; otherwise `given` itself. */
  complete(key: string, given: Base): Base {
    return this.transitions(key).findLast(({ to }) => to !== undefined && isSameBase(given, to))?.to ?? given;
  }

  /** Tells the scribe what is final: everything up to the first transition whose cause is still open. */
  #tell(key: string, transitions: readonly Transition[], what: 'final' | 'typing' | 'everything' = 'final'): void {
    if (this.#scribe === undefined) {
      return;
    }
    const told = transitions.findLastIndex((transition) => this.#told.has(transition));
    for (const [index, transition] of transitions.slice(told + 1).entries()) {
      const isLast = told + 1 + index === transitions.length - 1;
      const mayGoOn = transition.cause?.kind === 'typed' && isLast && what === 'final';
      const isSupposed = this.#supposed.has(transition) && what !== 'everything';
      if (mayGoOn || isSupposed || (transition.cause === undefined && transition.to === undefined)) {
        return;
      }
      this.#told.add(transition);
      this.#scribe(key, transition);
    }
  }

  #of(key: string): Writable<Transition>[] {
    let transitions = this.#files.get(key);
    if (!transitions) {
      transitions = [];
      this.#files.set(key, transitions);
    }
    return transitions;
  }
}

function append(transitions: Transition[], transition: Transition): void {
  transitions.push(transition);
  if (transitions.length > LIMIT_PER_FILE) {
    transitions.splice(0, transitions.length - LIMIT_PER_FILE);
  }
}
