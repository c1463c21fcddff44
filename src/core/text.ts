import { countNewlines } from './lines.ts';
import { commonPrefix, commonSuffix, MAX_EDIT_LENGTH, preparePairs } from './pairs.ts';

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

/** Whether no editor can hold the text as it is: its line endings are mixed, or they are lone `\r`. */
export function hasMixedEndings(text: Text): boolean {
  const eol = eolOf(text, 'lf');
  return eol === 'mixed' || eol === 'cr';
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
 * Spans in the order of the content.
 *
 * @throws RangeError as `splice` does.
 */
export function sortSpans(content: string, spans: readonly Span[]): readonly Span[] {
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

const CR = 13;

/** How many line ends of each kind a text that has not been taken apart holds. A `\r\n` counts as `crlf` alone. */
function countEndings(raw: string): { lf: number; crlf: number; cr: number } {
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

function listEndings(raw: string): Ending[] {
  const endings: Ending[] = [];
  for (const [ending] of raw.matchAll(/\r\n|\r|\n/g)) {
    endings.push(ending as Ending);
  }
  return endings;
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
  for (const [old, now] of preparePairs(oldLines, newLines)(MAX_EDIT_LENGTH) ?? []) {
    paired[now] = old;
  }
  return paired;
}
