import { cutAtCharacter, lineAt, lineStartAt, splitsCharacter, windowOf } from './lines.ts';
import { eachOccurrence } from './search.ts';
import { foldEndings } from './text.ts';

/** The place that is most like some old text which is not there. A hint for the next plan, never a place for an edit. */
export interface Nearest {
  /** 1-based. */
  readonly line: number;
  /** What stands there, cut to a few hundred characters. */
  readonly text: string;
  /** What keeps it from being the old text. */
  readonly differs: readonly string[];
}

/** Why there is no nearest place. */
export interface Skipped {
  readonly skipped: string;
}

/** What the search for the nearest place may cost. */
export interface NearestBudget {
  readonly maxMs: number;
  readonly now: () => number;
}

/**
 * Says what keeps an old text that has no place from having one.
 *
 * @param place what is known already: `elsewhere`, the offset of its only occurrence, which does not stand where the edit
 * says; `splits`, the offset of an occurrence that begins or ends inside a surrogate pair.
 * @returns `undefined` where nothing is like it, and where it would have to be looked for and there is no `budget`.
 */
export function explain(
  content: string,
  rawOldText: string,
  place: { readonly elsewhere?: number; readonly splits?: number },
  budget: NearestBudget | undefined,
): Nearest | Skipped | undefined {
  const oldText = rawOldText.replaceAll('\r\n', '\n');
  if (place.elsewhere !== undefined) {
    return describe(content, place.elsewhere, place.elsewhere + oldText.length, ['line number']);
  }
  if (place.splits !== undefined) {
    return describe(content, place.splits, place.splits + oldText.length, ['splits a character']);
  }
  return budget && nearest(content, oldText, budget);
}

const MAX_TEXT = 400;
const MAX_LINE = 5_000;
const MAX_OLD = 20_000;
const MAX_CONTENT = 8_000_000;
/** How many equal lines of the old text are compared with one line. */
const MAX_REPEATS = 20;
/** Less than this part of a line's pairs of characters in common is not called near. */
const MIN_LIKENESS = 0.6;

/** Looks for the old text with all that models get wrong left out of account, then for the most similar lines. */
function nearest(content: string, oldText: string, { maxMs, now }: NearestBudget): Nearest | Skipped | undefined {
  if (oldText.length > MAX_OLD || content.length > MAX_CONTENT) {
    return { skipped: `not looked for in ${content.length} characters for ${oldText.length}` };
  }
  const deadline = now() + maxMs;
  const isLate = (): boolean => now() >= deadline;
  const folded = fold(content, isLate);
  if (folded === undefined) {
    return LATE;
  }
  let huge = false;
  for (const wanted of [oldText, withoutLineNumbers(oldText)]) {
    const needle = fold(wanted, () => false)?.text ?? '';
    if (needle === '') {
      return undefined;
    }
    let found: Nearest | undefined;
    eachOccurrence(folded.text, needle, (at) => {
      const [start, end] = widen(content, wanted, folded.offsets[at], folded.offsets[at + needle.length - 1]);
      huge ||= longestLine(content, start, end) > MAX_LINE;
      found = huge ? undefined : describe(content, start, end, differences(oldText, content.slice(start, end)));
      return false;
    });
    if (found) {
      return found;
    }
  }
  return huge ? HUGE : nearestLines(content, folded, oldText, isLate);
}

const LATE: Skipped = { skipped: 'not found within the time for it' };
const HUGE: Skipped = { skipped: `lines of more than ${MAX_LINE} characters are not compared` };

/** Puts the old text where most of its lines stand at the right distance, else where its longest line is most alike. */
function nearestLines(
  content: string,
  { text: foldedContent, offsets }: Folded,
  oldText: string,
  isLate: () => boolean,
): Nearest | Skipped | undefined {
  const wanted = oldText.split('\n').map((line) => fold(line, () => false)?.text ?? '');
  const indexes = new Map<string, number[]>();
  for (const [index, line] of wanted.entries()) {
    indexes.set(line, [...(indexes.get(line) ?? []), index].slice(0, MAX_REPEATS));
  }
  const longest = wanted.reduce((best, line) => (line.length > best.length ? line : best), '');
  const anchor = wanted.indexOf(longest);
  const likeness = new Likeness(longest);
  const votes = new Map<number, number>();
  let alike = { line: 0, value: MIN_LIKENESS, found: false };
  let huge = false;
  let lineEnd = 0;
  let to = 0;
  for (let line = 0; lineEnd < content.length; line++) {
    if (line % 16 === 0 && isLate()) {
      return LATE;
    }
    const lineStart = lineEnd;
    const newline = content.indexOf('\n', lineStart);
    lineEnd = newline === -1 ? content.length : newline + 1;
    const from = to;
    while (to < offsets.length && (offsets[to] ?? 0) < lineEnd) {
      to++;
    }
    if (lineEnd - lineStart > MAX_LINE) {
      huge = true;
      continue;
    }
    const folded = foldedContent.slice(from, to);
    if (folded === '') {
      continue;
    }
    for (const index of indexes.get(folded) ?? []) {
      votes.set(line - index, (votes.get(line - index) ?? 0) + Math.min(folded.length, 20));
    }
    const value = likeness.to(folded);
    if (value > alike.value) {
      alike = { line: line - anchor, value, found: true };
    }
  }
  let best = { line: alike.line, votes: 0 };
  for (const [line, count] of votes) {
    if (count > best.votes) {
      best = { line, votes: count };
    }
  }
  if (best.votes === 0 && !alike.found) {
    return huge ? HUGE : undefined;
  }
  const first = Math.max(0, best.line);
  const lines = windowOf(content, first + 1, Math.max(best.line + wanted.length, first + 1));
  return { line: first + 1, text: shorten(lines?.text.replace(/\n$/, '') ?? ''), differs: ['similar'] };
}

function describe(content: string, start: number, end: number, differs: readonly string[]): Nearest {
  const from = splitsCharacter(content, start) ? start - 1 : start;
  const to = splitsCharacter(content, end) ? end + 1 : end;
  return { line: lineAt(content, start) + 1, text: shorten(content.slice(from, to)), differs };
}

function shorten(text: string): string {
  return text.length <= MAX_TEXT ? text : `${cutAtCharacter(text, MAX_TEXT)}…`;
}

function longestLine(content: string, start: number, end: number): number {
  const from = lineStartAt(content, start);
  const newline = content.indexOf('\n', end);
  const lines = content.slice(from, newline === -1 ? content.length : newline).split('\n');
  return lines.reduce((longest, line) => Math.max(longest, line.length), 0);
}

/** Takes blanks and newlines around a place in, as the old text has them there, so that the two can be compared. */
function widen(content: string, oldText: string, first = 0, last = 0): [number, number] {
  const old = foldEndings(oldText);
  const above = blanksToTake(old.slice(0, old.length - old.trimStart().length), old.startsWith('\n'));
  const below = blanksToTake(old.slice(old.trimEnd().length), old.endsWith('\n'));
  let start = first;
  while (start > 0 && above(content.charAt(start - 1))) {
    start--;
  }
  let end = last + (entityAt(content, last)?.length ?? 1);
  while (/^\p{M}$/u.test(content.charAt(end))) {
    end++;
  }
  while (end < content.length && below(content.charAt(end))) {
    end++;
  }
  return [start, end];
}

/** Answers, going outwards, whether one more character belongs to blanks like the given ones. */
function blanksToTake(blanks: string, endsAtNewline: boolean): (character: string) => boolean {
  let newlines = blanks.split('\n').length - 1;
  let done = blanks === '';
  return (character) => {
    if (done || !/\s/.test(character) || (character === '\n' && newlines === 0)) {
      return false;
    }
    newlines -= character === '\n' ? 1 : 0;
    done = endsAtNewline && newlines === 0;
    return true;
  };
}

/** How much of a line's pairs of neighbouring code units also stands in another line. */
class Likeness {
  readonly #pairs = new Map<number, number>();
  readonly #length: number;
  /** For each pair, the line in which it was last seen. */
  readonly #seen: number[] = [];
  #line = 0;

  constructor(text: string) {
    this.#length = text.length;
    for (let at = 0; at + 1 < text.length; at++) {
      this.#pairs.set(pairAt(text, at), this.#pairs.get(pairAt(text, at)) ?? this.#pairs.size);
    }
  }

  /** At most 1, and a little less for a line of another length. */
  to(line: string): number {
    if (line.length < this.#length * MIN_LIKENESS || this.#pairs.size === 0) {
      return 0;
    }
    this.#line++;
    let common = 0;
    for (let at = 0; at + 1 < line.length; at++) {
      const index = this.#pairs.get(pairAt(line, at));
      if (index !== undefined && this.#seen[index] !== this.#line) {
        this.#seen[index] = this.#line;
        common++;
      }
    }
    return common / this.#pairs.size - Math.min(0.1, Math.abs(line.length - this.#length) / 1_000);
  }
}

function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#34;', '"'],
  ['&apos;', "'"],
  ['&#39;', "'"],
  ['&#x27;', "'"],
  ['&nbsp;', '\u00a0'],
  ['&amp;', '&'],
]);
const ENTITY = /&(?:[lg]t|quot|apos|nbsp|amp|#34|#39|#x27);/g;
const QUOTES = /["'`´\u2018-\u201f\u2032\u2033\u00ab\u00bb\u2039\u203a\u300c-\u300f\uff02\uff07]/g;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;
const INVISIBLE = /[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]|[\ufe00-\ufe0f]/g;

/** A text without all that `differences` can name, and for each code unit that is left its offset in the text. */
interface Folded {
  readonly text: string;
  readonly offsets: Uint32Array;
}

/** @returns `undefined` where it takes too long. */
function fold(text: string, isLate: () => boolean): Folded | undefined {
  const units = new Uint16Array(text.length);
  const offsets = new Uint32Array(text.length);
  const cache = new Map<number, number>();
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    if (at % 65_536 === 0 && at > 0 && isLate()) {
      return undefined;
    }
    const start = at;
    let unit = text.charCodeAt(at);
    if (unit === BACKSLASH) {
      at += /[nrt]/.test(text.charAt(at + 1)) ? 1 : 0;
      continue;
    }
    const entity = unit === AMPERSAND ? entityAt(text, at) : undefined;
    if (entity !== undefined) {
      unit = ENTITIES.get(entity)?.charCodeAt(0) ?? unit;
      at += entity.length - 1;
    }
    let foldedUnit = cache.get(unit);
    if (foldedUnit === undefined) {
      foldedUnit = foldUnit(unit);
      cache.set(unit, foldedUnit);
    }
    if (foldedUnit !== 0) {
      units[length] = foldedUnit;
      offsets[length++] = start;
    }
  }
  return { text: decode(units.subarray(0, length)), offsets: offsets.subarray(0, length) };
}

const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;

function entityAt(text: string, at: number): string | undefined {
  const entity = text.slice(at, at + 6).match(ENTITY)?.[0];
  return entity !== undefined && text.startsWith(entity, at) ? entity : undefined;
}

/** What a code unit counts as; 0 for nothing. */
function foldUnit(unit: number): number {
  const folded = String.fromCharCode(unit)
    .replace(QUOTES, '"')
    .replace(DASHES, '-')
    .replace(INVISIBLE, '')
    .normalize('NFKD')
    .replace(/[\s\p{M}]/gu, '')
    .toLowerCase();
  return folded === '' ? 0 : folded.charCodeAt(0);
}

function decode(units: Uint16Array): string {
  const parts: string[] = [];
  for (let from = 0; from < units.length; from += 8_192) {
    parts.push(String.fromCharCode(...units.subarray(from, from + 8_192)));
  }
  return parts.join('');
}

interface Difference {
  readonly name: string;
  /** Takes this difference out of a text. */
  readonly level: (text: string) => string;
  /** Whether the first two characters that differ are worth naming. */
  readonly characters?: true;
}

/** From the least to the most that can be left out of account; entities before what they may stand for. */
const DIFFERENCES: readonly Difference[] = [
  { name: 'line ending', level: foldEndings },
  { name: 'line numbers in old_string', level: withoutLineNumbers },
  { name: 'trailing blanks', level: withoutTrailingBlanks },
  {
    name: 'tabs against spaces',
    level: (text) => text.replace(/^[^\S\n]+/gm, (indent) => indent.replaceAll('\t', TAB)),
  },
  { name: 'indentation', level: (text) => text.replace(/^[^\S\n]+/gm, '') },
  { name: 'HTML entities', level: (text) => text.replace(ENTITY, (entity) => ENTITIES.get(entity) ?? entity) },
  { name: 'letter case', level: (text) => text.toLowerCase(), characters: true },
  { name: 'quotes', level: (text) => text.replace(QUOTES, '"'), characters: true },
  { name: 'dashes', level: (text) => text.replace(DASHES, '-'), characters: true },
  { name: 'backslashes', level: (text) => text.replace(/\\([nrt]?)/g, (_, letter) => (letter === '' ? '' : ' ')) },
  { name: 'invisible characters', level: (text) => text.replace(INVISIBLE, ''), characters: true },
  { name: 'kinds of blanks', level: (text) => text.replace(/[^\S\n]/g, ' '), characters: true },
  { name: 'Unicode normalisation', level: (text) => text.normalize('NFC') },
  { name: 'Unicode compatibility forms', level: (text) => text.normalize('NFKC'), characters: true },
  { name: 'accents', level: (text) => text.normalize('NFD').replace(/\p{M}/gu, ''), characters: true },
  { name: 'blank lines', level: (text) => text.replace(/^\n+|(?<=\n)\n+/g, '') },
  { name: 'blanks inside a line', level: (text) => text.replace(/[^\S\n]+/g, '') },
  { name: 'line breaks', level: (text) => text.replace(/\s+/g, '') },
];

/** Tabs are compared as four blanks: enough to tell them from another depth of indentation. */
const TAB = '    ';

/** The fewest differences, the plainest first, that together account for what tells two texts apart. */
function differences(oldText: string, found: string): string[] {
  const level = (text: string, by: readonly Difference[]): string => by.reduce((sum, one) => one.level(sum), text);
  const accountsFor = (by: readonly Difference[]): boolean => level(oldText, by) === level(found, by);
  if (found.length > 2 * MAX_OLD || !accountsFor(DIFFERENCES)) {
    return ['similar'];
  }
  const present = DIFFERENCES.filter((one) => one.level(oldText) !== oldText || one.level(found) !== found);
  let needed = accountsFor(present) ? present : DIFFERENCES;
  for (const difference of needed.toReversed()) {
    const fewer = needed.filter((other) => other !== difference);
    needed = accountsFor(fewer) ? fewer : needed;
  }
  return needed.map((difference) => {
    const others = needed.filter((other) => other !== difference);
    return difference.characters
      ? `${difference.name} ${nameCharacters(level(oldText, others), level(found, others))}`
      : difference.name;
  });
}

function nameCharacters(oldText: string, found: string): string {
  const theirs = [...found];
  const ours = [...oldText];
  const at = theirs.findIndex((character, index) => character !== ours[index]);
  const index = at === -1 ? theirs.length : at;
  return `(${nameCharacter(theirs[index])} there, ${nameCharacter(ours[index])} in old_string)`;
}

function nameCharacter(character: string | undefined): string {
  if (character === undefined) {
    return 'nothing';
  }
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return /[\s\p{M}\p{C}]/u.test(character) ? `U+${code}` : `${character} U+${code}`;
}

function withoutTrailingBlanks(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A text without the line numbers that a listing puts before its lines, where each line has one. */
function withoutLineNumbers(text: string): string {
  const lines = text.split('\n');
  const prefix = /^ *\d+(?:\t|→|: ?| ?\| ?)/;
  return lines.every((line) => line === '' || prefix.test(line))
    ? lines.map((line) => line.replace(prefix, '')).join('\n')
    : text;
}
