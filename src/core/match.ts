import { LineIndex, lineAt, splitsCharacter } from './lines.ts';
import { explain, type Nearest, type NearestBudget, type Skipped } from './nearest.ts';
import { eachOccurrence } from './search.ts';
import { changesNothing, foldEndings, type Span, type Text } from './text.ts';

/** One edit as an agent plans it: some text of the base, and what shall stand in its place. */
export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
  /** The 1-based line where the occurrence starts that is meant. It cannot go with `replaceAll`. */
  readonly line?: number;
}

/** Where the edits of one file go, or why one of them goes nowhere. Indexes of edits count from 0. */
export type Location =
  | {
      readonly status: 'located';
      /** All spans, in the order of the content. */
      readonly spans: readonly Span[];
    }
  | { readonly status: 'not_found'; readonly editIndex: number; readonly nearest?: Nearest | Skipped }
  | {
      readonly status: 'ambiguous';
      readonly editIndex: number;
      readonly count: number;
      /** The 1-based lines where the first 20 occurrences start: one for each, even on the same line. */
      readonly lines: readonly number[];
    }
  | { readonly status: 'overlap'; readonly editIndexes: readonly [number, number] }
  | { readonly status: 'no_change' };

/** Where one edit goes in a text. */
export type Place =
  | { readonly status: 'located'; readonly spans: readonly Span[] }
  | {
      readonly status: 'not_found';
      /** The offset of the only occurrence, where the edit's `line` names another line. */
      readonly elsewhere?: number;
      /** The offset of an occurrence that does not count, since it begins or ends inside a surrogate pair. */
      readonly splits?: number;
    }
  | { readonly status: 'ambiguous'; readonly count: number; readonly lines: readonly number[] };

/**
 * Finds where all edits of one file go. They are located in the given text, never in each other's output, so their order
 * does not matter. The text matches exactly; only `\r\n` in old and new text counts as `\n`. A lone `\r` in old text
 * matches only a line end that is a lone `\r`. Empty old text occurs once in an empty text, and otherwise everywhere.
 *
 * The first edit that goes nowhere decides the answer. `nearest` is looked for only where there is a `budget`.
 */
export function locate(text: Text, edits: readonly Replacement[], budget?: NearestBudget): Location {
  const owned: { span: Span; editIndex: number }[] = [];
  for (const [editIndex, edit] of edits.entries()) {
    const place = find(text, edit);
    switch (place.status) {
      case 'located':
        owned.push(...place.spans.map((span) => ({ span, editIndex })));
        break;
      case 'ambiguous':
        return { ...place, editIndex };
      case 'not_found': {
        const nearest = explain(text.content, edit.oldText, place, budget);
        return { status: 'not_found', editIndex, ...(nearest && { nearest }) };
      }
    }
  }
  owned.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  for (const [index, { span, editIndex }] of owned.entries()) {
    const previous = owned[index - 1];
    if (previous && (span.start < previous.span.end || span.start === previous.span.start)) {
      const [first, second] = [previous.editIndex, editIndex].sort((a, b) => a - b);
      return { status: 'overlap', editIndexes: [first ?? 0, second ?? 0] };
    }
  }
  const spans = owned.map(({ span }) => span);
  return changesNothing(text, spans) ? { status: 'no_change' } : { status: 'located', spans };
}

/**
 * Finds where one edit goes.
 *
 * @throws RangeError for an edit that has both `line` and `replaceAll`.
 */
export function find(text: Text, edit: Replacement): Place {
  if (edit.replaceAll && edit.line !== undefined) {
    throw new RangeError('an edit of all occurrences cannot be on one line');
  }
  const newText = edit.newText.replaceAll('\r\n', '\n');
  const oldText = edit.oldText.replaceAll('\r\n', '\n');
  const spanAt = (start: number): Span => ({ start, end: start + oldText.length, text: newText });
  if (oldText === '') {
    return findEmpty(text.content, spanAt(0));
  }
  const { offsets, count, splits } = edit.replaceAll
    ? matches(text, oldText, { disjoint: true, limit: Number.POSITIVE_INFINITY })
    : matches(text, oldText, { disjoint: false, limit: MAX_LINES });
  const [first] = offsets;
  if (first === undefined) {
    return { status: 'not_found', ...(splits !== undefined && { splits }) };
  }
  if (edit.replaceAll) {
    return { status: 'located', spans: offsets.map(spanAt) };
  }
  if (edit.line === undefined) {
    return count === 1 ? { status: 'located', spans: [spanAt(first)] } : ambiguous(text.content, count, offsets);
  }
  if (count === 1) {
    return lineAt(text.content, first) === edit.line - 1
      ? { status: 'located', spans: [spanAt(first)] }
      : { status: 'not_found', elsewhere: first };
  }
  const onLine = matches(text, oldText, { disjoint: false, limit: 2, line: edit.line - 1 });
  const [picked] = onLine.offsets;
  return picked !== undefined && onLine.count === 1
    ? { status: 'located', spans: [spanAt(picked)] }
    : ambiguous(text.content, count, offsets);
}

/** How many of the occurrences an ambiguous answer lists. */
const MAX_LINES = 20;

function findEmpty(content: string, span: Span): Place {
  return content === ''
    ? { status: 'located', spans: [span] }
    : ambiguous(
        content,
        content.length + 1,
        Array.from({ length: Math.min(MAX_LINES, content.length + 1) }, (_, offset) => offset),
      );
}

function ambiguous(content: string, count: number, offsets: readonly number[]): Place {
  let offset = 0;
  let line = 1;
  const lines = offsets.map((next) => {
    line += lineAt(content.slice(offset, next), next - offset);
    offset = next;
    return line;
  });
  return { status: 'ambiguous', count, lines };
}

interface Matches {
  count: number;
  offsets: number[];
  splits?: number;
}

/** The occurrences of old text in which a lone `\r` stands only for a line end of that kind, and no character is split. */
function matches(
  { content, endings }: Text,
  oldText: string,
  only: { disjoint: boolean; limit: number; line?: number },
): Matches {
  const found: Matches = { count: 0, offsets: [] };
  const needle = foldEndings(oldText);
  const returns = [...oldText.matchAll(/\r/g)].map((match) => match.index);
  if (returns.length > 0 && typeof endings === 'string' && endings !== '\r') {
    return found;
  }
  const lines =
    only.line !== undefined || (returns.length > 0 && typeof endings !== 'string') ? new LineIndex(content) : undefined;
  const from = only.line === undefined ? 0 : (lines?.lineStart(only.line) ?? 0);
  const to = only.line === undefined ? content.length + 1 : (lines?.lineStart(only.line + 1) ?? 0);
  const part = only.line === undefined ? content : content.slice(from, to - 1 + needle.length);
  let end = 0;
  eachOccurrence(part, needle, (relative) => {
    const offset = from + relative;
    if (offset >= to) {
      return false;
    }
    if (splitsCharacter(content, offset) || splitsCharacter(content, offset + needle.length)) {
      found.splits ??= offset;
    } else if (
      (!only.disjoint || offset >= end) &&
      (typeof endings === 'string' || returns.every((at) => endings[lines?.lineOf(offset + at) ?? 0] === '\r'))
    ) {
      end = offset + needle.length;
      found.count++;
      if (found.offsets.length < only.limit) {
        found.offsets.push(offset);
      }
    }
    return true;
  });
  return found;
}
