// The rules that hold in every story. They are checked against what really happened, and never against the arbiter's word.
//
// unread: an edit lands only on the text that its author was shown at the base it carries, while the file was in that very
//   state in the course of the call, and leads to exactly what it asks for. A save of ours goes only over the bytes that the
//   base names, or over what the same buffer held meanwhile; a create only onto nothing; a delete or a rename takes only what
//   was read.
// lost: whoever writes leaves marks that nobody else writes. By our hand a mark goes only where the author of the edit has
//   read it; what is taken back is only what the edit wrote, and nothing comes again that others have taken away. The
//   engineer's hand and another program's may take away what they will: that is their own doing.
// token: every base, and every `actual`, is the SHA-256 of a state that the file was really in while the call ran, as the
//   contract spells it; and a base stands for a text that the session was shown in full, put together from reads, its own
//   edits, `diff_by_hooks` and `diff_since_read`.
// left behind: a refusal before the apply was touched by no hand of ours; after one that takes back, no mark of the edit is
//   left, nothing has changed where nobody else acted, and no buffer is unsaved by no hand but ours.
// cause: a stale answer names somebody; everybody named has acted on the file since the session was given the base; whoever
//   alone has moved it is among them; edits are named with their number and whose session it was.
// answer: every call ends, every entry is answered, nothing breaks off inside, and a refusal says what to do next.
//
// Known limits, where the rules look away. The text of a file that was deleted in the middle of an apply stays unsaved in its
// buffer: the editor knows no way to call it saved. So does a buffer that was taken back, while save participants are on or
// saves fail: it holds what is on disk, and the editor's flag stays. Nobody can tell what another extension does while our save
// runs from what save participants do: it may be named as them and go with the edit where that is taken back, and what
// participants did stays in the buffer where the save failed. A rename or a delete leaves a buffer behind that the
// editor calls unsaved although it is what is on disk. A program that writes while hooks run may be named as the hook, and of
// several programs that wrote between two looks only the last is named, because the time stamp tells of no other.

import type { Call, Entry, Known } from './calls.ts';

/** The JSON of one file's result. */
export interface Result {
  readonly status: string;
  readonly path?: string | undefined;
  readonly [key: string]: unknown;
}

/** What must hold in every story; see the head of this file. */
export type Rule = 'unread' | 'lost' | 'token' | 'left behind' | 'cause' | 'answer';

/** A rule that was broken. */
export interface Violation {
  readonly rule: Rule;
  readonly what: string;
}

/** Holds what agents are answered against what really happened. Moments are counted from 0. */
export interface Judge {
  readonly violations: Violation[];
  readonly now: number;
  /** The first moment from `from` on at which a token can have been handed out. */
  since(path: string, token: string, from: number): number;
  /** The text at a token that was handed out from `from` on, as agents see it, where that can be told. */
  textAt(path: string, token: string, from: number): string | undefined;
  /** A token was handed out. */
  token(path: string, token: unknown, from: number): void;
  /** A base was handed out that vouches for a text. */
  vouched(path: string, known: Known, from: number): void;
  /** An entry was answered. */
  answered(call: Call, entry: Entry, result: Result): void;
  /** A session was told that a file has moved. @param known what it was given; `undefined` where that was nothing for this file. */
  causes(call: Call, path: string, told: Told, known: Known | undefined): void;
  /** A session was told beside an answer who has moved a file since a moment. */
  named(agent: string, path: string, since: number, named: readonly string[]): void;
}

/** What a stale answer tells. */
export interface Told {
  readonly expected: string;
  readonly actual: unknown;
  readonly named: readonly string[];
}

/** A token for people. */
export function short(token: string): string {
  return token.replaceAll(/([0-9a-f]{6})[0-9a-f]{58}/g, '$1…');
}
