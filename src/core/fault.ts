import { cutAtCharacter } from './lines.ts';
import type { Range } from './outline.ts';
import type { Fault } from './syntax.ts';

/** A word or sign as a parser takes it from a text. */
export interface Token extends Range {
  /** What the grammar calls it; a sign is called as it is written. */
  readonly type: string;
}

/** Where a parser came to its limits. */
export type FaultSite =
  /** It went on as if something stood at `at`. `opener` is the bracket that this would close, where it is one. */
  | { readonly kind: 'missing'; readonly type: string; readonly at: number; readonly opener?: Token }
  /** It could make nothing of a range, which holds these tokens. */
  | { readonly kind: 'unexpected'; readonly range: Range; readonly tokens: readonly Token[] };

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const OPENERS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
/** What starts a text within the text; alone in an error, it has no end. */
const QUOTES: ReadonlySet<string> = new Set(['"', "'", '`', '"""', "'''", 'string_start']);

/** How much of the text a message shows, in UTF-16 units. */
const MAX_SHOWN = 60;

/** Says what is wrong at a place, for a reader who sees the line. */
export function describeFault(content: string, site: FaultSite): Fault {
  if (site.kind === 'missing') {
    const { at, opener } = site;
    const offset = at;
    const what = /^[^\p{L}\p{N}_]+$/u.test(site.type) ? quoted(site.type.trim()) : wordsFor(site.type);
    return opener === undefined
      ? { offset, message: `missing ${what}` }
      : { offset, message: `missing ${what} for the ${quoted(opener.type)} in line ${lineOf(content, opener.start)}` };
  }
  const { range, tokens } = site;
  return unbalanced(tokens) ?? unclosedText(content, tokens) ?? unexpected(content, range, tokens);
}

function unbalanced(tokens: readonly Token[]): Fault | undefined {
  const open: Token[] = [];
  for (const token of tokens) {
    if (CLOSERS[token.type] !== undefined) {
      open.push(token);
    } else if (OPENERS[token.type] !== undefined && open.pop()?.type !== OPENERS[token.type]) {
      return { offset: token.start, message: `unexpected ${quoted(token.type)}` };
    }
  }
  const last = open.at(-1);
  return (
    last && { offset: last.start, message: `missing ${quoted(CLOSERS[last.type] ?? '')} for this ${quoted(last.type)}` }
  );
}

function unclosedText(content: string, tokens: readonly Token[]): Fault | undefined {
  const [first, ...others] = tokens;
  return first && QUOTES.has(first.type) && others.every(({ type }) => !QUOTES.has(type) && type !== 'string_end')
    ? { offset: first.start, message: `the text that starts with ${quoted(shown(content, first))} has no end` }
    : undefined;
}

function unexpected(content: string, range: Range, tokens: readonly Token[]): Fault {
  const isOne = tokens.every((token, index) => index === 0 || tokens[index - 1]?.end === token.start);
  const what = quoted(shown(content, range));
  return { offset: range.start, message: isOne ? `unexpected ${what}` : `the parser can make nothing of ${what}` };
}

/** The first line of a range, cut. */
function shown(content: string, { start, end }: Range): string {
  const text = content.slice(start, Math.min(end, start + 10 * MAX_SHOWN));
  const [line = ''] = text.trim().split('\n');
  return line.length > MAX_SHOWN || line.length < text.trim().length ? `${cutAtCharacter(line, MAX_SHOWN)}…` : line;
}

function quoted(text: string): string {
  return text.includes('`') ? `"${text}"` : `\`${text}\``;
}

/** The grammar's name of something that has no fixed spelling, in words. */
function wordsFor(type: string): string {
  const words = type.replace(/^_+/, '').replaceAll('_', ' ');
  return /^[aeiou]/.test(words) ? `an ${words}` : `a ${words}`;
}

function lineOf(content: string, offset: number): number {
  return content.slice(0, offset).split('\n').length;
}
