import { type Base, digest, MIN_ABBREVIATION, parseBase } from './base.ts';
import type { Replacement } from './match.ts';
import type { Problem } from './status.ts';

/** Most files in one call. */
export const MAX_FILES = 50;
/** Most edits of one file in one call. */
export const MAX_EDITS = 1_000;

export interface ReadRequest {
  readonly path: string;
  /** First line to give, 1-based. */
  readonly startLine?: number;
  /** Last line to give, 1-based, inclusive; may lie beyond the end. */
  readonly endLine?: number;
}

/** What an entry of `arbiter_edit` asks for. */
export type Wish =
  | { readonly kind: 'edits'; readonly replacements: readonly Replacement[] }
  | { readonly kind: 'patch'; readonly patch: string }
  | { readonly kind: 'content'; readonly content: string }
  | { readonly kind: 'delete' }
  /** A rename without edits. */
  | { readonly kind: 'nothing' };

export interface EditRequest {
  readonly path: string;
  readonly base: Base;
  readonly wish: Wish;
  readonly renameTo?: string;
  readonly symbol?: string;
  readonly stillNeeded?: string;
  /** Equal for two entries that ask for the same, whatever their base and the order of their edits: a digest. */
  readonly signature: string;
  /**
   * What is asked for piece by piece, as digests: one per edit, or one for a patch, a content or a file operation. Equal for
   * the same edit in other words (line endings of the call, `line`, `replace_all`).
   */
  readonly parts: readonly string[];
}

export interface CheckRequest {
  readonly path: string;
  readonly base: Base;
}

export type OnConflict = 'continue' | 'stop' | 'atomic';

/** One entry that cannot be carried out as written. */
export interface InvalidEntry {
  readonly path: string | undefined;
  readonly problem: Problem;
}

/** A call whose `files` are usable: valid entries and invalid ones, in input order. */
export interface Call<Request> {
  readonly entries: readonly (Request | InvalidEntry)[];
}

export interface EditCall extends Call<EditRequest> {
  readonly onConflict: OnConflict;
  readonly explanation: string | undefined;
}

export function isInvalid(entry: object): entry is InvalidEntry {
  return 'problem' in entry;
}

/** Checks the input of `arbiter_read` against the contract. */
export function parseReadCall(input: unknown): Call<ReadRequest> | Problem {
  return parseFiles(input, ['files'], (entry) => {
    checkKeys(entry, ['path', 'start_line', 'end_line']);
    const path = parsePath(entry);
    const startLine = optionalLine(entry, 'start_line');
    const endLine = optionalLine(entry, 'end_line');
    if (startLine !== undefined && endLine !== undefined && endLine < startLine) {
      throw new InvalidInput('invalid_range', `end_line ${endLine} is before start_line ${startLine}`);
    }
    return {
      path,
      ...(startLine === undefined ? {} : { startLine }),
      ...(endLine === undefined ? {} : { endLine }),
    };
  });
}

/**
 * Checks the input of `arbiter_check` against the contract.
 *
 * @returns `undefined` where `files` is left out: every base that the session holds.
 */
export function parseCheckCall(input: unknown): Call<CheckRequest> | Problem | undefined {
  if (isRecord(input) && input['files'] === undefined && Object.keys(input).length === 0) {
    return undefined;
  }
  return parseFiles(input, ['files'], (entry) => {
    checkKeys(entry, ['path', 'base']);
    return { path: parsePath(entry), base: parseToken(entry) };
  });
}

/** Checks the input of `arbiter_edit` against the contract. */
export function parseEditCall(input: unknown): EditCall | Problem {
  let onConflict: OnConflict = 'continue';
  let explanation: string | undefined;
  try {
    if (isRecord(input)) {
      onConflict = parseOnConflict(input['on_conflict']);
      explanation = optionalString(input, 'explanation');
    }
  } catch (error) {
    return asProblem(error);
  }
  const call = parseFiles(input, ['files', 'on_conflict', 'explanation'], parseEntry);
  return 'status' in call ? call : { ...call, onConflict, explanation };
}

/** A caller's mistake, thrown and caught within this module only. */
class InvalidInput extends Error {
  readonly status: Problem['status'];

  constructor(status: Problem['status'], reason: string) {
    super(reason);
    this.status = status;
  }
}

const NEXT: Partial<Record<Problem['status'], string>> = {
  invalid_base:
    'send the base exactly as the newest arbiter_read or arbiter_edit result for this file gave it; without one, read the file first',
  invalid_range: 'lines are 1-based and inclusive; read again with a range that is in order',
};

function asProblem(error: unknown): Problem {
  if (!(error instanceof InvalidInput)) {
    throw error;
  }
  const next = NEXT[error.status] ?? 'correct the call and send it again; nothing was touched';
  return { status: error.status, reason: error.message, next };
}

type Fields = Readonly<Record<string, unknown>>;

function parseFiles<Request extends object>(
  input: unknown,
  keys: readonly string[],
  parse: (entry: Fields) => Request,
): Call<Request> | Problem {
  try {
    if (!isRecord(input)) {
      throw new InvalidInput('invalid_input', 'the input must be an object with `files`');
    }
    checkKeys(input, keys);
    const files = input['files'];
    if (!Array.isArray(files) || files.length === 0) {
      throw new InvalidInput('invalid_input', '`files` must be an array with at least one entry');
    }
    if (files.length > MAX_FILES) {
      throw new InvalidInput('invalid_input', `${files.length} files in one call; at most ${MAX_FILES} are allowed`);
    }
    return { entries: files.map((entry) => parseOne(entry, parse)) };
  } catch (error) {
    return asProblem(error);
  }
}

function parseOne<Request>(entry: unknown, parse: (entry: Fields) => Request): Request | InvalidEntry {
  try {
    if (!isRecord(entry)) {
      throw new InvalidInput('invalid_input', 'each entry of `files` must be an object with a `path`');
    }
    return parse(entry);
  } catch (error) {
    const path = isRecord(entry) && typeof entry['path'] === 'string' ? entry['path'] : undefined;
    return { path, problem: asProblem(error) };
  }
}

const WISHES = ['edits', 'patch', 'content', 'delete'] as const;

function parseEntry(entry: Fields): EditRequest {
  checkKeys(entry, ['path', 'base', ...WISHES, 'rename_to', 'symbol', 'still_needed']);
  const path = parsePath(entry);
  const base = parseToken(entry);
  const renameTo = entry['rename_to'] === undefined ? undefined : parsePath(entry, 'rename_to');
  const wish = parseWish(entry, renameTo !== undefined);
  const symbol = optionalString(entry, 'symbol');
  if (symbol !== undefined && (symbol.trim() === '' || wish.kind === 'delete' || wish.kind === 'nothing')) {
    throw new InvalidInput(
      'invalid_input',
      '`symbol` names the symbol that every edit must land inside; it needs edits',
    );
  }
  const stillNeeded = optionalString(entry, 'still_needed');
  if (stillNeeded?.trim() === '') {
    throw new InvalidInput('invalid_input', '`still_needed` must say in one sentence why');
  }
  return {
    path,
    base,
    wish,
    ...(renameTo === undefined ? {} : { renameTo }),
    ...(symbol === undefined ? {} : { symbol }),
    ...(stillNeeded === undefined ? {} : { stillNeeded }),
    signature: sign(wish, renameTo),
    parts: partsOf(wish, renameTo),
  };
}

function parseWish(entry: Fields, isRename: boolean): Wish {
  const given = WISHES.filter((key) => entry[key] !== undefined);
  const [wish] = given;
  if (given.length > 1) {
    throw new InvalidInput('invalid_input', `${given.map((key) => `\`${key}\``).join(' and ')} exclude each other`);
  }
  if (wish === undefined) {
    if (isRename) {
      return { kind: 'nothing' };
    }
    throw new InvalidInput('invalid_input', 'one of `edits`, `patch`, `content`, `delete` is required');
  }
  if (isRename && wish !== 'edits') {
    throw new InvalidInput(
      'invalid_input',
      `\`rename_to\` may stand alone or beside \`edits\`, not beside \`${wish}\``,
    );
  }
  switch (wish) {
    case 'edits':
      return { kind: 'edits', replacements: parseEdits(entry['edits']) };
    case 'patch':
      return { kind: 'patch', patch: requiredString(entry, 'patch') };
    case 'content':
      return { kind: 'content', content: requiredString(entry, 'content') };
    case 'delete':
      if (entry['delete'] !== true) {
        throw new InvalidInput('invalid_input', '`delete` must be true, or left out');
      }
      return { kind: 'delete' };
    default:
      return wish satisfies never;
  }
}

function parseEdits(value: unknown): Replacement[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new InvalidInput('invalid_input', '`edits` must be an array with at least one entry');
  }
  if (value.length > MAX_EDITS) {
    throw new InvalidInput('invalid_input', `${value.length} edits of one file; at most ${MAX_EDITS} are allowed`);
  }
  return value.map((edit: unknown, index) => {
    try {
      return parseEdit(edit);
    } catch (error) {
      throw error instanceof InvalidInput ? new InvalidInput(error.status, `edits[${index}]: ${error.message}`) : error;
    }
  });
}

function parseEdit(edit: unknown): Replacement {
  if (!isRecord(edit)) {
    throw new InvalidInput('invalid_input', 'must be an object with `old_string` and `new_string`');
  }
  checkKeys(edit, ['old_string', 'new_string', 'replace_all', 'line']);
  const oldText = requiredString(edit, 'old_string');
  const newText = requiredString(edit, 'new_string');
  if (oldText === '') {
    throw new InvalidInput(
      'invalid_input',
      '`old_string` is empty; to insert, quote a neighbouring line and repeat it in `new_string`, and for an empty file send `content`',
    );
  }
  const replaceAll = edit['replace_all'] ?? false;
  if (typeof replaceAll !== 'boolean') {
    throw new InvalidInput('invalid_input', '`replace_all` must be true or false');
  }
  const line = optionalLine(edit, 'line');
  if (line !== undefined && replaceAll) {
    throw new InvalidInput(
      'invalid_input',
      '`line` picks one occurrence, `replace_all` takes them all; send one of the two',
    );
  }
  return line === undefined ? { oldText, newText, replaceAll } : { oldText, newText, replaceAll, line };
}

function parsePath(entry: Fields, key = 'path'): string {
  const path = requiredString(entry, key);
  if (path.trim() === '') {
    throw new InvalidInput('invalid_input', `\`${key}\` is empty`);
  }
  if (path.includes('\0')) {
    throw new InvalidInput('invalid_input', `\`${key}\` holds a NUL character`);
  }
  return path;
}

function parseToken(entry: Fields): Base {
  const token = entry['base'];
  if (token === undefined) {
    throw new InvalidInput('invalid_base', '`base` is missing');
  }
  const base = typeof token === 'string' ? parseBase(token) : undefined;
  if (!base) {
    throw new InvalidInput(
      'invalid_base',
      `\`base\` must be sha256:… (${MIN_ABBREVIATION} to 64 hex digits), with +dirty:… where the file has unsaved changes, or absent`,
    );
  }
  return base;
}

function parseOnConflict(value: unknown): OnConflict {
  switch (value) {
    case undefined:
      return 'continue';
    case 'continue':
    case 'stop':
    case 'atomic':
      return value;
    default:
      throw new InvalidInput('invalid_input', '`on_conflict` must be continue, stop or atomic');
  }
}

function optionalLine(entry: Fields, key: string): number | undefined {
  const line = entry[key];
  if (line === undefined) {
    return undefined;
  }
  if (typeof line !== 'number' || !Number.isSafeInteger(line) || line < 1) {
    throw new InvalidInput(
      key === 'line' ? 'invalid_input' : 'invalid_range',
      `\`${key}\` must be a line number, counted from 1`,
    );
  }
  return line;
}

function requiredString(entry: Fields, key: string): string {
  const value = optionalString(entry, key);
  if (value === undefined) {
    throw new InvalidInput('invalid_input', `\`${key}\` is missing`);
  }
  return value;
}

function optionalString(entry: Fields, key: string): string | undefined {
  const value = entry[key];
  if (value !== undefined && typeof value !== 'string') {
    throw new InvalidInput('invalid_input', `\`${key}\` must be a string`);
  }
  return value;
}

function checkKeys(entry: Fields, allowed: readonly string[]): void {
  const unknown = Object.keys(entry).filter((key) => !allowed.includes(key));
  if (unknown.length > 0) {
    throw new InvalidInput(
      'invalid_input',
      `unknown ${unknown.length === 1 ? 'key' : 'keys'} ${unknown.map((key) => `\`${key}\``).join(', ')}; allowed are ${allowed.map((key) => `\`${key}\``).join(', ')}`,
    );
  }
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Edits are located in the text of the base, never in each other's output, so their order says nothing. */
function sign(wish: Wish, renameTo: string | undefined): string {
  const normal =
    wish.kind === 'edits'
      ? { ...wish, replacements: wish.replacements.map((edit) => JSON.stringify(edit)).sort() }
      : wish;
  return digestOf([normal, renameTo ?? null]);
}

function partsOf(wish: Wish, renameTo: string | undefined): string[] {
  const fold = (text: string) => text.replaceAll('\r\n', '\n');
  const pieces =
    wish.kind === 'edits'
      ? wish.replacements.map(({ oldText, newText }) => ['edit', fold(oldText), fold(newText)])
      : [[wish.kind, 'patch' in wish ? fold(wish.patch) : 'content' in wish ? fold(wish.content) : '', renameTo ?? '']];
  return [...new Set(pieces.map((piece) => digestOf(piece)))];
}

function digestOf(value: unknown): string {
  return digest(new TextEncoder().encode(JSON.stringify(value)));
}
