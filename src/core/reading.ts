import { printBase } from './base.ts';
import type { State } from './documents.ts';
import type { ReadRequest } from './input.ts';
import { cutAtLine, lineCount, windowOf } from './lines.ts';
import { type Report, reportProblem } from './report.ts';
import type { Problem } from './status.ts';
import { type Eol, eolOf } from './text.ts';

/** One part of a read's answer: a header, and the content as it is. */
export interface ReadPart {
  readonly header: Report;
  /** `undefined` where the file could not be read. */
  readonly content?: string;
}

/** How much of a text the caller can still take, in UTF-16 units. Called once per file, in order. */
export type Room = (text: string) => Promise<number>;

/**
 * What one entry of `arbiter_read` answers for a state. The base covers the whole file, whatever window is given.
 *
 * @param maxChars most UTF-16 units of content.
 * @param whenNone what `eol` says of a text without a line end: the ending that an added one would take.
 */
export async function readState(
  request: ReadRequest,
  path: string,
  state: State,
  maxChars: number,
  roomFor: Room,
  whenNone: Eol,
): Promise<ReadPart> {
  switch (state.kind) {
    case 'absent':
      return { header: reportProblem(path, NOT_FOUND, { base: printBase(state.base) }) };
    case 'unreadable':
      return { header: reportProblem(path, state.problem) };
    case 'text': {
      const { content } = state.text;
      const window = windowOf(content, request.startLine ?? 1, request.endLine ?? Number.MAX_SAFE_INTEGER);
      if (!window) {
        return { header: reportProblem(path, beyondEnd(request.startLine ?? 1, lineCount(content))) };
      }
      const fitting = await roomFor(window.text.slice(0, maxChars));
      const given = cutAtLine(window.text, Math.min(maxChars, fitting));
      const isCut = given.length < window.text.length;
      const lines = isCut ? lineCount(given) : window.endLine - window.startLine + (window.totalLines === 0 ? 0 : 1);
      const last = window.totalLines === 0 ? 0 : window.startLine + lines - 1;
      const isDirty = state.base.dirty !== undefined;
      const notes = [
        ...(isDirty ? ['the engineer has unsaved changes in this file; this is the unsaved text'] : []),
        ...(isCut ? [howToGoOn(given, last)] : []),
      ];
      return {
        header: {
          path,
          status: 'ok',
          base: printBase(state.base),
          lines: `${lines === 0 ? 0 : window.startLine}-${lines === 0 ? 0 : last} of ${window.totalLines}`,
          chars: given.length,
          eol: eolOf(state.text, whenNone),
          encoding: state.format.encoding,
          ...(state.format.bom ? { bom: true } : {}),
          ...(isDirty ? { dirty: true } : {}),
          ...(notes.length > 0 ? { note: notes.join('. ') } : {}),
        },
        content: given,
      };
    }
    default:
      return state satisfies never;
  }
}

/**
 * The text part that carries it: one line of JSON, a newline, the content. Parts reach a model glued together, so every
 * part after the first starts with a newline.
 */
export function printReadPart({ header, content }: ReadPart, index: number): string {
  const lead = index === 0 ? '' : '\n';
  return `${lead}${JSON.stringify(header)}\n${content ?? ''}`;
}

function howToGoOn(given: string, last: number): string {
  if (given === '') {
    return 'nothing of it fits into what this request can still take; read it in a call of its own';
  }
  return given.endsWith('\n')
    ? `cut to fit; go on with start_line ${last + 1}`
    : `cut inside line ${last}, which is too long to give whole; edit it by quoting only what is shown`;
}

const NOT_FOUND: Problem = {
  status: 'not_found',
  reason: 'no such file',
  next: 'look for the right path; to create the file, send its whole text as `content` with base "absent"',
};

function beyondEnd(startLine: number, total: number): Problem {
  return {
    status: 'invalid_range',
    reason: `start_line ${startLine} lies beyond the end; the file has ${total} lines`,
    next: `read again with start_line from 1 to ${Math.max(total, 1)}`,
  };
}
