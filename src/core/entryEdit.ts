import { type Base, isSameBase, printBase } from './base.ts';
import type { Conflicts } from './conflict.ts';
import {
  type Candidate,
  contentOf,
  type Decision,
  type Documents,
  type FileRef,
  type HookFailure,
  type Outcome,
  type State,
} from './documents.ts';
import { judge, type Verdict } from './gate.ts';
import type { EditRequest } from './input.ts';
import type { Landing, Move } from './ledger.ts';
import type { Memory } from './memory.ts';
import { parsePatch } from './patch.ts';
import { noteRegions } from './regions.ts';
import { type Relation, relate, relatePatch, relateWhole } from './relation.ts';
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
import { changedLines, lineShifts, type Span, spansBetween } from './text.ts';

/** The call that an entry belongs to. */
export interface Call {
  readonly session: Session;
  readonly turn: number;
  readonly explanation: string | undefined;
  readonly isCancelled: () => boolean;
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

type Applied = Extract<Outcome, { kind: 'applied' }>;

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
  readonly #call: Call;
  /** The same entry of the same file, base included. */
  readonly #key: string;
  #landing: Landing | undefined;

  constructor({ documents, memory, conflicts, nextEdit }: Workshop, request: EditRequest, file: FileRef, call: Call) {
    this.#documents = documents;
    this.#memory = memory;
    this.#conflicts = conflicts;
    this.#nextEdit = nextEdit;
    this.#request = request;
    this.#file = file;
    this.#call = call;
    this.#key = `${file.key}\n${printBase(request.base)}\n${request.signature}`;
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
    if (state.kind === 'unreadable') {
      return verdict;
    }
    const unsupported = unsupportedProblem(this.#request);
    if (unsupported) {
      return { kind: 'problem', problem: unsupported };
    }
    const refused = this.#call.session.refused
      .get(this.#file.key)
      ?.find(({ signature }) => signature === this.#request.signature);
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
      case 'problem':
        return this.#problem(considered.problem, state);
      case 'file_operation':
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
    const { state, landed, saved, hooks, foreign } = outcome;
    const { session, turn } = this.#call;
    const number = this.#nextEdit();
    outcome.onDidNumber(number);
    this.#record(number, outcome);
    const candidate = candidateOf(considered);
    const final = state.kind === 'text' ? state.text.content : undefined;
    const content = contentOf(before);
    // Beside somebody else's text, a diff would show that as the hook's.
    const hookDiff =
      !foreign && final !== undefined && final !== candidate.text.content && hooks.length > 0
        ? this.#memory.diff(candidate.text.content, final)
        : undefined;
    const hookedTo = hookDiff?.complete ? final : undefined;
    // Without hooks, the bytes must be those that our own part led to; their text is what the call itself showed.
    const isAsAsked = state.base !== undefined && printBase(state.base) === printBase(landed);
    const vouched =
      !foreign && (isAsAsked || hookedTo !== undefined || (hooks.length > 0 && final === candidate.text.content));
    const token = state.base && printBase(state.base);
    session.landed(this.#file.key, this.#request.signature);
    session.keepApplied(this.#key, { edit: number, result: token ?? '', isShown: vouched });
    if (vouched && state.base !== undefined) {
      session.held.set(this.#file.key, { file: this.#file, base: state.base, turn });
    }
    this.#conflicts.close((conflict) => conflict.session === session.id && conflict.key === this.#file.key);
    const notes = this.#notesFor(candidate.spans, before, saved, vouched, outcome.hookFailures ?? []);
    const spans = hookedTo === undefined ? candidate.spans : spansBetween(content, hookedTo);
    return reportApplied({
      path: this.#file.path,
      token,
      vouched,
      edit: number,
      saved,
      changedLines: changedLines(content, hookedTo ?? candidate.text.content, spans),
      lineShifts: lineShifts(content, hookedTo ?? candidate.text.content, spans),
      hooks: hooks.map(({ name }) => name),
      ...(hookDiff ? { diffByHooks: hookDiff.text } : {}),
      ...(notes.length === 0 ? {} : { note: notes.join('. ') }),
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
    saved: boolean,
    vouched: boolean,
    failures: readonly HookFailure[],
  ): string[] {
    const { path, key } = this.#file;
    const { regions, isWorn } = noteRegions(this.#call.session.regions.get(key) ?? [], spans);
    this.#call.session.regions.set(key, regions);
    const notes = failures.map(({ name, reason }) => `the edit stands, but the hook ${name} failed: ${reason}`);
    if (!vouched) {
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
      yourEdit: relateWish(base, now, this.#request),
    };
    if (moved.actual !== undefined) {
      this.#call.session.tell(this.#file.key, moved.actual);
    }
    this.#call.session.refuse(this.#file.key, { signature: this.#request.signature, base: since });
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

/** What the contract knows and this version does not carry out yet: refused by name, never half done. */
function unsupportedProblem({ wish, renameTo, symbol }: EditRequest): Problem | undefined {
  if (symbol !== undefined) {
    return {
      status: 'symbol_not_found',
      reason: 'this version cannot tell where symbols begin and end yet',
      next: 'send the entry without `symbol`; quote enough of the surrounding text that the place is sure',
    };
  }
  if (wish.kind === 'delete' || renameTo !== undefined) {
    return {
      status: 'invalid_input',
      reason: 'this version does not delete or rename files yet',
      next: 'ask the engineer to do it',
    };
  }
  return undefined;
}

/** The contract's `your_edit`. A malformed patch has no place, so nothing of it applies. */
function relateWish(base: string | undefined, now: string, { wish }: EditRequest): Relation {
  switch (wish.kind) {
    case 'edits':
      return relate(base, now, wish.replacements);
    case 'patch': {
      const parsed = parsePatch(wish.patch);
      return parsed.status === 'parsed' ? relatePatch(base, now, parsed.patch.hunks) : 'no longer applicable';
    }
    case 'content':
      return relateWhole(base, now, wish.content);
    case 'delete':
    case 'nothing':
      return relateWhole(base, now, undefined);
    default:
      return wish satisfies never;
  }
}
