import { normalize } from 'node:path/posix';
import { type Base, digest, printBase } from '../../../src/core/base.ts';
import { decode, encode, isBinary } from '../../../src/core/codec.ts';
import { spansBetween } from '../../../src/core/compare.ts';
import type {
  Decision,
  Documents,
  FileRef,
  HookEffect,
  Outcome,
  RenameOutcome,
  State,
  TakenBack,
} from '../../../src/core/documents.ts';
import type { BufferEdit } from '../../../src/core/landing.ts';
import type { Cause, Ledger, Move, Pending } from '../../../src/core/ledger.ts';
import { commonPrefix, commonSuffix } from '../../../src/core/pairs.ts';
import type { Problem } from '../../../src/core/status.ts';
import { parseText, renderText, type Text } from '../../../src/core/text.ts';
import { type ApplyTools, InMemoryApply } from './inMemoryApply.ts';
import {
  type Author,
  type BufferChange,
  type Content,
  InMemoryFile,
  isSameBytes,
  type Mutation,
  UTF8,
} from './inMemoryFile.ts';
import type { Moment } from './moments.ts';

type Applied = Extract<Outcome, { kind: 'applied' }>;

interface Part {
  readonly file: FileRef;
  readonly decide: (state: State) => Decision;
}

interface Judged {
  readonly file: FileRef;
  readonly state: State;
  readonly decision: Decision;
}

/** A configured hook: what it makes of a text. */
export interface InMemoryHook {
  readonly name: string;
  readonly run: (raw: string) => string;
}

/** How often a file may move while it is made ready, before the call gives up. */
const MAX_ATTEMPTS = 20;

/**
 * An editor and a disk in memory: UTF-8 files, each with at most one buffer. It keeps the promises of the port step by step as
 * the real adapter does, and reports to the ledger what people do, as the editor's observer does. `at` lets others act in the
 * middle of a transaction, so that a race is a test and not a hope; `pause` is told of every point where they may.
 *
 * Where it is better than the real editor: a save sees every write of another program, also one of the same length.
 */
export class InMemoryDocuments implements Documents {
  /** The line ending for new text in a file that has none. */
  ending: '\n' | '\r\n' = '\n';
  /** What save participants make of a text. */
  saveParticipants: (raw: string) => string = nobody;
  /** What runs after an edit that was saved. */
  hooks: readonly InMemoryHook[] = [];
  /** Whether the editor takes its time to reload a file that moved on disk: see {@link reload}. */
  isReloadLate = false;
  /** Holds the port up at a moment; whoever acts before it is resolved acts there. */
  pause: (moment: Moment, path: string) => Promise<void> = async () => {};
  /** Told of every change of what a file holds. */
  onDidMutate: (mutation: Mutation) => void = () => {};
  readonly #files = new Map<string, InMemoryFile>();
  readonly #aliases = new Map<string, string>();
  readonly #actions = new Map<Moment, (() => void)[]>();
  /** Changes whose cause the editor has not told yet. */
  readonly #undecided: (() => void)[] = [];
  /** What save participants did in a save that is under way. */
  readonly #participated = new Map<InMemoryFile, Pending[]>();
  readonly #seenAs = new Map<InMemoryFile, string>();
  readonly #applies = new Map<InMemoryFile, InMemoryApply>();
  readonly #followed = new Map<InMemoryFile, InMemoryApply>();
  readonly #ledger: Ledger;
  readonly #now: () => number;
  readonly #tools: ApplyTools;

  constructor(ledger: Ledger, now: () => number) {
    this.#ledger = ledger;
    this.#now = now;
    this.#tools = {
      seen: (file) => this.#seen(file),
      reach: (moment, path) => this.#reach(moment, path),
      tell: (file, change) => this.#tell(file, change),
      tellSave: (file) => this.#tellSave(file),
      save: (file) => this.#save(file, 'arbiter'),
      hasSaveParticipants: () => this.#hasSaveParticipants,
    };
  }

  // --- the port

  resolve(path: string): FileRef | Problem {
    const normal = normalize(path);
    if (normal.startsWith('..') || normal.startsWith('/')) {
      return { status: 'outside_workspace', reason: 'not in the workspace', next: 'stay in the workspace' };
    }
    const key = this.#aliases.get(normal) ?? normal;
    return { key: `/w/${key}`, path: key };
  }

  async look(file: FileRef): Promise<State> {
    await this.#reach('before a look', file.path);
    return this.#seen(file);
  }

  async transact(file: FileRef, decide: (state: State) => Decision): Promise<Outcome> {
    const [outcome] = await this.#transact([{ file, decide }]);
    if (outcome === undefined) {
      throw new Error(`${file.path} has no outcome`);
    }
    return outcome;
  }

  async transactAll(parts: readonly Part[]): Promise<readonly Outcome[]> {
    return parts.length === 0 ? [] : this.#transact(parts);
  }

  async create(file: FileRef, text: Text): Promise<Outcome> {
    await this.#reach('between look and apply', file.path);
    const entry = this.#file(file.path);
    const taken = this.#seen(file);
    if (taken.kind !== 'absent') {
      return { kind: 'moved', state: taken };
    }
    const bytes = encode(renderText(text), UTF8);
    entry.writer = undefined;
    entry.write(bytes, 'arbiter', 'creates');
    await this.#reach('after save', file.path);
    return this.#done(file, { disk: digest(bytes) }, async () => {
      const { kind, state } = await this.remove(file, { disk: digest(bytes) });
      return { state, isWhole: kind === 'applied' };
    });
  }

  async remove(file: FileRef, base: Base): Promise<Outcome> {
    await this.#reach('between look and apply', file.path);
    const entry = this.#file(file.path);
    const obstacle = this.#obstacleTo(file, base);
    if (obstacle) {
      return obstacle;
    }
    const { bytes } = entry;
    entry.writer = undefined;
    entry.write(undefined, 'arbiter', 'deletes');
    await this.#reach('after a file operation', file.path);
    if (entry.buffer && !entry.isDirty) {
      entry.close('editor', 'closes');
    }
    return this.#done(file, { disk: 'absent' }, async () => {
      await this.#reach('as it is taken back', file.path);
      const isFree = entry.bytes === undefined;
      if (isFree) {
        entry.write(bytes, 'arbiter', 'puts back');
      }
      return { state: this.#seen(file), isWhole: isFree };
    });
  }

  async rename(file: FileRef, target: FileRef, base: Base): Promise<RenameOutcome> {
    await this.#reach('between look and apply', file.path);
    const [from, to] = [this.#file(file.path), this.#file(target.path)];
    const taken = this.#seen(target);
    if (taken.kind !== 'absent') {
      return { kind: 'occupied', state: taken };
    }
    const obstacle = this.#obstacleTo(file, base);
    if (obstacle) {
      return obstacle;
    }
    from.writer = undefined;
    to.writer = undefined;
    from.moveTo(to, 'arbiter', 'renames', false);
    await this.#reach('after a file operation', file.path);
    // Tabs follow where nothing in them is unsaved.
    if (from.buffer && !from.isDirty) {
      from.close('editor', 'closes');
      to.open();
    }
    return this.#done(target, base, async () => {
      const { kind } = await this.rename(target, file, base);
      return { state: this.#seen(file), isWhole: kind === 'applied' };
    });
  }

  /** As `host/hookRunner.ts`: once, in order, and what they leave is looked at after each. */
  async runHooks(file: FileRef, outcome: Applied): Promise<Outcome> {
    if (this.hooks.length === 0) {
      return outcome;
    }
    const entry = this.#file(file.path);
    const { disk } = entry.content;
    if (disk === undefined) {
      return { ...outcome, state: this.#seen(file), foreign: true, hookFailures: [{ name: 'hooks', reason: 'gone' }] };
    }
    entry.open();
    const others = this.#watch(entry);
    const hooks: HookEffect[] = [...outcome.hooks];
    let { state } = outcome;
    let isMoved = false;
    for (const { name, run } of this.hooks) {
      await this.#reach('before a hook', file.path);
      const before = this.#seen(file);
      isMoved ||= before.base === undefined || state.base === undefined || !isSameToken(before.base, state.base);
      this.#runHook(entry, name, run);
      await this.#reach('after a hook', file.path);
      const after = this.#seen(file);
      const isSaved = others.hasSaved && after.base?.dirty === undefined && entry.buffer?.raw === entry.textOnDisk;
      if (after.base?.disk !== before.base?.disk && !isSaved) {
        hooks.push({ name, ...(after.base ? { to: after.base } : {}) });
      }
      state = after;
    }
    this.#watched.delete(entry);
    const foreign =
      isMoved || others.hasSaved || others.hasChanged || state.kind !== 'text' || state.base.dirty !== undefined;
    return { ...outcome, hooks, state, foreign };
  }

  async settled(file: FileRef): Promise<void> {
    for (const decide of this.#undecided.splice(0)) {
      decide();
    }
    await this.#reach('before causes are told', file.path);
  }

  /** Who is said to have written the disk where nobody is known to have; by default, nobody. */
  writer: Cause | undefined;

  writersSince(file: FileRef): readonly Move[] {
    const { bytes, writer } = this.#file(file.path);
    return [{ cause: writer ?? this.writer ?? { kind: 'external', deleted: bytes === undefined } }];
  }

  locksOf(file: FileRef): readonly string[] {
    return [file.key];
  }

  isProbablyIn(file: FileRef, base: Base): boolean {
    const entry = this.#file(file.path);
    return this.#seenAs.get(entry) === `${printBase(base)} ${entry.version}`;
  }

  endingFor(): '\n' | '\r\n' {
    return this.ending;
  }

  // --- what others do

  /** Runs `action` once, when a transaction reaches `moment`. */
  at(moment: Moment, action: () => void): void {
    this.#actions.set(moment, [...(this.#actions.get(moment) ?? []), action]);
  }

  /** Whether every action that `at` was given has run. */
  get hasRunAll(): boolean {
    return [...this.#actions.values()].every((actions) => actions.length === 0);
  }

  /** Drops the actions that no transaction has reached. */
  forgetActions(): void {
    this.#actions.clear();
  }

  /** Makes another path lead to the same file, as a symbolic link does. */
  link(alias: string, path: string): void {
    this.#aliases.set(alias, path);
  }

  makeReadOnly(path: string): void {
    this.#file(path).isReadOnly = true;
  }

  /** Lets every save of the file fail, or no longer. */
  makeStuck(path: string, isStuck = true): void {
    this.#file(path).isStuck = isStuck;
  }

  /** What the editor shows, or else what is on disk. */
  text(path: string): string | undefined {
    const { disk, buffer, isDirty } = this.content(path);
    return buffer !== undefined && (isDirty || disk !== undefined) ? buffer : disk;
  }

  textOnDisk(path: string): string | undefined {
    return this.content(path).disk;
  }

  /** All that the file holds. */
  content(path: string): Content {
    return this.#file(path).content;
  }

  /** The file itself, for whoever breaks the promises of the port on purpose. */
  file(path: string): InMemoryFile {
    return this.#file(path);
  }

  /** Whether the editor shows the file as changed. */
  isDirty(path: string): boolean {
    return this.#file(path).isDirty;
  }

  /** The token of the state now. Nobody has seen it for that. */
  base(path: string): string {
    const { base } = this.#stateOf(path);
    return base === undefined ? 'none' : printBase(base);
  }

  /** How many steps an undo could take back, or a redo bring back. */
  undoSteps(path: string, kind: 'undo' | 'redo' = 'undo'): number {
    return this.#file(path).buffer?.[kind].length ?? 0;
  }

  /** Another program writes the file, or deletes it; `writer` where the host can tell who it was. */
  write(path: string, content: string | Uint8Array | undefined, writer?: Cause): void {
    const entry = this.#file(path);
    entry.writer = writer;
    const bytes = typeof content === 'string' ? encode(content, UTF8) : content;
    entry.write(bytes, 'program', writer ? 'generates' : bytes === undefined ? 'deletes' : 'writes');
    this.#reloadSoon(entry);
  }

  /** Another program moves a file over another one. */
  moveOver(path: string, target: string, writer?: Cause): void {
    const [from, to] = [this.#file(path), this.#file(target)];
    from.writer = writer;
    to.writer = writer;
    from.moveTo(to, 'program', writer ? 'generates' : 'moves', false);
    this.#reloadSoon(to);
  }

  open(path: string): void {
    this.#file(path).open();
  }

  /** Closes the file in the editor; what is unsaved in it goes. */
  close(path: string): void {
    const entry = this.#file(path);
    if (entry.buffer) {
      entry.close('engineer', 'closes');
    }
  }

  /** Whether hooks run on the file. */
  isHooking(path: string): boolean {
    return this.#watched.has(this.#file(path));
  }

  /** Whether an apply of ours is under way on the file. */
  isBusy(path: string): boolean {
    return this.#applies.has(this.#file(path));
  }

  /** The engineer gives up what is unsaved: the buffer is what is on disk again. */
  revert(path: string): void {
    const entry = this.#file(path);
    if (entry.bytes === undefined) {
      this.close(path);
      return;
    }
    this.#changed(entry, entry.reload('engineer', 'reverts'));
  }

  /** Changes the buffer; `cause` tells whether by hand or by something else in the editor, such as a quick fix. */
  change(path: string, cause: 'typed' | 'not_typed', makeEdits: (raw: string) => readonly BufferEdit[]): void {
    const entry = this.#file(path);
    const edits = makeEdits(entry.open().raw);
    const by = cause === 'typed' ? 'engineer' : 'extension';
    this.#changed(entry, entry.edit(edits, by, cause === 'typed' ? 'types' : 'fixes'));
  }

  /** The engineer takes the last step back, or brings it back. */
  step(path: string, kind: 'undo' | 'redo'): void {
    const entry = this.#file(path);
    this.#changed(entry, entry.step(kind));
  }

  /** The engineer saves, and nobody else has a turn before it is done. */
  save(path: string): void {
    const entry = this.#file(path);
    const { buffer } = entry;
    if (!buffer) {
      throw new Error(`${path} is not open`);
    }
    this.#decide();
    this.#participate(entry, buffer.raw);
    entry.saveAs(buffer.raw, buffer.undo.at(-1), 'engineer');
    this.#saved(entry);
  }

  /**
   * The engineer saves as the editor does it: others may act meanwhile, and the editor's guard keeps it from writing over what
   * another program wrote, unless `isForced`.
   *
   * @returns whether it was saved.
   */
  async saveSlowly(path: string, isForced = false): Promise<boolean> {
    return this.#save(this.#file(path), 'engineer', isForced);
  }

  /** The engineer renames the file in the editor, only onto nothing. What is unsaved goes along. */
  renameInEditor(path: string, target: string): void {
    const [from, to] = [this.#file(path), this.#file(target)];
    from.writer = undefined;
    to.writer = undefined;
    from.moveTo(to, 'engineer', 'renames', true);
    const { key } = this.#ref(path);
    if (this.#ledger.knows(key)) {
      this.#ledger.moved(key, { kind: 'renamed', to: this.#ref(target).path }, this.#now(), { disk: 'absent' });
    }
  }

  /** The editor hears that a file has moved on disk, and reloads a clean buffer. */
  reload(path: string): void {
    const entry = this.#file(path);
    if (entry.isLagging) {
      this.#changed(entry, entry.reload('editor', 'reloads'));
    }
  }

  // --- inside: transactions

  /** As `host/documents.ts` and `host/jointApply.ts`: made ready first, then compared and handed over in one turn. */
  async #transact(parts: readonly Part[]): Promise<readonly Outcome[]> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const judged = parts.map(({ file, decide }): Judged => {
        const state = this.#seen(file);
        return { file, state, decision: decide(state) };
      });
      if (judged.some(({ decision }) => decision.kind === 'refuse')) {
        return judged.map(untouched);
      }
      const obstacles = judged.map((one) => this.#obstacle(one));
      if (obstacles.every((obstacle) => obstacle === undefined)) {
        return this.#applyAll(judged);
      }
      const problems = await Promise.all(obstacles.map((obstacle) => obstacle?.()));
      if (problems.some((problem) => problem !== undefined)) {
        return judged.map((one, index) => {
          const problem = problems[index];
          return problem ? { kind: 'unfit', state: one.state, problem } : untouched(one);
        });
      }
    }
    const reason = 'the file kept moving while it was made ready';
    return parts.map(({ file }) => ({
      kind: 'failed',
      status: 'apply_failed',
      reason,
      state: this.#seen(file),
      isTakenBack: true,
    }));
  }

  /** What keeps a candidate from being applied in this turn, if anything; called, it is cleared, or says why it cannot be. */
  #obstacle({ file, decision }: Judged): (() => Promise<Problem | undefined>) | undefined {
    const entry = this.#file(file.path);
    const isLeaving = decision.kind === 'hold' && decision.plan !== undefined && decision.plan.kind !== 'create';
    if ((decision.kind === 'apply' || isLeaving) && entry.isReadOnly) {
      return async () => READ_ONLY;
    }
    if (decision.kind !== 'apply') {
      return undefined;
    }
    if (!entry.buffer) {
      return async () => {
        await this.#reach('while it is opened', file.path);
        if (entry.bytes === undefined) {
          return { status: 'apply_failed', reason: 'the editor cannot open it', next: 'leave it alone' };
        }
        entry.open();
        return undefined;
      };
    }
    if (entry.isLagging) {
      return async () => {
        await this.#reach('while it is reloaded', file.path);
        this.reload(file.path);
        return undefined;
      };
    }
    return undefined;
  }

  /** Must be called in the turn of the compare. */
  async #applyAll(judged: readonly Judged[]): Promise<readonly Outcome[]> {
    const applies = judged.map(({ file, state, decision }) => {
      if (decision.kind !== 'apply') {
        return undefined;
      }
      const entry = this.#file(file.path);
      const apply = new InMemoryApply(this.#tools, file, entry, state, decision);
      this.#applies.set(entry, apply);
      return apply;
    });
    const guard = async (index: number, body: (apply: InMemoryApply) => Promise<Outcome | undefined> | Outcome) => {
      const apply = applies[index];
      try {
        return apply && (await body(apply));
      } catch (error) {
        return this.#brokeOff(judged[index] as Judged, error);
      }
    };
    const [first] = judged;
    await this.#reach('between look and apply', first?.file.path ?? '');
    // Text edits of several files are all or nothing to the editor.
    const isAccepted = applies.every((apply) => apply === undefined || apply.isAcceptable);
    const broken: unknown[] = [];
    for (const [index, apply] of applies.entries()) {
      try {
        if (isAccepted) {
          apply?.put();
        }
      } catch (error) {
        broken[index] = error;
      }
    }
    await this.#reach('as it lands', first?.file.path ?? '');
    const landed = await Promise.all(
      applies.map((_, index) =>
        guard(index, (apply) => {
          if (index in broken) {
            throw broken[index];
          }
          return apply.land(isAccepted);
        }),
      ),
    );
    const hasFailed = landed.some((outcome) => outcome !== undefined && outcome.kind !== 'applied');
    return Promise.all(
      judged.map(async (one, index): Promise<Outcome> => {
        const apply = applies[index];
        if (apply === undefined) {
          return untouched(one);
        }
        const outcome =
          landed[index] ?? (await guard(index, (each) => (hasFailed ? each.unfinished() : each.finish())));
        return this.#release(apply, outcome as Outcome);
      }),
    );
  }

  #brokeOff({ file }: Judged, error: unknown): Outcome {
    const reason = `the apply broke off: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: 'failed', status: 'apply_failed', reason, state: this.#seen(file), isTakenBack: false };
  }

  /** As `host/applyDesk.ts`: from now on, what happens to the file is somebody else's doing. */
  #release(apply: InMemoryApply, outcome: Outcome): Outcome {
    const { file } = apply;
    this.#applies.delete(file);
    this.#reloadSoon(file);
    if (outcome.kind !== 'applied') {
      apply.tellRest();
      return outcome;
    }
    this.#followed.set(file, apply);
    const unfollow = () => {
      if (this.#followed.get(file) === apply) {
        this.#followed.delete(file);
      }
    };
    return {
      ...outcome,
      onDidNumber: (number) => {
        unfollow();
        outcome.onDidNumber(number);
      },
      takeBack: async () => {
        this.#applies.set(file, apply);
        try {
          return await apply.takeBack();
        } finally {
          this.#applies.delete(file);
          unfollow();
          apply.tellRest();
          this.#reloadSoon(file);
        }
      },
    };
  }

  // --- inside: file operations and hooks

  #obstacleTo(file: FileRef, base: Base): Outcome | undefined {
    const entry = this.#file(file.path);
    const state = this.#seen(file);
    if (state.base?.dirty !== undefined || state.base === undefined || !isSameToken(state.base, base)) {
      return { kind: 'moved', state };
    }
    if (entry.isReadOnly) {
      return { kind: 'unfit', state, problem: READ_ONLY };
    }
    return entry.isStuck
      ? { kind: 'failed', status: 'save_failed', reason: 'stuck', state, isTakenBack: true }
      : undefined;
  }

  #done(file: FileRef, landed: Base, takeBack: () => Promise<TakenBack>): Applied {
    const state = this.#seen(file);
    return {
      kind: 'applied',
      state,
      landed,
      saved: true,
      hooks: [],
      foreign: state.base === undefined || !isSameToken(state.base, landed),
      isSavedTogether: false,
      onDidNumber: () => {},
      takeBack,
    };
  }

  /** A program of its own, that reads and writes in one go. */
  #runHook(entry: InMemoryFile, name: string, run: (raw: string) => string): void {
    const { textOnDisk } = entry;
    const raw = textOnDisk === undefined ? undefined : run(textOnDisk);
    if (raw !== undefined && raw !== textOnDisk) {
      entry.writer = { kind: 'hook', name };
      entry.write(encode(raw, entry.format), 'hook', 'formats');
      this.#reloadSoon(entry);
    }
  }

  /** Who changes or saves a file while hooks run on it. */
  readonly #watched = new Map<InMemoryFile, { hasSaved: boolean; hasChanged: boolean }>();

  #watch(entry: InMemoryFile): { readonly hasSaved: boolean; readonly hasChanged: boolean } {
    const watch = { hasSaved: false, hasChanged: false };
    this.#watched.set(entry, watch);
    return watch;
  }

  // --- inside: the editor

  /** A buffer has changed, and not by our own hand. */
  #changed(entry: InMemoryFile, change: BufferChange | undefined): void {
    if (!change) {
      return;
    }
    const watch = this.#watched.get(entry);
    if (watch && change.by !== 'editor') {
      watch.hasChanged = true;
    }
    const apply = this.#applies.get(entry);
    if (apply) {
      apply.changes.push(change);
    } else {
      this.#followed.get(entry)?.follow(change);
      this.#tell(entry, change);
    }
  }

  /** As `host/observer.ts`: writes into the ledger what the editor tells. */
  #tell(entry: InMemoryFile, { by, reason, number }: BufferChange): void {
    const { key } = this.#ref(entry.path);
    if (!this.#ledger.knows(key)) {
      return;
    }
    if (by === 'editor' || reason !== undefined) {
      const cause: Cause | undefined =
        reason === undefined ? undefined : number === undefined ? TYPED : { kind: reason, edit: number };
      if (cause) {
        this.#ledger.moved(key, cause, this.#now());
      } else {
        this.#look(entry);
      }
      return;
    }
    const pending = this.#ledger.pending(key, this.#now());
    if (by === 'save participant') {
      pending.suppose({ kind: 'not_typed' });
      this.#participated.set(entry, [...(this.#participated.get(entry) ?? []), pending]);
    } else {
      this.#undecided.push(() => pending.become(by === 'engineer' ? TYPED : { kind: 'not_typed' }));
    }
  }

  /** A reload from disk: what moved the disk is named by comparing with the last state. */
  #look(entry: InMemoryFile): void {
    const file = this.#ref(entry.path);
    const { base } = this.#stateOf(entry.path);
    if (base !== undefined) {
      this.#ledger.seen(file.key, base, this.#now(), () => this.writersSince(file));
    }
  }

  #decide(): void {
    for (const decide of this.#undecided.splice(0)) {
      decide();
    }
  }

  /** A save as the editor does it: one at a time for each file, participants first, then its guard, then the bytes. */
  async #save(entry: InMemoryFile, by: Author & ('arbiter' | 'engineer'), isForced = false): Promise<boolean> {
    const before = entry.saving;
    const saving = before.then(() => this.#saveNow(entry, by, isForced));
    entry.saving = saving.catch(() => {});
    return saving;
  }

  async #saveNow(entry: InMemoryFile, by: 'arbiter' | 'engineer', isForced: boolean): Promise<boolean> {
    if (!entry.buffer || !entry.isDirty) {
      return true;
    }
    this.#participated.delete(entry);
    await this.#reach('as the save begins', entry.path);
    const raw = entry.buffer?.raw;
    if (raw !== undefined && this.saveParticipants(raw) !== raw) {
      await this.#reach('while save participants run', entry.path);
      if (entry.buffer?.raw !== raw) {
        return false;
      }
      this.#participate(entry, raw);
    }
    const { buffer } = entry;
    if (!buffer) {
      return false;
    }
    const [written, step] = [buffer.raw, buffer.undo.at(-1)];
    await this.#reach('during save', entry.path);
    const isSame = isSameBytes(entry.bytes, encode(written, entry.format));
    const isKept = isSame || isSameBytes(entry.bytes, buffer.origin);
    const isGone = by === 'engineer' && entry.bytes === undefined;
    if (entry.isStuck || entry.buffer !== buffer || !(isForced || isKept || isGone)) {
      return false;
    }
    entry.writer = isSame ? entry.writer : undefined;
    entry.saveAs(written, step, by);
    if (by === 'engineer') {
      this.#saved(entry);
    }
    return true;
  }

  /** As the observer hears of a save by the engineer; of one during an apply of ours, when that is over. */
  #saved(entry: InMemoryFile): void {
    for (const pending of this.#participated.get(entry) ?? []) {
      pending.become({ kind: 'format' });
    }
    this.#participated.delete(entry);
    const watch = this.#watched.get(entry);
    if (watch) {
      watch.hasSaved = true;
    }
    const apply = this.#applies.get(entry);
    if (apply) {
      apply.isSavedBeside = true;
    } else {
      this.#tellSave(entry);
    }
  }

  #tellSave(entry: InMemoryFile): void {
    const { key } = this.#ref(entry.path);
    if (this.#ledger.knows(key)) {
      this.#ledger.moved(key, { kind: 'save' }, this.#now(), this.#stateOf(entry.path).base);
    }
  }

  get #hasSaveParticipants(): boolean {
    return this.saveParticipants !== nobody;
  }

  /** The editor makes what participants do as small as it can. */
  #participate(entry: InMemoryFile, before: string): void {
    const raw = this.saveParticipants(before);
    if (raw !== before) {
      const edits = spansBetween(before, raw).map(({ start, end, text }): BufferEdit => {
        const old = before.slice(start, end);
        const head = commonPrefix(old, text);
        const tail = commonSuffix(old, text, Math.min(old.length, text.length) - head);
        return { offset: start + head, length: end - start - head - tail, text: text.slice(head, text.length - tail) };
      });
      this.#changed(entry, entry.edit(edits, 'save participant', 'formats'));
    }
  }

  /** A clean buffer follows the disk, at once and never in the middle of a transaction, unless the editor takes its time. */
  #reloadSoon(entry: InMemoryFile): void {
    if (!this.isReloadLate && !this.#applies.has(entry)) {
      this.reload(entry.path);
    }
  }

  #seen(file: FileRef): State {
    const state = this.#stateOf(file.path);
    const entry = this.#file(file.path);
    if (state.base) {
      this.#seenAs.set(entry, `${printBase(state.base)} ${entry.version}`);
    }
    return state;
  }

  #stateOf(path: string): State {
    const entry = this.#file(path);
    const { bytes, buffer, format } = entry;
    const base: Base = { disk: bytes === undefined ? 'absent' : digest(bytes) };
    if (buffer && entry.isDirty) {
      const effective = encode(buffer.raw, format);
      if (bytes === undefined || !effective.equals(bytes)) {
        const dirty = { ...base, dirty: digest(effective) };
        return { kind: 'text', base: dirty, text: parseText(buffer.raw), format };
      }
    }
    if (bytes === undefined) {
      return { kind: 'absent', base };
    }
    if (isBinary(bytes, format)) {
      const problem: Problem = { status: 'binary', reason: 'not a text file', next: 'only text files can be edited' };
      return { kind: 'unreadable', base, problem };
    }
    const raw = decode(bytes, format);
    return typeof raw === 'string'
      ? { kind: 'text', base, text: parseText(raw), format }
      : { kind: 'unreadable', base, problem: raw };
  }

  #ref(path: string): FileRef {
    const file = this.resolve(path);
    if ('status' in file) {
      throw new Error(`${path}: ${file.reason}`);
    }
    return file;
  }

  #file(path: string): InMemoryFile {
    const { key, path: own } = this.#ref(path);
    let file = this.#files.get(key);
    if (!file) {
      file = new InMemoryFile(own, (mutation) => this.onDidMutate(mutation));
      this.#files.set(key, file);
    }
    return file;
  }

  /** Others have their turn here, whether or not the story lets them do something. */
  async #reach(moment: Moment, path: string): Promise<void> {
    await this.pause(moment, path);
    const actions = this.#actions.get(moment) ?? [];
    this.#actions.delete(moment);
    for (const action of actions) {
      action();
    }
  }
}

function untouched({ state, decision }: Judged): Outcome {
  return { kind: decision.kind === 'refuse' ? 'refused' : 'held', state };
}

function isSameToken(one: Base, other: Base): boolean {
  return printBase(one) === printBase(other);
}

function nobody(raw: string): string {
  return raw;
}

const TYPED: Cause = { kind: 'typed', count: 1 };
const READ_ONLY: Problem = { status: 'read_only', reason: 'read-only on disk', next: 'ask' };
