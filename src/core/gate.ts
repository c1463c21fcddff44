// The heart: whether one entry may land on a state, and what the file would hold then. Pure; the same request and state
// always give the same verdict. Order matters: what the file is, then the base, and only then what the text matches.

import { isFresh } from './base.ts';
import { becomesBinary } from './codec.ts';
import { spansBetween } from './compare.ts';
import type { Candidate, Format, State } from './documents.ts';
import type { EditRequest } from './input.ts';
import { type Location, locate } from './match.ts';
import type { NearestBudget } from './nearest.ts';
import { behindMark, type Patch, type PatchPlacement, parsePatch, placePatch } from './patch.ts';
import type { Problem } from './status.ts';
import { applySpans, type Ending, hasMixedEndings, type Span, type Text } from './text.ts';

/** Why the text of the edit has no place in the text of the base. */
export type Misplaced =
  | Exclude<Location, { readonly status: 'located' }>
  | Extract<PatchPlacement, { readonly status: 'patch_mismatch' }>;

export type Verdict =
  | { readonly kind: 'accepted'; readonly candidate: Candidate }
  /** The entry creates the file. */
  | { readonly kind: 'create'; readonly text: Text }
  | { readonly kind: 'delete' }
  /** The entry renames the file; with `candidate`, it holds that afterwards. */
  | { readonly kind: 'rename'; readonly candidate?: Candidate }
  | { readonly kind: 'stale' }
  | { readonly kind: 'misplaced'; readonly misplaced: Misplaced }
  | { readonly kind: 'problem'; readonly problem: Problem };

/**
 * @param path as it is shown: what a patch's headers must name.
 * @param ending for new text in a file that has no line end yet.
 * @param budget bounds the search for the place that is most like an old text which is not there.
 */
export function judge(
  request: EditRequest,
  path: string,
  state: State,
  ending: Ending,
  budget: NearestBudget,
): Verdict {
  if (state.kind === 'unreadable') {
    return { kind: 'problem', problem: state.problem };
  }
  if (!isFresh(request.base, state.base)) {
    return { kind: 'stale' };
  }
  if (state.kind === 'absent') {
    return request.wish.kind === 'content' ? create(request.wish.content, ending) : absent(path);
  }
  if ((request.wish.kind === 'delete' || request.renameTo !== undefined) && state.base.dirty !== undefined) {
    return problem(
      'unsaved_changes',
      'the file holds unsaved changes of the engineer, which a delete or a rename would leave behind',
      'ask the engineer to save the file first, then read it again',
    );
  }
  if (request.wish.kind === 'delete') {
    return { kind: 'delete' };
  }
  if (request.wish.kind === 'nothing') {
    return { kind: 'rename' };
  }
  const verdict = startsWithMark(state.text)
    ? secondMark(state.format)
    : judgeText(request, path, state, ending, budget);
  return verdict.kind === 'accepted' && request.renameTo !== undefined
    ? { kind: 'rename', candidate: verdict.candidate }
    : verdict;
}

function judgeText(
  request: EditRequest,
  path: string,
  { text, format }: Extract<State, { kind: 'text' }>,
  ending: Ending,
  budget: NearestBudget,
): Verdict {
  const placed = place(request, path, text, format, budget);
  return placed.kind === 'spans' ? accept(text, format, placed.spans, ending) : placed;
}

type Placed =
  | { readonly kind: 'spans'; readonly spans: readonly Span[] }
  | Extract<Verdict, { kind: 'misplaced' | 'problem' }>;

function place(request: EditRequest, path: string, text: Text, { bom }: Format, budget: NearestBudget): Placed {
  switch (request.wish.kind) {
    case 'edits': {
      const located = locate(text, request.wish.replacements, budget);
      return located.status === 'located'
        ? { kind: 'spans', spans: located.spans }
        : { kind: 'misplaced', misplaced: located };
    }
    case 'patch': {
      const parsed = parsePatch(request.wish.patch);
      if (parsed.status === 'malformed') {
        const reason = `line ${parsed.patchLine} of the patch: ${parsed.message}`;
        return problem('invalid_input', reason, 'send a unified diff with correct hunk headers, or use `edits`');
      }
      const disagreement = disagreeingName(parsed.patch, path);
      if (disagreement !== undefined) {
        return problem(
          'invalid_input',
          disagreement,
          'send one patch per file, with headers that name it or without headers',
        );
      }
      const placed = placePatch(text, bom ? behindMark(parsed.patch.hunks) : parsed.patch.hunks);
      return placed.status === 'located'
        ? { kind: 'spans', spans: placed.spans }
        : { kind: 'misplaced', misplaced: placed };
    }
    case 'content':
      return { kind: 'spans', spans: spansBetween(text.content, request.wish.content.replaceAll('\r\n', '\n')) };
    case 'delete':
    case 'nothing':
      throw new Error(`judge answers ${request.wish.kind} before any text is placed`);
    default:
      return request.wish satisfies never;
  }
}

function accept(text: Text, format: Format, spans: readonly Span[], ending: Ending): Verdict {
  const after = applySpans(text, spans, ending);
  const unfit = unfitText(after, format, hasMixedEndings(text)) ?? (startsWithMark(after) ? NEW_MARK : undefined);
  if (unfit) {
    return unfit;
  }
  if (after.content === text.content) {
    return { kind: 'misplaced', misplaced: { status: 'no_change' } };
  }
  return { kind: 'accepted', candidate: { spans, text: after } };
}

/** What is wrong with the names in a patch's headers, if anything: they must name the entry's own file. */
function disagreeingName({ oldName, newName }: Patch, path: string): string | undefined {
  if (oldName === null || newName === null) {
    return 'the patch creates or deletes a file; create with `content` and base "absent", delete with `delete`';
  }
  const other = [oldName, newName].find((name) => name !== undefined && name !== path);
  return other === undefined
    ? undefined
    : `the patch names ${JSON.stringify(other)}, the entry ${JSON.stringify(path)}`;
}

function create(content: string, ending: Ending): Verdict {
  const text = applySpans({ content: '', endings: [] }, [{ start: 0, end: 0, text: content }], ending);
  return unfitText(text, NEW_FILE, false) ?? { kind: 'create', text };
}

/** What no text of a file may become: a mix of line endings, half a character, or no text to the editor. */
function unfitText(text: Text, format: Format, isMixedAlready: boolean): Verdict | undefined {
  if (!isMixedAlready && hasMixedEndings(text)) {
    return problem(
      'mixed_line_endings',
      'the new text holds a lone carriage return, which would leave the file with mixed line endings',
      'send line ends as \\n',
    );
  }
  if (!text.content.isWellFormed()) {
    return problem(
      'unencodable',
      'the new text holds half of a surrogate pair, which no encoding can store',
      'send whole characters',
    );
  }
  if (becomesBinary(text.content, format)) {
    return problem(
      'binary',
      'with the new text, a NUL would stand among the first bytes of the file, and nobody could read or edit it as text any more',
      'leave the NUL out, or write it as the escape sequence of the language',
    );
  }
  return undefined;
}

/** What the editor takes for a byte order mark, wherever it comes from: a buffer never begins with it. */
function startsWithMark({ content }: Text): boolean {
  return content.startsWith('\uFEFF');
}

function secondMark({ encoding, bom }: Format): Verdict {
  return {
    kind: 'problem',
    problem: {
      status: 'undecodable',
      reason:
        'the text begins with a byte order mark that is not the one of its encoding; the editor hides and misplaces it',
      offset: bom ? (encoding === 'utf8' ? 3 : 2) : 0,
      next: 'ask the engineer to take it out, or leave the file alone',
    },
  };
}

function absent(path: string): Verdict {
  return problem(
    'not_found_on_disk',
    `there is no file ${path}`,
    'to create it, send its whole text as `content` with base "absent"; otherwise look for the right path',
  );
}

/** What a new file is written in; which encoding it is, does not matter here, as long as a NUL is no part of text in it. */
const NEW_FILE: Format = { encoding: 'utf8', bom: false };

const NEW_MARK = problem(
  'unencodable',
  'the new text would begin with a byte order mark, which stands for the encoding of a file and not for text',
  'leave it out: a file keeps the mark that it has; where it shall get one, ask the engineer',
);

function problem(status: Problem['status'], reason: string, next: string): Extract<Verdict, { kind: 'problem' }> {
  return { kind: 'problem', problem: { status, reason, next } };
}
