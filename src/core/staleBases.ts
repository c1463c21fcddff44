import { type Base, isFresh, printBase } from './base.ts';
import { compareLines } from './compare.ts';
import { contentOf, type State } from './documents.ts';
import type { Transition } from './ledger.ts';
import type { Memory } from './memory.ts';
import type { HeldBase } from './sessions.ts';

/** How many lines were added and removed between two texts. */
export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/** A base that a session holds, of a file that has moved since. */
export interface StaleBase {
  readonly key: string;
  readonly path: string;
  readonly session: string | undefined;
  /** Turn in which the base was given. */
  readonly turn: number;
  /** Token of the held base. */
  readonly base: string;
  /** As in `changed_by`, oldest first. */
  readonly causes: readonly string[];
  /** When it began to move, in milliseconds since the epoch. */
  readonly since: number;
  /** Left out where the text at the base is not remembered, or counting would take long. */
  readonly lines?: LineCounts;
}

/** Names one held base: a session holds at most one for each file. */
export function idOf({ session, key }: Pick<StaleBase, 'session' | 'key'>): string {
  return JSON.stringify([session ?? null, key]);
}

/** Most UTF-16 units of both texts, and most lines that differ, for which lines are counted. */
const MAX_COUNTED_CHARS = 2_000_000;
const MAX_COUNTED_EDITS = 512;

/**
 * What there is to say of a held base now. It changes nothing of what the session is told, or has been told, about the move.
 *
 * @returns `undefined` while the base is fresh, or where the file cannot be looked at.
 */
export async function staleBaseOf(
  held: HeldBase,
  session: string | undefined,
  state: State,
  memory: Memory,
): Promise<StaleBase | undefined> {
  const { file, base, turn } = held;
  if (state.base === undefined || isFresh(base, state.base)) {
    return undefined;
  }
  const causes = await memory.causesByNow(base, file, state, session);
  const before = memory.snapshotAt(base)?.text.content;
  const lines = before === undefined || state.kind === 'unreadable' ? undefined : countLines(before, contentOf(state));
  return {
    key: file.key,
    path: file.path,
    session,
    turn,
    base: printBase(base),
    causes: causes.map(({ text }) => text),
    since: movedAt(memory.ledger.transitions(file.key), base) ?? memory.now(),
    ...(lines === undefined ? {} : { lines }),
  };
}

/** @returns `undefined` where counting would take long. */
export function countLines(before: string, after: string): LineCounts | undefined {
  const blocks =
    before.length + after.length > MAX_COUNTED_CHARS
      ? undefined
      : compareLines(before, after).blocks(MAX_COUNTED_EDITS);
  return blocks?.reduce(
    ({ added, removed }, block) => ({
      added: added + block.newEnd - block.newStart,
      removed: removed + block.oldEnd - block.oldStart,
    }),
    { added: 0, removed: 0 },
  );
}

function movedAt(transitions: readonly Transition[], base: Base): number | undefined {
  const start = transitions.findLastIndex(({ to }) => to !== undefined && isFresh(base, to));
  return start === -1
    ? undefined
    : transitions.slice(start + 1).find(({ cause }) => cause !== undefined && cause.kind !== 'save')?.time;
}
