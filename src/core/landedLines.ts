import { type Block, blocksBetween } from './compare.ts';

/** Lines, 1-based and inclusive. */
export type LineRange = readonly [first: number, last: number];

/** The lines of a final text by who wrote them. */
export interface LandedLines {
  readonly edited: readonly LineRange[];
  readonly hooked: readonly LineRange[];
}

/**
 * Which lines of `final` an edit changed, and which of them hooks rewrote or added after it. Lines that were only removed
 * have no place and are left out.
 *
 * @param asked the text that the edit alone led to.
 */
export function landedLines(before: string, asked: string, final: string): LandedLines {
  const later = asked === final ? [] : blocksBetween(asked, final);
  const edited: LineRange[] = [];
  for (const { newStart, newEnd } of blocksBetween(before, asked)) {
    edited.push(...carry(newStart, newEnd, later));
  }
  const hooked = later.flatMap(({ newStart, newEnd }): LineRange[] => rangeOf(newStart, newEnd));
  return { edited, hooked };
}

/** Where lines `start` to `end` (exclusive, zero-based) stand after `blocks`, without what these replaced. */
function carry(start: number, end: number, blocks: readonly Block[]): LineRange[] {
  const ranges: LineRange[] = [];
  let from = start;
  let shift = 0;
  for (const { oldStart, oldEnd, newStart, newEnd } of blocks) {
    if (oldStart >= end) {
      break;
    }
    if (oldEnd > from || oldStart >= from) {
      ranges.push(...rangeOf(from + shift, Math.max(from, oldStart) + shift));
      from = Math.max(from, oldEnd);
    }
    shift += newEnd - newStart - (oldEnd - oldStart);
  }
  return [...ranges, ...rangeOf(from + shift, Math.max(from, end) + shift)];
}

function rangeOf(start: number, end: number): LineRange[] {
  return end > start ? [[start + 1, end]] : [];
}
