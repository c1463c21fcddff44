import { diffArrays } from 'diff';

/** What ends a line. Nothing else does: not U+2028, not a form feed, not NEL. */
export type Ending = '\n' | '\r\n' | '\r';

/** The line endings of a whole text, in the words of the tools' results. */
export type Eol = 'lf' | 'crlf' | 'cr' | 'mixed';

/**
 * A text, taken apart into its content and its line endings.
 *
 * `content` has `\n` for every line end and holds no `\r`. `endings` is one ending where all are the same, a list with one
 * for each `\n` of the content where they are mixed, and an empty list where the text has no line end at all.
 */
export interface Text {
  readonly content: string;
  readonly endings: Ending | readonly Ending[];
}

/** Replaces the content from offset `start` up to, and without, `end` by `text`. Offsets are UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Lines `oldStart` up to, and without, `oldEnd` stand as `newStart` to `newEnd` in another text. Lines are zero-based. */
export interface Block {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Takes a text apart. `renderText` puts it together again, byte for byte. */
export function parseText(raw: string): Text {
  if (!raw.includes('\r')) {
    return { content: raw, endings: raw.includes('\n') ? '\n' : [] };
  }
  const { lf, crlf, cr } = countEndings(raw);
  const content = foldEndings(raw);
  if (lf === 0 && cr === 0) {
    return { content, endings: '\r\n' };
  }
  if (lf === 0 && crlf === 0) {
    return { content, endings: '\r' };
  }
  return { content, endings: listEndings(raw) };
}

/** The inverse of `parseText`. */
export function renderText(text: Text): string {
  const { content, endings } = text;
  if (typeof endings === 'string') {
    return endings === '\n' ? content : content.replaceAll('\n', endings);
  }
  if (endings.length === 0) {
    return content;
  }
  const parts: string[] = [];
  let from = 0;
  for (const ending of endings) {
    const to = content.indexOf('\n', from);
    parts.push(content.slice(from, to), ending);
    from = to + 1;
  }
  parts.push(content.slice(from));
  return parts.join('');
}

/** The line endings of a text in one word; `whenNone` where it has no line end. */
export function eolOf(text: Text, whenNone: Eol): Eol {
  if (typeof text.endings !== 'string') {
    return text.endings.length === 0 ? whenNone : 'mixed';
  }
  switch (text.endings) {
    case '\n':
      return 'lf';
    case '\r\n':
      return 'crlf';
    case '\r':
      return 'cr';
  }
}

/** How many line ends of each kind a text that has not been taken apart holds. A `\r\n` counts as `crlf` alone. */
export function countEndings(raw: string): { lf: number; crlf: number; cr: number } {
  let lf = 0;
  let crlf = 0;
  for (let at = raw.indexOf('\n'); at !== -1; at = raw.indexOf('\n', at + 1)) {
    if (at > 0 && raw.charCodeAt(at - 1) === CR) {
      crlf++;
    } else {
      lf++;
    }
  }
  let cr = -crlf;
  for (let at = raw.indexOf('\r'); at !== -1; at = raw.indexOf('\r', at + 1)) {
    cr++;
  }
  return { lf, crlf, cr };
}

/** Every line end turned into `\n`, as in the content of a text. */
export function foldEndings(raw: string): string {
  return raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw;
}

/**
 * Replaces spans of a string, literally. The order of the spans does not matter.
 *
 * @throws RangeError where a span lies outside the content or two of them overlap. Two insertions at one offset overlap.
 */
export function splice(content: string, spans: readonly Span[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const span of sortSpans(content, spans)) {
    parts.push(content.slice(from, span.start), span.text);
    from = span.end;
  }
  parts.push(content.slice(from));
  return parts.join('');
}

/**
 * Replaces spans of a text's content and settles the line endings of what is new.
 *
 * In new text `\r\n` counts as `\n`, and a lone `\r` is data: it stays a `\r`. A newline that the span keeps keeps its
 * ending; an added one takes the ending of the line before it (one that was not such data), else the text's most frequent,
 * else `fallback`. Where a kept or new `\r` comes to stand right before a `\n`, the result has a `\r\n` there, since that
 * is what its bytes say.
 *
 * @throws RangeError as `splice` does.
 */
export function applySpans(text: Text, spans: readonly Span[], fallback: Ending): Text {
  const { content, endings } = text;
  const unfolded = spans.some((span) => span.text.includes('\r'));
  const plain = unfolded ? spans.map((span) => ({ ...span, text: span.text.replaceAll('\r\n', '\n') })) : spans;
  const uniform = typeof endings === 'string' ? endings : endings.length === 0 ? fallback : undefined;
  if (uniform === undefined || (unfolded && uniform !== '\r' && plain.some((span) => span.text.includes('\r')))) {
    return parseText(renderSpans(text, sortSpans(content, plain), fallback));
  }
  const after = foldEndings(splice(content, plain));
  return { content: after, endings: after.includes('\n') ? uniform : [] };
}

/** Whether a text would be the same, line endings included, with these spans replaced. */
export function changesNothing(text: Text, spans: readonly Span[]): boolean {
  const growth = spans.reduce((sum, span) => sum + span.text.length - (span.end - span.start), 0);
  const unfolded = spans.some((span) => span.text.includes('\r'));
  if (growth !== 0 && !unfolded) {
    return false;
  }
  const after = applySpans(text, spans, '\n');
  return after.content === text.content && (!unfolded || renderText(after) === renderText(text));
}

/** How many lines a content has. A final newline starts no line; an empty content has none. */
export function lineCount(content: string): number {
  return countNewlines(content, 0, content.length) + (content === '' || content.endsWith('\n') ? 0 : 1);
}

/** The zero-based line of an offset. For many of them build a `LineIndex`. */
export function lineAt(content: string, offset: number): number {
  return countNewlines(content, 0, offset);
}

/** Where the lines of a content start: built once, then looked up without another walk over the content. */
export class LineIndex {
  readonly #length: number;
  readonly #starts: readonly number[];

  constructor(content: string) {
    const starts = [0];
    for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) {
      starts.push(at + 1);
    }
    this.#length = content.length;
    this.#starts = starts;
  }

  /** The offset where a zero-based line starts; the length of the content for a line after its end. */
  lineStart(line: number): number {
    return this.#starts[line] ?? this.#length;
  }

  /** The zero-based line that an offset stands in. The newline belongs to the line which it ends. */
  lineOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.lineStart(middle) <= offset) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

/** Some whole lines of a content. Lines are 1-based and inclusive; both are 0 for an empty content. */
export interface Window {
  readonly text: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly totalLines: number;
}

/**
 * The lines from `startLine` to `endLine` with their newlines. Both are 1-based and inclusive, and an `endLine` after the
 * end means the last line.
 *
 * @returns `undefined` where this names no line: the start below 1, after the last line, or after the end. Line 1 of an
 * empty content is its empty window.
 */
export function windowOf(content: string, startLine: number, endLine: number): Window | undefined {
  const totalLines = lineCount(content);
  if (startLine < 1 || endLine < startLine || startLine > Math.max(totalLines, 1)) {
    return undefined;
  }
  if (totalLines === 0) {
    return { text: '', startLine: 0, endLine: 0, totalLines };
  }
  const last = Math.min(endLine, totalLines);
  if (startLine === 1 && last === totalLines) {
    return { text: content, startLine, endLine: last, totalLines };
  }
  const start = skipLines(content, 0, startLine - 1);
  const end = skipLines(content, start, last - startLine + 1);
  return { text: content.slice(start, end), startLine, endLine: last, totalLines };
}

/**
 * The longest beginning of a text that has at most `maxChars` UTF-16 code units and stops at a line end. Where not even the
 * first line fits it stops inside that line, but never inside a surrogate pair.
 */
export function cutAtLine(text: string, maxChars: number): string {
  if (text.length <= maxChars) {
    return text;
  }
  const lineEnd = maxChars > 0 ? text.lastIndexOf('\n', maxChars - 1) + 1 : 0;
  return lineEnd > 0 ? text.slice(0, lineEnd) : cutAtCharacter(text, maxChars);
}

/** The longest beginning of a text with at most `maxChars` UTF-16 code units that does not stop inside a surrogate pair. */
export function cutAtCharacter(text: string, maxChars: number): string {
  if (text.length <= maxChars) {
    return text;
  }
  const end = Math.max(maxChars, 0);
  return text.slice(0, splitsCharacter(text, end) ? end - 1 : end);
}

/** Whether an offset lies between the two halves of a surrogate pair. */
export function splitsCharacter(text: string, offset: number): boolean {
  return offset > 0 && isHighSurrogate(text.charCodeAt(offset - 1)) && isLowSurrogate(text.charCodeAt(offset));
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

/** Where the lines of two contents differ, in order; one block around all of it where finding more takes too long. */
export function blocksBetween(before: string, after: string): Block[] {
  const comparison = compareLines(before, after);
  return comparison.blocks(MAX_EDITS) ?? [comparison.outer];
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

const CR = 13;

/** About 20 ms of work where two large texts really share that many lines in another order. */
const MAX_EDITS = 200;

function listEndings(raw: string): Ending[] {
  const endings: Ending[] = [];
  for (const [ending] of raw.matchAll(/\r\n|\r|\n/g)) {
    endings.push(ending as Ending);
  }
  return endings;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function countNewlines(content: string, start: number, end: number): number {
  let count = 0;
  for (let at = content.indexOf('\n', start); at !== -1 && at < end; at = content.indexOf('\n', at + 1)) {
    count++;
  }
  return count;
}

function skipLines(content: string, start: number, lines: number): number {
  let at = start;
  for (let left = lines; left > 0; left--) {
    const newline = content.indexOf('\n', at);
    if (newline === -1) {
      return content.length;
    }
    at = newline + 1;
  }
  return at;
}

function sortSpans(content: string, spans: readonly Span[]): readonly Span[] {
  const sorted = spans.toSorted((a, b) => a.start - b.start || a.end - b.end);
  let previous: Span | undefined;
  for (const span of sorted) {
    if (!(span.start >= 0 && span.start <= span.end && span.end <= content.length)) {
      throw new RangeError(`span ${span.start}-${span.end} is outside a content of ${content.length}`);
    }
    if (previous && (span.start < previous.end || (span.end === previous.end && span.start === previous.start))) {
      throw new RangeError(`spans ${previous.start}-${previous.end} and ${span.start}-${span.end} overlap`);
    }
    previous = span;
  }
  return sorted;
}

function renderSpans(text: Text, spans: readonly Span[], fallback: Ending): string {
  const endings = typeof text.endings === 'string' ? text.endings : [...text.endings];
  const majority = mostFrequent(text.endings) ?? fallback;
  const parts: string[] = [];
  let offset = 0;
  let newline = 0;
  let above: Ending | undefined;
  const endingAt = (index: number): Ending => (typeof endings === 'string' ? endings : (endings[index] ?? majority));
  const keep = (end: number): void => {
    for (let at = text.content.indexOf('\n', offset); at !== -1 && at < end; at = text.content.indexOf('\n', offset)) {
      above = endingAt(newline++);
      parts.push(text.content.slice(offset, at), above);
      offset = at + 1;
    }
    parts.push(text.content.slice(offset, end));
    offset = end;
  };
  for (const span of spans) {
    keep(span.start);
    const old = text.content.slice(span.start, span.end);
    const kept = keptNewlines(old, span.text);
    let from = 0;
    let index = 0;
    for (const { 0: found, index: at } of span.text.matchAll(/[\r\n]/g)) {
      parts.push(span.text.slice(from, at));
      const pair = kept[index++];
      if (found === '\r') {
        parts.push('\r');
      } else {
        above = pair === undefined ? (above ?? majority) : endingAt(newline + pair);
        parts.push(above);
      }
      from = at + 1;
    }
    parts.push(span.text.slice(from));
    newline += countNewlines(old, 0, old.length);
    offset = span.end;
  }
  keep(text.content.length);
  return parts.join('');
}

function mostFrequent(endings: Ending | readonly Ending[]): Ending | undefined {
  if (typeof endings === 'string') {
    return endings;
  }
  const counts = new Map<Ending, number>();
  for (const ending of endings) {
    counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  let best: Ending | undefined;
  for (const [ending, count] of counts) {
    if (best === undefined || count > (counts.get(best) ?? 0)) {
      best = ending;
    }
  }
  return best;
}

/** For each line end of the new text, in order, which line end of the old text it is; `undefined` for an added one. */
function keptNewlines(oldText: string, newText: string): (number | undefined)[] {
  const folded = newText.replaceAll('\r', '\n');
  const head = commonPrefix(oldText, folded);
  const tail = commonSuffix(oldText, folded, Math.min(oldText.length, folded.length) - head);
  const oldMiddle = oldText.slice(head, oldText.length - tail).split('\n');
  const newMiddle = folded.slice(head, folded.length - tail).split('\n');
  const before = countNewlines(oldText, 0, head);
  const after = countNewlines(oldText, oldText.length - tail, oldText.length);
  oldMiddle.pop();
  newMiddle.pop();
  const middle =
    oldMiddle.length === newMiddle.length ? oldMiddle.map((_, index) => index) : pairedOld(oldMiddle, newMiddle);
  const kept: (number | undefined)[] = [];
  for (let index = 0; index < before; index++) {
    kept.push(index);
  }
  for (const index of middle) {
    kept.push(index === undefined ? undefined : before + index);
  }
  for (let index = 0; index < after; index++) {
    kept.push(before + oldMiddle.length + index);
  }
  return kept;
}

function pairedOld(oldLines: readonly string[], newLines: readonly string[]): (number | undefined)[] {
  const paired = newLines.map((): number | undefined => undefined);
  for (const [old, now] of preparePairs(oldLines, newLines)(MAX_EDITS) ?? []) {
    paired[now] = old;
  }
  return paired;
}

function commonPrefix(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.charCodeAt(length) === b.charCodeAt(length)) {
    length++;
  }
  return length;
}

function commonSuffix(a: string, b: string, limit: number): number {
  let length = 0;
  while (length < limit && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) {
    length++;
  }
  return length;
}

/** How many code units of whole lines two contents have in common at the start and, after that, at the end. */
function commonLines(before: string, after: string): { head: number; tail: number } {
  const shorter = Math.min(before.length, after.length);
  const prefix = commonPrefix(before, after);
  if (prefix === before.length && prefix === after.length) {
    return { head: prefix, tail: 0 };
  }
  const head = prefix === 0 ? 0 : before.lastIndexOf('\n', prefix - 1) + 1;
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

/**
 * Pairs equal lines of two lists, in order, as many as there can be. A line that only one list holds can never be paired, so
 * these are left out before: that keeps the result and saves most of the work.
 */
function preparePairs(
  oldLines: readonly string[],
  newLines: readonly string[],
): (maxEdits: number) => [number, number][] | undefined {
  const ids = new Map<string, number>();
  const oldIds = oldLines.map((line) => {
    const id = ids.get(line) ?? ids.size;
    ids.set(line, id);
    return id;
  });
  const newIds = newLines.map((line) => ids.get(line) ?? -1);
  const isShared = new Uint8Array(ids.size);
  for (const id of newIds) {
    if (id !== -1) {
      isShared[id] = 1;
    }
  }
  const oldIndexes = indexesOf(oldIds, (id) => isShared[id] === 1);
  const newIndexes = indexesOf(newIds, (id) => id !== -1);
  const oldShared = oldIndexes.map((index) => oldIds[index]);
  const newShared = newIndexes.map((index) => newIds[index]);
  return (maxEdits) => {
    if (oldShared.length === 0 || newShared.length === 0) {
      return [];
    }
    const runs = diffArrays(oldShared, newShared, { maxEditLength: maxEdits });
    if (runs === undefined) {
      return undefined;
    }
    const pairs: [number, number][] = [];
    let old = 0;
    let now = 0;
    for (const { added, removed, count } of runs) {
      if (!added && !removed) {
        for (let step = 0; step < count; step++) {
          pairs.push([oldIndexes[old + step] ?? 0, newIndexes[now + step] ?? 0]);
        }
      }
      old += added ? 0 : count;
      now += removed ? 0 : count;
    }
    return pairs;
  };
}

function indexesOf(ids: readonly number[], isWanted: (id: number) => boolean): number[] {
  const indexes: number[] = [];
  for (const [index, id] of ids.entries()) {
    if (isWanted(id)) {
      indexes.push(index);
    }
  }
  return indexes;
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
  let workLeft = MAX_EDITS * MAX_EDITS;
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
    const start = span.start === 0 ? 0 : content.lastIndexOf('\n', span.start - 1) + 1;
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
