/** How many lines a content has. A final newline starts no line; an empty content has none. */
export function lineCount(content: string): number {
  return countNewlines(content, 0, content.length) + (content === '' || content.endsWith('\n') ? 0 : 1);
}

/** The zero-based line of an offset. For many of them build a `LineIndex`. */
export function lineAt(content: string, offset: number): number {
  return countNewlines(content, 0, offset);
}

/** The offset where the line of an offset starts. */
export function lineStartAt(content: string, offset: number): number {
  return offset <= 0 ? 0 : content.lastIndexOf('\n', offset - 1) + 1;
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
  const lineEnd = lineStartAt(text, maxChars);
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

/** How many newlines stand from offset `start` up to, and without, `end`. */
export function countNewlines(content: string, start: number, end: number): number {
  let count = 0;
  for (let at = content.indexOf('\n', start); at !== -1 && at < end; at = content.indexOf('\n', at + 1)) {
    count++;
  }
  return count;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
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
