import type { Conflict } from './conflict.ts';
import { judge } from './gate.ts';
import type { Wish } from './input.ts';
import type { Ending } from './text.ts';
import type { Snapshot } from './texts.ts';

/**
 * The content that a refused edit would have led to, had its file not moved: its wish applied to the text it was planned on.
 * For showing only; nothing is ever written from it.
 *
 * @param base the text at the base, where it is remembered; a wish for a whole content needs none.
 * @returns `undefined` where the wish has no place in that text, or is none for a text.
 */
export function intendedContent(
  { request, path }: Pick<Conflict, 'request' | 'path'>,
  base: Snapshot | undefined,
  ending: Ending,
): string | undefined {
  const { wish } = request;
  if (wish.kind === 'content') {
    return wish.content.replaceAll('\r\n', '\n');
  }
  if (base === undefined || wish.kind === 'delete' || wish.kind === 'nothing') {
    return undefined;
  }
  const { renameTo: _, symbol: __, ...plain } = request;
  const { text, format } = base;
  const state = { kind: 'text', base: request.base, text, format } as const;
  const verdict = judge(plain, path, state, ending, { maxMs: 0, now: () => 0 });
  return verdict.kind === 'accepted' ? verdict.candidate.text.content : undefined;
}

/** What a wish looks for and what it would put there, for an edit that has no place in the text it was planned on. */
export function wishSides(wish: Wish): { readonly before: string; readonly after: string } {
  switch (wish.kind) {
    case 'edits': {
      const side = (text: (replacement: { oldText: string; newText: string }) => string) =>
        wish.replacements.map((replacement) => text(replacement).replace(/\n?$/, '\n')).join('\n');
      return { before: side(({ oldText }) => oldText), after: side(({ newText }) => newText) };
    }
    case 'patch':
      return { before: '', after: wish.patch };
    case 'content':
      return { before: '', after: wish.content };
    case 'delete':
    case 'nothing':
      return { before: '', after: '' };
    default:
      return wish satisfies never;
  }
}
