import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Author } from '../core/applyRecord.ts';
import type { Base } from '../core/base.ts';
import { formatOf } from '../core/codec.ts';
import type { Decision, FileRef, HookEffect, HookFailure, Outcome, State, TakenBack } from '../core/documents.ts';
import { applyEdits, type BufferEdit, findLanding, type Landing, reverse } from '../core/landing.ts';
import { renderText, type Span } from '../core/text.ts';
import { SECTION, SETTINGS } from '../names.ts';
import type { ApplyRecords, Intent, Recording } from './applyRecords.ts';
import type { BufferChange, BufferChanges } from './bufferChanges.ts';
import { applyToBuffer, needsTextEditor, type Replaced, toBufferEdits, toReplaced } from './bufferEdits.ts';
import type { Conversions } from './conversions.ts';
import { digestOf } from './digests.ts';
import { type Disk, type FullDisks, isSameDisk, readDisk } from './disk.ts';
import type { DocumentSaver } from './documentSaver.ts';
import { describe } from './errors.ts';
import { overwriteExactly, setTimes, TornError } from './fileOperations.ts';
import type { Look, Looks } from './looks.ts';
import { elsewhereProblem } from './paths.ts';
import { synchronize } from './synchronize.ts';
import { within } from './within.ts';

/** What an apply works with. */
export interface Tools {
  readonly looks: Looks;
  readonly changes: BufferChanges;
  readonly conversions: Conversions;
  readonly saver: DocumentSaver;
  readonly records: ApplyRecords;
  readonly fullDisks: FullDisks;
  readonly log: vscode.LogOutputChannel;
  /** Passes on a change that was not ours, for the ledger. */
  readonly tell: (document: vscode.TextDocument, change: BufferChange) => void;
  /** Passes on that the document was saved, and not by us. */
  readonly tellSave: (document: vscode.TextDocument) => void;
  /** Told once our own edit has its number: the change of the buffer and the text before it. */
  readonly numbered: (
    document: vscode.TextDocument,
    edits: readonly BufferEdit[],
    before: string,
    edit: number,
  ) => void;
}

/** The name under which the editor's save participants appear among the hooks. */
const SAVE_PARTICIPANTS = 'format on save';
/** The same for the editor's own formatter, where `formatAfterEdit` asks for it. */
const FORMATTER = 'format after edit';
/** How long that formatter may take, in milliseconds. */
const FORMATTER_TIME = 10_000;
/** How often taking our part back is tried while somebody types into it. */
const MAX_REVERSALS = 5;
/** How long the events that tell typing from hooks may follow a save, in milliseconds. */
const FOLLOW_TIME = 20;

/** How often it is tried to put back what a full disk has cut off, and the pause before each further try, in milliseconds. */
const MAX_RESTORES = 10;
const RESTORE_PAUSE = 50;
/** Why nothing may be put back: somebody else has written the file. */
const MOVED = 'another program has written the file since';

type DiskFile = Extract<Disk, { kind: 'file' }>;

/**
 * One apply of one candidate to one open document: applies, checks what landed, saves, checks what is on disk, and takes
 * our own part back where something went wrong. Everyone else's text stays.
 */
export class Apply {
  readonly #tools: Tools;
  readonly #file: FileRef;
  readonly #look: Look;
  readonly #document: vscode.TextDocument;
  readonly #decision: Extract<Decision, { kind: 'apply' }>;
  readonly #author: Author;
  #recording: Recording | undefined;
  /** Every change of the buffer since the compare, in order: ours among them. */
  readonly changes: BufferChange[] = [];
  /** Our own change, and where it stands among the changes. */
  #own: readonly BufferEdit[] = [];
  #ownIndex = 0;
  /** The bytes that our save wrote, hooks of the save included. */
  #written: Buffer | undefined;
  /** Whether our save went through, whatever has become of the disk since. */
  #isSaved = false;
  /** Whether the editor saves the document because we ask for it. */
  #isSaving = false;
  /** Whether somebody else has saved the document meanwhile, and that is to be told. */
  #isSavedBeside = false;
  #told = 0;
  readonly #toldBefore = new WeakSet<BufferChange>();
  /** Which changes came while our save ran: from this index up to, and without, {@link #saveTo}. */
  #saveFrom = Number.POSITIVE_INFINITY;
  #saveTo = Number.POSITIVE_INFINITY;
  #isHook: (change: BufferChange) => boolean = () => false;
  /** What the editor's formatter changed after our part had landed. */
  #formatting: BufferChange | undefined;
  readonly #formatFailures: HookFailure[] = [];
  readonly #before: string;
  readonly #content: string;
  readonly #expected: string;
  /** What a save writes for the candidate. */
  readonly #bytes: Buffer;

  constructor(
    tools: Tools,
    file: FileRef,
    look: Look,
    document: vscode.TextDocument,
    decision: Extract<Decision, { kind: 'apply' }>,
    author: Author,
  ) {
    this.#author = author;
    this.#tools = tools;
    this.#file = file;
    this.#look = look;
    this.#document = document;
    this.#decision = decision;
    this.#before = document.getText();
    this.#content = look.state.kind === 'text' ? look.state.text.content : '';
    this.#expected = renderText(decision.candidate.text);
    this.#bytes = tools.conversions.bytesOf(this.#expected, formatOf(document.encoding));
  }

  get file(): FileRef {
    return this.#file;
  }

  /** Begins in the same synchronous turn: the edit is handed to the editor before this returns its promise. */
  async run(): Promise<Outcome> {
    return (await this.land(await applyToBuffer(this.#document, this.#replaced()))) ?? this.finish();
  }

  /** Adds the edit to one that is handed to the editor for several files; or, where it cannot stand there, hands it over now. */
  join(edit: vscode.WorkspaceEdit): Thenable<boolean> | undefined {
    const replaced = this.#replaced();
    if (needsTextEditor(this.#document, replaced)) {
      return applyToBuffer(this.#document, replaced);
    }
    for (const { range, text } of replaced) {
      edit.replace(this.#document.uri, range, text);
    }
    return undefined;
  }

  /** Checks what has landed. @returns `undefined` where all is well, and {@link finish} may follow. */
  async land(isAccepted: boolean): Promise<Outcome | undefined> {
    const landing = findLanding(
      this.#before,
      this.#expected,
      this.#edits(),
      toBufferEdits(this.#before, this.#content, this.#decision.candidate.spans).map(toSpan),
    );
    if (landing.kind !== 'landed') {
      return this.#astray(landing, isAccepted);
    }
    this.#decision.onDidLand();
    this.#own = this.changes[landing.index]?.edits ?? [];
    this.#ownIndex = landing.index;
    this.#told = landing.index + 1;
    if (this.changes.length > this.#told) {
      return this.#intruded(this.#own, landing.index);
    }
    if (!this.savesToDisk) {
      const foreign = !isSameDisk(readDisk(this.#file.key), this.#look.disk);
      return this.#applied({ ...UNSAVED, foreign, landed: this.#landedInBuffer() }, this.#own);
    }
    return undefined;
  }

  /** Formats where that is asked for, and saves. */
  async finish(): Promise<Outcome> {
    if (this.changes.length > this.#told) {
      return this.#intruded(this.#own, this.#ownIndex);
    }
    if (vscode.workspace.getConfiguration(SECTION, this.#document).get<boolean>(SETTINGS.formatAfterEdit, false)) {
      const count = this.changes.length;
      const isFormatted = await this.#format();
      this.#formatting = isFormatted ? this.changes[count] : undefined;
      if (this.changes.length > count + (isFormatted ? 1 : 0)) {
        return this.#intruded(this.#own, this.#ownIndex);
      }
    }
    return this.#save(this.#own, this.#ownIndex);
  }

  /** What stands without being saved, because another file of a joint edit failed: ours to take back. */
  async unfinished(): Promise<Outcome> {
    return this.#applied({ ...UNSAVED, foreign: true, landed: this.#landedInBuffer() }, this.#own);
  }

  /** Takes our own part back, from the disk where our save wrote it, and from the buffer. Somebody else's text stays. */
  async takeBack(): Promise<TakenBack> {
    // The editor reloads a clean buffer whose file moves on disk, so somebody's text must be unsaved by then.
    const isShared = !this.#isOursAlone(this.#ownIndex);
    const isRestoredFirst = !isShared && this.#restoreDisk();
    // A document that was closed meanwhile shows nothing any more; whoever opens the file anew sees the disk.
    const isLeft = !this.#document.isClosed && this.#document.getText() !== this.#before;
    const isReversed = !isLeft || (await this.#reverse(this.#before, this.#own, this.#ownIndex));
    const isRestored = isShared ? this.#restoreDisk() : isRestoredFirst;
    const { state } = await this.#tools.looks.look(this.#file);
    return { state, isWhole: isReversed && (isRestored || !this.#isSaved) };
  }

  /** @returns whether the disk holds again what it held before; never over another program's bytes. */
  #restoreDisk(): boolean {
    const { disk } = this.#look;
    const { key } = this.#file;
    if (this.#written === undefined || disk.kind !== 'file' || elsewhereProblem(key)) {
      return false;
    }
    const intent: Intent = { file: this.#file, before: this.#written, after: digestOf(disk.bytes) };
    const recording = this.#tools.records.begin(this.#author, [intent]);
    try {
      // In place, so that mode and links stay; the editor follows like any change of the disk.
      const isRestored = overwriteExactly(key, this.#written, disk.bytes).kind === 'done';
      if (isRestored && !this.#isSaved) {
        // An editor whose save failed knows the file by its old time, and would take a newer one for another program's write.
        setTimes(key, disk.stats, this.#tools.log);
      }
      return isRestored;
    } catch (error) {
      if (error instanceof TornError) {
        recording.leave();
      }
      throw error;
    } finally {
      recording.end();
    }
  }

  /** Whether it ends on disk: text of the engineer's that is unsaved stays so, and the edit beside it. */
  get savesToDisk(): boolean {
    return !this.#isDirtyBase() || this.#maySaveDirty();
  }

  /** What its save is about to do to the disk. */
  intent(): Intent {
    const { disk } = this.#look;
    return {
      file: this.#file,
      before: disk.kind === 'file' ? disk.bytes : undefined,
      after: digestOf(this.#toWrite() ?? this.#bytes),
    };
  }

  /** What a save of the buffer writes now; `undefined` where only the editor can tell. */
  #toWrite(): Buffer | undefined {
    if (this.#formatting === undefined) {
      return this.#bytes;
    }
    const { encoding } = this.#document;
    const bytes = this.#tools.conversions.tryBytesOf(this.#document.getText(), formatOf(encoding));
    return Buffer.isBuffer(bytes) ? bytes : undefined;
  }

  /** Nothing more is written for it: what it was about to do goes off the record. */
  end(): void {
    this.#recording?.end();
    this.#recording = undefined;
  }

  /** Runs the editor's own formatter for the language. @returns whether it changed the buffer, in one change. */
  async #format(): Promise<boolean> {
    const { uri } = this.#document;
    const { tabSize, insertSpaces } = formattingOptions(this.#document);
    try {
      const edits = await within(
        FORMATTER_TIME,
        vscode.commands.executeCommand<vscode.TextEdit[] | undefined>('vscode.executeFormatDocumentProvider', uri, {
          tabSize,
          insertSpaces,
        }),
      );
      if (edits === undefined || edits.length === 0 || this.#document.getText() !== this.#expected) {
        return false;
      }
      const edit = new vscode.WorkspaceEdit();
      edit.set(uri, edits);
      const { version } = this.#document;
      return (await vscode.workspace.applyEdit(edit)) && this.#document.version > version;
    } catch (error) {
      this.#formatFailures.push({ name: FORMATTER, reason: describe(error) });
      return false;
    }
  }

  /** Takes note of a change that came after the apply had ended, and that is told by whoever saw it. */
  follow(change: BufferChange): void {
    this.changes.push(change);
    this.#toldBefore.add(change);
  }

  /** Takes note of a save of the document. */
  noteSave(): void {
    this.#isSavedBeside ||= !this.#isSaving;
  }

  /** Tells what has not been told yet, and was done neither by us nor by a hook: for the ledger, once all is over. */
  tellRest(): void {
    for (const change of this.changes.slice(this.#told)) {
      if (!this.#isHook(change)) {
        this.#tell(change);
      }
    }
    this.#told = this.changes.length;
    if (this.#isSavedBeside) {
      this.#isSavedBeside = false;
      this.#tools.tellSave(this.#document);
    }
  }

  /** Our change is not where it should be, or nowhere. */
  async #astray(landing: Exclude<Landing, { kind: 'landed' }>, isAccepted: boolean): Promise<Outcome> {
    if (landing.kind === 'misplaced' && isAccepted) {
      // The editor's own version check let it through (microsoft/vscode issue 317275).
      const own = this.changes[landing.index]?.edits ?? [];
      const before = this.#edits().slice(0, landing.index).reduce(applyEdits, this.#before);
      const isTakenBack = await this.#reverse(before, own, landing.index, false);
      const others = this.changes.filter((_, index) => index < landing.index);
      for (const change of others) {
        this.#tell(change);
      }
      this.#told = this.changes.length;
      return this.#failed(
        'apply_failed',
        'somebody typed in the moment of the apply, and the editor put the edit in the wrong place',
        isTakenBack,
      );
    }
    this.tellRest();
    const { state } = await this.#tools.looks.look(this.#file);
    if (isAccepted && this.changes.length > 0) {
      return {
        kind: 'failed',
        status: 'apply_failed',
        reason: 'the editor says that it applied the edit, but its text is not what was asked for',
        state,
        isTakenBack: false,
      };
    }
    if (!isSameState(state, this.#look.state)) {
      return { kind: 'moved', state };
    }
    const reason = isAccepted ? 'the editor reported success and changed nothing' : 'the editor declined the edit';
    return { kind: 'failed', status: 'apply_failed', reason, state, isTakenBack: true };
  }

  /** Somebody changed the buffer between our apply and our save: it is theirs to save now. */
  async #intruded(own: readonly BufferEdit[], index: number): Promise<Outcome> {
    const later = this.changes.slice(index + 1);
    const { isTouched, isUndone } = reverse(
      this.#before,
      own,
      later.map(({ edits }) => edits),
    );
    if (isUndone && later.some(({ reason }) => reason === 'undo')) {
      return this.#applied({ ...UNSAVED, foreign: true, isUndone, landed: this.#landedInBuffer() }, own);
    }
    if (isTouched) {
      const isTakenBack = await this.#reverse(this.#before, own, index);
      return this.#failed(
        'apply_failed',
        'somebody changed the very place of the edit while it was applied',
        isTakenBack,
      );
    }
    return this.#applied({ ...UNSAVED, foreign: true, landed: this.#landedInBuffer() }, own);
  }

  async #save(own: readonly BufferEdit[], index: number): Promise<Outcome> {
    const elsewhere = elsewhereProblem(this.#file.key);
    if (elsewhere) {
      // Nothing is saved to where the link leads now, also not to make the buffer clean again.
      const isTakenBack = await this.#reverse(this.#before, own, index, false);
      return this.#failed('save_failed', elsewhere.reason, isTakenBack);
    }
    const { disk } = this.#look;
    this.#recording ??= this.#tools.records.begin(this.#author, [this.intent()]);
    this.#saveFrom = this.changes.length;
    this.#isSaving = true;
    const begun = performance.now();
    const saved = await this.#tools.saver.save(this.#file, this.#document, disk, this.#toWrite()).finally(() => {
      this.#isSaving = false;
    });
    this.#saveTo = this.changes.length;
    if (saved.kind === 'moved') {
      return this.#diskChanged(own, index);
    }
    if (saved.kind === 'torn') {
      // It stays on record, for the engineer to put back.
      this.#recording?.leave();
      await this.#reverse(this.#before, own, index, false);
      return this.#failed('save_failed', saved.reason, false);
    }
    const isSaved = saved.kind === 'saved';
    await this.#tools.changes.decided(this.#document, FOLLOW_TIME);
    const after = await this.#tools.looks.look(this.#file);
    // Taken in the same turn as the look: what comes after both is told as somebody else's later.
    const later = this.changes.slice(index + 1);
    const isHook = await this.#hookTest();
    const theirs = later.filter((change) => !isHook(change));
    const saveable = this.#textsSince(later);
    const writtenAt = indexIn(saveable, this.#tools.looks.textOn(this.#file.key, after.disk, this.#document));
    const isAsBefore = isSameDisk(after.disk, this.#look.disk);
    if (!isSaved && isAsBefore) {
      const reason = saved.kind === 'declined' ? saved.reason : 'the file is not on disk as it was saved';
      return theirs.length > 0
        ? this.#intruded(own, index)
        : this.#failed('save_failed', reason, await this.#reverse(this.#before, own, index));
    }
    const { disk: onDiskNow } = after;
    const cut = writtenAt === undefined && onDiskNow.kind === 'file' ? onDiskNow : undefined;
    const whole = cut && this.#cutOffFrom(saveable, cut, begun);
    if (isAsBefore && writtenAt === undefined && whole === undefined) {
      // The editor calls it a success to save a buffer that holds nothing to save.
      const isTakenBack = await this.#reverse(this.#before, own, index);
      return this.#failed('apply_failed', 'the file was reverted before the edit was saved', isTakenBack);
    }
    // The editor's auto save may have been quicker than ours: then the disk holds our text all the same.
    if (!isSaved && writtenAt === undefined && whole === undefined) {
      return this.#diskChanged(own, index);
    }
    this.#isHook = isHook;
    if (cut !== undefined && whole !== undefined) {
      return this.#cutOff(whole, cut, own, index);
    }
    const isWritten = writtenAt !== undefined && after.disk.kind === 'file';
    const isSavedTogether = isWritten && later.slice(0, writtenAt).some((change) => theirs.includes(change));
    const onDisk = after.state.base?.disk;
    const written: Base | undefined = isWritten && onDisk !== undefined ? { disk: onDisk } : undefined;
    this.#isSaved = true;
    this.#written = isWritten ? after.disk.bytes : undefined;
    const participants = later.filter((change) => isHook(change) && change !== this.#formatting);
    const effects: HookEffect[] = [
      ...(this.#formatting ? [{ name: FORMATTER }] : []),
      ...(participants.length > 0 ? [{ name: SAVE_PARTICIPANTS }] : []),
    ];
    const last = effects.pop();
    if (last) {
      effects.push(written && !isSavedTogether ? { ...last, to: written } : last);
    }
    return this.#applied(
      {
        saved: true,
        hooks: effects,
        hookFailures: this.#formatFailures,
        foreign: theirs.length > 0 || !isWritten,
        isUndone:
          later.some(({ reason }) => reason === 'undo') &&
          reverse(
            this.#before,
            own,
            later.map(({ edits }) => edits),
          ).isUndone,
        isSavedTogether,
        landed: { disk: digestOf(this.#bytes) },
        ...(written ? { written } : {}),
      },
      own,
      after.state,
    );
  }

  /** What the buffer held after none, one, … all of the changes that came after ours: one of these is what a save writes. */
  #textsSince(later: readonly BufferChange[]): string[] {
    const texts = [this.#expected];
    for (const { edits } of later) {
      texts.push(applyEdits(texts.at(-1) ?? '', edits));
    }
    return texts;
  }

  /**
   * What the save wanted to write, where the disk has only the beginning of it: there was no room for the rest. The editor may
   * call that a success, since it does not ask how much of its text was written.
   */
  #cutOffFrom(texts: readonly string[], { bytes, stats }: DiskFile, begun: number): Buffer | undefined {
    const format = formatOf(this.#document.encoding);
    return texts
      .map((text) => this.#tools.conversions.tryBytesOf(text, format))
      .filter((whole) => Buffer.isBuffer(whole))
      .find((whole) => {
        // Another program may have shortened the file, or emptied it to write it anew.
        const isBeginning = bytes.length < whole.length && whole.subarray(0, bytes.length).equals(bytes);
        const missing = whole.length - bytes.length;
        return isBeginning && this.#tools.fullDisks.wasFull(this.#file.key, stats, missing, begun);
      });
  }

  /** The save was cut off by a full disk: the bytes from before go back to where they were, out of our memory. */
  async #cutOff(
    whole: Buffer,
    { bytes, stats }: DiskFile,
    own: readonly BufferEdit[],
    index: number,
  ): Promise<Outcome> {
    this.#written = bytes;
    this.#tools.fullDisks.note(stats);
    let failure = this.#tryToRestore();
    if (failure === MOVED) {
      return this.#diskChanged(own, index);
    }
    // Where the old bytes are not on disk, the editor's text is all that is left of them.
    const isReversed = await this.#reverse(this.#before, own, index, failure === undefined);
    // Files that were saved side by side take the room from each other, and give it back.
    for (let attempt = 1; attempt < MAX_RESTORES && failure !== undefined && failure !== MOVED; attempt += 1) {
      await delay(RESTORE_PAUSE);
      failure = this.#tryToRestore();
      if (failure === undefined && !this.#isDirtyBase() && this.#document.getText() === this.#before) {
        await synchronize(this.#tools.looks, this.#file.key, this.#document);
      }
    }
    const taken = `the disk is full: it took ${bytes.length} of ${whole.length} bytes`;
    if (isSameDisk(readDisk(this.#file.key), this.#look.disk)) {
      return this.#failed('save_failed', `${taken}; what the file held before was put back`, isReversed);
    }
    // It stays on record, for the engineer to put back.
    this.#recording?.leave();
    const rest = isReversed ? '; the text from before is in the editor, unsaved: save it once there is room' : '';
    return this.#failed(
      'save_failed',
      `${taken}, and what the file held before could not be put back (${failure ?? 'it was cut off again'}): on disk the file is cut off${rest}`,
      false,
    );
  }

  /** @returns why the disk does not hold what it held before, if so. */
  #tryToRestore(): string | undefined {
    try {
      return this.#restoreDisk() ? undefined : MOVED;
    } catch (error) {
      return describe(error);
    }
  }

  /**
   * What hooks did: the editor's formatter, and changes that nobody typed while our save ran. Whoever changed the buffer at any
   * other time is no hook.
   */
  async #hookTest(): Promise<(change: BufferChange) => boolean> {
    const hooks = new Set<BufferChange>();
    for (const [index, change] of [...this.changes].entries()) {
      const isInSave = index >= this.#saveFrom && index < this.#saveTo;
      if (
        change === this.#formatting ||
        (isInSave && change.reason === undefined && (await change.origin) === 'not_typed')
      ) {
        hooks.add(change);
      }
    }
    return (change) => hooks.has(change);
  }

  async #diskChanged(own: readonly BufferEdit[], index: number): Promise<Outcome> {
    if (!(await this.#reverse(this.#before, own, index))) {
      return this.#failed(
        'apply_failed',
        'another program wrote the file, and our part could not be taken back',
        false,
      );
    }
    return { kind: 'disk_changed', state: (await this.#tools.looks.look(this.#file)).state };
  }

  async #failed(status: 'save_failed' | 'apply_failed', reason: string, isTakenBack: boolean): Promise<Outcome> {
    const { state } = await this.#tools.looks.look(this.#file);
    return { kind: 'failed', status, reason, state, isTakenBack };
  }

  async #applied(
    how: Omit<Extract<Outcome, { kind: 'applied' }>, 'kind' | 'state' | 'onDidNumber' | 'takeBack'>,
    own: readonly BufferEdit[],
    seen?: State,
  ): Promise<Outcome> {
    const document = this.#document;
    const state = seen ?? (await this.#tools.looks.look(this.#file)).state;
    const onDidNumber = (edit: number) => {
      this.#tools.numbered(document, own, this.#before, edit);
      this.tellRest();
    };
    return { kind: 'applied', ...how, state, onDidNumber, takeBack: () => this.takeBack() };
  }

  /**
   * Takes our own part out of the buffer. Where nobody else has touched it since, it ends equal to the disk, and clean as
   * far as the editor allows; otherwise everyone else's text stays as it is.
   *
   * @returns whether nothing of our part is left.
   */
  async #reverse(before: string, own: readonly BufferEdit[], index: number, mayReset = true): Promise<boolean> {
    const document = this.#document;
    for (let attempt = 0; attempt < MAX_REVERSALS && !document.isClosed; attempt += 1) {
      await this.#tools.changes.decided(document);
      // Nothing is awaited between this look at the changes and the edit that takes our part out of them.
      const later = this.changes.slice(index + 1);
      const count = this.changes.length;
      // Over unsaved text, the disk is nothing to go back to.
      if (mayReset && this.#isOursAlone(index) && !this.#isDirtyBase() && (await this.#reset())) {
        return true;
      }
      if (this.changes.length > count) {
        continue;
      }
      const raw = document.getText();
      const { spans, isUndone } = reverse(
        before,
        own,
        later.map(({ edits }) => edits),
      );
      if (isUndone || spans.length === 0) {
        return true;
      }
      const expected = applyEdits(raw, spans.map(toEdit));
      const edits = spans.map(({ start, end, text }) => ({
        range: new vscode.Range(document.positionAt(start), document.positionAt(end)),
        old: raw.slice(start, end),
        text,
      }));
      await applyToBuffer(document, edits);
      const since = this.changes.slice(count).map(({ edits }) => edits);
      const landing = findLanding(raw, expected, since, spans);
      if (landing.kind === 'landed') {
        for (const change of this.changes.filter((_, at) => at > index && at !== count + landing.index)) {
          this.#tools.tell(document, change);
        }
        this.#told = this.changes.length;
        return true;
      }
      if (landing.kind === 'misplaced') {
        break;
      }
    }
    this.#tools.log.error(
      `${this.#file.path}: our part of the edit could not be taken back; somebody keeps changing the file`,
    );
    return false;
  }

  /** Makes the buffer what is on disk. @returns whether nothing of what it held before is left. */
  async #reset(): Promise<boolean> {
    this.#isSaving = true;
    try {
      return await synchronize(this.#tools.looks, this.#file.key, this.#document, () => {
        this.#told = this.changes.length;
      });
    } finally {
      this.#isSaving = false;
    }
  }

  /**
   * Whether nobody but hooks has changed the buffer since our part, which is at `index`. What hooks did cannot be told for sure
   * from what another extension did, so where the save failed only our own formatter's part goes with ours.
   */
  #isOursAlone(index: number): boolean {
    return this.changes
      .slice(index + 1)
      .every((change) => change === this.#formatting || (this.#written !== undefined && this.#isHook(change)));
  }

  /** Once: for the ledger. */
  #tell(change: BufferChange): void {
    if (!this.#toldBefore.has(change)) {
      this.#toldBefore.add(change);
      this.#tools.tell(this.#document, change);
    }
  }

  #replaced(): Replaced[] {
    return toReplaced(this.#content, this.#decision.candidate.spans);
  }

  #edits(): (readonly BufferEdit[])[] {
    return this.changes.map(({ edits }) => edits);
  }

  #isDirtyBase(): boolean {
    return this.#look.state.base?.dirty !== undefined;
  }

  /** Unsaved text is the engineer's to save, unless they have asked otherwise; never over a disk it does not come from. */
  #maySaveDirty(): boolean {
    const isAsked = vscode.workspace
      .getConfiguration(SECTION, this.#document.uri)
      .get<boolean>(SETTINGS.saveDirtyFiles, false);
    const origin = this.#tools.looks.cameFrom(this.#document);
    return isAsked && origin !== undefined && origin.disk === this.#look.state.base?.disk;
  }

  #landedInBuffer(): Base {
    const disk = this.#look.state.base?.disk ?? 'absent';
    const dirty = digestOf(this.#bytes);
    return dirty === disk ? { disk } : { disk, dirty };
  }
}

const UNSAVED = { saved: false, hooks: [], isSavedTogether: false } as const;

function toEdit({ start, end, text }: Span): BufferEdit {
  return { offset: start, length: end - start, text };
}

function toSpan({ offset, length, text }: BufferEdit): Span {
  return { start: offset, end: offset + length, text };
}

function isSameState(one: State, other: State): boolean {
  return one.base?.disk === other.base?.disk && one.base?.dirty === other.base?.dirty;
}

function formattingOptions(document: vscode.TextDocument): { tabSize: number; insertSpaces: boolean } {
  const editor = vscode.workspace.getConfiguration('editor', document);
  return { tabSize: editor.get<number>('tabSize', 4), insertSpaces: editor.get<boolean>('insertSpaces', true) };
}

/** @returns `undefined` where it is not there. */
function indexIn(texts: readonly string[], text: string | undefined): number | undefined {
  const index = text === undefined ? -1 : texts.indexOf(text);
  return index === -1 ? undefined : index;
}
