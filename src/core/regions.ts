import type { EditedRegion } from './sessions.ts';
import type { Span } from './text.ts';

/** From this many edits of one region without a read, the agent is told to read it again. */
const MANY = 3;

/**
 * Counts the edits of each region of a file.
 *
 * @param regions what was edited before, in offsets of the text that `spans` apply to.
 * @returns the regions in offsets of the text afterwards, and whether one of them was now edited for the third time or more.
 */
export function noteRegions(
  regions: readonly EditedRegion[],
  spans: readonly Span[],
): { readonly regions: readonly EditedRegion[]; readonly isWorn: boolean } {
  let isWorn = false;
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  const touched = sorted.map((span) => {
    const under = regions.filter((region) => span.start <= region.end && region.start <= span.end);
    const edits = 1 + Math.max(0, ...under.map((region) => region.edits));
    isWorn ||= edits >= MANY;
    const start = Math.min(span.start, ...under.map((region) => region.start));
    const end = Math.max(span.end, ...under.map((region) => region.end));
    return { start: map(start, sorted), end: map(end, sorted, true), edits };
  });
  const untouched = regions
    .filter((region) => !sorted.some((span) => span.start <= region.end && region.start <= span.end))
    .map((region) => ({ ...region, start: map(region.start, sorted), end: map(region.end, sorted) }));
  return { regions: [...untouched, ...touched], isWorn };
}

/** Where an offset of the text before stands after; inside a span, at its start or its end. */
function map(offset: number, spans: readonly Span[], toEnd = false): number {
  let shift = 0;
  for (const span of spans) {
    if (span.end <= offset && (span.end < offset || toEnd || span.start < span.end)) {
      shift += span.text.length - (span.end - span.start);
    } else if (span.start < offset) {
      return span.start + shift + (toEnd ? span.text.length : 0);
    }
  }
  return offset + shift;
}
