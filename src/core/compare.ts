import { countNewlines, LineIndex, lineCount, lineStartAt } from './lines.ts';
import { commonPrefix, commonSuffix, MAX_EDIT_LENGTH, preparePairs } from './pairs.ts';
import { foldEndings, type Span, sortSpans } from './text.ts';

/** Lines `oldStart` up to, and without, `oldEnd` stand as `newStart` to `newEnd` in another text. Lines are zero-based. */
export interface Block {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Two contents without the lines that they have in common at the start and at the end. */
export interface Comparison {
  /** From the first to the last line that differs. */
  readonly outer: Block;
  /**
   * All blocks, in order, as few lines as there can be.
   *
   * @returns `undefined` where more than `maxEdits` lines would have to be removed or added, not counting lines that only
   * one of the contents holds. The work grows with the square of that number.
   */
  blocks(maxEdits: number): Block[] | undefined;
}

/** Prepares two contents for finding the blocks in which they differ. Lines are compared with their newline. */
export function compareLines(before: string, after: string): Comparison {
  const { head, tail } = commonLines(before, after);
  const firstLine = countNewlines(before, 0, head);
  const oldLines = splitLines(before.slice(head, before.length - tail));
  const newLines = splitLines(after.slice(head, after.length - tail));
  const pairLines = preparePairs(oldLines, newLines);
  const outer: Block = {
    oldStart: firstLine,
    oldEnd: firstLine + oldLines.length,
    newStart: firstLine,
    newEnd: firstLine + newLines.length,
  };
  return {
    outer,
    blocks(maxEdits) {
      const pairs = pairLines(maxEdits);
      return pairs && gapsBetween(pairs, outer);
    },
  };
}

/** Where the lines of two contents differ, in order; one block around all of it where finding more takes too long. */
export function blocksBetween(before: string, after: string): Block[] {
  const comparison = compareLines(before, after);
  return comparison.blocks(MAX_EDIT_LENGTH) ?? [comparison.outer];
}

/** Where a line of the old text is in the new one; a line that was touched itself keeps its place among those that were touched with it. */
export function moveLine(line: number, blocks: readonly Block[]): number {
  const block = blocks.findLast(({ oldStart }) => oldStart <= line);
  if (!block) {
    return line;
  }
  return line >= block.oldEnd
    ? line + block.newEnd - block.oldEnd
    : Math.max(block.newStart, Math.min(block.newEnd - 1, block.newStart + line - block.oldStart));
}

/** Spans of whole lines that turn one content into another: few and small, and one large one where that takes too long. */
export function spansBetween(before: string, after: string): Span[] {
  const blocks = blocksBetween(before, after);
  if (blocks.length === 0) {
    return [];
  }
  const oldLines = new LineIndex(before);
  const newLines = new LineIndex(after);
  return blocks.map((block) => ({
    start: oldLines.lineStart(block.oldStart),
    end: oldLines.lineStart(block.oldEnd),
    text: after.slice(newLines.lineStart(block.newStart), newLines.lineStart(block.newEnd)),
  }));
}

/**
 * The lines of `after` that differ from `before`, given the spans that led from one to the other: ranges, 1-based and
 * inclusive, sorted and merged. Whole lines that a span repeats unchanged do not count. Lines that were only removed are
 * reported as the line that stands in their place now (the last line where they were at the end).
 */
export function changedLines(before: string, after: string, spans: readonly Span[]): [number, number][] {
  const total = lineCount(after);
  const ranges: [number, number][] = [];
  for (const { newStart, newEnd } of blocksOf(before, after, spans)) {
    const first = Math.min(newStart + 1, total);
    const last = Math.max(first, newEnd);
    const previous = ranges.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) {
      previous[1] = Math.max(previous[1], last);
    } else if (first > 0) {
      ranges.push([first, last]);
    }
  }
  return ranges;
}

/**
 * Where the lines of `before` went, given the spans that led to `after`: pairs of a 1-based line of `before` and the sum by
 * which that line and all below it, up to the next pair, have moved. A pair stands only where that sum is a new one.
 */
export function lineShifts(before: string, after: string, spans: readonly Span[]): [number, number][] {
  const total = lineCount(before);
  const shifts: [number, number][] = [];
  let delta = 0;
  for (const { oldEnd, newEnd } of blocksOf(before, after, spans)) {
    if (newEnd - oldEnd !== delta && oldEnd < total) {
      delta = newEnd - oldEnd;
      shifts.push([oldEnd + 1, delta]);
    }
  }
  return shifts;
}

/** The lines of a content, each with its newline. */
function splitLines(content: string): string[] {
  const lines: string[] = [];
  let from = 0;
  for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', from)) {
    lines.push(content.slice(from, at + 1));
    from = at + 1;
  }
  if (from < content.length) {
    lines.push(content.slice(from));
  }
  return lines;
}

function gapsBetween(pairs: readonly [number, number][], outer: Block): Block[] {
  const blocks: Block[] = [];
  let { oldStart, newStart } = outer;
  const end: [number, number] = [outer.oldEnd - outer.oldStart, outer.newEnd - outer.newStart];
  for (const [old, now] of [...pairs, end]) {
    const oldEnd = outer.oldStart + old;
    const newEnd = outer.newStart + now;
    if (oldEnd > oldStart || newEnd > newStart) {
      blocks.push({ oldStart, oldEnd, newStart, newEnd });
    }
    oldStart = oldEnd + 1;
    newStart = newEnd + 1;
  }
  return blocks;
}

/** How many code units of whole lines two contents have in common at the start and, after that, at the end. */
function commonLines(before: string, after: string): { head: number; tail: number } {
  const shorter = Math.min(before.length, after.length);
  const prefix = commonPrefix(before, after);
  if (prefix === before.length && prefix === after.length) {
    return { head: prefix, tail: 0 };
  }
  const head = lineStartAt(before, prefix);
  const suffix = commonSuffix(before, after, shorter - head);
  const oldEnd = before.length - suffix;
  const newEnd = after.length - suffix;
  if (startsLine(before, oldEnd) && startsLine(after, newEnd)) {
    return { head, tail: suffix };
  }
  const newline = before.indexOf('\n', oldEnd);
  return { head, tail: newline === -1 ? 0 : before.length - newline - 1 };
}

function startsLine(content: string, offset: number): boolean {
  return offset === 0 || content.charCodeAt(offset - 1) === 10;
}

/** The blocks of lines in which two contents differ, found near the spans alone where these lead from one to the other. */
function blocksOf(before: string, after: string, spans: readonly Span[]): Block[] {
  const sorted = sortSpans(before, spans);
  const folded = sorted.map((span) => ({ ...span, text: foldEndings(span.text) }));
  const growth = folded.reduce((sum, span) => sum + span.text.length - (span.end - span.start), 0);
  if (before.length + growth !== after.length) {
    // A `\r` and a `\n` have become one line end: see `applySpans`.
    return blocksBetween(before, after);
  }
  const blocks: Block[] = [];
  let workLeft = MAX_EDIT_LENGTH * MAX_EDIT_LENGTH;
  let offset = 0;
  let line = 0;
  let shift = 0;
  let delta = 0;
  for (const { start, end, growth: grown } of groupByLine(before, folded)) {
    line += countNewlines(before, offset, start);
    offset = start;
    const comparison = compareLines(before.slice(start, end), after.slice(start + shift, end + shift + grown));
    const edits = Math.min(comparison.outer.oldEnd + comparison.outer.newEnd, Math.floor(Math.sqrt(workLeft)));
    workLeft -= edits * edits;
    for (const block of comparison.blocks(edits) ?? [comparison.outer]) {
      blocks.push({
        oldStart: block.oldStart + line,
        oldEnd: block.oldEnd + line,
        newStart: block.newStart + line + delta,
        newEnd: block.newEnd + line + delta,
      });
    }
    delta += comparison.outer.newEnd - comparison.outer.oldEnd;
    shift += grown;
  }
  return blocks;
}

/** Whole lines of a content that hold all the spans, one group for spans that share a line. */
function groupByLine(content: string, spans: readonly Span[]): { start: number; end: number; growth: number }[] {
  const groups: { start: number; end: number; growth: number }[] = [];
  for (const span of spans) {
    const start = lineStartAt(content, span.start);
    const newline = content.indexOf('\n', span.end);
    const end = newline === -1 ? content.length : newline + 1;
    const growth = span.text.length - (span.end - span.start);
    const previous = groups.at(-1);
    if (previous && start < previous.end) {
      previous.end = end;
      previous.growth += growth;
    } else {
      groups.push({ start, end, growth });
    }
  }
  return groups;
}
