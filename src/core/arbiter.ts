// The arbiter of agent edits: takes the calls of the tools, holds each file's lock while the gate decides and the editor
// applies, and remembers what enriches an answer (who changed what, texts at bases, conflicts). The gate itself needs none
// of that memory. The only class of the core with state; everything it decides is decided by pure functions beside it.

import { attribute, hasOtherWriter } from './attribution.ts';
import { type Base, effectiveDigest, isFresh, isSameBase, printBase } from './base.ts';
import { Conflicts } from './conflict.ts';
import { type Diff, unifiedDiff } from './diff.ts';
import type { Decision, Documents, FileRef, Outcome, State } from './documents.ts';
import { judge, type Verdict } from './gate.ts';
import {
  type CheckRequest,
  type EditCall,
  type EditRequest,
  type InvalidEntry,
  isInvalid,
  parseCheckCall,
  parseEditCall,
  parseReadCall,
  type ReadRequest,
} from './input.ts';
import type { Ledger, Pending } from './ledger.ts';
import { parsePatch } from './patch.ts';
import { Queue } from './queue.ts';
import { type ReadPart, type Room, readState } from './reading.ts';
import { noteRegions } from './regions.ts';
import { type Relation, relate, relatePatch, relateWhole } from './relation.ts';
import {
  type Report,
  reportAlreadyApplied,
  reportApplied,
  reportMisplaced,
  reportProblem,
  reportStale,
  reportStaleCheck,
  type StaleFacts,
  summarize,
} from './report.ts';
import { type AppliedEntry, type Session, Sessions } from './sessions.ts';
import type { Problem, Refusal } from './status.ts';
import { changedLines, eolOf, lineShifts, type Span, spansBetween } from './text.ts';
import { type Snapshot, Texts } from './texts.ts';

/** Limits that the engineer can set. */
export interface Limits {
  /** Bytes of text that are remembered at bases. */
  readonly textMemory: number;
  /** UTF-16 units of a diff in an answer. */
  readonly diffChars: number;
  /** Milliseconds of work for one diff. */
  readonly diffTime: number;
  /** UTF-16 units of one file's content in a read. */
  readonly readChars: number;
}

export const DEFAULT_LIMITS: Limits = {
  textMemory: 64 * 1024 * 1024,
  diffChars: 4_000,
  diffTime: 200,
  readChars: 256 * 1024,
};

/** What the arbiter needs beside an editor. */
export interface Surroundings {
  readonly documents: Documents;
  readonly ledger: Ledger;
  readonly limits: Limits;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Takes the next edit number of this workspace, counted from 1, and stores it. */
  readonly nextEdit: () => number;
}

/** Who calls. */
export interface Caller {
  /** `undefined` where the host cannot tell. */
  readonly session: string | undefined;
  readonly isCancelled: () => boolean;
}

export interface EditAnswer {
  readonly summary: string;
  readonly results: readonly Report[];
  readonly also_changed?: readonly string[];
  readonly next?: string;
}

/** The call that an entry belongs to. */
interface Call {
  readonly session: Session;
  readonly turn: number;
  readonly explanation: string | undefined;
  readonly isCancelled: () => boolean;
}

/** An entry with its file, or the report that already answers it. */
type Entry =
  | { readonly kind: 'open'; readonly request: EditRequest; readonly file: FileRef }
  | { readonly kind: 'answered'; readonly report: Report };

/** What the gate, and what is remembered of the session, say of an entry at one state. */
type Considered =
  | Verdict
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'already_applied'; readonly applied: AppliedEntry }
  /** Refused as stale before, and sent again with a fresh base by reflex; `since` is the base it was refused at. */
  | { readonly kind: 'unconsidered'; readonly since: Base };

/** How many milliseconds the search for the place most like a missing text may take. */
const NEAREST_MS = 50;

export class Arbiter {
  readonly conflicts = new Conflicts();
  readonly #documents: Documents;
  readonly #ledger: Ledger;
  #limits: Limits;
  readonly #now: () => number;
  readonly #nextEdit: () => number;
  readonly #queue = new Queue();
  readonly #sessions = new Sessions();
  readonly #texts: Texts;

  constructor({ documents, ledger, limits, now, nextEdit }: Surroundings) {
    this.#documents = documents;
    this.#ledger = ledger;
    this.#limits = limits;
    this.#now = now;
    this.#nextEdit = nextEdit;
    this.#texts = new Texts(limits.textMemory);
  }

  set limits(limits: Limits) {
    this.#limits = limits;
    this.#texts.limit = limits.textMemory;
  }

  /** `arbiter_read`: one part per file, in input order. */
  async read(input: unknown, caller: Caller, roomFor: Room): Promise<ReadPart[]> {
    const parsed = parseReadCall(input);
    if ('status' in parsed) {
      return [{ header: reportProblem(undefined, parsed) }];
    }
    const { call, end } = this.#begin(caller);
    try {
      const looks = await Promise.all(parsed.entries.map((entry) => this.#lookFor(entry)));
      const parts: ReadPart[] = [];
      for (const look of looks) {
        parts.push('header' in look ? look : await this.#give(look.request, look.file, look.state, call, roomFor));
      }
      return parts;
    } finally {
      end();
    }
  }

  /** `arbiter_edit`: a result per file, in input order. */
  async edit(input: unknown, caller: Caller): Promise<EditAnswer> {
    const parsed = parseEditCall(input);
    if ('status' in parsed) {
      return { summary: 'invalid_input', results: [], next: `${parsed.reason}; ${parsed.next}` };
    }
    const { call, end } = this.#begin(caller, parsed.explanation);
    try {
      const entries = this.#resolveAll(parsed);
      const results = await this.#editAll(entries, parsed.onConflict, call);
      const alsoChanged = await this.#alsoChanged(call.session, keysOf(entries));
      const summary = summarize(results);
      return alsoChanged.length > 0 ? { summary, results, also_changed: alsoChanged } : { summary, results };
    } finally {
      end();
    }
  }

  /** `arbiter_check`: reads, never writes, never gates. Without files: every base of the session that is stale now. */
  async check(input: unknown, caller: Caller): Promise<{ readonly results: readonly Report[] }> {
    const parsed = parseCheckCall(input);
    if (parsed !== undefined && 'status' in parsed) {
      return { results: [reportProblem(undefined, parsed)] };
    }
    const { call, end } = this.#begin(caller);
    try {
      if (parsed === undefined) {
        const held = [...call.session.held.values()];
        const results = await Promise.all(held.map(({ file, base }) => this.#checkBase(file, base, call.session)));
        return { results: results.filter(({ status }) => status !== 'fresh') };
      }
      return { results: await Promise.all(parsed.entries.map((entry) => this.#checkEntry(entry, call.session))) };
    } finally {
      end();
    }
  }

  /** The content at a base, for the engineer's views. @returns `undefined` when it is not remembered. */
  contentAt(base: Base): string | undefined {
    return this.#snapshotAt(base)?.text.content;
  }

  #begin(caller: Caller, explanation?: string): { call: Call; end: () => void } {
    const now = this.#now();
    this.#sessions.dropIdle(now);
    const session = this.#sessions.of(caller.session);
    const turn = session.begin(now);
    for (const key of session.takeReread(turn)) {
      this.conflicts.close((conflict) => conflict.session === session.id && conflict.key === key);
    }
    return { call: { session, turn, explanation, isCancelled: caller.isCancelled }, end: () => session.end() };
  }

  // --- reading

  async #lookFor(
    entry: ReadRequest | InvalidEntry,
  ): Promise<ReadPart | { readonly request: ReadRequest; readonly file: FileRef; readonly state: State }> {
    if (isInvalid(entry)) {
      return { header: reportProblem(entry.path, entry.problem) };
    }
    const file = this.#documents.resolve(entry.path);
    if ('status' in file) {
      return { header: reportProblem(entry.path, file) };
    }
    return { request: entry, file, state: await this.#look(file) };
  }

  async #give(request: ReadRequest, file: FileRef, state: State, call: Call, roomFor: Room): Promise<ReadPart> {
    const whenNone = this.#documents.endingFor(file) === '\n' ? 'lf' : 'crlf';
    const part = await readState(request, file.path, state, this.#limits.readChars, roomFor, whenNone);
    if (state.base !== undefined && (part.header.status === 'ok' || state.kind === 'absent')) {
      call.session.read({ file, base: state.base, turn: call.turn });
    }
    return part;
  }

  /** The state now, remembered. */
  async #look(file: FileRef): Promise<State> {
    const state = await this.#documents.look(file);
    this.#remember(file, state);
    return state;
  }

  #remember(file: FileRef, state: State): void {
    if (state.base === undefined) {
      return;
    }
    this.#ledger.seen(file.key, state.base, this.#now());
    if (state.kind === 'text') {
      this.#texts.keep(effectiveDigest(state.base), state);
    }
  }

  // --- editing

  #resolveAll(parsed: EditCall): Entry[] {
    const entries = parsed.entries.map((entry): Entry => {
      if (isInvalid(entry)) {
        return { kind: 'answered', report: reportProblem(entry.path, entry.problem) };
      }
      const file = this.#documents.resolve(entry.path);
      return 'status' in file
        ? { kind: 'answered', report: reportProblem(entry.path, file) }
        : { kind: 'open', request: entry, file };
    });
    const keys = keysOf(entries);
    return entries.map((entry) =>
      entry.kind === 'open' && keys.indexOf(entry.file.key) !== keys.lastIndexOf(entry.file.key)
        ? { kind: 'answered', report: reportProblem(entry.file.path, NAMED_TWICE) }
        : entry,
    );
  }

  async #editAll(entries: readonly Entry[], onConflict: EditCall['onConflict'], call: Call): Promise<Report[]> {
    const edit = async (entry: Entry) =>
      entry.kind === 'open' ? this.#editOne(entry.request, entry.file, call) : entry.report;
    if (onConflict === 'continue' || entries.length === 1) {
      return Promise.all(entries.map(edit));
    }
    if (onConflict === 'atomic') {
      return entries.map((entry) =>
        entry.kind === 'open' ? reportProblem(entry.file.path, NOT_ATOMIC) : entry.report,
      );
    }
    const results: Report[] = [];
    for (const entry of entries) {
      const refused = results.find(({ status }) => status !== 'applied' && status !== 'already_applied');
      const path = entry.kind === 'open' ? entry.file.path : entry.report.path;
      results.push(refused ? reportProblem(path, skippedAfter(refused)) : await edit(entry));
    }
    return results;
  }

  async #editOne(request: EditRequest, file: FileRef, call: Call): Promise<Report> {
    return this.#queue.run(file.key, async () => {
      let asked: { readonly considered: Considered; readonly state: State } | undefined;
      let landing: Pending | undefined;
      const outcome = await this.#documents.transact(file, (state): Decision => {
        const considered = this.#consider(request, file, state, call);
        asked = { considered, state };
        if (considered.kind !== 'accepted') {
          return { kind: 'refuse' };
        }
        const onDidLand = () => {
          landing = this.#ledger.landing(file.key, this.#now());
        };
        return { kind: 'apply', candidate: considered.candidate, onDidLand };
      });
      if (asked === undefined) {
        throw new Error(`the state of ${file.path} was never asked for`);
      }
      const { considered, state } = asked;
      if (considered.kind === 'create' && outcome.kind === 'refused') {
        const created = await this.#documents.create(file, considered.text);
        return this.#conclude(request, file, call, considered, state, created, undefined);
      }
      return this.#conclude(request, file, call, considered, state, outcome, landing);
    });
  }

  /** Runs synchronously between the look at the state and the apply. */
  #consider(request: EditRequest, file: FileRef, state: State, call: Call): Considered {
    this.#remember(file, state);
    if (call.isCancelled()) {
      return { kind: 'cancelled' };
    }
    const unsupported = unsupportedProblem(request);
    if (unsupported) {
      return { kind: 'problem', problem: unsupported };
    }
    const verdict = judge(request, file.path, state, this.#documents.endingFor(file), {
      maxMs: NEAREST_MS,
      now: this.#now,
    });
    if (verdict.kind === 'stale') {
      const applied = call.session.applied.get(entryKey(file, request));
      const isStillThere = state.base !== undefined && applied?.result === printBase(state.base);
      return applied && isStillThere ? { kind: 'already_applied', applied } : verdict;
    }
    const refused = call.session.refused.get(file.key)?.find(({ signature }) => signature === request.signature);
    if (
      refused &&
      request.stillNeeded === undefined &&
      !isSameBase(this.#ledger.complete(file.key, request.base), this.#ledger.complete(file.key, refused.base))
    ) {
      return { kind: 'unconsidered', since: refused.base };
    }
    return verdict;
  }

  /** Turns how it ended into what the model is told, and remembers what later answers need. */
  async #conclude(
    request: EditRequest,
    file: FileRef,
    call: Call,
    considered: Considered,
    before: State,
    outcome: Outcome,
    landing: Pending | undefined,
  ): Promise<Report> {
    if (outcome.kind === 'applied') {
      return this.#landed(request, file, call, considered, before, outcome, landing);
    }
    landing?.withdraw();
    switch (outcome.kind) {
      case 'refused':
        return this.#refused(request, file, call, considered, outcome.state);
      case 'unfit':
        return this.#problem(request, file, call, outcome.problem);
      case 'moved':
        this.#remember(file, outcome.state);
        return this.#stale(request, file, call, outcome.state, request.base, 'stale_base');
      case 'disk_changed':
        this.#remember(file, outcome.state);
        return this.#stale(request, file, call, outcome.state, request.base, 'disk_changed_during_save');
      case 'failed': {
        this.#remember(file, outcome.state);
        const { status, reason, isTakenBack } = outcome;
        const left = isTakenBack
          ? 'nothing of this edit is left in the file'
          : 'the edit may still stand in the editor, unsaved';
        const next = `${left}; tell the engineer, and read ${file.path} again before trying once more`;
        return this.#problem(request, file, call, { status, reason, next }, outcome.state);
      }
      default:
        return outcome satisfies never;
    }
  }

  async #refused(
    request: EditRequest,
    file: FileRef,
    call: Call,
    considered: Considered,
    state: State,
  ): Promise<Report> {
    switch (considered.kind) {
      case 'cancelled':
        return reportProblem(file.path, CANCELLED);
      case 'already_applied':
        return reportAlreadyApplied(file.path, considered.applied);
      case 'stale':
        return this.#stale(request, file, call, state, request.base, 'stale_base');
      case 'unconsidered':
        return this.#stale(request, file, call, state, considered.since, 'unconsidered_retry');
      case 'misplaced': {
        const report = reportMisplaced(file.path, considered.misplaced);
        this.#addConflict(request, file, call, considered.misplaced.status, state, { reason: String(report['next']) });
        return report;
      }
      case 'problem':
        return this.#problem(request, file, call, considered.problem, state);
      case 'file_operation':
      case 'accepted':
      case 'create':
        throw new Error(`${file.path} was accepted and yet not applied`);
      default:
        return considered satisfies never;
    }
  }

  #problem(request: EditRequest, file: FileRef, call: Call, problem: Problem, state?: State): Report {
    if (problem.status !== 'invalid_range') {
      this.#addConflict(request, file, call, problem.status, state, { reason: problem.reason });
    }
    const actual = state?.base && problem.status.endsWith('_failed') ? { actual: printBase(state.base) } : {};
    return reportProblem(file.path, problem, actual);
  }

  #landed(
    request: EditRequest,
    file: FileRef,
    call: Call,
    considered: Considered,
    before: State,
    outcome: Extract<Outcome, { kind: 'applied' }>,
    landing: Pending | undefined,
  ): Report {
    const { state, landed, saved, hooks, foreign } = outcome;
    const { session, turn } = call;
    const number = this.#nextEdit();
    outcome.onDidNumber(number);
    const edit = landing ?? this.#ledger.pending(file.key, this.#now());
    edit.become({ kind: 'edit', number, session: session.id, turn }, landed);
    for (const [index, name] of hooks.entries()) {
      const isLast = index === hooks.length - 1;
      this.#ledger.moved(
        file.key,
        { kind: 'hook', name },
        this.#now(),
        isLast && !outcome.isSavedTogether ? outcome.written : undefined,
      );
    }
    if (outcome.isSavedTogether) {
      this.#ledger.moved(file.key, { kind: 'save' }, this.#now(), outcome.written);
    }
    this.#remember(file, state);

    const beforeContent = before.kind === 'text' ? before.text.content : '';
    const candidate =
      considered.kind === 'accepted'
        ? considered.candidate.text
        : considered.kind === 'create'
          ? considered.text
          : undefined;
    const finalContent = state.kind === 'text' ? state.text.content : undefined;
    const isAsAsked = finalContent !== undefined && finalContent === candidate?.content;
    const hookDiff =
      candidate && finalContent !== undefined && !isAsAsked && hooks.length > 0
        ? this.#diff(candidate.content, finalContent)
        : undefined;
    const vouched = !foreign && (isAsAsked || hookDiff?.complete === true);

    const ownSpans =
      considered.kind === 'accepted' ? considered.candidate.spans : spansBetween('', candidate?.content ?? '');
    const spans =
      hookDiff?.complete && finalContent !== undefined ? spansBetween(beforeContent, finalContent) : ownSpans;
    const shown = hookDiff?.complete && finalContent !== undefined ? finalContent : (candidate?.content ?? '');
    const token = state.base === undefined ? printBase(landed) : printBase(state.base);
    session.landed(file.key, request.signature);
    session.applied.set(entryKey(file, request), { edit: number, result: token, isShown: vouched });
    if (vouched && state.base !== undefined) {
      session.held.set(file.key, { file, base: state.base, turn });
    }
    this.conflicts.close((conflict) => conflict.session === session.id && conflict.key === file.key);
    const note = this.#noteFor(session, file, ownSpans, before, saved, foreign);
    return reportApplied({
      path: file.path,
      token,
      vouched,
      edit: number,
      saved,
      changedLines: changedLines(beforeContent, shown, spans),
      lineShifts: lineShifts(beforeContent, shown, spans),
      hooks,
      ...(hookDiff ? { diffByHooks: hookDiff.text } : {}),
      ...(note === undefined ? {} : { note }),
    });
  }

  #noteFor(
    session: Session,
    file: FileRef,
    spans: readonly Span[],
    before: State,
    saved: boolean,
    foreign: boolean,
  ): string | undefined {
    const { regions, isWorn } = noteRegions(session.regions.get(file.key) ?? [], spans);
    session.regions.set(file.key, regions);
    if (foreign) {
      return 'somebody else changed the file while this edit landed; nothing of theirs was lost';
    }
    if (isWorn) {
      return `this is the third edit or more of one region since you last read it; read ${file.path} again before the next`;
    }
    if (!saved && before.base?.dirty !== undefined) {
      return 'the engineer has unsaved changes in this file, so the edit is in the editor and not on disk; use this base for further edits to this file';
    }
    return undefined;
  }

  // --- refusing

  async #stale(
    request: EditRequest,
    file: FileRef,
    call: Call,
    state: State,
    since: Base,
    status: 'stale_base' | 'unconsidered_retry' | 'disk_changed_during_save',
  ): Promise<Report> {
    const moved = await this.#facts(file, state, since, call.session);
    const base = this.#snapshotAt(since)?.text.content;
    const now = state.kind === 'text' ? state.text.content : '';
    const facts: StaleFacts = {
      ...moved,
      status,
      expected: printBase(this.#ledger.complete(file.key, request.base)),
      yourEdit: relateWish(base, now, request),
    };
    call.session.refuse(file.key, { signature: request.signature, base: since });
    this.#addConflict(request, file, call, status, state, facts);
    return reportStale(facts);
  }

  /** What there is to say of a file that is no longer in the state `since`. */
  async #facts(file: FileRef, state: State, since: Base, session: Session): Promise<StaleFacts> {
    await this.#documents.settled(file);
    const full = this.#ledger.complete(file.key, since);
    const transitions = this.#ledger.transitions(file.key);
    const changedBy = state.base === undefined ? [] : attribute(transitions, full, state.base, session.id);
    const before = this.#snapshotAt(full);
    const owner = transitions.some(({ to }) => to !== undefined && isFresh(full, to))
      ? undefined
      : this.#ledger.ownerOf(full, file.key);
    return {
      status: 'stale_base',
      path: file.path,
      expected: printBase(full),
      actual: state.base === undefined ? undefined : printBase(state.base),
      changedBy,
      diff: before && state.kind === 'text' ? this.#diff(before.text.content, state.text.content) : null,
      formatChanged: before && state.kind === 'text' ? compareFormats(before, state) : [],
      ...(owner === undefined ? {} : { note: 'this base was given for another file; each base belongs to one file' }),
      isShared: hasOtherWriter(changedBy),
      isAbsent: state.kind === 'absent',
    };
  }

  #addConflict(
    request: EditRequest,
    file: FileRef,
    call: Call,
    status: Refusal,
    state: State | undefined,
    more: Partial<StaleFacts> & { readonly reason?: string },
  ): void {
    this.conflicts.add({
      time: this.#now(),
      key: file.key,
      path: file.path,
      session: call.session.id,
      turn: call.turn,
      status,
      expected: more.expected ?? printBase(request.base),
      ...(state?.base === undefined ? {} : { actual: printBase(state.base) }),
      changedBy: more.changedBy ?? [],
      diffSinceRead: more.diff?.text ?? null,
      ...(more.yourEdit === undefined ? {} : { yourEdit: more.yourEdit }),
      ...(more.reason === undefined ? {} : { reason: more.reason }),
      explanation: call.explanation,
      request,
    });
  }

  // --- checking

  async #checkEntry(entry: CheckRequest | InvalidEntry, session: Session): Promise<Report> {
    if (isInvalid(entry)) {
      return reportProblem(entry.path, entry.problem);
    }
    const file = this.#documents.resolve(entry.path);
    return 'status' in file ? reportProblem(entry.path, file) : this.#checkBase(file, entry.base, session);
  }

  async #checkBase(file: FileRef, base: Base, session: Session): Promise<Report> {
    const state = await this.#look(file);
    if (state.base === undefined) {
      return state.kind === 'unreadable'
        ? reportProblem(file.path, state.problem)
        : { status: 'stale_base', path: file.path };
    }
    if (isFresh(base, state.base)) {
      return { status: 'fresh', path: file.path, base: printBase(state.base) };
    }
    return reportStaleCheck(await this.#facts(file, state, base, session));
  }

  /** Files that the session plans on and that have moved, each move told once. */
  async #alsoChanged(session: Session, inCall: readonly string[]): Promise<string[]> {
    const moved: string[] = [];
    for (const held of session.held.values()) {
      const { file, base } = held;
      if (inCall.includes(file.key) || this.#documents.isProbablyIn(file, base)) {
        continue;
      }
      const state = await this.#look(file);
      if (state.base === undefined || isFresh(base, state.base) || held.told === printBase(state.base)) {
        continue;
      }
      const { changedBy } = await this.#facts(file, state, base, session);
      // A newer base may have been given while the facts were gathered.
      if (session.held.get(file.key) === held) {
        session.held.set(file.key, { ...held, told: printBase(state.base) });
      }
      moved.push(`${file.path}: ${changedBy.join('; ')}`);
    }
    return moved;
  }

  // --- remembering

  #snapshotAt(base: Base): Snapshot | undefined {
    const digest = effectiveDigest(base);
    return digest === 'absent' ? NOTHING : this.#texts.find(digest);
  }

  #diff(before: string, after: string): Diff {
    const { diffChars, diffTime } = this.#limits;
    return unifiedDiff(before, after, { context: 3, maxChars: diffChars, maxMs: diffTime, now: this.#now });
  }
}

const NOTHING: Snapshot = { text: { content: '', endings: [] }, format: { encoding: 'utf8', bom: false } };

const NAMED_TWICE: Problem = {
  status: 'invalid_input',
  reason: 'this file is named more than once in the call',
  next: 'put all edits of one file into one entry',
};

const CANCELLED: Problem = {
  status: 'cancelled',
  reason: 'the call was cancelled before its base was compared',
  next: 'nothing was touched; send the call again if it is still wanted',
};

const NOT_ATOMIC: Problem = {
  status: 'invalid_input',
  reason: 'this version cannot apply several files as one yet',
  next: 'send the call again with on_conflict "stop" or "continue"',
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

function skippedAfter(refused: Report): Problem {
  return {
    status: 'skipped',
    reason: `${refused.path ?? 'an entry'} before it was refused (${refused.status}), and the call says to stop`,
    next: 'nothing of this entry was touched; settle the refused one, then send this one again',
  };
}

function keysOf(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => (entry.kind === 'open' ? [entry.file.key] : []));
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

/** The same entry of the same file, base included. */
function entryKey(file: FileRef, request: EditRequest): string {
  return `${file.key}\n${printBase(request.base)}\n${request.signature}`;
}

/** What moved beside the content: the contract's `format_changed`. */
function compareFormats(before: Snapshot, now: Snapshot): string[] {
  const changes: string[] = [];
  const [eolBefore, eolNow] = [eolOf(before.text, 'lf'), eolOf(now.text, 'lf')];
  if (eolBefore !== eolNow && before.text.content !== '') {
    changes.push(`eol ${eolBefore}→${eolNow}`);
  }
  if (before.format.encoding !== now.format.encoding) {
    changes.push(`encoding ${before.format.encoding}→${now.format.encoding}`);
  }
  if (before.format.bom !== now.format.bom) {
    changes.push(now.format.bom ? 'bom added' : 'bom removed');
  }
  return changes;
}
