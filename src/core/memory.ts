import { attribute, hasOtherWriter, type NamedCause } from './attribution.ts';
import { type Base, type Digest, effectiveDigest, isFresh, printBase } from './base.ts';
import { type Diff, unifiedDiff } from './diff.ts';
import { contentOf, type Documents, type FileRef, type State } from './documents.ts';
import type { LandedEdit } from './landedEdit.ts';
import type { Ledger } from './ledger.ts';
import { isSecret, type Protection } from './protected.ts';
import type { StaleFacts } from './report.ts';
import type { Tally } from './statistics.ts';
import type { Syntax } from './syntax.ts';
import { type Eol, eolOf } from './text.ts';
import { type Snapshot, type TextStore, Texts } from './texts.ts';

/** Limits that the engineer can set. */
export interface Limits {
  /** Bytes of text that are remembered at bases. */
  readonly textMemory: number;
  /** UTF-16 units of a diff in an answer. */
  readonly diffChars: number;
  /** Milliseconds of work for one diff. */
  readonly diffTime: number;
  /** UTF-16 units of one file's content in a read. */
  readonly readChars: number;
}

export const DEFAULT_LIMITS: Limits = {
  textMemory: 64 * 1024 * 1024,
  diffChars: 4_000,
  diffTime: 200,
  readChars: 256 * 1024,
};

/** What a human is asked about a protected file. */
export interface Question {
  readonly path: string;
  readonly kind: 'read' | 'edit';
  /** What the edit would change, as a unified diff; empty for a read. */
  readonly diff: string;
  /** The agent's one sentence. */
  readonly explanation: string | undefined;
}

/** What the arbiter needs from outside. */
export interface Surroundings {
  readonly documents: Documents;
  readonly ledger: Ledger;
  readonly limits: Limits;
  /** Where texts at bases outlive the window, if anywhere. */
  readonly store?: TextStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Takes the next edit number of this workspace, counted from 1, and stores it. */
  readonly nextEdit: () => number;
  /** What is protected beside, and less than, the built-in list. */
  readonly protection: () => Protection;
  /** Tells symbols and syntax, if anybody can. */
  readonly syntax?: Syntax;
  /** Asks a human in a dialogue that no approval mode of the chat can skip. */
  readonly ask: (question: Question) => Promise<boolean>;
  /** Told of how each entry of an `arbiter_edit` call ended. */
  readonly onDidEdit: (tally: Tally) => void;
  /** Told of each edit that landed, for the engineer to see. */
  readonly onDidLand?: (landed: LandedEdit) => void;
  /** Told of an error that no rule foresees; the call goes on. */
  readonly onFault: (error: unknown, path: string) => void;
}

/** What is remembered of files: who moved them, and their text at bases. It enriches answers; the gate needs none of it. */
export class Memory {
  readonly ledger: Ledger;
  readonly now: () => number;
  readonly #documents: Documents;
  readonly #protection: Surroundings['protection'];
  readonly #texts: Texts;
  #limits: Limits;

  constructor({ documents, ledger, limits, now, store, protection }: Surroundings) {
    this.#protection = protection;
    this.#documents = documents;
    this.ledger = ledger;
    this.#limits = limits;
    this.now = now;
    this.#texts = new Texts(limits.textMemory, store);
  }

  get limits(): Limits {
    return this.#limits;
  }

  set limits(limits: Limits) {
    this.#limits = limits;
    this.#texts.limit = limits.textMemory;
  }

  /** The state now, remembered. */
  async look(file: FileRef): Promise<State> {
    const state = await this.#documents.look(file);
    this.remember(file, state);
    return state;
  }

  /**
   * The state now, for a view that looks often. Nothing is remembered: each state of a buffer would take its place in the
   * ledger, and who wrote the disk may be known better a moment later.
   */
  peek(file: FileRef): Promise<State> {
    return this.#documents.look(file);
  }

  /** Remembers the state that a file is in now. */
  remember(file: FileRef, state: State): void {
    const { base } = state;
    if (base !== undefined) {
      this.ledger.seen(file.key, base, this.now(), (since, from) =>
        this.#documents.writersSince(file, since, from, base),
      );
      this.rememberText(file, state);
    }
  }

  /** Remembers the text of a state that the file may have left by now: it is no sighting. */
  rememberText(file: FileRef, state: State): void {
    if (state.kind === 'text') {
      this.rememberSnapshot(file, effectiveDigest(state.base), state);
    }
  }

  /** Remembers what a file is known to have held, at a digest of its bytes. */
  rememberSnapshot(file: FileRef, digest: Digest, snapshot: Snapshot): void {
    this.#texts.keep(digest, snapshot, !this.isSecret(file));
  }

  /** Whether nothing of the file's text may be told or stored: reading it takes a human's yes, each time. */
  isSecret(file: FileRef): boolean {
    return isSecret(file, this.#protection());
  }

  /** @returns `undefined` when the text at that base is not, or no longer, remembered. */
  snapshotAt(base: Base): Snapshot | undefined {
    const digest = effectiveDigest(base);
    return digest === 'absent' ? NOTHING : this.#texts.find(digest);
  }

  diff(before: string, after: string, maxChars = this.#limits.diffChars): Diff {
    return unifiedDiff(before, after, { context: 3, maxChars, maxMs: this.#limits.diffTime, now: this.now });
  }

  /** Where the answer would be longer than the file, reading the file again says more. @param causes what the answer names. */
  #diffSinceRead(before: string, after: string, causes: readonly string[]): Diff {
    const { diffChars } = this.#limits;
    const sample = after.slice(0, SMALL);
    // In an answer, line ends and quotes take two characters.
    const growth = sample === '' ? 1 : JSON.stringify(sample).length / sample.length;
    const left = after.length - ANSWER_CHARS - JSON.stringify(causes).length;
    const room = after.length <= SMALL ? diffChars : Math.max(0, Math.floor(left / growth));
    return this.diff(before, after, Math.min(diffChars, room));
  }

  /** Who moved the file from `since` to `state`, oldest first. */
  async causesSince(since: Base, file: FileRef, state: State, session: string | undefined): Promise<NamedCause[]> {
    await this.#documents.settled(file);
    const transitions = this.ledger.transitions(file.key);
    return state.base === undefined
      ? []
      : attribute(transitions, this.ledger.complete(file.key, since), state.base, session);
  }

  /** As {@link causesSince}, for a state that was only peeked at: who wrote the disk is told as far as it is known by now. */
  async causesByNow(since: Base, file: FileRef, state: State, session: string | undefined): Promise<NamedCause[]> {
    await this.#documents.settled(file);
    const { base } = state;
    if (base === undefined) {
      return [];
    }
    const recorded = this.ledger.transitions(file.key);
    const last = recorded.findLast(({ to }) => to !== undefined);
    const isWritten = last?.to !== undefined && last.to.disk !== base.disk;
    const time = this.now();
    const moves = isWritten ? this.#documents.writersSince(file, last.time, last.to as Base, base) : [];
    const written = moves.map((move, index) => ({
      ...move,
      time,
      ...(index === moves.length - 1 ? { to: base } : {}),
    }));
    return attribute([...recorded, ...written], this.ledger.complete(file.key, since), base, session);
  }

  /** What there is to say of a file that is no longer in the state `since`. */
  async factsSince(since: Base, file: FileRef, state: State, session: string | undefined): Promise<StaleFacts> {
    const causes = await this.causesSince(since, file, state, session);
    const changedBy = causes.map(({ text }) => text);
    const full = this.ledger.complete(file.key, since);
    const transitions = this.ledger.transitions(file.key);
    const before = this.snapshotAt(full);
    const owner = transitions.some(({ to }) => to !== undefined && isFresh(full, to))
      ? undefined
      : this.ledger.ownerOf(full, file.key);
    return {
      status: 'stale_base',
      path: file.path,
      expected: printBase(full),
      actual: state.base === undefined ? undefined : printBase(state.base),
      changedBy,
      evidence: causes.map(({ evidence }) => evidence),
      diff:
        before && state.kind !== 'unreadable' && !this.isSecret(file)
          ? this.#diffSinceRead(before.text.content, contentOf(state), changedBy)
          : null,
      formatChanged: before && state.kind === 'text' ? compareFormats(before, state) : [],
      ...(owner === undefined ? {} : { note: 'this base was given for another file; each base belongs to one file' }),
      isShared: hasOtherWriter(changedBy),
      isAbsent: state.kind === 'absent',
    };
  }
}

/** Up to this size, a file's diff may be longer than the file, in UTF-16 units. */
const SMALL = 4_096;
/** What an answer holds beside its diff and causes, in UTF-16 units: tokens, what to do next. */
const ANSWER_CHARS = 1_600;

const NOTHING: Snapshot = { text: { content: '', endings: [] }, format: { encoding: 'utf8', bom: false } };

/** What moved beside the content: the contract's `format_changed`. */
function compareFormats(before: Snapshot, now: Snapshot): string[] {
  const changes: string[] = [];
  const [eolBefore, eolNow] = [eolName(before), eolName(now)];
  // A text without a line end has no ending that could change.
  if (eolBefore !== undefined && eolNow !== undefined) {
    const isOtherMix = eolBefore === 'mixed' && String(before.text.endings) !== String(now.text.endings);
    if (eolBefore !== eolNow || (isOtherMix && before.text.content === now.text.content)) {
      changes.push(`eol ${eolBefore}→${eolNow}`);
    }
  }
  if (before.format.encoding !== now.format.encoding) {
    changes.push(`encoding ${before.format.encoding}→${now.format.encoding}`);
  }
  if (before.format.bom !== now.format.bom) {
    changes.push(now.format.bom ? 'bom added' : 'bom removed');
  }
  return changes;
}

function eolName({ text }: Snapshot): Eol | undefined {
  return text.endings.length === 0 ? undefined : eolOf(text, 'lf');
}
