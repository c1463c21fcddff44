import { createTwoFilesPatch } from 'diff';
import type { Entry, Known } from './calls.ts';
import { marksIn, without } from './marks.ts';

/** How an agent asks for a change. */
export const FORMS = [
  'replaces a line',
  'extends a line',
  'adds a line',
  'takes a line away',
  'edits two lines',
  'edits by line number',
  'replaces all',
  'patches',
  'sends the whole text',
  'deletes',
  'renames',
  'edits and renames',
  'quotes what is not there',
  'quotes what is there twice',
  'changes nothing',
  'edits one place twice',
] as const;

export type Form = (typeof FORMS)[number];

/** What a plan depends on. */
export interface Wish {
  readonly path: string;
  readonly known: Known;
  readonly form: Form;
  /** Which line, from the first, over and over. */
  readonly at: number;
  readonly target: string;
  readonly mark: () => string;
}

/** A word that stands on several lines, so that an edit of it must say which. */
export const COMMON = 'same';

interface Edited {
  readonly intended: string | undefined;
  readonly input: object;
  readonly isFit?: boolean;
  readonly isRenamed?: boolean;
}

/** Plans an edit on a text that the agent knows. What cannot be asked for of such a text becomes a whole new text. */
export function plan({ path, known, form, at, target, mark }: Wish): Entry {
  const { intended, input, isFit = true, isRenamed = false } = edit(path, known.text, form, at, mark);
  return {
    path,
    known,
    intended,
    ...(isRenamed ? { target } : {}),
    marks: new Set(without(marksIn(intended), marksIn(known.text))),
    isFit,
    form,
    input: { path, base: known.token, ...input, ...(isRenamed ? { rename_to: target } : {}) },
  };
}

function edit(path: string, text: string | undefined, form: Form, at: number, mark: () => string): Edited {
  const lines = text?.split('\n') ?? [];
  const filled = [...lines.keys()].filter((index) => lines[index] !== '');
  const index = filled[at % Math.max(1, filled.length)];
  const line = index === undefined ? undefined : lines[index];
  if (text === undefined || index === undefined || line === undefined) {
    return text !== undefined && form === 'deletes' ? DELETED : whole(`${text ?? ''}${mark()} fresh\n`);
  }
  const other = filled[(at + 1) % filled.length];
  const replaced = (changes: Readonly<Record<number, string | undefined>>) =>
    lines.flatMap((old, each) => (each in changes ? (changes[each] ?? []) : [old])).join('\n');
  const one = (old: string, replacement: string) => ({ edits: [replacementOf(lines, index, old, replacement)] });
  switch (form) {
    case 'replaces a line': {
      const added = `${mark()} ~~ new  `;
      return { intended: replaced({ [index]: added }), input: one(line, added) };
    }
    case 'extends a line': {
      const added = `${line} ${mark()}`;
      return { intended: replaced({ [index]: added }), input: one(line, added) };
    }
    case 'adds a line': {
      const added = `${line}\n${COMMON}\n${mark()}`;
      return { intended: replaced({ [index]: added }), input: one(line, added) };
    }
    case 'takes a line away':
    case 'edits two lines': {
      if (other === undefined || other === index) {
        return whole(`${mark()}\n`);
      }
      const isGone = form === 'takes a line away' && index < lines.length - 1;
      const added = `${lines[other]} ${mark()}`;
      const first = isGone
        ? replacementOf(lines, index, `${line}\n`, '')
        : replacementOf(lines, index, line, `${mark()} one`);
      return {
        intended: replaced({ [index]: isGone ? undefined : first.new_string, [other]: added }),
        // They are located in the text of the base, whatever their order.
        input: { edits: [replacementOf(lines, other, String(lines[other]), added), first] },
      };
    }
    case 'edits by line number': {
      const added = `${mark()} numbered`;
      const edits = [{ old_string: line, new_string: added, line: index + 1 }];
      return { intended: replaced({ [index]: added }), input: { edits } };
    }
    case 'replaces all': {
      const added = `${COMMON} ${mark()}`;
      const isThere = text.includes(COMMON);
      const old = isThere ? COMMON : line;
      const edits = [{ old_string: old, new_string: isThere ? added : mark(), replace_all: true }];
      return { intended: text.replaceAll(old, String(edits[0]?.new_string)), input: { edits } };
    }
    case 'patches': {
      const intended = replaced({ [index]: `${mark()} patched\n${COMMON}` });
      const patch = createTwoFilesPatch(path, path, text, intended, '', '', { context: at % 4 });
      return { intended, input: { patch } };
    }
    case 'sends the whole text':
      return whole(`${replaced({ [index]: undefined })}${mark()}\n`);
    case 'deletes':
      return DELETED;
    case 'renames':
      return { intended: text, input: {}, isRenamed: true };
    case 'edits and renames': {
      const added = `${line} ${mark()} moved`;
      return { intended: replaced({ [index]: added }), input: one(line, added), isRenamed: true };
    }
    case 'quotes what is not there':
      return { intended: text, input: one(`${line} or so`, mark()), isFit: false };
    case 'quotes what is there twice': {
      const edits = [{ old_string: COMMON, new_string: mark() }];
      const isOnce = text.split(COMMON).length === 2;
      return { intended: text.replace(COMMON, String(edits[0]?.new_string)), input: { edits }, isFit: isOnce };
    }
    case 'changes nothing':
      return { intended: text, input: one(line, line), isFit: false };
    case 'edits one place twice': {
      const edits = [replacementOf(lines, index, line, mark()), replacementOf(lines, index, line, mark())];
      return { intended: text, input: { edits }, isFit: false };
    }
    default:
      return form satisfies never;
  }
}

/** What the input of an entry makes of another text than the one it was planned on. */
export function outcomeOf(
  input: Readonly<Record<string, unknown>>,
  text: string,
): { readonly intended: string | undefined; readonly isFit: boolean } {
  if (typeof input['content'] === 'string') {
    return { intended: input['content'], isFit: input['content'] !== text };
  }
  if (!Array.isArray(input['edits'])) {
    return { intended: input['delete'] === true ? undefined : text, isFit: true };
  }
  const spans = input['edits'].flatMap((edit) => spansOf(edit, text));
  const sorted = spans.toSorted((a, b) => a.start - b.start);
  const isApart = sorted.every((span, index) => index === 0 || (sorted[index - 1]?.end ?? 0) <= span.start);
  let intended = text;
  for (const { start, end, added } of sorted.toReversed()) {
    intended = intended.slice(0, start) + added + intended.slice(end);
  }
  return { intended, isFit: isApart && !spans.some(({ end }) => end === -1) && intended !== text };
}

interface Replaced {
  readonly start: number;
  /** -1 where the place cannot be told. */
  readonly end: number;
  readonly added: string;
}

function spansOf(edit: unknown, text: string): Replaced[] {
  const { old_string: old, new_string: added, line, replace_all: isAll } = edit as Record<string, unknown>;
  const [before, after] = [String(old), String(added)];
  const starts: number[] = [];
  for (let at = text.indexOf(before); at !== -1; at = text.indexOf(before, at + (isAll === true ? before.length : 1))) {
    starts.push(at);
  }
  const meant = starts.filter((at) => line === undefined || text.slice(0, at).split('\n').length === line);
  const isClear = isAll === true ? meant.length > 0 : meant.length === 1;
  return isClear
    ? meant.map((start) => ({ start, end: start + before.length, added: after }))
    : [{ start: 0, end: -1, added: '' }];
}

const DELETED: Edited = { intended: undefined, input: { delete: true } };

function whole(content: string): Edited {
  return { intended: content, input: { content } };
}

/** Says which line it means only where the text alone does not tell. */
function replacementOf(
  lines: readonly string[],
  index: number,
  old: string,
  replacement: string,
): { old_string: string; new_string: string; line?: number } {
  const isUnique = lines.join('\n').split(old).length === 2;
  return { old_string: old, new_string: replacement, ...(isUnique ? {} : { line: index + 1 }) };
}
