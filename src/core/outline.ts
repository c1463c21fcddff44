import type { CodeSymbol } from './symbols.ts';

/** A range of a text, in UTF-16 offsets. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A declaration as a parser sees it. */
export interface Declaration extends Range {
  /** Where its name stands; `undefined` for what a language exports without a name: `default`. */
  readonly name: Range | undefined;
  /** The list of its parameters, brackets included. */
  readonly parameters?: Range;
  /** The type that it belongs to without standing in it: the receiver of a method. */
  readonly owner?: Range;
  /** For an implementation of a type elsewhere: what it implements, if that is said. `name` is the type then. */
  readonly implements?: Range | 'itself';
  readonly rank: CodeSymbol['rank'];
  readonly isBroken: boolean;
}

/** What a parser finds in a text, in any order. */
export interface Marks {
  readonly declarations: readonly Declaration[];
  /** Comments: those right above a declaration belong to it. */
  readonly comments: readonly Range[];
  /** Decorators and attributes that stand before what they belong to, whatever blank lines are between. */
  readonly attributes: readonly Range[];
  /** Statements around declarations; one that is alone in it is in effect the whole statement: `export const f = …;`. */
  readonly wraps: readonly { readonly outer: Range; readonly inner: Range }[];
}

/**
 * The symbols of a text, outermost first, with their qualified names and all that belongs to them: the statement around
 * them, decorators, attributes, and the comments right above, without a blank line between.
 */
export function buildSymbols(content: string, marks: Marks): CodeSymbol[] {
  const counts = new Map<string, number>();
  for (const { outer } of marks.wraps) {
    counts.set(keyOf(outer), (counts.get(keyOf(outer)) ?? 0) + 1);
  }
  const wraps = new Map(
    marks.wraps.filter(({ outer }) => counts.get(keyOf(outer)) === 1).map(({ outer, inner }) => [keyOf(inner), outer]),
  );
  const leads = [
    ...marks.comments.map((range) => ({ ...trimmed(content, range), isComment: true })),
    ...marks.attributes.map((range) => ({ ...trimmed(content, range), isComment: false })),
  ].sort((one, other) => one.start - other.start);
  const around: { readonly end: number; readonly scope: string }[] = [];
  return distinct(marks.declarations).map((declaration) => {
    while (around.length > 0 && (around.at(-1)?.end ?? 0) < declaration.end) {
      around.pop();
    }
    const outer = declaration.owner ? textOf(content, declaration.owner) : around.at(-1)?.scope;
    const own = declaration.name === undefined ? 'default' : plainName(textOf(content, declaration.name));
    const { implements: implemented } = declaration;
    const name = qualify(outer, implemented === undefined ? own : implementationName(content, own, implemented));
    around.push({ end: declaration.end, scope: qualify(outer, implemented === undefined ? own : plainType(own)) });
    const whole = widened(declaration, wraps);
    return {
      name,
      ...(declaration.parameters ? { parameters: textOf(content, declaration.parameters).slice(1, -1) } : {}),
      rank: declaration.rank,
      start: leadingStart(content, whole.start, leads),
      end: trailingEnd(content, trimmed(content, whole).end),
      nameStart: declaration.name?.start ?? declaration.start,
      isBroken: declaration.isBroken,
    };
  });
}

/** In the order of the text, what is around before what is inside; one for each name that a parser found twice. */
function distinct(declarations: readonly Declaration[]): Declaration[] {
  const sorted = declarations.toSorted(
    (one, other) => one.start - other.start || other.end - one.end || one.rank.localeCompare(other.rank),
  );
  const seen = new Set<string>();
  return sorted.filter((declaration) => {
    const key = `${keyOf(declaration)} ${declaration.name?.start}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function keyOf({ start, end }: Range): string {
  return `${start}-${end}`;
}

function textOf(content: string, { start, end }: Range): string {
  return content.slice(start, end);
}

function qualify(outer: string | undefined, name: string): string {
  return outer === undefined ? name : `${outer}.${name}`;
}

/** A name without the quotes that some languages allow around it. */
function plainName(name: string): string {
  return /^(['"`])(.*)\1$/s.exec(name)?.[2] ?? name;
}

/** A type without its path and its own parameters: `Order` of `&shop::Order<T>`. */
function plainType(type: string): string {
  const plain = type.replace(/<[\s\S]*$/, '');
  return /([\p{L}\p{N}_]+)\s*$/u.exec(plain)?.[1] ?? plain;
}

function implementationName(content: string, type: string, implemented: Range | 'itself'): string {
  return implemented === 'itself' ? `impl ${type}` : `impl ${textOf(content, implemented)} for ${type}`;
}

function widened(declaration: Range, wraps: ReadonlyMap<string, Range>): Range {
  let whole: Range = declaration;
  for (let outer = wraps.get(keyOf(whole)); outer; outer = wraps.get(keyOf(whole))) {
    if (keyOf(outer) === keyOf(whole)) {
      break;
    }
    whole = outer;
  }
  return whole;
}

/** A range without the blanks at its end: some parsers count the line end to a comment. */
function trimmed(content: string, { start, end }: Range): Range {
  return { start, end: start + content.slice(start, end).trimEnd().length };
}

interface Lead extends Range {
  readonly isComment: boolean;
}

/** Where what belongs to a declaration starts. */
function leadingStart(content: string, start: number, leads: readonly Lead[]): number {
  let from = start;
  for (let index = lastBefore(leads, start); index >= 0; index -= 1) {
    const lead = leads[index];
    if (!lead || !belongs(content, lead, from)) {
      break;
    }
    from = lead.start;
  }
  return from;
}

/** The index of the last lead that ends at or before an offset. */
function lastBefore(leads: readonly Lead[], offset: number): number {
  let low = 0;
  let high = leads.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((leads[middle]?.end ?? offset) <= offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

function belongs(content: string, lead: Lead, start: number): boolean {
  const between = content.slice(lead.end, start);
  if (between.trim() !== '') {
    return false;
  }
  const newlines = between.split('\n').length - 1;
  if (newlines === 0 || !lead.isComment) {
    return true;
  }
  // A comment behind something else on its line belongs to that.
  const line = content.slice(content.lastIndexOf('\n', lead.start - 1) + 1, lead.start);
  return newlines === 1 && line.trim() === '';
}

/** The sign that ends or separates declarations belongs to the one before it. */
function trailingEnd(content: string, end: number): number {
  const sign = /^[ \t]*[;,]/.exec(content.slice(end, end + 100))?.[0];
  return end + (sign?.length ?? 0);
}
