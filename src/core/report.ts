import type { Misplaced } from './gate.ts';
import type { Guarded, SyntaxWarning } from './guards.ts';
import type { AppliedEntry } from './sessions.ts';
import type { Problem } from './status.ts';

/**
 * What the model is told for one file: the contract's JSON. Keys appear in the order in which they are written here, the
 * status first and what to do next last. Line numbers are 1-based.
 */
export interface Report {
  readonly status: string;
  readonly path?: string | undefined;
  readonly [key: string]: unknown;
}

export interface AppliedFacts {
  readonly path: string;
  readonly renamedFrom?: string;
  /** Token of the state after everything has run; `undefined` where the file cannot be read any more. */
  readonly token: string | undefined;
  /** Whether the session has been shown all that the final state holds, so that the token may serve as a base. */
  readonly vouched: boolean;
  readonly edit: number;
  readonly saved: boolean;
  readonly changedLines?: readonly (readonly [number, number])[];
  readonly lineShifts?: readonly (readonly [number, number])[];
  readonly hooks?: readonly string[];
  readonly diffByHooks?: string;
  readonly syntaxWarning?: SyntaxWarning | undefined;
  readonly note?: string;
}

export function reportApplied(facts: AppliedFacts): Report {
  const next = `${facts.path} holds text that you have not been shown; read it again before you edit it further`;
  return compact({
    status: 'applied',
    path: facts.path,
    renamed_from: facts.renamedFrom,
    [facts.vouched ? 'base' : 'actual']: facts.token,
    edit: facts.edit,
    saved: facts.saved,
    changed_lines: facts.changedLines,
    line_shifts: facts.lineShifts,
    hooks: facts.hooks && facts.hooks.length > 0 ? facts.hooks : undefined,
    diff_by_hooks: facts.diffByHooks || undefined,
    syntax_warning: facts.syntaxWarning,
    note: facts.note ?? (facts.vouched ? 'use this base for further edits to this file' : undefined),
    next: facts.vouched ? undefined : next,
  });
}

/** The same call sent again after its answer was lost. */
export function reportAlreadyApplied(path: string, { edit, result, isShown, renamedFrom }: AppliedEntry): Report {
  return {
    status: 'already_applied',
    path,
    ...(renamedFrom === undefined ? {} : { renamed_from: renamedFrom }),
    [isShown ? 'base' : 'actual']: result,
    edit,
    next: isShown
      ? 'this very edit landed before and its result still stands; use this base for further edits to this file'
      : `this very edit landed before, beside text that you have not been shown; read ${path} again before you edit it further`,
  };
}

export interface StaleFacts {
  readonly status: 'stale_base' | 'unconsidered_retry' | 'disk_changed_during_save';
  readonly path: string;
  readonly expected: string;
  readonly actual: string | undefined;
  readonly changedBy: readonly string[];
  /** What speaks for each of them: for the engineer, not for the agent. */
  readonly evidence: readonly string[];
  /** `null` when the text at the base is not remembered. */
  readonly diff: { readonly text: string; readonly complete: boolean } | null;
  readonly formatChanged: readonly string[];
  readonly yourEdit?: string;
  readonly note?: string;
  /** Whether somebody else works in this tree. */
  readonly isShared: boolean;
  /** Whether the file is gone. */
  readonly isAbsent: boolean;
}

/** An edit refused because its file moved. */
export function reportStale(facts: StaleFacts): Report {
  return reportMoved(facts, nextAfterStale(facts));
}

/** A base that is stale now, without an edit to judge. */
export function reportStaleCheck(facts: StaleFacts): Report {
  const decide =
    facts.diff?.complete && facts.actual !== undefined
      ? `decide whether your plan still holds; plan further edits of ${facts.path} on this diff with base ${facts.actual}`
      : `decide whether your plan still holds; read ${facts.path} again before you edit it`;
  const next = facts.isShared ? `${decide}. ${SHARED}` : decide;
  return reportMoved(facts, next);
}

function reportMoved(facts: StaleFacts, next: string): Report {
  return compact({
    status: facts.status,
    path: facts.path,
    expected: facts.expected,
    actual: facts.actual,
    changed_by: facts.changedBy,
    diff_since_read: facts.diff === null ? null : facts.diff.text,
    format_changed: facts.formatChanged.length > 0 ? facts.formatChanged : undefined,
    your_edit: facts.yourEdit,
    note: facts.note,
    next,
  });
}

const SHARED = 'someone else is working in this tree: keep edits small';

function nextAfterStale(facts: StaleFacts): string {
  const sentences: string[] = [];
  const decide = 'decide whether this edit is still needed, still correct, or redundant.';
  if (facts.isAbsent) {
    sentences.push(
      `${decide} The file is gone; if it is still wanted, create it again with base "absent" and \`content\``,
    );
  } else if (facts.status === 'unconsidered_retry') {
    sentences.push(
      `these are the very edits that were refused as stale. ${decide} If it is redundant, make no edit. If it is needed as it is, send it again with "still_needed": one sentence why; otherwise re-read ${facts.path} and plan it again`,
    );
  } else if (facts.diff?.complete && facts.actual !== undefined) {
    sentences.push(
      `${decide} If it is needed, re-read ${facts.path}, or plan it again on this diff with base ${facts.actual}; the same edits unchanged need "still_needed": one sentence why`,
    );
  } else {
    sentences.push(
      `${decide} If it is needed, re-read ${facts.path} first: the diff here does not show all that changed`,
    );
  }
  if (facts.isShared) {
    sentences.push(SHARED);
  }
  return sentences.join('. ');
}

export function reportProblem(
  path: string | undefined,
  problem: Problem,
  more: Readonly<Record<string, unknown>> = {},
): Report {
  return compact({
    status: problem.status,
    path,
    ...more,
    reason: problem.reason,
    offset: problem.offset,
    next: problem.next,
  });
}

export function reportMisplaced(path: string, misplaced: Misplaced): Report {
  switch (misplaced.status) {
    case 'not_found':
      return compact({
        status: 'not_found',
        path,
        edit_index: misplaced.editIndex,
        nearest: misplaced.nearest,
        next: 'the base is fresh, but `old_string` does not stand in the file; copy it exactly as arbiter_read gave it, blanks and line ends included, and send the edit again with the same base',
      });
    case 'ambiguous':
      return {
        status: 'ambiguous',
        path,
        edit_index: misplaced.editIndex,
        count: misplaced.count,
        lines: misplaced.lines,
        next: 'quote more of the surrounding lines in `old_string`, or name the `line` where the occurrence starts, or set `replace_all`',
      };
    case 'overlap':
      return {
        status: 'overlap',
        path,
        edit_indexes: misplaced.editIndexes,
        next: 'all edits of a file are located in the text of the base; join these two into one edit',
      };
    case 'no_change':
      return { status: 'no_change', path, next: 'the file already holds what the edit would write; nothing to do' };
    case 'patch_mismatch':
      return {
        status: 'patch_mismatch',
        path,
        hunk: misplaced.hunk,
        line: misplaced.line,
        expected: misplaced.expected,
        found: misplaced.found,
        next: 'a patch is placed exactly at its stated lines; correct the hunk against what stands there, or use `edits`',
      };
    default:
      return misplaced satisfies never;
  }
}

/** The same for a file of which nothing may be told: without what stands there. */
export function reportMisplacedInSecret(path: string, misplaced: Misplaced): Report {
  const report = { ...reportMisplaced(path, misplaced), nearest: undefined, expected: undefined, found: undefined };
  return compact({ ...report, status: misplaced.status });
}

/** An edit that does not land inside its symbol, or breaks the syntax of its file. */
export function reportGuarded(path: string, refusal: Guarded['refusal']): Report {
  switch (refusal.status) {
    case 'symbol_not_found':
      return compact({
        status: 'symbol_not_found',
        path,
        symbol: refusal.symbol,
        candidates: refusal.candidates,
        known_symbols: refusal.known,
        reason: refusal.reason,
        next: nextWithoutSymbol(refusal),
      });
    case 'symbol_mismatch':
      return {
        status: 'symbol_mismatch',
        path,
        symbol: refusal.symbol,
        symbol_lines: refusal.symbolLines,
        edit_lines: refusal.editLines,
        reason: refusal.reason,
        next: 'nothing was touched; every edit of the entry must land inside the symbol: correct the edits, or name the symbol that they are meant for, or leave `symbol` out',
      };
    case 'syntax_broken':
      return {
        status: 'syntax_broken',
        path,
        line: refusal.line,
        message: refusal.message,
        reason: `the file parses now, and would not with this edit: ${refusal.message} at line ${refusal.line} of the text that it would lead to`,
        next: 'nothing was touched; correct the edit and send it again with the same base',
      };
    default:
      return refusal satisfies never;
  }
}

/** The same for a file of which nothing may be told: no names, and nothing that the parser quotes. */
export function reportGuardedInSecret(path: string, { status }: Guarded['refusal']): Report {
  const broken = 'the file parses now, and would not with this edit';
  return {
    status,
    path,
    reason: status === 'syntax_broken' ? broken : 'the edit is not sure to land inside that symbol',
    next: 'nothing was touched; correct the entry, or ask the engineer',
  };
}

function nextWithoutSymbol({ candidates, known }: Extract<Guarded['refusal'], { status: 'symbol_not_found' }>): string {
  if (candidates) {
    return 'nothing was touched; name one of `candidates` exactly as it is written there';
  }
  return known === undefined || known.length === 0
    ? 'nothing was touched; send the entry without `symbol`, and quote enough of the surrounding text that the place is sure'
    : 'nothing was touched; name one of `known_symbols`, or leave `symbol` out';
}

/** `3 applied, 1 stale_base`: the statuses in the order of their first appearance. */
export function summarize(reports: readonly Report[]): string {
  const counts = new Map<string, number>();
  for (const { status } of reports) {
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}

function compact(report: { status: string; [key: string]: unknown }): Report {
  return Object.fromEntries(Object.entries(report).filter(([, value]) => value !== undefined)) as Report;
}
