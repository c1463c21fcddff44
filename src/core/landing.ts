import { commonPrefix, commonSuffix } from './pairs.ts';
import type { Span } from './text.ts';

/** One change of a buffer; offsets are UTF-16 units of the buffer's own text, line endings included. */
export interface BufferEdit {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Where our own change stands among the changes that a buffer went through while it was applied. */
export type Landing =
  /** `changes[index]` is ours and led to the text that was asked for; whoever changed the buffer did so after it. */
  | { readonly kind: 'landed'; readonly index: number }
  /** None of the changes is ours. */
  | { readonly kind: 'not_landed' }
  /** Ours, at `index`, came after somebody else's change and so landed on a text that it was not planned on. */
  | { readonly kind: 'misplaced'; readonly index: number };

/**
 * Finds our own change by what it led to, never by time.
 *
 * @param before the buffer's text at the compare.
 * @param expected the text that our spans lead to.
 * @param changes each event's changes, in order of arrival.
 * @param spans ours, in offsets of `before`.
 */
export function findLanding(
  before: string,
  expected: string,
  changes: readonly (readonly BufferEdit[])[],
  spans: readonly Span[],
): Landing {
  let text = before;
  for (const [index, edits] of changes.entries()) {
    text = applyEdits(text, edits);
    if (text === expected) {
      return { kind: 'landed', index };
    }
  }
  const own = signatureOf(spans.map((span) => trim(before.slice(span.start, span.end), span.text)));
  let earlier = before;
  for (const [index, edits] of changes.entries()) {
    const theirs = edits.map(({ offset, length, text: inserted }) =>
      trim(earlier.slice(offset, offset + length), inserted),
    );
    if (signatureOf(theirs) === own) {
      return { kind: 'misplaced', index };
    }
    earlier = applyEdits(earlier, edits);
  }
  return { kind: 'not_landed' };
}

/** What would take our own part back, and what became of it since. */
export interface Reversal {
  /** In offsets of the buffer's text now. They leave alone what others put inside our text. */
  readonly spans: readonly Span[];
  /** Whether a later change touched a place of ours. */
  readonly isTouched: boolean;
  /** Whether somebody has taken our part back already: then nothing of it is left. */
  readonly isUndone: boolean;
}

/**
 * Takes our own part back from under changes that came after it.
 *
 * @param text the buffer's text right before our change.
 * @param own our change, in offsets of `text`.
 * @param later each later event's changes, in order.
 */
export function reverse(text: string, own: readonly BufferEdit[], later: readonly (readonly BufferEdit[])[]): Reversal {
  let shift = 0;
  let places = inOrder(own).map((edit): Place => {
    const start = edit.offset + shift;
    shift += edit.text.length - edit.length;
    return {
      pieces: [{ start, end: start + edit.text.length }],
      old: text.slice(edit.offset, edit.offset + edit.length),
      isTouched: false,
    };
  });
  for (const edits of later) {
    if (isInverse(edits, places)) {
      return { spans: [], isTouched: true, isUndone: true };
    }
    // The editor reports the changes of one event against the text before it, so the last place goes first.
    for (const edit of inOrder(edits).reverse()) {
      places = places.map((place) => follow(place, edit));
    }
  }
  return {
    spans: places.flatMap(({ pieces, old }) =>
      pieces.map(({ start, end }, index) => ({ start, end, text: index === 0 ? old : '' })),
    ),
    isTouched: places.some(({ isTouched }) => isTouched),
    isUndone: false,
  };
}

/** Whether a change puts back exactly what stood in our places: an undo, whoever asked for it. */
function isInverse(edits: readonly BufferEdit[], places: readonly Place[]): boolean {
  const inverse = places.flatMap(({ pieces: [piece, ...rest], old }) =>
    piece && rest.length === 0 ? [{ offset: piece.start, length: piece.end - piece.start, text: old }] : [],
  );
  const [first, second] = [inOrder(edits), inOrder(inverse)];
  return (
    inverse.length === places.length &&
    first.length === second.length &&
    first.every((edit, index) => {
      const other = second[index];
      return edit.offset === other?.offset && edit.length === other.length && edit.text === other.text;
    })
  );
}

/** The text after the edits of one event, all of them in offsets of `text`. */
export function applyEdits(text: string, edits: readonly BufferEdit[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { offset, length, text: inserted } of inOrder(edits)) {
    parts.push(text.slice(from, offset), inserted);
    from = offset + length;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

/** The edits that take `edits` back, in offsets of the text after them. */
export function inverseOf(text: string, edits: readonly BufferEdit[]): BufferEdit[] {
  let shift = 0;
  return inOrder(edits).map(({ offset, length, text: inserted }) => {
    const inverse = { offset: offset + shift, length: inserted.length, text: text.slice(offset, offset + length) };
    shift += inserted.length - length;
    return inverse;
  });
}

/** The edits of one event by their places; an insertion stands before a replacement that begins where it is. */
export function inOrder(edits: readonly BufferEdit[]): BufferEdit[] {
  return [...edits].sort((a, b) => a.offset - b.offset || a.length - b.length);
}

interface Place {
  /** What is left of the text that we put there. Where somebody took all of it away, there is nothing to take back. */
  readonly pieces: readonly { readonly start: number; readonly end: number }[];
  readonly old: string;
  readonly isTouched: boolean;
}

function follow({ pieces, old, isTouched }: Place, edit: BufferEdit): Place {
  const end = edit.offset + edit.length;
  const delta = edit.text.length - edit.length;
  let touched = isTouched;
  const moved = pieces.flatMap((piece) => {
    if (end <= piece.start) {
      return [{ start: piece.start + delta, end: piece.end + delta }];
    }
    if (edit.offset >= piece.end) {
      return [piece];
    }
    touched = true;
    const left = { start: piece.start, end: edit.offset };
    const right = { start: end + delta, end: piece.end + delta };
    return [left, right].filter((part) => part.start < part.end);
  });
  return { pieces: moved, old, isTouched: touched };
}

function trim(removed: string, inserted: string): { removed: number; inserted: string } {
  const head = commonPrefix(removed, inserted);
  const tail = commonSuffix(removed, inserted, Math.min(removed.length, inserted.length) - head);
  return { removed: removed.length - head - tail, inserted: inserted.slice(head, inserted.length - tail) };
}

function signatureOf(edits: readonly { removed: number; inserted: string }[]): string {
  return JSON.stringify(edits.map((edit) => JSON.stringify(edit)).sort());
}
