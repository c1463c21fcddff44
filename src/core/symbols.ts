import { lineAt } from './lines.ts';

/** A function, class, method or other named part of a text, with what belongs to it: comments above it and decorators. */
export interface CodeSymbol {
  /** Qualified by what it stands in: `Order.total`. */
  readonly name: string;
  /** Its parameters as they stand in the text, without the parentheses, where it has any. */
  readonly parameters?: string;
  /** Values and fields (`data`) are found by a name only where no function, class or method has it. */
  readonly rank: 'code' | 'data';
  readonly start: number;
  /** The offset after its last character. */
  readonly end: number;
  /** Where its own name starts: what tells it from others of its name once the text around it has moved. */
  readonly nameStart: number;
  /** Whether the text does not parse in it or around it, so that its limits are not sure. */
  readonly isBroken: boolean;
}

/** What is known of the symbols of one text. */
export type Outline =
  | { readonly kind: 'known'; readonly symbols: readonly CodeSymbol[] }
  /** Nobody can tell; `reason` is a sentence about the file. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** What a name leads to among the symbols of a text. */
export type Resolution =
  | { readonly kind: 'found'; readonly symbol: CodeSymbol }
  | { readonly kind: 'ambiguous'; readonly symbols: readonly CodeSymbol[] }
  | { readonly kind: 'absent'; readonly nearest: readonly string[] };

/** Most names that are listed where a symbol is not found. */
export const MAX_NAMES = 20;

/**
 * Finds the symbol of a name: the whole qualified name (`Order.total`), else the end of one (`total`), where only one symbol
 * has it. Several of one name are told apart by their parameters (`total(int)`) or by one of their lines (`total@41`,
 * 1-based). `::` counts as a dot, and Go's `(*Order).total` is `Order.total`.
 */
export function resolveSymbol(content: string, symbols: readonly CodeSymbol[], wanted: string): Resolution {
  const asWritten = candidatesFor(symbols, wanted.trim());
  const { name, parameters, line } = takeApart(wanted);
  const named = asWritten.length > 0 ? asWritten : candidatesFor(symbols, name);
  const picked = asWritten.length > 0 ? named : pick(content, named, parameters, line);
  const [symbol] = picked;
  if (symbol && picked.length === 1) {
    return { kind: 'found', symbol };
  }
  const left = picked.length > 0 ? picked : named;
  return left.length > 0
    ? { kind: 'ambiguous', symbols: left }
    : { kind: 'absent', nearest: nearestNames(symbols, name) };
}

/** The smallest symbol that holds a range, if any. Symbols come outermost first. */
export function innermostAt(symbols: readonly CodeSymbol[], start: number, end: number): CodeSymbol | undefined {
  let innermost: CodeSymbol | undefined;
  for (const symbol of symbols) {
    const holds = symbol.start <= start && end <= symbol.end;
    if (holds && (!innermost || symbol.end - symbol.start <= innermost.end - innermost.start)) {
      innermost = symbol;
    }
  }
  return innermost;
}

/** The first and the last line of a symbol, 1-based. */
export function linesOfSymbol(content: string, { start, end }: CodeSymbol): readonly [number, number] {
  return [lineAt(content, start) + 1, lineAt(content, Math.max(start, end - 1)) + 1];
}

interface Wanted {
  readonly name: string;
  readonly parameters: string | undefined;
  readonly line: number | undefined;
}

function takeApart(wanted: string): Wanted {
  const plain = wanted
    .trim()
    .replace(/^\(\s*\*?\s*([\p{L}\p{N}_]+)\s*\)\s*\./u, '$1.')
    .replaceAll('::', '.');
  const { name, parameters, line } =
    /^(?<name>.*?)(?:\((?<parameters>.*)\))?(?:@(?<line>\d+))?$/su.exec(plain)?.groups ?? {};
  return { name: (name ?? plain).trim(), parameters, line: line === undefined ? undefined : Number(line) };
}

/** Whole names before ends of names, and functions, classes and methods before values and fields. */
function candidatesFor(symbols: readonly CodeSymbol[], name: string): readonly CodeSymbol[] {
  const whole = symbols.filter((symbol) => symbol.name === name);
  const found = whole.length > 0 ? whole : symbols.filter((symbol) => name !== '' && symbol.name.endsWith(`.${name}`));
  const code = found.filter(({ rank }) => rank === 'code');
  return code.length > 0 ? code : found;
}

function pick(
  content: string,
  named: readonly CodeSymbol[],
  parameters: string | undefined,
  line: number | undefined,
): readonly CodeSymbol[] {
  const onLine = named.filter((symbol) => line === undefined || isOnLine(content, symbol, line));
  const picked = onLine.filter((symbol) => parameters === undefined || hasParameters(symbol, parameters));
  // `total()` may be meant as no more than the name of a function.
  return picked.length === 0 && parameters?.trim() === '' ? onLine : picked;
}

function isOnLine(content: string, symbol: CodeSymbol, line: number): boolean {
  const [first, last] = linesOfSymbol(content, symbol);
  return first <= line && line <= last;
}

/** Whether each parameter that is asked for stands, as a word, in the parameter at its place; `self` may be left out. */
function hasParameters(symbol: CodeSymbol, asked: string): boolean {
  if (symbol.parameters === undefined) {
    return false;
  }
  const parts = splitAtCommas(asked);
  const all = splitAtCommas(symbol.parameters);
  const [first = '', ...others] = all;
  return [all, SELF.test(first) ? others : all].some(
    (own) =>
      parts.length === own.length &&
      parts.every((part, index) => ` ${spaced(own[index] ?? '')} `.includes(` ${spaced(part)} `)),
  );
}

/** How some languages spell the parameter that is the object itself. */
const SELF = /^(?:&\s*(?:'\w+\s+)?)?(?:mut\s+)?(?:self|cls|this)\b/;

/** Words and signs with one blank between them: two spellings of one parameter are equal then. */
function spaced(text: string): string {
  return (text.match(/[\p{L}\p{N}_$]+|[^\s]/gu) ?? []).join(' ');
}

/** The parts of a parameter list between the commas that stand in no bracket. */
function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: sign, index } of text.matchAll(/[([{<>)\]},]/g)) {
    if (sign === ',' && depth === 0) {
      parts.push(text.slice(from, index));
      from = index + 1;
    } else if ('([{<'.includes(sign)) {
      depth += 1;
    } else if (sign !== ',' && text[index - 1] !== '=' && text[index - 1] !== '-') {
      depth -= 1;
    }
  }
  parts.push(text.slice(from));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** The names most like one that is not there, first those that are most like it, each once. */
function nearestNames(symbols: readonly CodeSymbol[], name: string): string[] {
  const order = new Map<string, { readonly likeness: number; readonly isCode: boolean }>();
  const pairs = pairsOf(lastPart(name));
  for (const symbol of symbols) {
    if (!order.has(symbol.name)) {
      const isCode = symbol.rank === 'code';
      order.set(symbol.name, { likeness: likeness(pairs, pairsOf(lastPart(symbol.name))), isCode });
    }
  }
  return [...order]
    .sort(([, one], [, other]) => other.likeness - one.likeness || Number(other.isCode) - Number(one.isCode))
    .slice(0, MAX_NAMES)
    .map(([known]) => known);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function pairsOf(name: string): Set<string> {
  const padded = ` ${name.toLowerCase()} `;
  return new Set(Array.from({ length: padded.length - 1 }, (_, index) => padded.slice(index, index + 2)));
}

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((pair) => other.has(pair)).length;
  return (2 * shared) / (one.size + other.size);
}
