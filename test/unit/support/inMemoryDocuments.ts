import { normalize } from 'node:path/posix';
import { type Base, digest, printBase } from '../../../src/core/base.ts';
import { decode, detectFormat, encode, isBinary } from '../../../src/core/codec.ts';
import type {
  Candidate,
  Decision,
  Documents,
  FileRef,
  Format,
  Outcome,
  RenameOutcome,
  State,
  TakenBack,
} from '../../../src/core/documents.ts';
import { applyEdits, type BufferEdit, inverseOf, reverse } from '../../../src/core/landing.ts';
import type { Cause, Ledger, Move } from '../../../src/core/ledger.ts';
import type { Problem } from '../../../src/core/status.ts';
import { parseText, renderText, type Text } from '../../../src/core/text.ts';

/** The points of one transaction at which somebody else may act. */
export type Moment =
  | 'between look and apply'
  | 'after apply before save'
  /** What is typed here is saved with ours. */
  | 'as the save begins'
  /** The bytes to be written are settled here, and not written yet. */
  | 'during save'
  | 'after save';

/** One step of a buffer's undo stack; `number` where it is an edit of an agent. */
interface Step {
  readonly edits: readonly BufferEdit[];
  readonly inverse: readonly BufferEdit[];
  number?: number;
}

interface OpenBuffer {
  raw: string;
  /** What it was loaded from, or saved as. */
  saved: string;
  readonly undo: Step[];
  readonly redo: Step[];
}

/** A change of a buffer while a transaction of ours runs on it. */
interface Change {
  readonly edits: readonly BufferEdit[];
  readonly isTyped: boolean;
}

interface File {
  bytes: Uint8Array | undefined;
  buffer: OpenBuffer | undefined;
  version: number;
  isReadOnly: boolean;
  isStuck: boolean;
  /** Changes that came after our apply, while it runs. */
  busy: Change[] | undefined;
  seen: string | undefined;
}

type Applied = Extract<Outcome, { kind: 'applied' }>;

function unfit(state: State): Outcome {
  return { kind: 'unfit', state, problem: { status: 'read_only', reason: 'read-only on disk', next: 'ask' } };
}

const UNSAVED = { saved: false, hooks: [], isSavedTogether: false } as const;
const UTF8: Format = { encoding: 'utf8', bom: false };

/**
 * An editor and a disk in memory: UTF-8 files, each with at most one buffer. It keeps the promises of the port as the real
 * adapter does, and reports to the ledger what people do, as the editor's observer does. `at` lets others act in the
 * middle of a transaction, so that a race is a test and not a hope.
 */
export class InMemoryDocuments implements Documents {
  /** The line ending for new text in a file that has none. */
  ending: '\n' | '\r\n' = '\n';
  /** What save participants make of a text. */
  saveParticipants: (raw: string) => string = (raw) => raw;
  readonly #files = new Map<string, File>();
  readonly #aliases = new Map<string, string>();
  readonly #hooks = new Map<Moment, (() => void)[]>();
  readonly #undecided: (() => void)[] = [];
  readonly #ledger: Ledger;
  readonly #now: () => number;

  constructor(ledger: Ledger, now: () => number) {
    this.#ledger = ledger;
    this.#now = now;
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
    return this.#seen(file);
  }

  async transact(file: FileRef, decide: (state: State) => Decision): Promise<Outcome> {
    const state = this.#seen(file);
    const decision = decide(state);
    if (this.#isLocked(file, decision)) {
      return unfit(state);
    }
    return decision.kind === 'apply'
      ? this.#carryOut(file, state, decision)
      : { kind: decision.kind === 'hold' ? 'held' : 'refused', state };
  }

  #isLocked(file: FileRef, decision: Decision): boolean {
    const isChange =
      decision.kind === 'apply' ||
      (decision.kind === 'hold' && decision.plan !== undefined && (decision.plan.kind !== 'create') === true);
    return isChange && this.#entryOf(file).isReadOnly;
  }

  async transactAll(
    parts: readonly { readonly file: FileRef; readonly decide: (state: State) => Decision }[],
  ): Promise<readonly Outcome[]> {
    const judged = parts.map(({ file, decide }) => {
      const state = this.#seen(file);
      return { file, state, decision: decide(state) };
    });
    const mayRun = judged.every(({ file, decision }) => decision.kind !== 'refuse' && !this.#isLocked(file, decision));
    const outcomes: Outcome[] = [];
    for (const { file, state, decision } of judged) {
      const hasFailed = outcomes.some(({ kind }) => kind !== 'applied' && kind !== 'held');
      if (mayRun && decision.kind === 'apply' && !hasFailed) {
        outcomes.push(await this.#carryOut(file, state, decision));
      } else if (this.#isLocked(file, decision)) {
        outcomes.push(unfit(state));
      } else {
        outcomes.push({ kind: decision.kind === 'refuse' ? 'refused' : 'held', state });
      }
    }
    return outcomes;
  }

  async runHooks(_: FileRef, outcome: Applied): Promise<Outcome> {
    return outcome;
  }

  async #carryOut(file: FileRef, state: State, decision: Extract<Decision, { kind: 'apply' }>): Promise<Outcome> {
    const entry = this.#entryOf(file);
    const { bytes } = entry;
    const outcome = await this.#transact(file, entry, state, decision);
    return outcome.kind !== 'applied'
      ? outcome
      : {
          ...outcome,
          takeBack: async () => {
            entry.bytes = bytes;
            entry.buffer = undefined;
            entry.version += 1;
            return { state: this.#seen(file), isWhole: true };
          },
        };
  }

  #entryOf({ path }: FileRef): File {
    return this.#file(path);
  }

  async #transact(
    file: FileRef,
    entry: File,
    state: State,
    decision: Extract<Decision, { kind: 'apply' }>,
  ): Promise<Outcome> {
    const buffer = this.#open(entry);
    entry.busy = [];
    try {
      return await this.#apply(file, entry, buffer, state, decision);
    } finally {
      entry.busy = undefined;
      this.#reload(file.path);
    }
  }

  async create(file: FileRef, text: Text): Promise<Outcome> {
    await this.#reach('between look and apply');
    const entry = this.#file(file.path);
    if (entry.bytes !== undefined || isDirty(entry.buffer)) {
      return { kind: 'moved', state: this.#seen(file) };
    }
    const landed = this.#write(entry, renderText(text));
    await this.#reach('after save');
    const state = this.#seen(file);
    const foreign = state.base === undefined || printBase(state.base) !== printBase(landed);
    return {
      kind: 'applied',
      state,
      landed,
      saved: true,
      hooks: [],
      foreign,
      isSavedTogether: false,
      onDidNumber: () => {},
      takeBack: async () => {
        const { kind, state: left } = await this.remove(file, landed);
        return { state: left, isWhole: kind === 'applied' };
      },
    };
  }

  async remove(file: FileRef, base: Base): Promise<Outcome> {
    await this.#reach('between look and apply');
    const entry = this.#file(file.path);
    const state = this.#seen(file);
    if (state.base === undefined || printBase(state.base) !== printBase(base)) {
      return { kind: 'moved', state };
    }
    if (entry.isReadOnly) {
      return unfit(state);
    }
    if (entry.isStuck) {
      return { kind: 'failed', status: 'save_failed', reason: 'stuck', state, isTakenBack: true };
    }
    const { bytes } = entry;
    entry.bytes = undefined;
    entry.buffer = undefined;
    entry.version += 1;
    return this.#done(file, { disk: 'absent' }, async () => {
      entry.bytes ??= bytes;
      return { state: this.#seen(file), isWhole: true };
    });
  }

  async rename(file: FileRef, target: FileRef, base: Base): Promise<RenameOutcome> {
    await this.#reach('between look and apply');
    const [from, to] = [this.#file(file.path), this.#file(target.path)];
    const state = this.#seen(file);
    if (state.base === undefined || printBase(state.base) !== printBase(base)) {
      return { kind: 'moved', state };
    }
    if (to.bytes !== undefined || isDirty(to.buffer)) {
      return { kind: 'occupied', state: this.#seen(target) };
    }
    to.bytes = from.bytes;
    to.buffer = from.buffer;
    from.bytes = undefined;
    from.buffer = undefined;
    for (const entry of [from, to]) {
      entry.version += 1;
    }
    return this.#done(target, base, async () => {
      const { kind } = await this.rename(target, file, base);
      return { state: this.#seen(file), isWhole: kind === 'applied' };
    });
  }

  #done(file: FileRef, landed: Base, takeBack: () => Promise<TakenBack>): Outcome {
    return {
      kind: 'applied',
      state: this.#seen(file),
      landed,
      saved: true,
      hooks: [],
      foreign: false,
      isSavedTogether: false,
      onDidNumber: () => {},
      takeBack,
    };
  }

  async settled(): Promise<void> {
    for (const decide of this.#undecided.splice(0)) {
      decide();
    }
  }

  /** Who is said to have written the disk; by default nobody known. */
  writer: Cause | undefined;

  writersSince(file: FileRef): readonly Move[] {
    return [{ cause: this.writer ?? { kind: 'external', deleted: this.#file(file.path).bytes === undefined } }];
  }

  locksOf(file: FileRef): readonly string[] {
    return [file.key];
  }

  isProbablyIn(file: FileRef, base: Base): boolean {
    const entry = this.#file(file.path);
    return entry.seen === `${printBase(base)} ${entry.version}`;
  }

  endingFor(): '\n' | '\r\n' {
    return this.ending;
  }

  // --- what others do

  /** Runs `action` once, when a transaction reaches `moment`. */
  at(moment: Moment, action: () => void): void {
    this.#hooks.set(moment, [...(this.#hooks.get(moment) ?? []), action]);
  }

  /** Whether every action that `at` was given has run. */
  get hasRunAll(): boolean {
    return [...this.#hooks.values()].every((actions) => actions.length === 0);
  }

  /** Drops the actions that no transaction has reached. */
  forgetActions(): void {
    this.#hooks.clear();
  }

  /** Makes another path lead to the same file, as a symbolic link does. */
  link(alias: string, path: string): void {
    this.#aliases.set(alias, path);
  }

  makeReadOnly(path: string): void {
    this.#file(path).isReadOnly = true;
  }

  /** Lets every save of the file fail. */
  makeStuck(path: string): void {
    this.#file(path).isStuck = true;
  }

  /** What the editor shows, or else what is on disk. */
  text(path: string): string | undefined {
    const { buffer, bytes } = this.#file(path);
    return buffer && (isDirty(buffer) || bytes !== undefined) ? buffer.raw : bytes && decodeUtf8(bytes);
  }

  textOnDisk(path: string): string | undefined {
    const { bytes } = this.#file(path);
    return bytes && decodeUtf8(bytes);
  }

  /** Whether the editor shows the file as changed. */
  isDirty(path: string): boolean {
    return isDirty(this.#file(path).buffer);
  }

  /** The token of the state now. Nobody has seen it for that. */
  base(path: string): string {
    const { base } = this.#stateOf(path);
    return base === undefined ? 'none' : printBase(base);
  }

  /** How many steps an undo could take back. */
  undoSteps(path: string): number {
    return this.#file(path).buffer?.undo.length ?? 0;
  }

  /** Another program writes the file, or deletes it. */
  write(path: string, content: string | Uint8Array | undefined): void {
    const entry = this.#file(path);
    entry.bytes = typeof content === 'string' ? encode(content, UTF8) : content;
    entry.version += 1;
    this.#reload(path);
  }

  open(path: string): void {
    this.#open(this.#file(path));
  }

  close(path: string): void {
    this.#file(path).buffer = undefined;
  }

  /** Changes the buffer; `cause` tells whether by hand or by something else in the editor, such as a quick fix. */
  change(path: string, cause: 'typed' | 'not_typed', makeEdits: (raw: string) => readonly BufferEdit[]): void {
    const { key } = this.#ref(path);
    const entry = this.#file(path);
    const buffer = this.#open(entry);
    const edits = makeEdits(buffer.raw);
    this.#edit(entry, buffer, edits, cause === 'typed');
    if (this.#ledger.knows(key)) {
      const pending = this.#ledger.pending(key, this.#now());
      this.#undecided.push(() =>
        pending.become(cause === 'typed' ? { kind: 'typed', count: 1 } : { kind: 'not_typed' }),
      );
    }
  }

  /** The engineer takes the last step back, or brings it back. */
  step(path: string, kind: 'undo' | 'redo'): void {
    const { key } = this.#ref(path);
    const entry = this.#file(path);
    const buffer = entry.buffer;
    const step = buffer?.[kind].pop();
    if (!buffer || !step) {
      throw new Error(`nothing to ${kind} in ${path}`);
    }
    buffer.raw = applyEdits(buffer.raw, kind === 'undo' ? step.inverse : step.edits);
    buffer[kind === 'undo' ? 'redo' : 'undo'].push(step);
    entry.version += 1;
    const { number } = step;
    this.#ledger.moved(key, number === undefined ? { kind: 'typed', count: 1 } : { kind, edit: number }, this.#now());
  }

  /** The engineer saves. */
  save(path: string): void {
    const { key } = this.#ref(path);
    const entry = this.#file(path);
    const { buffer } = entry;
    if (!buffer) {
      throw new Error(`${path} is not open`);
    }
    void this.settled();
    if (this.#participate(entry, buffer)) {
      this.#ledger.moved(key, { kind: 'format' }, this.#now());
    }
    const base = this.#write(entry, buffer.raw);
    buffer.saved = buffer.raw;
    if (this.#ledger.knows(key)) {
      this.#ledger.moved(key, { kind: 'save' }, this.#now(), base);
    }
  }

  // --- inside

  #open(entry: File): OpenBuffer {
    entry.buffer ??= load(decodeUtf8(entry.bytes));
    return entry.buffer;
  }

  async #apply(
    file: FileRef,
    entry: File,
    buffer: OpenBuffer,
    state: State,
    decision: Extract<Decision, { kind: 'apply' }>,
  ): Promise<Outcome> {
    const { candidate, onDidLand } = decision;
    const before = buffer.raw;
    const lookedAt = entry.bytes;
    await this.#reach('between look and apply');
    if (buffer.raw !== before) {
      return { kind: 'moved', state: this.#seen(file) };
    }
    const own = this.#land(entry, buffer, state, candidate);
    const candidateBytes = encode(renderText(candidate.text), formatOf(state));
    const inBuffer: Base = { disk: state.base?.disk ?? 'absent', dirty: digest(candidateBytes) };
    const step = buffer.undo.at(-1);
    const applied = (how: Omit<Extract<Outcome, { kind: 'applied' }>, 'kind' | 'state' | 'onDidNumber'>): Outcome => ({
      kind: 'applied',
      state: this.#seen(file),
      ...how,
      onDidNumber: (number) => {
        if (step) {
          step.number = number;
        }
      },
    });
    onDidLand();
    entry.busy = [];
    await this.#reach('after apply before save');
    const intruded = (): Outcome => {
      const changes = (entry.busy ?? []).map(({ edits }) => edits);
      const { spans, isTouched } = reverse(before, own, changes);
      if (!isTouched) {
        return applied({ ...UNSAVED, foreign: true, landed: inBuffer });
      }
      this.#edit(
        entry,
        buffer,
        spans.map(({ start, end, text }) => ({ offset: start, length: end - start, text })),
        false,
      );
      return this.#failed(file, 'apply_failed', 'somebody changed the very place of the edit');
    };
    if (entry.busy.length > 0) {
      return intruded();
    }
    if (state.base?.dirty !== undefined) {
      return applied({ ...UNSAVED, foreign: !isSameBytes(entry.bytes, lookedAt), landed: inBuffer });
    }
    if (!isSameBytes(entry.bytes, lookedAt)) {
      return this.#diskChanged(file, entry, buffer);
    }
    await this.#reach('as the save begins');
    const isSavedTogether = entry.busy.length > 0;
    const isHooked = this.#participate(entry, buffer);
    const written = buffer.raw;
    await this.#reach('during save');
    if (!isSameBytes(entry.bytes, lookedAt)) {
      return this.#diskChanged(file, entry, buffer);
    }
    if (entry.isStuck) {
      if (entry.busy.some(({ isTyped }) => isTyped)) {
        return intruded();
      }
      buffer.raw = before;
      return this.#failed(file, 'save_failed', 'the editor would not save the file');
    }
    const base = this.#write(entry, written);
    buffer.saved = written;
    await this.#reach('after save');
    const isOnDisk = this.textOnDisk(file.path) === written;
    const isMoved = buffer.raw !== written || !isOnDisk;
    const to = isOnDisk && !isSavedTogether ? { to: base } : {};
    return applied({
      saved: true,
      hooks: isHooked ? [{ name: 'format on save', ...to }] : [],
      foreign: isSavedTogether || isMoved,
      isSavedTogether,
      ...(isOnDisk ? { written: base } : {}),
      landed: { disk: digest(candidateBytes) },
    });
  }

  /** Our own change, as one undo step. A candidate whose spans do not lead to its text breaks the port's promise. */
  #land(entry: File, buffer: OpenBuffer, state: State, { spans, text }: Candidate): BufferEdit[] {
    if (state.kind !== 'text') {
      throw new Error('only a text can be edited');
    }
    const ending = typeof text.endings === 'string' ? text.endings : '\n';
    const isLong = state.text.endings === '\r\n';
    const { content } = state.text;
    const offsetOf = (offset: number) => offset + (isLong ? content.slice(0, offset).split('\n').length - 1 : 0);
    const own = spans.map(({ start, end, text: added }) => ({
      offset: offsetOf(start),
      length: offsetOf(end) - offsetOf(start),
      text: added.replaceAll('\r\n', '\n').replaceAll('\n', ending),
    }));
    this.#edit(entry, buffer, own, false);
    if (buffer.raw !== renderText(text)) {
      throw new Error('the spans of the candidate do not lead to its text');
    }
    return own;
  }

  #diskChanged(file: FileRef, entry: File, buffer: OpenBuffer): Outcome {
    const raw = decodeUtf8(entry.bytes);
    buffer.raw = raw;
    buffer.saved = raw;
    return { kind: 'disk_changed', state: this.#seen(file) };
  }

  #failed(file: FileRef, status: 'apply_failed' | 'save_failed', reason: string): Outcome {
    return { kind: 'failed', status, reason, state: this.#seen(file), isTakenBack: true };
  }

  #edit(entry: File, buffer: OpenBuffer, edits: readonly BufferEdit[], isTyped: boolean): void {
    buffer.undo.push({ edits, inverse: inverseOf(buffer.raw, edits) });
    buffer.redo.length = 0;
    buffer.raw = applyEdits(buffer.raw, edits);
    entry.version += 1;
    entry.busy?.push({ edits, isTyped });
  }

  /** @returns whether the save participants changed the buffer. */
  #participate(entry: File, buffer: OpenBuffer): boolean {
    const raw = this.saveParticipants(buffer.raw);
    if (raw === buffer.raw) {
      return false;
    }
    this.#edit(entry, buffer, [{ offset: 0, length: buffer.raw.length, text: raw }], false);
    return true;
  }

  #write(entry: File, raw: string): Base {
    const format = entry.bytes === undefined ? UTF8 : detectFormat(entry.bytes, 'utf8');
    entry.bytes = encode(raw, format);
    entry.version += 1;
    return { disk: digest(entry.bytes) };
  }

  /** A clean buffer follows the disk, except while a transaction of ours runs. */
  #reload(path: string): void {
    const entry = this.#file(path);
    const { buffer } = entry;
    if (!buffer || isDirty(buffer) || entry.busy || decodeUtf8(entry.bytes) === buffer.saved) {
      return;
    }
    buffer.raw = decodeUtf8(entry.bytes);
    buffer.saved = buffer.raw;
    const { key } = this.#ref(path);
    const { base } = this.#stateOf(path);
    if (base !== undefined && this.#ledger.knows(key)) {
      this.#ledger.seen(key, base, this.#now());
    }
  }

  #seen(file: FileRef): State {
    const state = this.#stateOf(file.path);
    const entry = this.#file(file.path);
    entry.seen = state.base && `${printBase(state.base)} ${entry.version}`;
    return state;
  }

  #stateOf(path: string): State {
    const { bytes, buffer } = this.#file(path);
    const base: Base = { disk: bytes === undefined ? 'absent' : digest(bytes) };
    const format = bytes === undefined ? UTF8 : detectFormat(bytes, 'utf8');
    if (buffer && isDirty(buffer)) {
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

  #file(path: string): File {
    const { key } = this.#ref(path);
    let file = this.#files.get(key);
    if (!file) {
      file = {
        bytes: undefined,
        buffer: undefined,
        version: 0,
        isReadOnly: false,
        isStuck: false,
        busy: undefined,
        seen: undefined,
      };
      this.#files.set(key, file);
    }
    return file;
  }

  /** Others have their turn here, whether or not the story lets them do something. */
  async #reach(moment: Moment): Promise<void> {
    await null;
    const actions = this.#hooks.get(moment) ?? [];
    this.#hooks.delete(moment);
    for (const action of actions) {
      action();
    }
  }
}

function load(raw: string): OpenBuffer {
  return { raw, saved: raw, undo: [], redo: [] };
}

function isDirty(buffer: OpenBuffer | undefined): boolean {
  return buffer !== undefined && buffer.raw !== buffer.saved;
}

function formatOf(state: State): Format {
  return state.kind === 'text' ? state.format : UTF8;
}

function decodeUtf8(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}

function isSameBytes(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && Buffer.from(one).equals(other));
}
