import { type Base, isSameBase, printBase } from './base.ts';
import { spansBetween } from './compare.ts';
import type { Conflicts } from './conflict.ts';
import type { Diff } from './diff.ts';
import {
  type Candidate,
  contentOf,
  type Decision,
  type Documents,
  type FileRef,
  type Outcome,
  type State,
} from './documents.ts';
import { judge, type Verdict } from './gate.ts';
import type { EditRequest } from './input.ts';
import type { LandedEdit } from './landedEdit.ts';
import { type Applied, gatherLandedFacts } from './landedFacts.ts';
import { landedLines } from './landedLines.ts';
import type { Landing, Move } from './ledger.ts';
import type { Memory } from './memory.ts';
import { noteRegions } from './regions.ts';
import { relateWish } from './relation.ts';
import {
  type Report,
  reportAlreadyApplied,
  reportApplied,
  reportMisplaced,
  reportProblem,
  reportStale,
  type StaleFacts,
} from './report.ts';
import type { AppliedEntry, Session } from './sessions.ts';
import type { Problem, Refusal } from './status.ts';
import type { Span } from './text.ts';

/** The call that an entry belongs to. */
export interface Call {
  readonly session: Session;
  readonly turn: number;
  readonly explanation: string | undefined;
  readonly isCancelled: () => boolean;
  /** Whether there is a chat, and so somebody who can be asked. */
  readonly isChat: boolean;
}

/** What the gate, and what is remembered of the session, say of an entry at one state. */
type Considered =
  | Verdict
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'already_applied'; readonly applied: AppliedEntry }
  /** Refused as stale before, and sent again with a fresh base by reflex; `since` is the base it was refused at. */
  | { readonly kind: 'unconsidered'; readonly since: Base };

/** How many milliseconds the search for the place most like a missing text may take. */
const NEAREST_MS = 50;

/** What an entry's edit works with. */
export interface Workshop {
  readonly documents: Documents;
  readonly memory: Memory;
  readonly conflicts: Conflicts;
  /** Takes the next edit number of this workspace, counted from 1, and stores it. */
  readonly nextEdit: () => number;
  readonly onDidLand?: ((landed: LandedEdit) => void) | undefined;
}

/** One entry of a call, from the gate to its report. Runs under its file's lock. */
export class EntryEdit {
  readonly #documents: Documents;
  readonly #memory: Memory;
  readonly #conflicts: Conflicts;
  readonly #nextEdit: () => number;
  readonly #onDidLand: Workshop['onDidLand'];
  readonly #request: EditRequest;
  readonly #file: FileRef;
  readonly #call: Call;
  /** The same entry of the same file, base included. */
  readonly #key: string;
  #landing: Landing | undefined;

  constructor(workshop: Workshop, request: EditRequest, file: FileRef, call: Call) {
    const { documents, memory, conflicts, nextEdit, onDidLand } = workshop;
    this.#documents = documents;
    this.#memory = memory;
    this.#conflicts = conflicts;
    this.#nextEdit = nextEdit;
    this.#onDidLand = onDidLand;
    this.#request = request;
    this.#file = file;
    this.#call = call;
    this.#key = `${file.key}\n${printBase(request.base)}\n${request.signature}`;
  }

  /**
   * What the entry would change in a state: for a question to a human.
   *
   * @returns `undefined` where it would be refused anyway; then {@link run} says why.
   */
  preview(state: State): Diff | undefined {
    const considered = this.#consider(state);
    if (considered.kind !== 'accepted' && considered.kind !== 'create') {
      return undefined;
    }
    return this.#memory.diff(contentOf(state), candidateOf(considered).text.content);
  }

  async run(): Promise<Report> {
    let asked: { readonly considered: Considered; readonly state: State } | undefined;
    try {
      const outcome = await this.#documents.transact(this.#file, (state): Decision => {
        const considered = this.#consider(state);
        asked = { considered, state };
        return considered.kind === 'accepted'
          ? { kind: 'apply', candidate: considered.candidate, onDidLand: () => this.#beginLanding() }
          : { kind: 'refuse' };
      });
      if (asked === undefined) {
        throw new Error(`the state of ${this.#file.path} was never asked for`);
      }
      const { considered, state } = asked;
      if (considered.kind === 'create' && outcome.kind === 'refused') {
        this.#beginLanding();
        return await this.#conclude(considered, state, await this.#documents.create(this.#file, considered.text));
      }
      return await this.#conclude(considered, state, outcome);
    } finally {
      // Whatever happened, the file must be seen again.
      this.#landing?.withdraw();
    }
  }

  #beginLanding(): void {
    this.#landing = this.#memory.ledger.landing(this.#file.key, this.#memory.now());
  }

  #endLanding(moves: readonly Move[]): void {
    this.#landing?.end(moves);
    this.#landing = undefined;
  }

  /** Runs synchronously between the look at the state and the apply. */
  #consider(state: State): Considered {
    this.#memory.remember(this.#file, state);
    if (this.#call.isCancelled()) {
      return { kind: 'cancelled' };
    }
    const verdict = judge(this.#request, this.#file.path, state, this.#documents.endingFor(this.#file), {
      maxMs: NEAREST_MS,
      now: this.#memory.now,
    });
    if (verdict.kind === 'stale') {
      const applied = this.#call.session.appliedEntry(this.#key);
      const isStillThere = state.base !== undefined && applied?.result === printBase(state.base);
      return applied && isStillThere ? { kind: 'already_applied', applied } : verdict;
    }
    if (verdict.kind === 'unsupported' || state.kind === 'unreadable') {
      return verdict;
    }
    const refused = this.#call.session.refusedAmong(this.#file.key, this.#request.parts);
    if (
      refused &&
      this.#request.stillNeeded === undefined &&
      !isSameBase(
        this.#memory.ledger.complete(this.#file.key, this.#request.base),
        this.#memory.ledger.complete(this.#file.key, refused.base),
      )
    ) {
      return { kind: 'unconsidered', since: refused.base };
    }
    return verdict;
  }

  /** Turns how it ended into what the model is told, and remembers what later answers need. */
  async #conclude(considered: Considered, before: State, outcome: Outcome): Promise<Report> {
    if (outcome.kind === 'applied') {
      return this.#landed(considered, before, outcome);
    }
    this.#endLanding([]);
    switch (outcome.kind) {
      case 'refused':
        return this.#refused(considered, outcome.state);
      case 'unfit':
        return this.#problem(outcome.problem);
      case 'moved':
        this.#memory.remember(this.#file, outcome.state);
        return this.#stale(outcome.state, this.#request.base, 'stale_base');
      case 'disk_changed':
        this.#memory.remember(this.#file, outcome.state);
        return this.#stale(outcome.state, this.#request.base, 'disk_changed_during_save');
      case 'failed': {
        this.#memory.remember(this.#file, outcome.state);
        const { status, reason, isTakenBack } = outcome;
        const left = isTakenBack
          ? 'nothing of this edit is left in the file'
          : 'the edit may still stand in the editor, unsaved';
        const next = `${left}; tell the engineer, and read ${this.#file.path} again before trying once more`;
        return this.#problem({ status, reason, next }, outcome.state);
      }
      default:
        return outcome satisfies never;
    }
  }

  async #refused(considered: Considered, state: State): Promise<Report> {
    switch (considered.kind) {
      case 'cancelled':
        return reportProblem(this.#file.path, CANCELLED);
      case 'already_applied':
        return reportAlreadyApplied(this.#file.path, considered.applied);
      case 'stale':
        return this.#stale(state, this.#request.base, 'stale_base');
      case 'unconsidered':
        return this.#stale(state, considered.since, 'unconsidered_retry');
      case 'misplaced': {
        const report = reportMisplaced(this.#file.path, considered.misplaced);
        this.#addConflict(considered.misplaced.status, state, { reason: String(report['next']) });
        return report;
      }
      case 'unsupported':
      case 'problem':
        return this.#problem(considered.problem, state);
      case 'accepted':
      case 'create':
        throw new Error(`${this.#file.path} was accepted and yet not applied`);
      default:
        return considered satisfies never;
    }
  }

  #problem(problem: Problem, state?: State): Report {
    if (problem.status !== 'invalid_range') {
      this.#addConflict(problem.status, state, { reason: problem.reason });
    }
    const actual = state?.base && problem.status.endsWith('_failed') ? { actual: printBase(state.base) } : {};
    return reportProblem(this.#file.path, problem, actual);
  }

  #landed(considered: Considered, before: State, outcome: Applied): Report {
    const { session, turn } = this.#call;
    const number = this.#nextEdit();
    outcome.onDidNumber(number);
    this.#record(number, outcome);
    const candidate = candidateOf(considered);
    const facts = gatherLandedFacts(before, candidate, outcome, (asked, final) => this.#memory.diff(asked, final));
    const { token, vouched } = facts;
    session.landed(this.#file.key, this.#request.parts);
    session.keepApplied(this.#key, { edit: number, result: token ?? '', isShown: vouched });
    if (vouched && outcome.state.base !== undefined) {
      session.held.set(this.#file.key, { file: this.#file, base: outcome.state.base, turn });
    }
    this.#conflicts.close((conflict) => conflict.session === session.id && conflict.key === this.#file.key);
    this.#show(number, contentOf(before), candidate.text.content, outcome);
    const notes = this.#notesFor(candidate.spans, before, vouched, outcome);
    return reportApplied({
      path: this.#file.path,
      edit: number,
      ...facts,
      ...(notes.length === 0 ? {} : { note: notes.join('. ') }),
    });
  }

  /** Tells the engineer's side which lines are new. What somebody else wrote beside the edit is nobody's hook. */
  #show(edit: number, before: string, asked: string, { state, hooks, foreign, isUndone }: Applied): void {
    if (this.#onDidLand === undefined || state.kind !== 'text' || isUndone) {
      return;
    }
    const { content } = state.text;
    this.#onDidLand({
      ...this.#file,
      edit,
      session: this.#call.session.id,
      turn: this.#call.turn,
      explanation: this.#call.explanation,
      content,
      lines: () => {
        const { edited, hooked } = landedLines(before, asked, content);
        return { edited, hooked: foreign ? [] : hooked };
      },
      hooks: [...new Set(hooks.map(({ name }) => name))],
    });
  }

  /** Writes into the ledger what the apply did, hooks and the save included. */
  #record(number: number, { landed, hooks, written, isSavedTogether, state }: Applied): void {
    const { session, turn } = this.#call;
    const { ledger, now } = this.#memory;
    this.#endLanding([
      { cause: { kind: 'edit', number, session: session.id, turn }, to: landed },
      ...hooks.map(({ name, to }): Move => ({ cause: { kind: 'hook', name }, ...(to === undefined ? {} : { to }) })),
    ]);
    if (isSavedTogether) {
      ledger.moved(this.#file.key, { kind: 'save' }, now(), written);
    }
    this.#memory.remember(this.#file, state);
  }

  #notesFor(
    spans: readonly Span[],
    before: State,
    vouched: boolean,
    { saved, hookFailures = [], isUndone }: Applied,
  ): string[] {
    const { path, key } = this.#file;
    const { regions, isWorn } = noteRegions(this.#call.session.regions.get(key) ?? [], spans);
    this.#call.session.regions.set(key, regions);
    const notes = hookFailures.map(({ name, reason }) => `the edit stands, but the hook ${name} failed: ${reason}`);
    if (isUndone) {
      notes.push(
        'the engineer took this edit back with Undo while it landed: do not send it again unless they ask for it',
      );
    } else if (!vouched) {
      notes.push('the file holds text beside this edit that is not shown here; nothing of it was lost');
    } else if (isWorn) {
      notes.push(
        `this is the third edit or more of one region since you last read it; read ${path} again before the next`,
      );
    } else if (!saved && before.base?.dirty !== undefined) {
      notes.push(
        'the engineer has unsaved changes in this file, so the edit is in the editor and not on disk; use this base for further edits to this file',
      );
    }
    return notes;
  }

  async #stale(
    state: State,
    since: Base,
    status: 'stale_base' | 'unconsidered_retry' | 'disk_changed_during_save',
  ): Promise<Report> {
    if (state.kind === 'unreadable') {
      return this.#problem(state.problem, state);
    }
    const moved = await this.#memory.factsSince(since, this.#file, state, this.#call.session.id);
    const base = this.#memory.snapshotAt(since)?.text.content;
    const now = contentOf(state);
    const facts: StaleFacts = {
      ...moved,
      status,
      expected: printBase(this.#memory.ledger.complete(this.#file.key, this.#request.base)),
      yourEdit: relateWish(base, now, this.#request.wish),
    };
    if (moved.actual !== undefined) {
      this.#call.session.tell(this.#file.key, moved.actual);
    }
    this.#call.session.refuse(this.#file.key, { parts: this.#request.parts, base: since });
    this.#addConflict(status, state, { ...facts, since: moved.expected });
    return reportStale(facts);
  }

  #addConflict(
    status: Refusal,
    state: State | undefined,
    more: Partial<StaleFacts> & { readonly reason?: string; readonly since?: string },
  ): void {
    this.#conflicts.add({
      time: this.#memory.now(),
      key: this.#file.key,
      path: this.#file.path,
      session: this.#call.session.id,
      turn: this.#call.turn,
      status,
      expected: more.expected ?? printBase(this.#request.base),
      since: more.since ?? more.expected ?? printBase(this.#request.base),
      ...(state?.base === undefined ? {} : { actual: printBase(state.base) }),
      changedBy: more.changedBy ?? [],
      diffSinceRead: more.diff?.text ?? null,
      ...(more.yourEdit === undefined ? {} : { yourEdit: more.yourEdit }),
      ...(more.reason === undefined ? {} : { reason: more.reason }),
      explanation: this.#call.explanation,
      request: this.#request,
    });
  }
}

/** What landed: the candidate, or the whole text of a file that was created. */
function candidateOf(considered: Considered): Candidate {
  switch (considered.kind) {
    case 'accepted':
      return considered.candidate;
    case 'create':
      return { spans: spansBetween('', considered.text.content), text: considered.text };
    default:
      throw new Error(`an entry was applied although it was ${considered.kind}`);
  }
}

const CANCELLED: Problem = {
  status: 'cancelled',
  reason: 'the call was cancelled before its base was compared',
  next: 'nothing was touched; send the call again if it is still wanted',
};
