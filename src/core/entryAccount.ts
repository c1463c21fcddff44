import { type Base, isFresh, printBase } from './base.ts';
import type { OpenEntry } from './batch.ts';
import { spansBetween } from './compare.ts';
import type { Conflicts } from './conflict.ts';
import type { Diff } from './diff.ts';
import {
  type Candidate,
  contentOf,
  type FileRef,
  type Outcome,
  type RenameOutcome,
  type State,
  type TakenBack,
} from './documents.ts';
import type { Verdict } from './gate.ts';
import type { Guarded, Guards } from './guards.ts';
import type { EditRequest } from './input.ts';
import type { LandedEdit } from './landedEdit.ts';
import { type Applied, gatherLandedFacts, gatherMovedFacts } from './landedFacts.ts';
import { landedLines } from './landedLines.ts';
import type { Landing, Move, Transition } from './ledger.ts';
import type { Memory } from './memory.ts';
import { noteRegions } from './regions.ts';
import { relateWish } from './relation.ts';
import {
  type Report,
  reportAlreadyApplied,
  reportApplied,
  reportGuarded,
  reportGuardedInSecret,
  reportMisplaced,
  reportMisplacedInSecret,
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
export type Considered =
  | Verdict
  | Guarded
  | { readonly kind: 'cancelled' }
  /** The entry would rename the file, and something is at the target: `state` is that of the target. */
  | { readonly kind: 'occupied'; readonly state: State }
  | { readonly kind: 'already_applied'; readonly applied: AppliedEntry }
  /** Refused as stale before, and sent again with a fresh base by reflex; `since` is the base it was refused at. */
  | { readonly kind: 'unconsidered'; readonly since: Base };

/** What an account is written with. */
export interface Desk {
  readonly memory: Memory;
  readonly conflicts: Conflicts;
  /** Takes the next edit number of this workspace, counted from 1, and stores it. */
  readonly nextEdit: () => number;
  /** Told of each edit that stands, for the engineer to see. */
  readonly onDidLand?: ((landed: LandedEdit) => void) | undefined;
}

/** Says how an entry ended: to the model as its report, to the ledger, to the session, and to the engineer as a conflict. */
export class EntryAccount {
  readonly #memory: Memory;
  readonly #conflicts: Conflicts;
  readonly #nextEdit: () => number;
  readonly #onDidLand: Desk['onDidLand'];
  readonly #request: EditRequest;
  readonly #file: FileRef;
  readonly #target: FileRef | undefined;
  readonly #call: Call;
  readonly #guards: Guards;
  /** The same entry of the same file, base included. */
  readonly #key: string;
  #landing: Landing | undefined;
  #landingAtTarget: Landing | undefined;
  #number: number | undefined;
  #recordedHooks = 0;
  /** The newest that the ledger knew of the entry's files when they were compared, by key; afterwards, what is ours. */
  readonly #newest = new Map<string, Transition | undefined>();

  constructor(
    { memory, conflicts, nextEdit, onDidLand }: Desk,
    { request, file, target }: OpenEntry,
    call: Call,
    guards: Guards,
  ) {
    this.#memory = memory;
    this.#conflicts = conflicts;
    this.#nextEdit = nextEdit;
    this.#onDidLand = onDidLand;
    this.#request = request;
    this.#file = file;
    this.#target = target;
    this.#call = call;
    this.#guards = guards;
    this.#key = `${file.key}\n${printBase(request.base)}\n${request.signature}`;
  }

  /** This very entry, where the session has applied it before. */
  get appliedBefore(): AppliedEntry | undefined {
    return this.#call.session.appliedEntry(this.#key);
  }

  /** To be called in the turn of the compare, once its state is remembered. */
  compared(): void {
    for (const { key } of this.#files) {
      this.#newest.set(key, this.#lastOf(key));
    }
  }

  /** From now on, what happens to the file is ours, until the account is written or {@link withdraw} is called. */
  begin(): void {
    const { ledger, now } = this.#memory;
    this.#ours(() => {
      this.#landing ??= ledger.landing(this.#file.key, now());
      if (this.#target !== undefined) {
        this.#landingAtTarget ??= ledger.landing(this.#target.key, now());
      }
    });
  }

  /** Nothing of ours is left, whatever happened in between: the files must be seen again. */
  withdraw(): void {
    this.#end([], []);
  }

  #end(moves: readonly Move[], atTarget: readonly Move[]): void {
    this.#ours(() => {
      this.#landing?.end(moves);
      this.#landing = undefined;
      this.#landingAtTarget?.end(atTarget);
      this.#landingAtTarget = undefined;
    });
  }

  /** Runs what writes our own part into the ledger: nothing newer than what the entry knows of. */
  #ours(body: () => void): void {
    const known = this.#files.filter(({ key }) => this.#lastOf(key) === this.#newest.get(key));
    body();
    for (const { key } of known) {
      this.#newest.set(key, this.#lastOf(key));
    }
  }

  /**
   * Remembers the state of an outcome. Where the ledger has heard of something since the compare, a sighting of it might come
   * too late, so the file is looked at once more.
   *
   * @returns the state that was seen last.
   */
  async #settle(file: FileRef, state: State): Promise<State> {
    if (!this.#isFollowed(file)) {
      this.#memory.remember(file, state);
      return state;
    }
    this.#memory.rememberText(file, state);
    return this.#memory.look(file);
  }

  /** As {@link #settle}, for a file that has left its base. Where it is back by now, it had moved all the same. */
  async #settleMoved(state: State): Promise<State> {
    const file = this.#file;
    const now = this.#isFollowed(file) ? await this.#memory.peek(file) : state;
    const isBack = now !== state && now.base !== undefined && isFresh(this.#request.base, now.base);
    if (isBack) {
      this.#memory.remember(file, state);
    }
    this.#memory.remember(file, now);
    return isBack ? state : now;
  }

  /** Whether the ledger has heard of something that happened to a file since the compare, and was not ours. */
  #isFollowed({ key }: FileRef): boolean {
    return this.#lastOf(key) !== this.#newest.get(key);
  }

  #lastOf(key: string): Transition | undefined {
    return this.#memory.ledger.transitions(key).at(-1);
  }

  get #files(): readonly FileRef[] {
    return this.#target === undefined ? [this.#file] : [this.#file, this.#target];
  }

  /** Turns how it ended into what the model is told, and remembers what later answers need. */
  async conclude(considered: Considered, before: State, outcome: Outcome | RenameOutcome): Promise<Report> {
    if (outcome.kind === 'applied') {
      return this.#landed(considered, before, outcome);
    }
    this.withdraw();
    switch (outcome.kind) {
      case 'refused':
      case 'held':
        return this.#refused(considered, outcome.state);
      case 'occupied':
        return this.#occupied(outcome.state);
      case 'unfit':
        return this.problem(outcome.problem);
      case 'moved':
        return this.#stale(await this.#settleMoved(outcome.state), this.#request.base, 'stale_base');
      case 'disk_changed':
        return this.#stale(await this.#settleMoved(outcome.state), this.#request.base, 'disk_changed_during_save');
      case 'failed': {
        const state = await this.#settle(this.#file, outcome.state);
        const { status, reason, isTakenBack } = outcome;
        const left = isTakenBack
          ? 'nothing of this edit is left in the file'
          : 'part of the edit may still stand, in the editor or on disk';
        const next = `${left}; tell the engineer, and read ${this.#file.path} again before trying once more`;
        return this.problem({ status, reason, next }, state);
      }
      default:
        return outcome satisfies never;
    }
  }

  /** `atomic`: a later step failed, and the entry's part was taken back. */
  async rolledBack(before: State, back: TakenBack, because: string): Promise<Report> {
    this.withdraw();
    const state = await this.#settle(this.#file, back.state);
    const { isWhole } = back;
    const { path } = this.#file;
    const token = state.base && printBase(state.base);
    const again = 'settle what failed, then send the whole call again';
    if (!isWhole || token === undefined) {
      const reason = `${because}; this edit could not be taken back`;
      return this.problem(
        { status: 'apply_failed', reason, next: `read ${path} before you go on, and tell the engineer` },
        state,
      );
    }
    return token === (before.base && printBase(before.base))
      ? reportProblem(path, { status: 'rolled_back', reason: because, next: again }, { base: token })
      : reportProblem(
          path,
          {
            status: 'rolled_back',
            reason: `${because}; nothing of this edit is left, and somebody else has changed the file since`,
            next: `read ${path} again; ${again}`,
          },
          { actual: token },
        );
  }

  async #refused(considered: Considered, state: State): Promise<Report> {
    switch (considered.kind) {
      case 'cancelled':
        return reportProblem(this.#file.path, CANCELLED);
      case 'occupied':
        return this.#occupied(considered.state);
      case 'already_applied':
        return reportAlreadyApplied(this.#file.path, considered.applied);
      case 'stale':
        return this.#stale(state, this.#request.base, 'stale_base');
      case 'unconsidered':
        return this.#stale(state, considered.since, 'unconsidered_retry');
      case 'misplaced': {
        const { misplaced } = considered;
        const report = this.#memory.isSecret(this.#file)
          ? reportMisplacedInSecret(this.#file.path, misplaced)
          : reportMisplaced(this.#file.path, misplaced);
        this.#addConflict(considered.misplaced.status, state, { reason: String(report['next']) });
        return report;
      }
      case 'guarded': {
        const { refusal } = considered;
        const report = this.#memory.isSecret(this.#file)
          ? reportGuardedInSecret(this.#file.path, refusal)
          : reportGuarded(this.#file.path, refusal);
        this.#addConflict(refusal.status, state, { reason: String(report['reason']) });
        return report;
      }
      case 'problem':
        return this.problem(considered.problem, state);
      case 'accepted':
      case 'create':
      case 'delete':
      case 'rename':
        throw new Error(`${this.#file.path} was accepted and yet not applied`);
      default:
        return considered satisfies never;
    }
  }

  problem(problem: Problem, state?: State): Report {
    if (problem.status !== 'invalid_range') {
      this.#addConflict(problem.status, state, { reason: problem.reason });
    }
    const actual = state?.base && problem.status.endsWith('_failed') ? { actual: printBase(state.base) } : {};
    return reportProblem(this.#file.path, problem, actual);
  }

  /** Something is at the target of a rename: a stale base of the target, which must be absent. */
  async #occupied(taken: State): Promise<Report> {
    const target = this.#target ?? this.#file;
    const state = await this.#settle(target, taken);
    if (state.kind === 'unreadable') {
      return this.problem({
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
    this.#addConflict('stale_base', state, { ...facts, since: facts.expected }, target);
    return reportStale(facts);
  }

  async #landed(considered: Considered, before: State, landed: Applied): Promise<Report> {
    const { session, turn } = this.#call;
    const number = this.land(landed);
    this.#recordHooks(landed);
    const now = await this.#settle(this.#target ?? this.#file, landed.state);
    // Beside somebody else's text no base is given, so what is told may as well be the newest.
    const outcome = landed.foreign ? { ...landed, state: now } : landed;
    const candidate = candidateOf(considered);
    const facts = candidate
      ? gatherLandedFacts(before, candidate, outcome, (asked, final) => this.#diffByHooks(asked, final))
      : gatherMovedFacts(outcome);
    const { token, vouched } = facts;
    const file = this.#target ?? this.#file;
    const renamedFrom = file === this.#file ? {} : { renamedFrom: this.#file.path };
    session.landed(this.#file.key, this.#request.parts);
    session.keepApplied(this.#key, { edit: number, result: token ?? '', isShown: vouched, ...renamedFrom });
    if (file !== this.#file) {
      session.held.delete(this.#file.key);
    }
    if (vouched && outcome.state.base !== undefined) {
      session.held.set(file.key, { file, base: outcome.state.base, turn });
    }
    const keys = [this.#file.key, file.key];
    this.#conflicts.close((conflict) => conflict.session === session.id && keys.includes(conflict.key));
    if (candidate) {
      this.#show(number, contentOf(before), candidate.text.content, outcome);
    }
    const notes = candidate ? this.#notesFor(candidate.spans, before, vouched, outcome) : [];
    const isTold = candidate !== undefined && !this.#memory.isSecret(this.#file);
    return reportApplied({
      path: file.path,
      ...renamedFrom,
      edit: number,
      ...facts,
      syntaxWarning: isTold ? this.#guards.warning(before, candidate, outcome.state) : undefined,
      ...(notes.length === 0 ? {} : { note: notes.join('. ') }),
    });
  }

  /** Of a secret, nothing is shown: then the session has not been shown what hooks made of it. */
  #diffByHooks(asked: string, final: string): Diff {
    const diff = this.#memory.diff(asked, final);
    return this.#memory.isSecret(this.#file) ? { ...diff, text: '', complete: false } : diff;
  }

  /** Tells the engineer's side which lines are new. What somebody else wrote beside the edit is nobody's hook. */
  #show(edit: number, before: string, asked: string, { state, hooks, foreign, isUndone }: Applied): void {
    if (this.#onDidLand === undefined || state.kind !== 'text' || isUndone) {
      return;
    }
    const { content } = state.text;
    this.#onDidLand({
      ...(this.#target ?? this.#file),
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

  /**
   * Gives an edit that stands its number, and writes it into the ledger: before hooks run, so that it has its name even if
   * they never end. Once.
   */
  land(outcome: Applied): number {
    if (this.#number !== undefined) {
      return this.#number;
    }
    const number = this.#nextEdit();
    this.#number = number;
    outcome.onDidNumber(number);
    const { session, turn } = this.#call;
    const { landed, written, isSavedTogether } = outcome;
    const edit: Move['cause'] = { kind: 'edit', number, session: session.id, turn };
    const moves: readonly Move[] = [{ cause: edit, to: landed }, ...this.#hookMoves(outcome)];
    const file = this.#target ?? this.#file;
    if (file === this.#file) {
      this.#end(moves, []);
    } else {
      this.#end([{ cause: edit }, { cause: { kind: 'renamed', to: file.path }, to: { disk: 'absent' } }], moves);
    }
    if (isSavedTogether) {
      // What was typed after that has been told by now: then the state that our save led to holds it, too.
      const { base } = outcome.state;
      const to = written !== undefined && base?.disk === written.disk ? base : written;
      this.#memory.ledger.moved(file.key, { kind: 'save' }, this.#memory.now(), to);
    }
    // What hooks write is theirs, and nobody's move until they are through.
    this.begin();
    return number;
  }

  #recordHooks(outcome: Applied): void {
    const moves = this.#hookMoves(outcome);
    const isRenamed = this.#target !== undefined;
    this.#end(isRenamed ? [] : moves, isRenamed ? moves : []);
  }

  /** Those that are not in the ledger yet. */
  #hookMoves({ hooks }: Applied): Move[] {
    const moves = hooks
      .slice(this.#recordedHooks)
      .map(({ name, to }): Move => ({ cause: { kind: 'hook', name }, ...(to === undefined ? {} : { to }) }));
    this.#recordedHooks = hooks.length;
    return moves;
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
    if (this.#guards.untold !== undefined) {
      notes.push(`nobody could tell whether the edit breaks the syntax: ${this.#guards.untold}`);
    }
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
      return this.problem(state.problem, state);
    }
    const moved = await this.#memory.factsSince(since, this.#file, state, this.#call.session.id);
    const base = this.#memory.snapshotAt(since)?.text.content;
    const now = contentOf(state);
    const facts: StaleFacts = {
      ...moved,
      status,
      expected: printBase(this.#memory.ledger.complete(this.#file.key, this.#request.base)),
      ...(this.#memory.isSecret(this.#file)
        ? {}
        : { yourEdit: relateWish(base, now, this.#request.wish, (content) => this.#guards.outline(content)) }),
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
    { key, path }: FileRef = this.#file,
  ): void {
    this.#conflicts.add({
      time: this.#memory.now(),
      key,
      path,
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
      ...(this.#memory.isSecret({ key, path }) ? { isSecret: true } : {}),
    });
  }
}

/** What landed: the candidate, or the whole text of a file that was created. @returns `undefined` where no text was. */
export function candidateOf(considered: Considered): Candidate | undefined {
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

const CANCELLED: Problem = {
  status: 'cancelled',
  reason: 'the call was cancelled before its base was compared',
  next: 'nothing was touched; send the call again if it is still wanted',
};
