import type { Documents } from './documents.ts';
import type { Memory, Surroundings } from './memory.ts';
import type { HeldBase, Session, Sessions } from './sessions.ts';
import { type StaleBase, staleBaseOf } from './staleBases.ts';

/** A base and the session that holds it. */
interface Holder {
  readonly session: Session;
  readonly held: HeldBase;
}

/** The bases that sessions hold, as the engineer is shown them. Looking at them tells the sessions nothing. */
export class HeldBases {
  readonly #sessions: Sessions;
  readonly #documents: Documents;
  readonly #memory: Memory;
  readonly #onFault: Surroundings['onFault'];
  readonly #listeners = new Set<(keys: readonly string[]) => void>();
  /** How many edits of a file wait or run. */
  readonly #editing = new Map<string, number>();

  constructor(sessions: Sessions, documents: Documents, memory: Memory, onFault: Surroundings['onFault']) {
    this.#sessions = sessions;
    this.#documents = documents;
    this.#memory = memory;
    this.#onFault = onFault;
  }

  /** The files of which any session holds a base. */
  get files(): ReadonlySet<string> {
    return new Set(this.#sessions.all.flatMap(({ held }) => [...held.keys()]));
  }

  /** Tells of files whose held bases, or whose content, a call has changed. @returns what stops the listener. */
  onDidChange(listener: (keys: readonly string[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** To be called when a call has changed what is held of these files. */
  changed(keys: readonly string[]): void {
    for (const listener of this.#listeners) {
      listener(keys);
    }
  }

  /** Runs an edit of a file; what the file holds meanwhile is told when it is over. */
  async whileEditing<T>(key: string, edit: () => Promise<T>): Promise<T> {
    this.#editing.set(key, (this.#editing.get(key) ?? 0) + 1);
    try {
      return await edit();
    } finally {
      const left = (this.#editing.get(key) ?? 1) - 1;
      if (left === 0) {
        this.#editing.delete(key);
      } else {
        this.#editing.set(key, left);
      }
    }
  }

  isEditing(key: string): boolean {
    return this.#editing.has(key);
  }

  /** The engineer has settled a stale base: its session no longer holds it. */
  release({ session, key }: Pick<StaleBase, 'session' | 'key'>): void {
    this.#sessions.of(session).held.delete(key);
    this.changed([key]);
  }

  /** Those of these files that are stale now. */
  async stale(keys: Iterable<string>): Promise<StaleBase[]> {
    const found = await Promise.all([...keys].map((key) => this.#staleOf(key)));
    return found.flat();
  }

  async #staleOf(key: string): Promise<StaleBase[]> {
    const holders = this.#sessions.all.flatMap((session): Holder[] => {
      const held = session.held.get(key);
      return held ? [{ session, held }] : [];
    });
    const [first] = holders;
    if (!first || holders.every(({ held }) => this.#documents.isProbablyIn(held.file, held.base))) {
      return [];
    }
    try {
      const state = await this.#memory.peek(first.held.file);
      const found = await Promise.all(
        holders.map(async ({ session, held }) => {
          const stale = await staleBaseOf(held, session.id, state, this.#memory);
          // A newer base may have been given while the causes were gathered.
          return session.held.get(key)?.base === held.base ? stale : undefined;
        }),
      );
      return found.filter((stale) => stale !== undefined);
    } catch (error) {
      this.#onFault(error, first.held.file.path);
      return [];
    }
  }
}
