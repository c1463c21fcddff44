import { type Base, isFresh, isSameBase } from './base.ts';
import type { Cause, Transition } from './ledger.ts';

/** A cause in words. */
export interface NamedCause {
  /** The contract's words, for agents and engineers alike. */
  readonly text: string;
  /** What speaks for it: one sentence, for the engineer. */
  readonly evidence: string;
}

/**
 * Who moved the file from `expected` to `actual`: the contract's `changed_by`, oldest first.
 *
 * The walk starts at the last time the file was in the expected state and covers the whole way to the last time it was seen
 * in the actual one; what has come since is no part of it. What no transition explains is named as a gap. `session` is the
 * one that asks: its own edits are told apart from another's.
 */
export function attribute(
  recorded: readonly Transition[],
  expected: Base,
  actual: Base,
  session: string | undefined,
): NamedCause[] {
  const end = recorded.findLastIndex(({ to }) => to !== undefined && isSameBase(actual, to));
  const transitions = end === -1 ? recorded : recorded.slice(0, end + 1);
  const start = transitions.findLastIndex(({ to }) => to !== undefined && isFresh(expected, to));
  const walked = transitions.slice(start + 1);
  const causes = start === -1 ? [OLDER] : [];
  for (const cause of describeAll(walked, session)) {
    if (causes.at(-1)?.text !== cause.text) {
      causes.push(cause);
    }
  }
  if (causes.length === 0 && walked.some(({ cause }) => cause?.kind === 'save')) {
    causes.push(...describeSaved(transitions.slice(0, start + 1), session));
  }
  const sighting = transitions.findLastIndex(({ to }) => to !== undefined);
  const seen = transitions[sighting]?.to ?? expected;
  const isExplained = transitions.slice(sighting + 1).some(({ cause }) => cause !== undefined);
  const isGap = sighting !== -1 && (seen.disk !== actual.disk || (seen.dirty !== actual.dirty && !isExplained));
  if ((isGap || causes.length === 0) && causes.at(-1)?.text !== gap(seen, actual)) {
    causes.push({ text: gap(seen, actual), evidence: 'nothing that was seen explains the last step' });
  }
  return causes;
}

const OLDER: NamedCause = {
  text: 'before this window opened',
  evidence: 'the base is older than what was seen and stored',
};

/** Whether somebody else works in this tree: an engineer, by key or by command, or another program. */
export function hasOtherWriter(causes: readonly string[]): boolean {
  return causes.some(
    (cause) =>
      cause.startsWith('engineer:') ||
      cause.startsWith('changed in the editor') ||
      cause.startsWith('external writer') ||
      cause.startsWith('deleted'),
  );
}

function describeAll(walked: readonly Transition[], session: string | undefined): NamedCause[] {
  const texts: NamedCause[] = [];
  let typed: { count: number; saved: boolean } | undefined;
  const flush = () => {
    if (typed) {
      const edits = typed.count === 1 ? '1 edit' : `${typed.count} edits`;
      const text = `engineer: typed in the editor (${edits}, ${typed.saved ? 'saved' : 'unsaved'})`;
      texts.push({ text, evidence: EVIDENCE.typed });
      typed = undefined;
    }
  };
  for (const [index, { cause, evidence }] of walked.entries()) {
    if (cause === undefined || cause.kind === 'save') {
      continue;
    }
    if (cause.kind === 'typed') {
      const saved = walked.slice(index + 1).some((later) => later.cause?.kind === 'save');
      if (typed !== undefined && typed.saved !== saved) {
        flush();
      }
      typed = { count: (typed?.count ?? 0) + cause.count, saved };
      continue;
    }
    flush();
    texts.push({ text: describe(cause, session), evidence: evidence ?? EVIDENCE[cause.kind] });
  }
  flush();
  return texts;
}

/** A save alone moved the file: by what was typed before that. Where nobody saw how much that was, it was something. */
function describeSaved(before: readonly Transition[], session: string | undefined): NamedCause[] {
  const typed = before.findLast(({ cause }) => cause?.kind === 'typed')?.cause ?? { kind: 'typed', count: 1 };
  const time = 0;
  return describeAll(
    [
      { cause: typed, time },
      { cause: { kind: 'save' }, time },
    ],
    session,
  );
}

/** What speaks for a cause of each kind, where nothing more was recorded with it. */
const EVIDENCE: Readonly<Record<Cause['kind'], string>> = {
  edit: 'applied through the arbiter',
  hook: 'ran as part of an edit through the arbiter',
  typed: 'changed at the caret of the active editor, as keys do',
  undo: "the editor's own undo",
  redo: "the editor's own redo",
  format: 'changed right before the save, and not typed',
  chat: 'the chat held its own copy of this file for an edit at that moment',
  not_typed: 'the text in the editor changed, and neither a key nor a reload did it',
  renamed: "the editor's own rename",
  generator: 'it alone ran when the file was written',
  git: "git's own log says so",
  external: 'the file was written, and nothing that this window knows of did it',
  save: 'saved in the editor',
};

function describe(cause: Exclude<Cause, { kind: 'typed' | 'save' }>, session: string | undefined): string {
  switch (cause.kind) {
    case 'edit':
      return `edit #${cause.number} (${describeSession(cause.session, session)}, turn ${cause.turn})`;
    case 'hook':
      return `post-write hook: ${cause.name}`;
    case 'undo':
      return `engineer: undo of edit #${cause.edit}`;
    case 'redo':
      return `engineer: redo of edit #${cause.edit}`;
    case 'format':
      return 'engineer: format on save';
    case 'chat':
      return 'chat edit outside the arbiter';
    case 'not_typed':
      return 'changed in the editor, not typed';
    case 'renamed':
      return `renamed to ${cause.to}`;
    case 'generator':
      return `code generator: ${cause.command} (${cause.via})`;
    case 'git':
      return `git: ${cause.action}`;
    case 'external': {
      const during = cause.during === undefined ? '' : ` (while ${cause.during} ran)`;
      return cause.deleted ? 'deleted on disk' : `external writer${during}`;
    }
    default:
      return cause satisfies never;
  }
}

function describeSession(session: string | undefined, asking: string | undefined): string {
  if (session === undefined) {
    return 'session unknown';
  }
  return session === asking ? 'this session' : 'another session';
}

function gap(seen: Base, actual: Base): string {
  if (seen.disk === actual.disk) {
    return 'changed in the editor, not typed';
  }
  return actual.disk === 'absent' ? 'deleted on disk' : 'external writer';
}
