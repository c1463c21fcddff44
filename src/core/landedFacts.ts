import { printBase } from './base.ts';
import { changedLines, lineShifts, spansBetween } from './compare.ts';
import type { Diff } from './diff.ts';
import { type Candidate, contentOf, type Outcome, type State } from './documents.ts';
import type { AppliedFacts } from './report.ts';

/** How a transaction ended whose candidate stands. */
export type Applied = Extract<Outcome, { readonly kind: 'applied' }>;

/** What there is to say of an edit that landed, but for its number and its note. */
export type LandedFacts = Omit<AppliedFacts, 'path' | 'renamedFrom' | 'edit' | 'note'>;

/**
 * Compares what was asked for with what the file holds now.
 *
 * The session is vouched for where it has been shown all of that: the bytes are those that were asked for, or nobody but
 * hooks changed them, and their diff is complete. Then the lines are those of the final text, otherwise those of the candidate.
 *
 * @param before the state that the candidate was decided on.
 * @param diff draws what the hooks changed; called only where they did, and nobody else wrote.
 */
export function gatherLandedFacts(
  before: State,
  candidate: Candidate,
  outcome: Applied,
  diff: (before: string, after: string) => Diff,
): LandedFacts {
  const { state, landed, saved, hooks, foreign } = outcome;
  const content = contentOf(before);
  const asked = candidate.text.content;
  const final = state.kind === 'text' ? state.text.content : undefined;
  // Beside somebody else's text, a diff would show that as the hook's.
  const hookDiff =
    !foreign && final !== undefined && final !== asked && hooks.length > 0 ? diff(asked, final) : undefined;
  const hookedTo = hookDiff?.complete ? final : undefined;
  const token = state.base && printBase(state.base);
  // Without hooks, the bytes must be those that our own part led to; their text is what the call itself showed.
  const isAsAsked = token === printBase(landed);
  const spans = hookedTo === undefined ? candidate.spans : spansBetween(content, hookedTo);
  return {
    token,
    vouched: !foreign && (isAsAsked || (hookedTo !== undefined && isSameForm(before, candidate, state))),
    saved,
    changedLines: changedLines(content, hookedTo ?? asked, spans),
    lineShifts: lineShifts(content, hookedTo ?? asked, spans),
    hooks: hooks.map(({ name }) => name),
    ...(hookDiff ? { diffByHooks: hookDiff.text } : {}),
  };
}

/** What there is to say of a file that was deleted, or renamed as it is: there are no lines to speak of. */
export function gatherMovedFacts({ state, landed, saved, foreign }: Applied): LandedFacts {
  const token = state.base && printBase(state.base);
  return { token, vouched: !foreign && token === printBase(landed), saved };
}

/** Whether line endings, encoding and BOM are still those that were asked for: no diff of the content shows them. */
function isSameForm(before: State, { text }: Candidate, after: State): boolean {
  return (
    after.kind === 'text' &&
    String(after.text.endings) === String(text.endings) &&
    (before.kind !== 'text' ||
      (before.format.encoding === after.format.encoding && before.format.bom === after.format.bom))
  );
}
