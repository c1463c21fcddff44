import type { Conflict } from '../../core/conflict.ts';
import type { SessionNames } from '../../core/sessionNames.ts';
import type { StaleBase } from '../../core/staleBases.ts';
import { classOf, computeStatistics, type Tally } from '../../core/statistics.ts';
import type { Cause, CauseKind, RefusedRow, StaleRow, Totals } from '../../panel/protocol.ts';

const WEEK = 7 * 24 * 60 * 60 * 1_000;

/** A stale base as the panel shows it. */
export function staleRow(id: string, stale: StaleBase, names: SessionNames): StaleRow {
  return {
    id,
    ...placeOf(stale.path),
    session: names.nameOf(stale.session),
    turn: stale.turn,
    time: stale.since,
    causes: stale.causes.map((cause) => causeOf(cause)),
    ...(stale.lines ? { added: stale.lines.added, removed: stale.lines.removed } : {}),
  };
}

/** A refused edit as the panel shows it. */
export function refusedRow(id: string, conflict: Conflict, names: SessionNames): RefusedRow {
  return {
    id,
    ...placeOf(conflict.path),
    session: names.nameOf(conflict.session),
    turn: conflict.turn,
    time: conflict.time,
    causes: conflict.changedBy.map((cause, index) => causeOf(cause, conflict.evidence?.[index])),
    status: conflict.status,
    explanation: short(conflict.explanation),
    fit: conflict.yourEdit,
    reason: short(conflict.reason),
  };
}

/** The numbers of the panel's line of state: those of the statistics. */
export function totalsOf(tallies: readonly Tally[], now: number): Totals {
  const all = computeStatistics(tallies, () => '');
  const week = computeStatistics(
    tallies.filter(({ time }) => now - time < WEEK),
    () => '',
  );
  return {
    applied: all.applies - all.stale,
    staleRate: week.staleRate,
    causes: all.causes.map(({ name, count }) => ({ kind: name as CauseKind, count })),
  };
}

function causeOf(cause: string, evidence?: string): Cause {
  return { kind: classOf(cause), text: causeWords(cause), ...(evidence === undefined ? {} : { evidence }) };
}

/** A string of `changed_by` as the engineer reads it: they are "you". */
export function causeWords(cause: string): string {
  const typed = /^engineer: typed in the editor \((.*)\)$/.exec(cause);
  if (typed) {
    return `you typed in the editor · ${typed[1]}`;
  }
  const taken = /^engineer: (undo|redo) of (edit #\d+)$/.exec(cause);
  if (taken) {
    return `you took ${taken[2]} back${taken[1] === 'redo' ? ', and again forth' : ''}`;
  }
  const edit = /^(edit #\d+) \((.*)\)$/.exec(cause);
  if (edit) {
    return `${edit[1]} · ${edit[2]}`;
  }
  return cause === 'engineer: format on save' ? 'format on your save' : cause;
}

function placeOf(path: string): { readonly name: string; readonly folder: string } {
  const at = path.lastIndexOf('/');
  return { name: path.slice(at + 1), folder: path.slice(0, Math.max(0, at)) };
}

/** One sentence is asked for; what is much longer is cut. */
function short(text: string | undefined): string | undefined {
  return text !== undefined && text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
