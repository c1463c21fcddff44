import { type Base, digest } from '../../../src/core/base.ts';
import { encode } from '../../../src/core/codec.ts';
import type { Decision, FileRef, Outcome, State, TakenBack } from '../../../src/core/documents.ts';
import { applyEdits, type BufferEdit, reverse } from '../../../src/core/landing.ts';
import { renderText } from '../../../src/core/text.ts';
import { type BufferChange, decodeUtf8, type InMemoryFile, isSameBytes, type UndoStep, UTF8 } from './inMemoryFile.ts';
import type { Moment } from './moments.ts';

type Applied = Extract<Outcome, { kind: 'applied' }>;
type Applying = Extract<Decision, { kind: 'apply' }>;

/** What an apply works with. */
export interface ApplyTools {
  /** The state now. */
  readonly seen: (file: FileRef) => State;
  /** Lets others act. */
  readonly reach: (moment: Moment, path: string) => Promise<void>;
  /** A change that was not ours, for the ledger. */
  readonly tell: (file: InMemoryFile, change: BufferChange) => void;
  /** A save that was not ours, for the ledger. */
  readonly tellSave: (file: InMemoryFile) => void;
  /** A save as the editor does it. @returns whether it went through. */
  readonly save: (file: InMemoryFile) => Promise<boolean>;
  /** Whether a save may change the text. */
  readonly hasSaveParticipants: () => boolean;
}

const UNSAVED = { saved: false, hooks: [], isSavedTogether: false } as const;
const SAVE_PARTICIPANTS = 'format on save';
const MAX_REVERSALS = 5;
const MAX_ATTEMPTS = 10;

/** One apply to one open file in memory, step by step what `host/apply.ts` does in the editor. */
export class InMemoryApply {
  readonly file: InMemoryFile;
  /** Every change of the buffer since the compare, in order: ours among them. */
  readonly changes: BufferChange[] = [];
  /** Whether the engineer's save has gone through meanwhile, and is to be told. */
  isSavedBeside = false;
  readonly #tools: ApplyTools;
  readonly #ref: FileRef;
  readonly #state: State;
  readonly #decision: Applying;
  readonly #before: string;
  readonly #expected: string;
  readonly #diskBefore: Uint8Array | undefined;
  readonly #versionBefore: number;
  readonly #bytes: Uint8Array;
  #own: readonly BufferEdit[] = [];
  #ownIndex = 0;
  #step: UndoStep | undefined;
  #written: Uint8Array | undefined;
  #isSaved = false;
  #told = 0;
  readonly #toldBefore = new WeakSet<BufferChange>();
  #hooks: ReadonlySet<BufferChange> = new Set();

  /** Must be called in the turn of the compare. */
  constructor(tools: ApplyTools, ref: FileRef, file: InMemoryFile, state: State, decision: Applying) {
    const buffer = file.open();
    this.file = file;
    this.#tools = tools;
    this.#ref = ref;
    this.#state = state;
    this.#decision = decision;
    this.#before = buffer.raw;
    this.#versionBefore = buffer.version;
    this.#diskBefore = file.bytes;
    this.#expected = renderText(decision.candidate.text);
    this.#bytes = encode(this.#expected, state.kind === 'text' ? state.format : UTF8);
  }

  /** Whether the editor takes the edit: it compares the version of the buffer, and knows nothing of the disk. */
  get isAcceptable(): boolean {
    return this.file.buffer?.version === this.#versionBefore;
  }

  /** Puts our own part into the buffer, as one undo step. A candidate whose spans do not lead to its text breaks the port's promise. */
  put(): void {
    const { spans, text } = this.#decision.candidate;
    if (this.#state.kind !== 'text') {
      throw new Error('only a text can be edited');
    }
    const ending = typeof text.endings === 'string' ? text.endings : '\n';
    const isLong = this.#state.text.endings === '\r\n';
    const { content } = this.#state.text;
    const offsetOf = (offset: number) => offset + (isLong ? content.slice(0, offset).split('\n').length - 1 : 0);
    this.#own = spans.map(({ start, end, text: added }) => ({
      offset: offsetOf(start),
      length: offsetOf(end) - offsetOf(start),
      text: added.replaceAll('\r\n', '\n').replaceAll('\n', ending),
    }));
    if (applyEdits(this.#before, this.#own) !== this.#expected) {
      throw new Error('the spans of the candidate do not lead to its text');
    }
    this.#ownIndex = this.changes.length;
    this.changes.push(this.file.edit(this.#own, 'arbiter', 'lands'));
    this.#step = this.file.buffer?.undo.at(-1);
  }

  /** Checks what has landed. @returns `undefined` where all is well, and {@link finish} may follow. */
  async land(isAccepted: boolean): Promise<Outcome | undefined> {
    if (!isAccepted) {
      this.tellRest();
      const state = this.#tools.seen(this.#ref);
      return isSameState(state, this.#state)
        ? this.#failed('apply_failed', 'the editor declined the edit', true)
        : { kind: 'moved', state };
    }
    this.#decision.onDidLand();
    this.#told = this.#ownIndex + 1;
    await this.#tools.reach('after apply before save', this.#ref.path);
    if (this.changes.length > this.#told) {
      return this.#intruded();
    }
    if (this.#isDirtyBase) {
      const foreign = !isSameBytes(this.file.bytes, this.#diskBefore);
      return this.#applied({ ...UNSAVED, foreign, landed: this.#landedInBuffer() });
    }
    return undefined;
  }

  async finish(): Promise<Outcome> {
    if (this.changes.length > this.#told) {
      return this.#intruded();
    }
    return this.#save();
  }

  /** What stands without being saved, because another file of a joint edit failed: ours to take back. */
  unfinished(): Outcome {
    return this.#applied({ ...UNSAVED, foreign: true, landed: this.#landedInBuffer() });
  }

  /** Takes our own part back, from the disk where our save wrote it, and from the buffer. */
  async takeBack(): Promise<TakenBack> {
    await this.#tools.reach('as it is taken back', this.#ref.path);
    // The editor reloads a clean buffer whose file moves on disk, so somebody's text must be unsaved by then.
    const isShared = !this.#isOursAlone;
    const isRestoredFirst = !isShared && this.#restoreDisk();
    const { buffer } = this.file;
    const isLeft = buffer !== undefined && buffer.raw !== this.#before;
    const isReversed = !isLeft || (await this.#reverse());
    const isRestored = isShared ? this.#restoreDisk() : isRestoredFirst;
    return { state: this.#tools.seen(this.#ref), isWhole: isReversed && (isRestored || !this.#isSaved) };
  }

  /** Takes note of a change that came after the apply had ended, and that is told by whoever saw it. */
  follow(change: BufferChange): void {
    this.changes.push(change);
    this.#toldBefore.add(change);
  }

  /** Tells what has not been told yet, and was done neither by us nor by a hook. */
  tellRest(): void {
    for (const change of this.changes.slice(this.#told)) {
      if (!this.#hooks.has(change) && !this.#toldBefore.has(change)) {
        this.#toldBefore.add(change);
        this.#tools.tell(this.file, change);
      }
    }
    this.#told = this.changes.length;
    if (this.isSavedBeside) {
      this.isSavedBeside = false;
      this.#tools.tellSave(this.file);
    }
  }

  async #save(): Promise<Outcome> {
    const { file } = this;
    if (!isSameBytes(file.bytes, this.#diskBefore) && !isSameBytes(file.bytes, this.#bytes)) {
      return this.#diskChanged();
    }
    const saveFrom = this.changes.length;
    const isSaved = await this.#tools.save(file);
    const saveTo = this.changes.length;
    await this.#tools.reach('after save', this.#ref.path);
    const state = this.#tools.seen(this.#ref);
    const later = this.changes.slice(this.#ownIndex + 1);
    const hooks = new Set(this.changes.slice(saveFrom, saveTo).filter(isNotTyped));
    const theirs = later.filter((change) => !hooks.has(change));
    const writtenAt = this.#writtenAt(later, file.textOnDisk);
    const isOurs = writtenAt !== undefined && !isSameBytes(file.bytes, this.#diskBefore);
    if (!isSaved && !isOurs) {
      if (!isSameBytes(file.bytes, this.#diskBefore)) {
        return this.#diskChanged();
      }
      if (theirs.length > 0) {
        return this.#intruded();
      }
      return this.#failed('save_failed', 'the editor would not save the file', await this.#reverse());
    }
    this.#hooks = hooks;
    const isWritten = writtenAt !== undefined && file.bytes !== undefined;
    const isSavedTogether = isWritten && later.slice(0, writtenAt).some((change) => theirs.includes(change));
    const written: Base | undefined = isWritten && file.bytes ? { disk: digest(file.bytes) } : undefined;
    this.#isSaved = true;
    this.#written = isWritten ? file.bytes : undefined;
    const isHooked = later.some((change) => hooks.has(change));
    const to = written && !isSavedTogether ? { to: written } : {};
    return this.#applied(
      {
        saved: true,
        hooks: isHooked ? [{ name: SAVE_PARTICIPANTS, ...to }] : [],
        foreign: theirs.length > 0 || !isWritten,
        isUndone: later.some(({ reason }) => reason === 'undo') && this.#reversal(later).isUndone,
        isSavedTogether,
        landed: { disk: digest(this.#bytes) },
        ...(written ? { written } : {}),
      },
      state,
    );
  }

  /** How many of the changes after ours the save wrote along with it. @returns `undefined` where somebody else wrote the disk. */
  #writtenAt(later: readonly BufferChange[], onDisk: string | undefined): number | undefined {
    let text = this.#expected;
    for (const [index, { edits }] of later.entries()) {
      if (text === onDisk) {
        return index;
      }
      text = applyEdits(text, edits);
    }
    return text === onDisk ? later.length : undefined;
  }

  /** Somebody changed the buffer between our apply and our save: it is theirs to save now. */
  async #intruded(): Promise<Outcome> {
    const later = this.changes.slice(this.#ownIndex + 1);
    const { isTouched, isUndone } = this.#reversal(later);
    if (isUndone && later.some(({ reason }) => reason === 'undo')) {
      return this.#applied({ ...UNSAVED, foreign: true, isUndone, landed: this.#landedInBuffer() });
    }
    if (isTouched) {
      const isTakenBack = await this.#reverse();
      return this.#failed('apply_failed', 'somebody changed the very place of the edit', isTakenBack);
    }
    return this.#applied({ ...UNSAVED, foreign: true, landed: this.#landedInBuffer() });
  }

  async #diskChanged(): Promise<Outcome> {
    if (!(await this.#reverse())) {
      const reason = 'another program wrote the file, and our part could not be taken back';
      return this.#failed('apply_failed', reason, false);
    }
    return { kind: 'disk_changed', state: this.#tools.seen(this.#ref) };
  }

  /** Takes our own part out of the buffer. @returns whether nothing of it is left. */
  async #reverse(): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_REVERSALS && this.file.buffer; attempt += 1) {
      await this.#tools.reach('as it is taken back', this.#ref.path);
      const later = this.changes.slice(this.#ownIndex + 1);
      const count = this.changes.length;
      if (this.#isOursAlone && !this.#isDirtyBase && (await this.#synchronize())) {
        return true;
      }
      if (this.changes.length > count) {
        continue;
      }
      const { spans, isUndone } = this.#reversal(later);
      if (isUndone || spans.length === 0) {
        return true;
      }
      const edits = spans.map(({ start, end, text }) => ({ offset: start, length: end - start, text }));
      const isTaken = await this.#offer(edits, () => {
        for (const change of later) {
          this.#tools.tell(this.file, change);
          this.#toldBefore.add(change);
        }
      });
      if (isTaken) {
        this.#told = this.changes.length;
        return true;
      }
    }
    return false;
  }

  /** Makes the buffer what is on disk, and clean, however often the disk moves meanwhile; see `host/synchronize.ts`. */
  async #synchronize(): Promise<boolean> {
    const { file } = this;
    let known = file.buffer?.raw;
    let isReplaced = false;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { bytes, buffer } = file;
      if (bytes === undefined || !buffer || buffer.raw !== known) {
        return isReplaced;
      }
      const raw = decodeUtf8(bytes);
      if (buffer.raw !== raw) {
        if (
          !(await this.#offer([{ offset: 0, length: buffer.raw.length, text: raw }], () => {})) ||
          buffer.raw !== raw
        ) {
          return isReplaced;
        }
      }
      known = raw;
      isReplaced = true;
      this.#told = this.changes.length;
      if (!isSameBytes(file.bytes, bytes) || buffer.raw !== raw) {
        continue;
      }
      if (!file.isDirty || this.#tools.hasSaveParticipants() || (await this.#tools.save(file))) {
        return isReplaced;
      }
    }
    return isReplaced;
  }

  /** Hands an edit to the editor, which takes it unless the buffer has moved. @returns whether it did. */
  async #offer(edits: readonly BufferEdit[], onDidTake: () => void): Promise<boolean> {
    const { buffer } = this.file;
    const version = buffer?.version;
    await this.#tools.reach('between look and reversal', this.#ref.path);
    if (!buffer || buffer !== this.file.buffer || buffer.version !== version) {
      return false;
    }
    this.changes.push(this.file.edit(edits, 'arbiter', 'takes back'));
    onDidTake();
    return true;
  }

  /** @returns whether the disk holds again what it held before; never over another program's bytes. */
  #restoreDisk(): boolean {
    if (this.#written === undefined || this.#diskBefore === undefined || !isSameBytes(this.file.bytes, this.#written)) {
      return false;
    }
    this.file.write(this.#diskBefore, 'arbiter', 'takes back on disk');
    return true;
  }

  #reversal(later: readonly BufferChange[]): ReturnType<typeof reverse> {
    return reverse(
      this.#before,
      this.#own,
      later.map(({ edits }) => edits),
    );
  }

  /** Whether nobody but hooks has changed the buffer since our part. */
  get #isOursAlone(): boolean {
    const later = this.changes.slice(this.#ownIndex + 1);
    return later.every((change) => this.#written !== undefined && this.#hooks.has(change));
  }

  get #isDirtyBase(): boolean {
    return this.#state.base?.dirty !== undefined;
  }

  #landedInBuffer(): Base {
    const disk = this.#state.base?.disk ?? 'absent';
    const dirty = digest(this.#bytes);
    return dirty === disk ? { disk } : { disk, dirty };
  }

  #failed(status: 'apply_failed' | 'save_failed', reason: string, isTakenBack: boolean): Outcome {
    return { kind: 'failed', status, reason, state: this.#tools.seen(this.#ref), isTakenBack };
  }

  #applied(how: Omit<Applied, 'kind' | 'state' | 'onDidNumber' | 'takeBack'>, seen?: State): Applied {
    return {
      kind: 'applied',
      ...how,
      state: seen ?? this.#tools.seen(this.#ref),
      onDidNumber: (number) => {
        if (this.#step) {
          this.#step.number = number;
        }
        this.tellRest();
      },
      takeBack: () => this.takeBack(),
    };
  }
}

/** Nobody can tell what participants of a save do from what another extension does meanwhile. */
function isNotTyped({ by, reason }: BufferChange): boolean {
  return reason === undefined && (by === 'save participant' || by === 'extension');
}

function isSameState(one: State, other: State): boolean {
  return one.base?.disk === other.base?.disk && one.base?.dirty === other.base?.dirty;
}
