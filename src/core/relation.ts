import { type Block, blocksBetween, moveLine } from './compare.ts';
import type { Wish } from './input.ts';
import { LineIndex } from './lines.ts';
import { find, type Replacement } from './match.ts';
import { type Hunk, parsePatch, sidesOf } from './patch.ts';
import { contains, occurrences } from './search.ts';
import type { Outline } from './symbols.ts';
import { foldEndings, type Text } from './text.ts';

/** How an edit stands to what happened to its file since its base: a fact to plan on again, never a permission. */
export type Relation =
  | 'already present'
  | 'no longer applicable'
  | 'overlaps the change'
  | 'next to the change'
  | 'untouched';

/**
 * How edits of one file, planned on the content `base`, stand to the content now. The first that holds, over all edits:
 *
 * - already present: what each of them would write is there, more often than in the base, and their old text is not (or is
 *   there as part of the new). Text of blanks alone does not count as there.
 * - no longer applicable: the old text of one of them is gone or no longer unique. A `line` moves with the lines above it.
 * - overlaps the change: the lines of one's old text in the base were touched.
 * - next to the change: a line at most three lines away was touched, or one of the innermost symbol around the place of
 *   one of them, where `outlineOf` can tell the symbols of the base.
 * - untouched.
 *
 * Where `base` is not known (`undefined`), only the first two and the last can be told. A lone `\r` counts as `\n` here.
 */
export function relate(
  base: string | undefined,
  now: string,
  edits: readonly Replacement[],
  outlineOf?: OutlineOf,
): Relation {
  return relateTargets(
    base,
    now,
    edits.map((edit) => ({ ...edit, oldText: foldEndings(edit.oldText), newText: foldEndings(edit.newText) })),
    outlineOf,
  );
}

/** As `relate`, for the hunks of a patch. The context of a hunk is part of its old and of its new text. */
export function relatePatch(
  base: string | undefined,
  now: string,
  hunks: readonly Hunk[],
  outlineOf?: OutlineOf,
): Relation {
  return relateTargets(
    base,
    now,
    hunks.map((hunk) => {
      const { oldText, newText } = sidesOf(hunk);
      const count = hunk.lines.filter((line) => line.kind !== 'added').length;
      return {
        oldText: foldEndings(oldText),
        newText: foldEndings(newText),
        replaceAll: false,
        line: hunk.oldStart + 1,
        lines: { first: hunk.oldStart, last: hunk.oldStart + count - 1 },
      };
    }),
    outlineOf,
  );
}

/**
 * As `relate`, for a new content that replaces the whole of the old one, and for a deletion (`undefined`): these touch every
 * line, so any change overlaps them, known or not.
 */
export function relateWhole(base: string | undefined, now: string, content: string | undefined): Relation {
  if (content !== undefined && foldEndings(content) === now) {
    return 'already present';
  }
  return base === now ? 'untouched' : 'overlaps the change';
}

/** The contract's `your_edit`. A malformed patch has no place, so nothing of it applies. */
export function relateWish(base: string | undefined, now: string, wish: Wish, outlineOf?: OutlineOf): Relation {
  switch (wish.kind) {
    case 'edits':
      return relate(base, now, wish.replacements, outlineOf);
    case 'patch': {
      const parsed = parsePatch(wish.patch);
      return parsed.status === 'parsed'
        ? relatePatch(base, now, parsed.patch.hunks, outlineOf)
        : 'no longer applicable';
    }
    case 'content':
      return relateWhole(base, now, wish.content);
    case 'delete':
    case 'nothing':
      return relateWhole(base, now, undefined);
    default:
      return wish satisfies never;
  }
}

/** Lines are zero-based and inclusive. Where nothing but the place between two lines is meant, `last` is before `first`. */
interface LineRange {
  readonly first: number;
  readonly last: number;
}

interface Target extends Replacement {
  /** Where in the base it goes, if that is known without looking for its text. */
  readonly lines?: LineRange;
}

/** The farthest line that still counts as next to another. */
const NEXT = 3;

/** Tells the symbols of a content, if anybody can without waiting. */
type OutlineOf = (content: string) => Outline | undefined;

function relateTargets(
  base: string | undefined,
  now: string,
  targets: readonly Target[],
  outlineOf: OutlineOf = () => undefined,
): Relation {
  if (targets.length > 0 && targets.every((target) => isPresent(base, now, target))) {
    return 'already present';
  }
  const blocks = base === undefined ? [] : blocksBetween(base, now);
  if (!targets.every((target) => isApplicable(now, target, blocks))) {
    return 'no longer applicable';
  }
  if (base === undefined) {
    return 'untouched';
  }
  const nearest = Math.min(...targets.map((target) => distanceTo(blocks, base, now, target)));
  if (nearest === 0) {
    return 'overlaps the change';
  }
  return nearest <= NEXT || sharesSymbol(blocks, base, targets, outlineOf(base)) ? 'next to the change' : 'untouched';
}

/** Whether a change touched the innermost symbol around the place of a target in the base. */
function sharesSymbol(
  blocks: readonly Block[],
  base: string,
  targets: readonly Target[],
  outline: Outline | undefined,
): boolean {
  if (outline?.kind !== 'known') {
    return false;
  }
  const index = new LineIndex(base);
  const symbols = outline.symbols.map(
    ({ start, end }): LineRange => ({ first: index.lineOf(start), last: index.lineOf(Math.max(start, end - 1)) }),
  );
  const places = targets.flatMap((target) => (target.lines ? [target.lines] : linesOf(base, target)));
  return places.some((place) => {
    const around = symbols.filter(({ first, last }) => first <= place.first && place.last <= last);
    const innermost = around.reduce<LineRange | undefined>(
      (best, range) => (best && best.last - best.first < range.last - range.first ? best : range),
      undefined,
    );
    return innermost !== undefined && blocks.some((block) => touches(block, innermost));
  });
}

function touches({ oldStart, oldEnd }: Block, { first, last }: LineRange): boolean {
  return oldStart === oldEnd ? first < oldStart && oldStart <= last : oldStart <= last && first < oldEnd;
}

function isPresent(base: string | undefined, now: string, { oldText, newText }: Target): boolean {
  if (newText.trim() === '') {
    return false;
  }
  const isGone = oldText === '' || contains(newText, oldText) || !contains(now, oldText);
  const count = occurrences(now, newText, 0).count;
  return isGone && count > 0 && (base === undefined || count > occurrences(base, newText, 0).count);
}

function isApplicable(now: string, target: Target, blocks: readonly Block[]): boolean {
  if (target.oldText === '' && target.lines) {
    return true;
  }
  const place = find(
    asText(now),
    target.line === undefined ? target : { ...target, line: moveLine(target.line - 1, blocks) + 1 },
  );
  return place.status === 'located' || (place.status === 'not_found' && place.elsewhere !== undefined);
}

/** How many lines away from a change the nearest of a target's places is; 0 where they meet. */
function distanceTo(blocks: readonly Block[], base: string, now: string, target: Target): number {
  if (target.lines) {
    return distance([target.lines], blocks);
  }
  const places = linesOf(base, target);
  if (places.length > 0) {
    return distance(places, blocks);
  }
  // The base never held the old text, or not where the edit says: what is there now tells.
  return distance(linesOf(now, target), blocks.map(reverse));
}

function linesOf(content: string, target: Target): LineRange[] {
  const place = find(asText(content), target);
  const index = new LineIndex(content);
  const rangeOf = (start: number, end: number): LineRange => ({
    first: index.lineOf(start),
    last: index.lineOf(Math.max(start, end - 1)),
  });
  if (place.status === 'located') {
    return place.spans.map(({ start, end }) => rangeOf(start, end));
  }
  return place.status === 'not_found' && place.elsewhere !== undefined
    ? [rangeOf(place.elsewhere, place.elsewhere + target.oldText.length)]
    : [];
}

function reverse({ oldStart, oldEnd, newStart, newEnd }: Block): Block {
  return { oldStart: newStart, oldEnd: newEnd, newStart: oldStart, newEnd: oldEnd };
}

/** Both lists stand in the order of the lines. */
function distance(places: readonly LineRange[], blocks: readonly Block[]): number {
  let nearest = Number.POSITIVE_INFINITY;
  let index = 0;
  for (const { first, last } of places) {
    while ((blocks[index]?.oldEnd ?? Number.POSITIVE_INFINITY) <= first) {
      index++;
    }
    const above = blocks[index - 1];
    const below = blocks[index];
    nearest = Math.min(
      nearest,
      above ? first - above.oldEnd + 1 : nearest,
      below ? Math.max(0, below.oldStart - last) : nearest,
    );
  }
  return nearest;
}

function asText(content: string): Text {
  return { content, endings: '\n' };
}
