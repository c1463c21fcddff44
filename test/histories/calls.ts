import { structuredPatch } from 'diff';
import { randomFrom } from '../replay/schedule.ts';
import type { Change } from './repository.ts';

/** In which form a change of a text is sent. */
export type Form = 'edits' | 'patch' | 'content';

export const FORMS: readonly Form[] = ['edits', 'patch', 'content'];

/**
 * A change as an entry of `arbiter_edit`.
 *
 * @param before the content as it was read, with `\n` for every line end; `after` likewise.
 * @param patch what git says has changed.
 */
export function entryOf(
  { kind, path, target }: Change,
  base: string,
  form: Form,
  { before, after, patch }: { readonly before: string; readonly after: string; readonly patch: string },
): object {
  const entry = { path, base };
  switch (kind) {
    case 'create':
      return { ...entry, base: 'absent', content: after };
    case 'delete':
      return { ...entry, delete: true };
    case 'rename':
      return before === after
        ? { ...entry, rename_to: target }
        : { ...entry, rename_to: target, edits: editsBetween(before, after) };
    case 'edit':
      return { ...entry, ...wishOf(form, { before, after, patch }) };
    default:
      return kind satisfies never;
  }
}

function wishOf(form: Form, { before, after, patch }: { before: string; after: string; patch: string }): object {
  // An empty text has nothing that an edit could quote.
  if (form === 'edits' && before !== '') {
    return { edits: editsBetween(before, after) };
  }
  const at = patch.search(/^@@ /m);
  return form === 'patch' && at !== -1 ? { patch: patch.slice(at) } : { content: after };
}

/** One edit per hunk, with three lines around it, and the line where it starts. */
function editsBetween(before: string, after: string): object[] {
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: 3 });
  return hunks.map(({ lines, oldStart }) => {
    const side = (sign: string) => textOf(lines, sign);
    return { old_string: side('-'), new_string: side('+'), line: oldStart };
  });
}

/** The old or the new lines of a hunk. A line that the marker follows has no end. */
function textOf(lines: readonly string[], sign: string): string {
  return lines
    .flatMap((line, index) => {
      const isOfSide = line.startsWith(' ') || line.startsWith(sign);
      const hasEnd = !lines[index + 1]?.startsWith('\\');
      return isOfSide ? [`${line.slice(1)}${hasEnd ? '\n' : ''}`] : [];
    })
    .join('');
}

/** A form for each change, the same for the same seed. */
export function formsFrom(seed: number): () => Form {
  const random = randomFrom(seed);
  return () => FORMS[Math.floor(random() * FORMS.length)] ?? 'edits';
}
