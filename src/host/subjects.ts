import * as vscode from 'vscode';
import type { Arbiter } from '../core/arbiter.ts';
import type { Conflict } from '../core/conflict.ts';
import { idOf, type StaleBase } from '../core/staleBases.ts';
import type { LiveBases } from './liveBases.ts';

export interface RefusedSubject {
  readonly kind: 'refused';
  readonly id: string;
  readonly conflict: Conflict;
}

/** What a command is about: a refused edit, or a held base that has moved. */
export type Subject = RefusedSubject | { readonly kind: 'stale'; readonly id: string; readonly stale: StaleBase };

/** How a picker asks. */
export interface Choice {
  readonly title: string;
  readonly isMany: boolean;
  /** Whether stale bases can be chosen beside refused edits. */
  readonly withStale: boolean;
  /** Whether what an edit that was cut off has left can be chosen, too. */
  readonly withInterrupted: boolean;
}

/** A refused edit stays the same one when it is refused again, and over a reload of the window. */
export function refusedId({ session, key, request }: Conflict): string {
  return JSON.stringify(['refused', session ?? null, key, request.signature]);
}

/** Everything that the engineer can act on now. */
export class Subjects {
  readonly #arbiter: Arbiter;
  readonly #live: LiveBases;

  constructor(arbiter: Arbiter, live: LiveBases) {
    this.#arbiter = arbiter;
    this.#live = live;
  }

  get refused(): Subject[] {
    return this.#arbiter.conflicts.open.map((conflict) => ({ kind: 'refused', id: refusedId(conflict), conflict }));
  }

  /** Without those that an open refusal of the same session tells of. */
  get stale(): Subject[] {
    const { open } = this.#arbiter.conflicts;
    const told = new Set(open.filter(({ changedBy }) => changedBy.length > 0).map(idOf));
    return this.#live.stale.flatMap((stale): Subject[] => {
      const id = idOf(stale);
      return told.has(id) ? [] : [{ kind: 'stale', id, stale }];
    });
  }

  /** As {@link choose}, among the edits that were cut off. */
  async chooseInterrupted(argument: unknown, choice: Choice): Promise<readonly RefusedSubject[]> {
    const row = rowOf(argument);
    const given = row === undefined ? undefined : this.find(row);
    const chosen =
      row === undefined ? await pick(this.refused.filter(isInterrupted), [], choice) : given ? [given] : [];
    return chosen.filter(isInterrupted);
  }

  find(id: string): Subject | undefined {
    return [...this.refused, ...this.stale].find((subject) => subject.id === id);
  }

  /**
   * The subject that a view hands over, else what the engineer picks; nothing where there is none any more.
   *
   * @param argument what a command was called with: anything.
   */
  async choose(argument: unknown, choice: Choice): Promise<readonly Subject[]> {
    const row = rowOf(argument);
    if (row !== undefined) {
      const subject = this.find(row);
      return subject ? [subject] : [];
    }
    const { stale } = this;
    const refused = this.refused.filter((subject) => choice.withInterrupted || !isInterrupted(subject));
    const offered = choice.withStale ? [...refused, ...stale] : refused;
    if (offered.length === 0) {
      void vscode.window.showInformationMessage('There is nothing to settle: no refused edit waits for an answer.');
      return [];
    }
    return pick(refused, choice.withStale ? stale : [], choice);
  }
}

function isInterrupted(subject: Subject): subject is RefusedSubject {
  return subject.kind === 'refused' && subject.conflict.interruption !== undefined;
}

/** The row that a view's command is about. */
function rowOf(argument: unknown): string | undefined {
  const isRow = typeof argument === 'object' && argument !== null && 'row' in argument;
  return isRow && typeof argument.row === 'string' ? argument.row : undefined;
}

interface Item extends vscode.QuickPickItem {
  readonly subject?: Subject;
}

async function pick(
  refused: readonly Subject[],
  stale: readonly Subject[],
  { title, isMany }: Choice,
): Promise<readonly Subject[]> {
  const section = (label: string, subjects: readonly Subject[]): Item[] =>
    subjects.length === 0
      ? []
      : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...subjects.map((subject) => itemOf(subject))];
  const items = [...section('Refused', refused), ...section('Stale now', stale)];
  const options = { title, matchOnDescription: true, matchOnDetail: true };
  if (isMany) {
    const picked = await vscode.window.showQuickPick(items, { ...options, canPickMany: true });
    return picked?.flatMap(({ subject }) => (subject ? [subject] : [])) ?? [];
  }
  const picked = await vscode.window.showQuickPick(items, options);
  return picked?.subject ? [picked.subject] : [];
}

function itemOf(subject: Subject): Item {
  if (subject.kind === 'stale') {
    const { path, causes, since, turn } = subject.stale;
    return {
      label: path,
      description: causes.at(-1) ?? '',
      detail: `read in turn ${turn} · moved ${ageOf(since)} ago`,
      subject,
    };
  }
  const { path, status, changedBy, explanation, time } = subject.conflict;
  return {
    label: path,
    description: [status, changedBy.at(-1)].filter(Boolean).join(' · '),
    detail: [explanation, `${ageOf(time)} ago`].filter(Boolean).join(' · '),
    subject,
  };
}

function ageOf(time: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - time) / 1_000));
  return seconds < 60
    ? `${seconds} s`
    : seconds < 3_600
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3_600)} h`;
}
