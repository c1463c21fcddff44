import { type Base, isSameBase, parseBase, printBase } from './base.ts';
import { isCause } from './journal.ts';
import { parseJson } from './json.ts';
import type { Cause, Move, Transition } from './ledger.ts';

/** How a file came from one state on disk to the next, as one window has seen it. */
export interface Passage {
  /** The window that tells. */
  readonly window: string;
  /** The workspace that is open in it: edits are counted per workspace. */
  readonly workspace: string;
  readonly key: string;
  readonly from: Base;
  readonly to: Base;
  /** Oldest first, at least one. */
  readonly causes: readonly Cause[];
  /** When it came into the second state, as far as the window saw: milliseconds since the epoch. */
  readonly time: number;
}

/** What is in an editor only is no other window's concern until it is saved. */
const UNSAVED: readonly Cause['kind'][] = ['typed', 'undo', 'redo', 'not_typed', 'chat', 'format'];

/** How much earlier than this window another may have seen a file move, in milliseconds. */
const SLACK = 1_000;
/** How many passages of one file are remembered; the oldest go first. */
const LIMIT_PER_FILE = 100;
/** For how many files. */
const LIMIT = 2_000;

/** Makes passages out of one window's transitions, told in order. */
export class Passages {
  readonly #window: string;
  readonly #workspace: string;
  readonly #last = new Map<string, Base>();
  readonly #causes = new Map<string, Cause[]>();

  constructor(window: string, workspace: string) {
    this.#window = window;
    this.#workspace = workspace;
  }

  /** @returns the passage that ends with this transition, if one does: unsaved text is no other window's concern. */
  add(key: string, { cause, to, time }: Transition): Passage | undefined {
    const causes = this.#causes.get(key) ?? [];
    this.#causes.set(key, cause === undefined ? causes : [...causes, cause]);
    if (to === undefined || to.dirty !== undefined) {
      return undefined;
    }
    const from = this.#last.get(key);
    const all = savedOf(this.#causes.get(key) ?? []);
    this.#causes.delete(key);
    this.#last.set(key, to);
    return from === undefined || isSameBase(from, to) || all.length === 0
      ? undefined
      : { window: this.#window, workspace: this.#workspace, key, from, to, causes: all, time };
  }
}

/** What other windows have told. */
export class OtherWindows {
  readonly #files = new Map<string, Passage[]>();
  readonly #lastEdits = new Map<string, number>();

  add(passage: Passage): void {
    const passages = this.#files.get(passage.key) ?? [];
    this.#files.delete(passage.key);
    this.#files.set(passage.key, [...passages, passage].slice(-LIMIT_PER_FILE));
    for (const key of this.#files.keys()) {
      if (this.#files.size <= LIMIT) {
        break;
      }
      this.#files.delete(key);
    }
    for (const cause of passage.causes) {
      if (cause.kind === 'edit') {
        this.#lastEdits.set(passage.workspace, Math.max(cause.number, this.lastEditIn(passage.workspace)));
      }
    }
  }

  /** The highest number of an edit that another window of that workspace has told. */
  lastEditIn(workspace: string): number {
    return this.#lastEdits.get(workspace) ?? 0;
  }

  /**
   * How a file came from one state on disk to another after a time, as far as other windows know: the way back from the second
   * state, else the way on from the first. The last move says by its state how far it leads.
   *
   * @returns empty where they know neither.
   */
  wayFrom(key: string, since: number, from: Base, to: Base): readonly Move[] {
    const passages = (this.#files.get(key) ?? []).filter(({ time }) => time >= since - SLACK);
    const back = wayBack(passages, from, to);
    const [first] = back;
    if (first === undefined) {
      return wayOn(passages, from).flatMap(movesOf);
    }
    const moves = back.flatMap(movesOf);
    return first.from.disk === from.disk
      ? moves
      : [{ cause: { kind: 'external', deleted: false }, to: first.from }, ...moves];
  }
}

/** The passages that led to a state on disk, oldest first, no further back than to `from`. */
function wayBack(passages: readonly Passage[], from: Base, to: Base): Passage[] {
  const way: Passage[] = [];
  let end: Base = { disk: to.disk };
  for (const passage of passages.toReversed()) {
    if (end.disk === from.disk) {
      break;
    }
    if (isSameBase(passage.to, end)) {
      way.unshift(passage);
      end = passage.from;
    }
  }
  return way;
}

/** The passages that led on from a state on disk, oldest first. */
function wayOn(passages: readonly Passage[], from: Base): Passage[] {
  const way: Passage[] = [];
  let start: Base = { disk: from.disk };
  for (const passage of passages) {
    if (isSameBase(passage.from, start)) {
      way.push(passage);
      start = passage.to;
    }
  }
  return way;
}

/** Without what has not been saved when the last save was made. */
function savedOf(causes: readonly Cause[]): Cause[] {
  const lastSave = causes.findLastIndex(({ kind }) => kind === 'save');
  return causes.filter(({ kind }, index) => index < lastSave || !UNSAVED.includes(kind));
}

function movesOf({ causes, to }: Passage): Move[] {
  return causes.map((cause, index) => ({
    cause,
    evidence: 'seen in another window',
    ...(index === causes.length - 1 ? { to } : {}),
  }));
}

export function printPassage(passage: Passage): string {
  return `${JSON.stringify({ ...passage, from: printBase(passage.from), to: printBase(passage.to) })}\n`;
}

/** @returns `undefined` for a line that makes no sense. */
export function parsePassage(line: string): Passage | undefined {
  const value = parseJson(line);
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const { window, workspace, key, from, to, causes, time } = value as Record<string, unknown>;
  const [start, end] = [from, to].map((base) => (typeof base === 'string' ? parseBase(base) : undefined));
  const isRight =
    typeof window === 'string' &&
    typeof workspace === 'string' &&
    typeof key === 'string' &&
    typeof time === 'number' &&
    start !== undefined &&
    end !== undefined &&
    Array.isArray(causes) &&
    causes.length > 0 &&
    causes.every(isCause);
  return isRight ? { window, workspace, key, from: start, to: end, causes, time } : undefined;
}
