import type { LineRange } from './landedLines.ts';

/** A change of a text: its lines `start` to `end` were touched, and there are `delta` more lines after it. Zero-based. */
export interface LineChange {
  readonly start: number;
  readonly end: number;
  readonly delta: number;
}

/**
 * Where marked lines (1-based) are after a change. What stands above it stays, what stands below it moves along; marked lines
 * that the change touches stay marked as far as they are still there.
 */
export function followLines(ranges: readonly LineRange[], change: LineChange): LineRange[] {
  return ranges.flatMap((range) => {
    const followed = follow(range[0] - 1, range[1] - 1, change);
    return followed ? [followed] : [];
  });
}

function follow(first: number, last: number, { start, end, delta }: LineChange): LineRange | undefined {
  if (last < start) {
    return [first + 1, last + 1];
  }
  if (first > end) {
    return [first + delta + 1, last + delta + 1];
  }
  if (delta < 0 && start <= first && end > last) {
    return undefined;
  }
  const from = first < start ? first : Math.min(first, end + delta);
  const to = last > end ? last + delta : Math.min(last, Math.max(start, end + delta));
  return [from + 1, Math.max(from, to) + 1];
}

/** The lines of `ranges` that are in none of `others`: what is marked anew is marked once. */
export function withoutLines(ranges: readonly LineRange[], others: readonly LineRange[]): LineRange[] {
  return others.reduce<LineRange[]>(
    (left, [first, last]) =>
      left.flatMap(([from, to]): LineRange[] => {
        const parts: LineRange[] = [
          [from, Math.min(to, first - 1)],
          [Math.max(from, last + 1), to],
        ];
        return to < first || from > last ? [[from, to]] : parts.filter(([start, end]) => start <= end);
      }),
    [...ranges],
  );
}
