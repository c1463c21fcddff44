// The arbiter of agent edits: takes the calls of the tools, holds each file's lock while the gate decides and the editor
// applies, and remembers what enriches an answer (who changed what, texts at bases, conflicts). The gate itself needs none
// of that memory. The only class of the core with state; everything it decides is decided by pure functions beside it.

import { editAtomically } from './atomic.ts';
import { type Base, isFresh, parseBase, printBase } from './base.ts';
import { type Entry, editAll, type OpenEntry } from './batch.ts';
import { type Conflict, Conflicts } from './conflict.ts';
import type { Diff } from './diff.ts';
import { contentOf, type Documents, type FileRef, type State } from './documents.ts';
import type { Call } from './entryAccount.ts';
import { EntryEdit, type Workshop } from './entryEdit.ts';
import { HeldBases } from './heldBases.ts';
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
import { intendedContent } from './intended.ts';
import { type InterruptedEdit, tellInterrupted } from './interrupted.ts';
import { type Limits, Memory, type Surroundings } from './memory.ts';
import { isProtected, isSecret } from './protected.ts';
import { Queue } from './queue.ts';
import { type ReadPart, type Room, readState } from './reading.ts';
import { type Report, reportProblem, reportStaleCheck, summarize } from './report.ts';
import { SessionNames } from './sessionNames.ts';
import { type HeldBase, Session, Sessions } from './sessions.ts';
import type { Problem } from './status.ts';

/** Who calls. */
export interface Caller {
  /** `undefined` where the host cannot tell. */
  readonly session: string | undefined;
  /** The model that the agent runs on, where the host tells. */
  readonly model?: string;
  readonly isCancelled: () => boolean;
  /** Whether the call comes from a chat, and so from somebody who can be asked. */
  readonly isChat?: boolean;
}

export interface EditAnswer {
  readonly summary: string;
  readonly results: readonly Report[];
  readonly also_changed?: readonly string[];
  readonly next?: string;
}

/** What one entry of a call would change. */
export interface EditPreview {
  readonly path: string;
  /** Unified diff without a file header. */
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

export class Arbiter {
  readonly conflicts = new Conflicts();
  readonly sessionNames = new SessionNames();
  readonly held: HeldBases;
  readonly #documents: Documents;
  readonly #memory: Memory;
  readonly #workshop: Workshop;
  readonly #queue = new Queue();
  readonly #sessions = new Sessions();
  readonly #onFault: Surroundings['onFault'];
  readonly #protection: Surroundings['protection'];
  readonly #ask: Surroundings['ask'];
  readonly #onDidEdit: Surroundings['onDidEdit'];

  constructor(surroundings: Surroundings) {
    const { documents, nextEdit, onFault, onDidLand, syntax } = surroundings;
    this.#onFault = onFault;
    this.#protection = surroundings.protection;
    this.#ask = surroundings.ask;
    this.#onDidEdit = surroundings.onDidEdit;
    this.#documents = documents;
    this.#memory = new Memory(surroundings);
    this.held = new HeldBases(this.#sessions, documents, this.#memory, onFault);
    this.#workshop = { documents, memory: this.#memory, conflicts: this.conflicts, nextEdit, onDidLand, syntax };
  }

  set limits(limits: Limits) {
    this.#memory.limits = limits;
  }

  /** `arbiter_read`: one part per file, in input order. */
  async read(input: unknown, caller: Caller, roomFor: Room): Promise<ReadPart[]> {
    const { call, end } = this.#begin(caller);
    try {
      const parsed = parseReadCall(input);
      if ('status' in parsed) {
        return [{ header: reportProblem(undefined, parsed) }];
      }
      const looks = await Promise.all(parsed.entries.map((entry) => this.#lookFor(entry, call)));
      const parts: ReadPart[] = [];
      for (const look of looks) {
        parts.push('header' in look ? look : await this.#give(look.request, look.file, look.state, call, roomFor));
      }
      this.held.changed(looks.flatMap((look) => ('file' in look ? [look.file.key] : [])));
      return parts;
    } finally {
      end();
    }
  }

  /** `arbiter_edit`: a result per file, in input order. */
  async edit(input: unknown, caller: Caller): Promise<EditAnswer> {
    const { call, end } = this.#begin(caller);
    try {
      const parsed = parseEditCall(input);
      if ('status' in parsed) {
        return { summary: 'invalid_input', results: [], next: `${parsed.reason}; ${parsed.next}` };
      }
      const entries = this.#resolveAll(parsed);
      const planned: Call = { ...call, explanation: parsed.explanation };
      const { onConflict } = parsed;
      const results =
        onConflict === 'atomic'
          ? await this.#editTogether(entries, planned)
          : await editAll(entries, onConflict, (entry) => this.#editOne(entry, planned));
      const alsoChanged = await this.#alsoChanged(call.session, keysOf(entries));
      for (const { status, changed_by: causes } of results) {
        this.#onDidEdit({
          time: this.#memory.now(),
          session: call.session.id,
          ...(caller.model === undefined ? {} : { model: caller.model }),
          status,
          causes: Array.isArray(causes) ? causes.map(String) : [],
        });
      }
      this.held.changed(keysOf(entries));
      const summary = summarize(results);
      return alsoChanged.length > 0 ? { summary, results, also_changed: alsoChanged } : { summary, results };
    } finally {
      end();
    }
  }

  /**
   * What a call of `arbiter_edit` would change now, for a question to the engineer; writes nothing. Left out are protected files,
   * which are asked about by themselves.
   */
  async preview(input: unknown): Promise<{
    readonly previews: readonly EditPreview[];
    /** Paths of entries that would be refused as things stand; they may be right by the time of the call. */
    readonly others: readonly string[];
    readonly explanation: string | undefined;
  }> {
    const parsed = parseEditCall(input);
    if ('status' in parsed) {
      return { previews: [], others: [], explanation: undefined };
    }
    const open = this.#resolveAll(parsed).filter((entry) => entry.kind === 'open');
    const shown = open.filter((entry) => !this.#isAsked(entry));
    const session = new Session(undefined);
    const call: Call = { session, turn: 0, explanation: undefined, isCancelled: () => false, isChat: true };
    const previews = await Promise.all(
      shown.map(async (entry) => {
        const { file, target } = entry;
        const state = await this.#lookBetween(file);
        const diff = new EntryEdit(this.#workshop, entry, call).preview(state);
        const path = target === undefined ? file.path : `${file.path} → ${target.path}`;
        return diff === undefined ? [] : [{ path, diff: diff.text, added: diff.added, removed: diff.removed }];
      }),
    );
    const others = shown.filter((_, index) => previews[index]?.length === 0).map(({ file }) => file.path);
    return { previews: previews.flat(), others, explanation: parsed.explanation };
  }

  /** `arbiter_check`: reads, never writes, never gates. Without files: every base of the session that is stale now. */
  async check(input: unknown, caller: Caller): Promise<{ readonly results: readonly Report[] }> {
    const { call, end } = this.#begin(caller);
    try {
      const parsed = parseCheckCall(input);
      if (parsed !== undefined && 'status' in parsed) {
        return { results: [reportProblem(undefined, parsed)] };
      }
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

  /** The engineer has settled a conflict: its session no longer holds the base that went stale. */
  dismiss(id: number): void {
    const conflict = this.conflicts.open.find((open) => open.id === id);
    if (conflict) {
      if (conflict.interruption === undefined) {
        this.held.release(conflict);
      }
      this.conflicts.settle(id);
    }
  }

  /**
   * An earlier window was cut off in the middle of an edit: names the edit in the ledger of the files that it has changed, and
   * tells the engineer of those that it has left in between. @returns its number; `undefined` where it had not begun.
   */
  interrupted(interrupted: InterruptedEdit): number | undefined {
    return tellInterrupted(interrupted, this.#workshop);
  }

  /** The engineer has put back what a file held before an edit that was cut off; it holds `to` now. */
  restored(file: FileRef, edit: number, to: Base): void {
    this.#memory.ledger.moved(file.key, { kind: 'undo', edit }, this.#memory.now(), to);
  }

  /** The content at a base, for the engineer's views. @returns `undefined` when it is not remembered. */
  contentAt(base: Base): string | undefined {
    return this.#memory.snapshotAt(base)?.text.content;
  }

  /**
   * What a refused edit would have led to, had its file not moved.
   *
   * @returns `undefined` where it has no place in the text it was planned on, or that text is not remembered.
   */
  intendedAt(conflict: Conflict): string | undefined {
    const ending = this.#documents.endingFor(conflict);
    const bases = [conflict.since, conflict.expected].map(parseBase);
    const snapshots = bases.map((base) => base && this.#memory.snapshotAt(base));
    return snapshots
      .map((snapshot) => intendedContent(conflict, snapshot, ending))
      .find((content) => content !== undefined);
  }

  /** Whether nothing of a file's text may be sent on: see `Conflict.isSecret`. */
  isSecret(file: FileRef): boolean {
    return this.#memory.isSecret(file);
  }

  /** A unified diff for the engineer's views. */
  diff(before: string, after: string): Diff {
    return this.#memory.diff(before, after);
  }

  /** Every call takes a turn, also one that turns out to be unusable. */
  #begin(caller: Caller): { call: Call; end: () => void } {
    const now = this.#memory.now();
    this.#sessions.dropIdle(now);
    const session = this.#sessions.of(caller.session);
    const turn = session.begin(now);
    for (const key of session.takeReread(turn)) {
      this.conflicts.close((conflict) => conflict.session === session.id && conflict.key === key);
    }
    const { isCancelled, isChat = false } = caller;
    return { call: { session, turn, explanation: undefined, isCancelled, isChat }, end: () => session.end() };
  }

  // --- reading

  async #lookFor(
    entry: ReadRequest | InvalidEntry,
    call: Call,
  ): Promise<ReadPart | { readonly request: ReadRequest; readonly file: FileRef; readonly state: State }> {
    if (isInvalid(entry)) {
      return { header: reportProblem(entry.path, entry.problem) };
    }
    const file = this.#documents.resolve(entry.path);
    if ('status' in file) {
      return { header: reportProblem(entry.path, file) };
    }
    try {
      const refusal = isSecret(file, this.#protection()) ? await this.#askToRead(file, call) : undefined;
      if (refusal) {
        return { header: reportProblem(file.path, refusal) };
      }
      return { request: entry, file, state: await this.#lookBetween(file) };
    } catch (error) {
      return { header: this.#fault(file, error, 'it could not be read') };
    }
  }

  async #give(request: ReadRequest, file: FileRef, state: State, call: Call, roomFor: Room): Promise<ReadPart> {
    try {
      const whenNone = this.#documents.endingFor(file) === '\n' ? 'lf' : 'crlf';
      const part = await readState(request, file.path, state, this.#memory.limits.readChars, roomFor, whenNone);
      // Where nothing fitted, nothing was read.
      const isShown = part.content !== undefined && (part.content !== '' || contentOf(state) === '');
      if (state.base !== undefined && (isShown || state.kind === 'absent')) {
        call.session.read({ file, base: state.base, turn: call.turn });
      }
      return part;
    } catch (error) {
      return { header: this.#fault(file, error, 'it could not be read') };
    }
  }

  /** What no rule foresees: told to the log and to the agent, for this file alone. */
  #fault(file: FileRef, error: unknown, what: string): Report {
    this.#onFault(error, file.path);
    return reportProblem(file.path, {
      status: 'apply_failed',
      reason: `an error inside Edit Arbiter: ${error instanceof Error ? error.message : String(error)}`,
      next: `${what}; read ${file.path} before you go on, and tell the engineer to look at the log of Edit Arbiter`,
    });
  }

  // --- editing

  #resolveAll(parsed: EditCall): Entry[] {
    const resolved = parsed.entries.map((entry) => ({ entry, files: this.#filesOf(entry) }));
    // Two names of one file on disk are one file, too.
    const identities = (files: readonly FileRef[]) =>
      files.map((file) => this.#documents.locksOf(file).at(-1) ?? file.key);
    const counts = new Map<string, number>();
    for (const identity of resolved.flatMap(({ files }) => identities(files))) {
      counts.set(identity, (counts.get(identity) ?? 0) + 1);
    }
    return resolved.map(({ entry, files }): Entry => {
      const [file] = files;
      if (file && identities(files).some((identity) => counts.get(identity) !== 1)) {
        return { kind: 'answered', report: reportProblem(file.path, NAMED_TWICE) };
      }
      if (isInvalid(entry)) {
        return { kind: 'answered', report: reportProblem(entry.path, entry.problem) };
      }
      const own = this.#documents.resolve(entry.path);
      if ('status' in own) {
        return { kind: 'answered', report: reportProblem(entry.path, own) };
      }
      if (entry.renameTo === undefined) {
        return { kind: 'open', request: entry, file: own };
      }
      const target = this.#documents.resolve(entry.renameTo);
      return 'status' in target
        ? { kind: 'answered', report: reportProblem(own.path, { ...target, reason: `rename_to: ${target.reason}` }) }
        : { kind: 'open', request: entry, file: own, target };
    });
  }

  /** The files that an entry names, rename targets included, also where it is not valid otherwise. */
  #filesOf(entry: EditRequest | InvalidEntry): FileRef[] {
    const paths = [entry.path, 'renameTo' in entry ? entry.renameTo : undefined];
    return paths.flatMap((path) => {
      const file =
        path === undefined || path.trim() === '' || path.includes('\0') ? undefined : this.#documents.resolve(path);
      return file && 'key' in file ? [file] : [];
    });
  }

  async #editOne(entry: OpenEntry, call: Call): Promise<Report> {
    const { file } = entry;
    try {
      const refusal = this.#isAsked(entry) ? await this.#askToEdit(entry, call) : undefined;
      const edit = new EntryEdit(this.#workshop, entry, call);
      if (refusal) {
        return edit.account.problem(refusal);
      }
      return await this.held.whileEditing(file.key, () => this.#queue.runAll(this.#locksOf(entry), () => edit.run()));
    } catch (error) {
      return this.#fault(file, error, 'this edit may or may not have landed');
    }
  }

  /** All or nothing. Whoever has to be asked is asked before anything is touched. */
  async #editTogether(entries: readonly Entry[], call: Call): Promise<Report[]> {
    const open = entries.filter((entry) => entry.kind === 'open');
    const edits = new Map(open.map((entry) => [entry, new EntryEdit(this.#workshop, entry, call)]));
    const skipAll = (refused: Report, byEntry: (entry: OpenEntry) => Report | undefined) =>
      entries.map((entry) =>
        entry.kind === 'answered'
          ? entry.report
          : (byEntry(entry) ??
            (edits.get(entry) as EntryEdit).skipped(
              `${refused.path ?? 'another entry'} was refused (${refused.status}), and the call says all or nothing`,
            )),
      );
    const answered = entries.find((entry) => entry.kind === 'answered');
    if (answered?.kind === 'answered') {
      return skipAll(answered.report, () => undefined);
    }
    try {
      // Where nobody is asked, nothing is awaited: the call takes its place in the lines of its files as it arrives.
      for (const entry of open.filter((one) => this.#isAsked(one))) {
        const refusal = await this.#askToEdit(entry, call);
        if (refusal) {
          const report = reportProblem(entry.file.path, refusal);
          return skipAll(report, (other) => (other === entry ? report : undefined));
        }
      }
      const locks = open.flatMap((entry) => this.#locksOf(entry));
      const author = { session: call.session.id, turn: call.turn };
      const run = () => this.#queue.runAll(locks, () => editAtomically([...edits.values()], this.#documents, author));
      return await open.reduce(
        (rest, { file }) =>
          () =>
            this.held.whileEditing(file.key, rest),
        run,
      )();
    } catch (error) {
      return open.map((entry) => this.#fault(entry.file, error, 'this edit may or may not have landed'));
    }
  }

  /** Whether the entry touches a protected file, so that a human is asked first. */
  #isAsked({ file, target }: OpenEntry): boolean {
    const protection = this.#protection();
    return [file, target].some((one) => one !== undefined && isProtected(one, protection));
  }

  /** The state between edits of ours: what a file holds in the middle of one is no state to plan on, and nobody's move. */
  #lookBetween(file: FileRef): Promise<State> {
    return this.#queue.runAll(this.#documents.locksOf(file), () => this.#memory.look(file));
  }

  #locksOf({ file, target }: OpenEntry): string[] {
    return [file, ...(target ? [target] : [])].flatMap((one) => this.#documents.locksOf(one));
  }

  /**
   * The gate runs before the question, so that nobody is asked in vain, and again after the yes.
   *
   * @returns what keeps the entry from being carried out.
   */
  async #askToEdit(entry: OpenEntry, call: Call): Promise<Problem | undefined> {
    const { file, target } = entry;
    if (!call.isChat) {
      return protectedProblem('changed');
    }
    const state = await this.#lookBetween(file);
    const diff = new EntryEdit(this.#workshop, entry, call).preview(state);
    if (diff === undefined) {
      return undefined;
    }
    const path = target === undefined ? file.path : `${file.path} → ${target.path}`;
    const { explanation } = call;
    return (await this.#ask({ path, kind: 'edit', diff: diff.text, explanation })) ? undefined : DENIED;
  }

  async #askToRead(file: FileRef, call: Call): Promise<Problem | undefined> {
    if (!call.isChat) {
      return protectedProblem('read');
    }
    const isAllowed = await this.#ask({ path: file.path, kind: 'read', diff: '', explanation: undefined });
    return isAllowed ? undefined : DENIED;
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
    try {
      const state = await this.#lookBetween(file);
      if (state.kind === 'unreadable') {
        return reportProblem(file.path, state.problem);
      }
      const token = printBase(state.base);
      if (isFresh(base, state.base)) {
        return { status: 'fresh', path: file.path, base: token };
      }
      session.tell(file.key, token);
      return reportStaleCheck(await this.#memory.factsSince(base, file, state, session.id));
    } catch (error) {
      return this.#fault(file, error, 'it could not be checked');
    }
  }

  /** Files that the session plans on and that have moved, each move told once. Advice: an error here fails no call. */
  async #alsoChanged(session: Session, inCall: readonly string[]): Promise<string[]> {
    const others = [...session.held.values()].filter(({ file }) => !inCall.includes(file.key));
    const told = await Promise.all(
      others.map(async (held) => {
        try {
          return await this.#moveOf(held, session);
        } catch (error) {
          this.#onFault(error, held.file.path);
          return undefined;
        }
      }),
    );
    const lines = told.filter((line) => line !== undefined);
    return lines.length <= MAX_ALSO_CHANGED
      ? lines
      : [
          ...lines.slice(0, MAX_ALSO_CHANGED),
          `${lines.length - MAX_ALSO_CHANGED} more files; arbiter_check lists them all`,
        ];
  }

  async #moveOf(held: HeldBase, session: Session): Promise<string | undefined> {
    const { file, base } = held;
    // What an edit under way makes of it is told when it is over.
    if (this.held.isEditing(file.key) || this.#documents.isProbablyIn(file, base)) {
      return undefined;
    }
    const state = await this.#lookBetween(file);
    if (state.base === undefined || isFresh(base, state.base) || held.told === printBase(state.base)) {
      return undefined;
    }
    const causes = await this.#memory.causesSince(base, file, state, session.id);
    // A newer base may have been given while the causes were gathered.
    if (session.held.get(file.key) === held) {
      session.tell(file.key, printBase(state.base));
    }
    return `${file.path}: ${causes.map(({ text }) => text).join('; ')}`;
  }
}

/** How many moved files are named beside an answer. */
const MAX_ALSO_CHANGED = 20;

const DENIED: Problem = {
  status: 'denied',
  reason: 'the engineer said no',
  next: 'leave it alone, and go on without it',
};

function protectedProblem(what: 'changed' | 'read'): Problem {
  return {
    status: 'protected',
    reason: `this file steers tools or holds secrets: it is ${what} only with a human's yes, and there is no chat to ask in`,
    next: 'ask the engineer to do it',
  };
}

const NAMED_TWICE: Problem = {
  status: 'invalid_input',
  reason: 'this file is named more than once in the call',
  next: 'put all edits of one file into one entry',
};

function keysOf(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => (entry.kind === 'open' ? [entry.file.key] : []));
}
