import type { Candidate } from './documents.ts';
import { lineAt } from './lines.ts';
import { type CodeSymbol, innermostAt, linesOfSymbol, MAX_NAMES, type Outline, resolveSymbol } from './symbols.ts';
import type { Outliner } from './syntax.ts';
import { type Span, sortSpans } from './text.ts';

/** Lines of the text at the base, 1-based and inclusive. */
export type Lines = readonly [number, number];

/** Why an edit does not land inside the symbol that its entry names. */
export type SymbolRefusal =
  | {
      readonly status: 'symbol_not_found';
      readonly symbol: string;
      readonly reason: string;
      /** Symbols that there are, those with the most similar names first; left out where nobody can tell. */
      readonly known?: readonly string[];
      /** All that have the name: how to name each, and where it is. */
      readonly candidates?: readonly { readonly symbol: string; readonly lines: Lines }[];
    }
  | {
      readonly status: 'symbol_mismatch';
      /** Its qualified name. */
      readonly symbol: string;
      readonly symbolLines: Lines;
      readonly editLines: readonly Lines[];
      readonly reason: string;
    };

/** Most places of an edit that are listed. */
const MAX_PLACES = 20;

/**
 * Whether everything that a candidate changes lies inside the symbol of that name: what it takes away belongs to the symbol
 * in the text before, and what it puts in belongs to it in the text after, blanks apart. So text at the very edge of a symbol
 * is inside where it became part of it: a decorator, a comment right above, another statement of the last block. Old text
 * that an edit quotes and leaves as it is counts for nothing.
 *
 * Where the text after does not tell (it does not parse, or the symbol has lost its name in it), text that is put at an edge
 * is outside, and what is put anywhere else inside is inside.
 *
 * @param outline tells symbols of the text before, and of the text after where it can.
 * @returns `undefined` where it lands inside.
 */
export function guardSymbol(
  wanted: string,
  content: string,
  candidate: Candidate,
  outline: Outliner,
): SymbolRefusal | undefined {
  const before = outline(content);
  if (before.kind === 'unknown') {
    return { status: 'symbol_not_found', symbol: wanted, reason: before.reason };
  }
  const resolution = resolveSymbol(content, before.symbols, wanted);
  if (resolution.kind !== 'found') {
    return notFound(wanted, content, before, resolution);
  }
  const { symbol } = resolution;
  if (symbol.isBroken) {
    return {
      status: 'symbol_not_found',
      symbol: wanted,
      reason: `the file does not parse in or around ${symbol.name}, so nobody can tell for sure where it begins and ends`,
    };
  }
  const spans = sortSpans(content, candidate.spans).map((span) => narrowed(content, span));
  const outside = spans.filter((span) => !takesFrom(content, span, symbol));
  const mismatch = (places: readonly Span[], reason: string): SymbolRefusal => ({
    status: 'symbol_mismatch',
    symbol: symbol.name,
    symbolLines: linesOfSymbol(content, symbol),
    editLines: places.slice(0, MAX_PLACES).map((span) => linesOf(content, span)),
    reason,
  });
  if (outside.length > 0) {
    return mismatch(spans, whereInstead(content, outside, before.symbols, symbol));
  }
  const after = symbolAfter(symbol, spans, outline(candidate.text.content));
  const astray = placesAfter(spans).filter(({ span, start }) => !putsInto(span, start, symbol, after));
  return astray.length === 0
    ? undefined
    : mismatch(
        spans,
        after
          ? `the new text at line ${linesOf(content, astray[0]?.span)[0]} would not be part of ${symbol.name}`
          : `line ${linesOf(content, astray[0]?.span)[0]} is at the very edge of ${symbol.name}, and nobody can tell whether the new text would be part of it`,
      );
}

function notFound(
  wanted: string,
  content: string,
  { symbols }: Extract<Outline, { kind: 'known' }>,
  resolution: Exclude<ReturnType<typeof resolveSymbol>, { kind: 'found' }>,
): SymbolRefusal {
  if (resolution.kind === 'ambiguous') {
    const candidates = resolution.symbols.slice(0, MAX_NAMES).map((symbol) => {
      const lines = linesOfSymbol(content, symbol);
      return { symbol: `${symbol.name}@${lineAt(content, symbol.nameStart) + 1}`, lines };
    });
    const count = resolution.symbols.length;
    const reason =
      count === 1
        ? `there is a symbol of that name, but ${JSON.stringify(wanted)} is not it`
        : `${count} symbols go by ${JSON.stringify(wanted)}`;
    return { status: 'symbol_not_found', symbol: wanted, reason, candidates };
  }
  const isBroken = symbols.some((symbol) => symbol.isBroken);
  return {
    status: 'symbol_not_found',
    symbol: wanted,
    reason: `no symbol of the file goes by ${JSON.stringify(wanted)}${isBroken ? '; parts of the file do not parse, and what is there cannot be told' : ''}`,
    known: resolution.nearest,
  };
}

/** A span without the text that it keeps: first what begins alike, then what ends alike. */
function narrowed(content: string, { start, end, text }: Span): Span {
  const fresh = text.replaceAll('\r\n', '\n');
  let head = 0;
  while (start + head < end && head < fresh.length && content[start + head] === fresh[head]) {
    head += 1;
  }
  let tail = 0;
  while (
    end - tail > start + head &&
    fresh.length - tail > head &&
    content[end - 1 - tail] === fresh[fresh.length - 1 - tail]
  ) {
    tail += 1;
  }
  return { start: start + head, end: end - tail, text: fresh.slice(head, fresh.length - tail) };
}

/** What stands on the last line of blanks. */
function indentOf(blanks: string): string {
  return blanks.slice(blanks.lastIndexOf('\n') + 1);
}

/** Whether what a span takes away, blanks apart, belongs to a symbol; where that is nothing, whether its place does. */
function takesFrom(content: string, { start, end, text }: Span, symbol: CodeSymbol): boolean {
  const old = content.slice(start, end);
  if (old.trim() !== '') {
    const first = start + old.length - old.trimStart().length;
    return symbol.start <= first && first + old.trim().length <= symbol.end;
  }
  // What indents other text is its own, though.
  if (start >= symbol.end && /\S/.test(content[end] ?? '') && indentOf(old) !== indentOf(text)) {
    return false;
  }
  // Blanks around a symbol are nobody's.
  const from = Math.max(start, symbol.end);
  const to = Math.min(end, symbol.start);
  return content.slice(symbol.end, from).trim() === '' && content.slice(to, symbol.start).trim() === '';
}

/** Where spans stand in the text after: each start moved by what the spans before it add. */
function placesAfter(spans: readonly Span[]): { readonly span: Span; readonly start: number }[] {
  let shift = 0;
  return spans.map((span) => {
    const start = span.start + shift;
    shift += span.text.length - (span.end - span.start);
    return { span, start };
  });
}

/** The symbol as it is in the text after: at the place to which its name has moved, else the only one of its name. */
function symbolAfter(symbol: CodeSymbol, spans: readonly Span[], after: Outline): CodeSymbol | undefined {
  if (after.kind === 'unknown') {
    return undefined;
  }
  const namesakes = after.symbols.filter(({ name, rank }) => name === symbol.name && rank === symbol.rank);
  const shift = spans
    .filter(({ end }) => end <= symbol.nameStart)
    .reduce((sum, { start, end, text }) => sum + text.length - (end - start), 0);
  const [only] = namesakes;
  const found =
    namesakes.find(({ nameStart }) => nameStart === symbol.nameStart + shift) ??
    (namesakes.length === 1 ? only : undefined);
  return found?.isBroken ? undefined : found;
}

/** Whether what a span puts in, blanks apart, belongs to the symbol in the text after. */
function putsInto(
  { start, end, text }: Span,
  startAfter: number,
  symbol: CodeSymbol,
  after: CodeSymbol | undefined,
): boolean {
  if (text.trim() === '') {
    return true;
  }
  if (after === undefined) {
    return symbol.start < end && start < symbol.end && symbol.start <= start && end <= symbol.end;
  }
  const first = startAfter + text.length - text.trimStart().length;
  return after.start <= first && first + text.trim().length <= after.end;
}

function linesOf(content: string, span: Span | undefined): Lines {
  const { start, end } = span ?? { start: 0, end: 0 };
  return [lineAt(content, start) + 1, lineAt(content, Math.max(start, end - 1)) + 1];
}

function whereInstead(
  content: string,
  outside: readonly Span[],
  symbols: readonly CodeSymbol[],
  symbol: CodeSymbol,
): string {
  const [first] = outside;
  const holder = first && innermostAt(symbols, first.start, first.end);
  const place = `line ${linesOf(content, first)[0]} is not part of ${symbol.name}`;
  return holder ? `${place}; it is part of ${holder.name}` : place;
}
