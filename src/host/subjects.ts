import * as vscode from 'vscode';
import type { Arbiter } from '../core/arbiter.ts';
import type { Conflict } from '../core/conflict.ts';
import { idOf, type StaleBase } from '../core/staleBases.ts';
import type { LiveBases } from './liveBases.ts';

/** What a command is about: a refused edit, one that was cut off, or a held base that has moved. */
export type Subject =
  | { readonly kind: 'refused' | 'interrupted'; readonly id: string; readonly conflict: Conflict }
  | { readonly kind: 'stale'; readonly id: string; readonly stale: StaleBase };

export type SubjectKind = Subject['kind'];

/** How a picker asks. */
export interface Choice {
  readonly title: string;
  readonly isMany: boolean;
  /** What can be chosen. */
  readonly among: readonly SubjectKind[];
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
    return this.#arbiter.conflicts.open.map((conflict) => ({
      kind: conflict.interruption === undefined ? 'refused' : 'interrupted',
      id: refusedId(conflict),
      conflict,
    }));
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
    const isOffered = ({ kind, id }: Subject) => choice.among.includes(kind) && (row === undefined || id === row);
    const offered = [...this.refused, ...this.stale].filter(isOffered);
    if (row !== undefined) {
      return offered;
    }
    if (offered.length === 0) {
      void vscode.window.showInformationMessage('There is nothing to settle: no refused edit waits for an answer.');
      return [];
    }
    return pick(offered, choice);
  }
}

/** The row that a view's command is about. */
function rowOf(argument: unknown): string | undefined {
  const isRow = typeof argument === 'object' && argument !== null && 'row' in argument;
  return isRow && typeof argument.row === 'string' ? argument.row : undefined;
}

interface Item extends vscode.QuickPickItem {
  readonly subject?: Subject;
}

const SECTIONS: Readonly<Record<SubjectKind, string>> = {
  interrupted: 'Cut off',
  refused: 'Refused',
  stale: 'Stale now',
};

async function pick(subjects: readonly Subject[], { title, isMany }: Choice): Promise<readonly Subject[]> {
  const items = Object.entries(SECTIONS).flatMap(([kind, label]): Item[] => {
    const own = subjects.filter((subject) => subject.kind === kind).map((subject) => itemOf(subject));
    return own.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...own];
  });
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
