import { type Block, compareLines } from './compare.ts';
import { cutAtLine, LineIndex } from './lines.ts';

/** How a diff is drawn and what it may cost. */
export interface DiffLimits {
  /** Unchanged lines shown around what differs. */
  readonly context: number;
  /** UTF-16 code units, with the last line about what is left. */
  readonly maxChars: number;
  readonly maxMs: number;
  readonly now: () => number;
}

/** What differs between two contents, for reading. It is never used to place an edit. */
export interface Diff {
  /** Hunks of a unified diff without a file header; empty where nothing differs. */
  readonly text: string;
  /** Whether the text shows all that differs. */
  readonly complete: boolean;
  /** Lines added and removed; where the time did not suffice, the most that it can be. */
  readonly added: number;
  readonly removed: number;
}

/**
 * A unified diff of two contents, bounded. Too long, it is cut after a hunk, or inside the first one at a line end, and a
 * last line says how much is left. Where it would take too long to find, it is one line that counts the lines.
 */
export function unifiedDiff(before: string, after: string, limits: DiffLimits): Diff {
  const start = limits.now();
  const comparison = compareLines(before, after);
  const blocks = before === after ? [] : findBlocks(comparison.blocks, start, limits);
  if (blocks === undefined) {
    const counts = countLines([comparison.outer]);
    return { text: `${inWords(counts)}\n`, complete: false, ...counts };
  }
  const groups = groupBlocks(blocks, limits.context);
  const oldLines = new Lines(before);
  const newLines = new Lines(after);
  const hunks: string[] = [];
  let length = 0;
  for (const group of groups) {
    if (length > limits.maxChars) {
      break;
    }
    const hunk = drawHunk(oldLines, newLines, group, limits.context, limits.maxChars);
    hunks.push(hunk);
    length += hunk.length;
  }
  const counts = countLines(blocks);
  const complete = length <= limits.maxChars;
  return { text: complete ? hunks.join('') : cut(hunks, groups, limits.maxChars), complete, ...counts };
}

interface Counts {
  readonly added: number;
  readonly removed: number;
}

/** Where finding the fewest lines would take more edits than this, no clock is needed to give up. */
const MAX_EDITS = 4_096;

/** Room for the last line about what is left. */
const ROOM = 120;

const NO_NEWLINE = '\n\\ No newline at end of file\n';

function findBlocks(
  blocks: (maxEdits: number) => Block[] | undefined,
  start: number,
  { maxMs, now }: DiffLimits,
): Block[] | undefined {
  let begun = start;
  for (let edits = 64; edits <= MAX_EDITS; edits *= 2) {
    // Twice the edits are four times the work; the first try is taken to be a quarter of the preparation.
    const spent = now();
    if (spent - start + (edits === 64 ? 1 / 4 : 4) * (spent - begun) > maxMs) {
      return undefined;
    }
    begun = spent;
    const found = blocks(edits);
    if (found) {
      return found;
    }
  }
  return undefined;
}

class Lines {
  readonly count: number;
  readonly #content: string;
  readonly #index: LineIndex;

  constructor(content: string) {
    this.#content = content;
    this.#index = new LineIndex(content);
    this.count = this.#index.lineOf(content.length) + (content === '' || content.endsWith('\n') ? 0 : 1);
  }

  /** A line as a diff shows it. */
  draw(sign: string, line: number): string {
    const text = this.#content.slice(this.#index.lineStart(line), this.#index.lineStart(line + 1));
    return sign + (text.endsWith('\n') ? text : text + NO_NEWLINE);
  }
}

/** Blocks whose context would touch go into one hunk. */
function groupBlocks(blocks: readonly Block[], context: number): Block[][] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const group = groups.at(-1);
    const previous = group?.at(-1);
    if (group && previous && block.oldStart - previous.oldEnd <= 2 * context) {
      group.push(block);
    } else {
      groups.push([block]);
    }
  }
  return groups;
}

/** The text of a hunk, or a beginning of it that is longer than `maxChars`. */
function drawHunk(
  oldLines: Lines,
  newLines: Lines,
  blocks: readonly Block[],
  context: number,
  maxChars: number,
): string {
  const [first] = blocks;
  const last = blocks.at(-1);
  if (!first || !last) {
    throw new RangeError('a hunk without a block');
  }
  const above = Math.min(context, first.oldStart);
  const below = Math.min(context, oldLines.count - last.oldEnd);
  const oldStart = first.oldStart - above;
  const oldRange = drawRange(oldStart, last.oldEnd + below);
  const parts = [`@@ -${oldRange} +${drawRange(first.newStart - above, last.newEnd + below)} @@\n`];
  let length = 0;
  const push = (lines: Lines, sign: string, from: number, to: number): void => {
    for (let line = from; line < to && length <= maxChars; line++) {
      const drawn = lines.draw(sign, line);
      parts.push(drawn);
      length += drawn.length;
    }
  };
  let line = oldStart;
  for (const block of blocks) {
    push(oldLines, ' ', line, block.oldStart);
    push(oldLines, '-', block.oldStart, block.oldEnd);
    push(newLines, '+', block.newStart, block.newEnd);
    line = block.oldEnd;
  }
  push(oldLines, ' ', line, last.oldEnd + below);
  return parts.join('');
}

/** The start counts from 1; a range without lines is named by the line before it, as in every unified diff. */
function drawRange(start: number, end: number): string {
  return `${end > start ? start + 1 : start},${end - start}`;
}

function cut(hunks: readonly string[], groups: readonly Block[][], maxChars: number): string {
  const room = Math.max(0, maxChars - ROOM);
  let length = 0;
  const whole = hunks.findIndex((hunk) => {
    length += hunk.length;
    return length > room;
  });
  if (whole > 0) {
    const left = groups.slice(whole);
    return `${hunks.slice(0, whole).join('')}… ${plural(left.length, 'more hunk')}: ${inWords(countLines(left.flat()))}\n`;
  }
  const shown = cutAtLine(hunks[0] ?? '', room);
  const all = countLines(groups.flat());
  const lines = shown.split('\n');
  const left = inWords({
    removed: all.removed - lines.filter((line) => line.startsWith('-')).length,
    added: all.added - lines.filter((line) => line.startsWith('+')).length,
  });
  const others = groups.length > 1 ? `, in it and ${plural(groups.length - 1, 'more hunk')}` : '';
  const lineEnd = shown === '' || shown.endsWith('\n') ? '' : '\n';
  return `${shown}${lineEnd}… cut inside this hunk; left: ${left}${others}\n`;
}

function countLines(blocks: readonly Block[]): Counts {
  let added = 0;
  let removed = 0;
  for (const block of blocks) {
    added += block.newEnd - block.newStart;
    removed += block.oldEnd - block.oldStart;
  }
  return { added, removed };
}

function inWords({ removed, added }: Counts): string {
  return `${plural(removed, 'line')} removed, ${grouped(added)} added`;
}

function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
