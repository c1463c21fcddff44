import type { Author } from './applyRecord.ts';
import { isSameBase, printBase } from './base.ts';
import type { OpenEntry } from './batch.ts';
import type { Diff } from './diff.ts';
import {
  contentOf,
  type Decision,
  type Documents,
  type FilePlan,
  type FileRef,
  type Outcome,
  type RenameOutcome,
  type State,
} from './documents.ts';
import { type Call, type Considered, candidateOf, type Desk, EntryAccount } from './entryAccount.ts';
import { judge } from './gate.ts';
import { Guards } from './guards.ts';
import type { EditRequest } from './input.ts';
import type { Applied } from './landedFacts.ts';
import type { Memory } from './memory.ts';
import { type Report, reportAlreadyApplied, reportProblem } from './report.ts';
import type { Syntax } from './syntax.ts';

/** How many milliseconds the search for the place most like a missing text may take. */
const NEAREST_MS = 50;

/** What an entry's edit works with. */
export interface Workshop extends Desk {
  readonly documents: Documents;
  readonly syntax: Syntax | undefined;
}

/** One entry of a call, from the gate to its report. Runs under the locks of its files. */
export class EntryEdit {
  readonly account: EntryAccount;
  readonly #documents: Documents;
  readonly #memory: Memory;
  readonly #request: EditRequest;
  readonly #file: FileRef;
  readonly #target: FileRef | undefined;
  readonly #call: Call;
  readonly #guards: Guards;
  /** What is at the place that a rename goes to. */
  #taken: State | undefined;
  #asked: { readonly considered: Considered; readonly state: State } | undefined;

  constructor(workshop: Workshop, entry: OpenEntry, call: Call) {
    this.#guards = new Guards(workshop.syntax, entry.request, entry.file);
    this.account = new EntryAccount(workshop, entry, call, this.#guards);
    this.#documents = workshop.documents;
    this.#memory = workshop.memory;
    this.#request = entry.request;
    this.#file = entry.file;
    this.#target = entry.target;
    this.#call = call;
  }

  get file(): FileRef {
    return this.#file;
  }

  get #author(): Author {
    return { session: this.#call.session.id, turn: this.#call.turn };
  }

  /** What the gate said last, and of which state. */
  get asked(): { readonly considered: Considered; readonly state: State } {
    if (this.#asked === undefined) {
      throw new Error(`the state of ${this.#file.path} was never asked for`);
    }
    return this.#asked;
  }

  /**
   * What the entry would change in a state: for a question to a human.
   *
   * The guards are left out: what they say can come late, and nobody must be passed over for that.
   *
   * @returns `undefined` where it would be refused anyway; then {@link run} says why.
   */
  preview(state: State): Diff | undefined {
    const considered = this.#consider(state, false);
    switch (considered.kind) {
      case 'delete':
        return this.#memory.diff(contentOf(state), '');
      case 'accepted':
      case 'create':
      case 'rename':
        return this.#memory.diff(contentOf(state), candidateOf(considered)?.text.content ?? contentOf(state));
      default:
        return undefined;
    }
  }

  async run(): Promise<Report> {
    const repeated = await this.repeated();
    if (repeated) {
      return repeated;
    }
    try {
      await this.prepare();
      const edited = await this.#documents.transact(this.#file, (state) => this.decide(state), this.#author);
      return await this.conclude(await this.operateWhole(edited));
    } finally {
      this.account.withdraw();
    }
  }

  /** Gets ready whatever {@link decide} needs and takes time: the place that a rename goes to is looked at, too. */
  async prepare(): Promise<void> {
    await this.#guards.prepare();
    const target = this.#target && (await this.#memory.look(this.#target));
    this.#taken = target?.kind === 'absent' ? undefined : target;
  }

  /** Called in the turn of the apply, with the state that it would be applied to. */
  decide(state: State): Decision {
    const considered = this.#consider(state, true);
    this.account.compared();
    this.#asked = { considered, state };
    switch (considered.kind) {
      case 'accepted':
        return { kind: 'apply', candidate: considered.candidate, onDidLand: () => this.account.begin() };
      case 'rename': {
        const plan: FilePlan | undefined = this.#target && { kind: 'rename', target: this.#target };
        return considered.candidate === undefined
          ? { kind: 'hold', ...(plan ? { plan } : {}) }
          : {
              kind: 'apply',
              candidate: considered.candidate,
              onDidLand: () => this.account.begin(),
              ...(plan ? { plan } : {}),
            };
      }
      case 'create':
      case 'delete':
        return { kind: 'hold', plan: considered };
      case 'already_applied':
        return { kind: 'hold' };
      default:
        return { kind: 'refuse' };
    }
  }

  /**
   * Carries out what the entry asks for beside edits of the text: creates, deletes or renames the file.
   *
   * @param edited how the edits ended that come first.
   * @returns how it ended as a whole: `edited` itself where there is nothing more to do.
   */
  async operate(edited: Outcome): Promise<Outcome | RenameOutcome> {
    const { considered } = this.asked;
    const isReady = edited.kind === 'held' || (edited.kind === 'applied' && considered.kind === 'rename');
    const { base } = edited.state;
    if (!isReady || base === undefined) {
      return edited;
    }
    switch (considered.kind) {
      case 'create':
        this.account.begin();
        return this.#documents.create(this.#file, considered.text, this.#author);
      case 'delete':
        this.account.begin();
        return this.#documents.remove(this.#file, base, this.#author);
      case 'rename': {
        if (this.#target === undefined) {
          throw new Error(`${this.#file.path} is renamed, and nothing says to where`);
        }
        if (edited.kind === 'applied' && (!edited.saved || edited.foreign || edited.isUndone)) {
          return {
            kind: 'failed',
            status: 'apply_failed',
            reason: 'somebody changed the file while it was edited, so it was not renamed',
            state: edited.state,
            isTakenBack: true,
          };
        }
        this.account.begin();
        const renamed = await this.#documents.rename(this.#file, this.#target, base, this.#author);
        return edited.kind === 'applied' && renamed.kind === 'applied' ? together(edited, renamed) : renamed;
      }
      default:
        return edited;
    }
  }

  /** As {@link operate}; where that fails, the edits that came first go with it. */
  async operateWhole(edited: Outcome): Promise<Outcome | RenameOutcome> {
    const outcome = await this.operate(edited);
    if (outcome.kind === 'applied' || edited.kind !== 'applied') {
      return outcome;
    }
    const back = await edited.takeBack?.();
    return back?.isWhole
      ? outcome
      : {
          kind: 'failed',
          status: 'apply_failed',
          reason: 'the file was edited and could not be renamed, and its edits could not be taken back',
          state: back?.state ?? edited.state,
          isTakenBack: false,
        };
  }

  /** Gives an edit that stands its number, before any hook runs. */
  land(outcome: Outcome | RenameOutcome): void {
    if (outcome.kind === 'applied') {
      this.account.land(outcome);
    }
  }

  /** Runs the hooks where the file was saved as asked for, and says how the entry ended. */
  async conclude(outcome: Outcome | RenameOutcome): Promise<Report> {
    const { considered, state } = this.asked;
    let final = outcome;
    if (outcome.kind === 'applied' && outcome.saved && !outcome.foreign && considered.kind !== 'delete') {
      this.account.land(outcome);
      final = await this.#documents.runHooks(this.#target ?? this.#file, outcome);
    }
    return this.account.conclude(considered, state, final);
  }

  /** A rename sent again after its answer was lost: the file is no longer where the entry says. */
  async repeated(): Promise<Report | undefined> {
    const applied = this.account.appliedBefore;
    if (applied === undefined || this.#target === undefined) {
      return undefined;
    }
    const [old, now] = [await this.#memory.look(this.#file), await this.#memory.look(this.#target)];
    const isThere = old.kind === 'absent' && now.base !== undefined && printBase(now.base) === applied.result;
    return isThere ? reportAlreadyApplied(this.#target.path, applied) : undefined;
  }

  /** `atomic`: it was not carried out, because of others. */
  skipped(reason: string): Report {
    const next = 'nothing of this entry was touched; settle what was refused, then send the whole call again';
    return reportProblem(this.#file.path, { status: 'skipped', reason, next });
  }

  /** Runs synchronously between the look at the state and the apply. */
  #consider(state: State, isGuarded: boolean): Considered {
    this.#memory.remember(this.#file, state);
    if (this.#call.isCancelled()) {
      return { kind: 'cancelled' };
    }
    const judged = judge(this.#request, this.#file.path, state, this.#documents.endingFor(this.#file), {
      maxMs: NEAREST_MS,
      now: this.#memory.now,
    });
    const verdict = isGuarded ? this.#guards.judge(judged, state) : judged;
    if (verdict.kind === 'stale') {
      const applied = this.account.appliedBefore;
      const isStillThere = state.base !== undefined && applied?.result === printBase(state.base);
      return applied && isStillThere ? { kind: 'already_applied', applied } : verdict;
    }
    if (state.kind === 'unreadable') {
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
    return verdict.kind === 'rename' && this.#taken ? { kind: 'occupied', state: this.#taken } : verdict;
  }
}

/** The edits of a file and its rename as one. */
function together(edited: Applied, renamed: Applied): Applied {
  const takeBack = async () => {
    const back = await renamed.takeBack?.();
    return back?.isWhole && edited.takeBack ? edited.takeBack() : { state: edited.state, isWhole: false };
  };
  return {
    ...edited,
    state: renamed.state,
    landed: renamed.landed,
    foreign: edited.foreign || renamed.foreign,
    takeBack,
  };
}
