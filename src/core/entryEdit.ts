import { type Base, isSameBase, printBase } from './base.ts';
import type { OpenEntry } from './batch.ts';
import { spansBetween } from './compare.ts';
import type { Conflicts } from './conflict.ts';
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
import { type Applied, gatherLandedFacts, gatherMovedFacts } from './landedFacts.ts';
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
}

/** One entry of a call, from the gate to its report. Runs under its file's lock. */
export class EntryEdit {
  readonly #documents: Documents;
  readonly #memory: Memory;
  readonly #conflicts: Conflicts;
  readonly #nextEdit: () => number;
  readonly #request: EditRequest;
  readonly #file: FileRef;
  readonly #target: FileRef | undefined;
  readonly #call: Call;
  /** The same entry of the same file, base included. */
  readonly #key: string;
  #landing: Landing | undefined;

  constructor({ documents, memory, conflicts, nextEdit }: Workshop, { request, file, target }: OpenEntry, call: Call) {
    this.#documents = documents;
    this.#memory = memory;
    this.#conflicts = conflicts;
    this.#nextEdit = nextEdit;
    this.#request = request;
    this.#file = file;
    this.#target = target;
    this.#call = call;
    this.#key = `${file.key}\n${printBase(request.base)}\n${request.signature}`;
  }

  /**
   * What the entry would change in a state, as a unified diff: for a question to a human.
   *
   * @returns `undefined` where it would be refused anyway; then {@link run} says why.
   */
  preview(state: State): string | undefined {
    const considered = this.#consider(state);
    switch (considered.kind) {
      case 'delete':
        return this.#memory.diff(contentOf(state), '').text;
      case 'accepted':
      case 'create':
      case 'rename':
        return this.#memory.diff(contentOf(state), candidateOf(considered)?.text.content ?? contentOf(state)).text;
      default:
        return undefined;
    }
  }

  async run(): Promise<Report> {
    const repeated = await this.#renamedBefore();
    if (repeated) {
      return repeated;
    }
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
      return outcome.kind === 'refused'
        ? await this.#carryOut(considered, state)
        : await this.#conclude(considered, state, outcome);
    } finally {
      // Whatever happened, the file must be seen again.
      this.#landing?.withdraw();
    }
  }

  /** What the gate let pass and is no edit of a text, or what it refused. */
  async #carryOut(considered: Considered, state: State): Promise<Report> {
    switch (considered.kind) {
      case 'create':
        this.#beginLanding();
        return this.#conclude(considered, state, await this.#documents.create(this.#file, considered.text));
      case 'delete':
        this.#beginLanding();
        return this.#conclude(considered, state, await this.#documents.remove(this.#file, knownBase(state)));
      case 'rename':
        return this.#rename(considered, state);
      default:
        return this.#refused(considered, state);
    }
  }

  async #rename(considered: Extract<Considered, { kind: 'rename' }>, before: State): Promise<Report> {
    const target = this.#target;
    if (target === undefined) {
      throw new Error(`${this.#file.path} is renamed, and nothing says to where`);
    }
    this.#beginLanding();
    const atTarget = this.#memory.ledger.landing(target.key, this.#memory.now());
    try {
      const renamed = await this.#documents.rename(this.#file, target, knownBase(before));
      if (renamed.kind === 'occupied') {
        return await this.#occupied(target, renamed.state);
      }
      if (renamed.kind !== 'applied' || considered.candidate === undefined) {
        return await this.#conclude(considered, before, renamed, atTarget);
      }
      return await this.#editRenamed(target, before, atTarget);
    } finally {
      atTarget.withdraw();
    }
  }

  /** The file is at its new place; its edits follow there, or it goes back. */
  async #editRenamed(target: FileRef, before: State, atTarget: Landing): Promise<Report> {
    let asked: Considered | undefined;
    const outcome = await this.#documents.transact(target, (state): Decision => {
      const considered = this.#consider(state, target);
      asked = considered;
      return considered.kind === 'rename' && considered.candidate
        ? { kind: 'apply', candidate: considered.candidate, onDidLand: () => {} }
        : { kind: 'refuse' };
    });
    if (asked === undefined) {
      throw new Error(`the state of ${target.path} was never asked for`);
    }
    if (outcome.kind === 'applied') {
      return this.#conclude(asked, before, outcome, atTarget);
    }
    const { base } = outcome.state;
    const back = base === undefined ? undefined : await this.#documents.rename(target, this.#file, base);
    if (back?.kind !== 'applied') {
      this.#endLanding([{ cause: { kind: 'renamed', to: target.path }, to: { disk: 'absent' } }]);
      return this.#problem({
        status: 'apply_failed',
        reason: `the file was renamed to ${target.path}, its edits could not be applied there, and it could not be renamed back`,
        next: `read ${target.path} before you go on, and tell the engineer`,
      });
    }
    return outcome.kind === 'refused' ? this.#refused(asked, outcome.state) : this.#conclude(asked, before, outcome);
  }

  /** Something is at the target of a rename: a stale base of the target, which must be absent. */
  async #occupied(target: FileRef, state: State): Promise<Report> {
    this.#endLanding([]);
    this.#memory.remember(target, state);
    if (state.kind === 'unreadable') {
      return this.#problem({
        status: 'stale_base',
        reason: `something is at ${target.path} already: ${state.problem.reason}`,
        next: 'choose another name, or ask the engineer',
      });
    }
    const moved = await this.#memory.factsSince({ disk: 'absent' }, target, state, this.#call.session.id);
    const facts: StaleFacts = {
      ...moved,
      expected: 'absent',
      note: `rename_to of ${this.#file.path}: the name is taken`,
    };
    this.#addConflict('stale_base', state, { ...facts, since: facts.expected });
    return reportStale(facts);
  }

  /** A rename sent again after its answer was lost: the file is no longer where the entry says. */
  async #renamedBefore(): Promise<Report | undefined> {
    const applied = this.#call.session.appliedEntry(this.#key);
    if (applied === undefined || this.#target === undefined) {
      return undefined;
    }
    const [old, now] = [await this.#memory.look(this.#file), await this.#memory.look(this.#target)];
    const isThere = old.kind === 'absent' && now.base !== undefined && printBase(now.base) === applied.result;
    return isThere ? reportAlreadyApplied(this.#target.path, applied) : undefined;
  }

  #beginLanding(): void {
    this.#landing = this.#memory.ledger.landing(this.#file.key, this.#memory.now());
  }

  #endLanding(moves: readonly Move[]): void {
    this.#landing?.end(moves);
    this.#landing = undefined;
  }

  /** Runs synchronously between the look at the state and the apply. */
  #consider(state: State, file: FileRef = this.#file): Considered {
    this.#memory.remember(file, state);
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
  async #conclude(considered: Considered, before: State, outcome: Outcome, atTarget?: Landing): Promise<Report> {
    if (outcome.kind === 'applied') {
      return this.#landed(considered, before, outcome, atTarget);
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
      case 'delete':
      case 'rename':
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

  #landed(considered: Considered, before: State, outcome: Applied, atTarget: Landing | undefined): Report {
    const { session, turn } = this.#call;
    const number = this.#nextEdit();
    outcome.onDidNumber(number);
    this.#record(number, outcome, atTarget);
    const candidate = candidateOf(considered);
    const facts = candidate
      ? gatherLandedFacts(before, candidate, outcome, (asked, final) => this.#memory.diff(asked, final))
      : gatherMovedFacts(outcome);
    const { token, vouched } = facts;
    const file = atTarget === undefined ? this.#file : (this.#target ?? this.#file);
    const renamedFrom = file === this.#file ? {} : { renamedFrom: this.#file.path };
    session.landed(this.#file.key, this.#request.parts);
    session.keepApplied(this.#key, { edit: number, result: token ?? '', isShown: vouched, ...renamedFrom });
    if (file !== this.#file) {
      session.held.delete(this.#file.key);
    }
    if (vouched && outcome.state.base !== undefined) {
      session.held.set(file.key, { file, base: outcome.state.base, turn });
    }
    this.#conflicts.close((conflict) => conflict.session === session.id && conflict.key === this.#file.key);
    const notes = candidate ? this.#notesFor(candidate.spans, before, vouched, outcome) : [];
    return reportApplied({
      path: file.path,
      ...renamedFrom,
      edit: number,
      ...facts,
      ...(notes.length === 0 ? {} : { note: notes.join('. ') }),
    });
  }

  /** Writes into the ledger what the apply did, hooks and the save included. */
  #record(number: number, { landed, hooks, written, isSavedTogether, state }: Applied, atTarget?: Landing): void {
    const { session, turn } = this.#call;
    const { ledger, now } = this.#memory;
    const edit: Move['cause'] = { kind: 'edit', number, session: session.id, turn };
    const moves: readonly Move[] = [
      { cause: edit, to: landed },
      ...hooks.map(({ name, to }): Move => ({ cause: { kind: 'hook', name }, ...(to === undefined ? {} : { to }) })),
    ];
    const file = atTarget === undefined ? this.#file : (this.#target ?? this.#file);
    if (atTarget === undefined) {
      this.#endLanding(moves);
    } else {
      this.#endLanding([{ cause: edit }, { cause: { kind: 'renamed', to: file.path }, to: { disk: 'absent' } }]);
      atTarget.end(moves);
    }
    if (isSavedTogether) {
      ledger.moved(file.key, { kind: 'save' }, now(), written);
    }
    this.#memory.remember(file, state);
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
      evidence: more.evidence ?? [],
      diffSinceRead: more.diff?.text ?? null,
      ...(more.yourEdit === undefined ? {} : { yourEdit: more.yourEdit }),
      ...(more.reason === undefined ? {} : { reason: more.reason }),
      explanation: this.#call.explanation,
      request: this.#request,
    });
  }
}

/** What landed: the candidate, or the whole text of a file that was created. @returns `undefined` where no text was. */
function candidateOf(considered: Considered): Candidate | undefined {
  switch (considered.kind) {
    case 'accepted':
    case 'rename':
      return considered.candidate;
    case 'create':
      return { spans: spansBetween('', considered.text.content), text: considered.text };
    case 'delete':
      return undefined;
    default:
      throw new Error(`an entry was applied although it was ${considered.kind}`);
  }
}

/** What was accepted has a base. */
function knownBase({ base }: State): Base {
  if (base === undefined) {
    throw new Error('a file whose state has no base was accepted');
  }
  return base;
}

const CANCELLED: Problem = {
  status: 'cancelled',
  reason: 'the call was cancelled before its base was compared',
  next: 'nothing was touched; send the call again if it is still wanted',
};
