import { parseBase, printBase } from './base.ts';
import { type Conflict, sizeOf } from './conflict.ts';
import type { EditRequest, Wish } from './input.ts';
import { parseJson } from './json.ts';
import type { Replacement } from './match.ts';
import type { Refusal } from './status.ts';

/** Most UTF-16 units of text that are stored; the oldest conflicts are left out first. */
const MAX_CHARS = 4 * 1024 * 1024;

const VERSION = 1;

/** Refused edits, newest first, as JSON. Those that were cut off have their own records. */
export function printConflicts(conflicts: readonly Conflict[]): string {
  let chars = 0;
  const kept = conflicts
    .filter(({ isSecret, interruption }) => !isSecret && interruption === undefined)
    .filter((conflict) => {
      chars += sizeOf(conflict);
      return chars <= MAX_CHARS;
    });
  const stored = kept.map(({ id: _, request, ...conflict }) => ({
    ...conflict,
    request: { ...request, base: printBase(request.base) },
  }));
  return JSON.stringify({ version: VERSION, conflicts: stored });
}

/** Reads what {@link printConflicts} wrote. Whatever makes no sense is left out, a torn file altogether. */
export function parseConflicts(text: string): Omit<Conflict, 'id'>[] {
  const stored = fieldsOf(parseJson(text));
  const list = stored?.['version'] === VERSION ? stored['conflicts'] : undefined;
  return (Array.isArray(list) ? list : []).flatMap((value: unknown) => {
    const conflict = parseConflict(value);
    return conflict ? [conflict] : [];
  });
}

type Fields = Readonly<Record<string, unknown>>;

function parseConflict(value: unknown): Omit<Conflict, 'id'> | undefined {
  const fields = fieldsOf(value);
  const request = fields && parseRequest(fields['request']);
  if (!fields || !request) {
    return undefined;
  }
  const { time, key, path, session, turn, status, expected, since, changedBy, diffSinceRead } = fields;
  const { actual, yourEdit, reason, explanation, evidence } = fields;
  const isWhole =
    isCount(time) &&
    [key, path, status, expected, since].every(isString) &&
    isCount(turn) &&
    isStrings(changedBy) &&
    (diffSinceRead === null || isString(diffSinceRead)) &&
    [session, actual, yourEdit, reason, explanation].every((text) => text === undefined || isString(text));
  if (!isWhole) {
    return undefined;
  }
  return {
    time: time as number,
    key: key as string,
    path: path as string,
    session: session as string | undefined,
    turn: turn as number,
    status: status as Refusal,
    expected: expected as string,
    since: since as string,
    changedBy: changedBy as string[],
    ...(isStrings(evidence) ? { evidence } : {}),
    diffSinceRead: diffSinceRead as string | null,
    explanation: explanation as string | undefined,
    request,
    ...(isString(actual) ? { actual } : {}),
    ...(isString(yourEdit) ? { yourEdit } : {}),
    ...(isString(reason) ? { reason } : {}),
  };
}

function parseRequest(value: unknown): EditRequest | undefined {
  const fields = fieldsOf(value);
  const base = isString(fields?.['base']) ? parseBase(fields['base']) : undefined;
  const wish = parseWish(fields?.['wish']);
  if (!fields || !base || !wish) {
    return undefined;
  }
  const { path, signature, parts, renameTo, symbol, stillNeeded } = fields;
  return isString(path) && isString(signature) && isStrings(parts)
    ? {
        path,
        base,
        wish,
        signature,
        parts,
        ...(isString(renameTo) ? { renameTo } : {}),
        ...(isString(symbol) ? { symbol } : {}),
        ...(isString(stillNeeded) ? { stillNeeded } : {}),
      }
    : undefined;
}

function parseWish(value: unknown): Wish | undefined {
  const fields = fieldsOf(value);
  switch (fields?.['kind']) {
    case 'delete':
      return { kind: 'delete' };
    case 'nothing':
      return { kind: 'nothing' };
    case 'patch':
      return isString(fields['patch']) ? { kind: 'patch', patch: fields['patch'] } : undefined;
    case 'content':
      return isString(fields['content']) ? { kind: 'content', content: fields['content'] } : undefined;
    case 'edits': {
      const { replacements } = fields;
      const parsed = Array.isArray(replacements) ? replacements.map(parseReplacement) : [undefined];
      return parsed.every((replacement) => replacement !== undefined)
        ? { kind: 'edits', replacements: parsed }
        : undefined;
    }
    default:
      return undefined;
  }
}

function parseReplacement(value: unknown): Replacement | undefined {
  const { oldText, newText, replaceAll, line } = fieldsOf(value) ?? {};
  return isString(oldText) && isString(newText) && typeof replaceAll === 'boolean'
    ? { oldText, newText, replaceAll, ...(isCount(line) ? { line } : {}) }
    : undefined;
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isString);
}
