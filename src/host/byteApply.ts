import type * as vscode from 'vscode';
import type { Author } from '../core/applyRecord.ts';
import { printBase } from '../core/base.ts';
import type { Decision, FileRef, Outcome, TakenBack } from '../core/documents.ts';
import { hasMixedEndings, renderText } from '../core/text.ts';
import { appliedOnDisk } from './appliedOnDisk.ts';
import type { Tools } from './apply.ts';
import type { Intent } from './applyRecords.ts';
import { digestOf } from './digests.ts';
import { describe } from './errors.ts';
import { overwriteExactly, TornError } from './fileOperations.ts';
import type { Look } from './looks.ts';
import { elsewhereProblem } from './paths.ts';
import { changesWithin } from './textChanges.ts';

/** How long the editor may take to show what was written, in milliseconds. */
const RELOAD_TIME = 2_000;

/**
 * Whether an edit has to be made on the bytes themselves: the editor cannot hold the file's line endings, and its save would
 * rewrite them all.
 */
export function needsBytes({ state }: Look): boolean {
  return state.kind === 'text' && state.base.dirty === undefined && hasMixedEndings(state.text);
}

/** One apply of one candidate to the bytes of a file that no editor can hold as it is. An editor that shows the file follows. */
export class ByteApply {
  readonly savesToDisk = true;
  readonly #tools: Tools;
  readonly #file: FileRef;
  readonly #before: Buffer;
  /** Token of the state that it was decided on. */
  readonly #base: string;
  readonly #bytes: Buffer;
  readonly #document: vscode.TextDocument | undefined;
  readonly #decision: Extract<Decision, { kind: 'apply' }>;
  readonly #author: Author;

  constructor(
    tools: Tools,
    file: FileRef,
    { disk, document, state }: Look,
    decision: Extract<Decision, { kind: 'apply' }>,
    author: Author,
  ) {
    if (disk.kind !== 'file' || state.kind !== 'text') {
      throw new Error(`${file.path}: there are no bytes to edit`);
    }
    this.#tools = tools;
    this.#file = file;
    this.#before = disk.bytes;
    this.#base = printBase(state.base);
    this.#document = document;
    this.#decision = decision;
    this.#author = author;
    this.#bytes = tools.conversions.bytesOf(renderText(decision.candidate.text), state.format);
  }

  /** What it is about to do to the disk. */
  intent(): Intent {
    return { file: this.#file, before: this.#before, after: digestOf(this.#bytes) };
  }

  /** Compares and writes in the caller's turn. */
  async run(): Promise<Outcome> {
    // Among other files, something may have happened since the compare: also in an editor that shows this one.
    const look = this.#tools.looks.lookNow(this.#file);
    if (!('state' in look) || look.state.base === undefined || printBase(look.state.base) !== this.#base) {
      return { kind: 'moved', state: (await this.#tools.looks.look(this.#file)).state };
    }
    const recording = this.#tools.records.begin(this.#author, [this.intent()]);
    try {
      if (overwriteExactly(this.#file.key, this.#before, this.#bytes).kind === 'moved') {
        return { kind: 'moved', state: (await this.#tools.looks.look(this.#file)).state };
      }
    } catch (error) {
      const isTorn = error instanceof TornError;
      if (isTorn) {
        // It stays on record, for the engineer to put back.
        recording.leave();
      }
      const reason = `the file could not be written: ${describe(error)}`;
      const { state } = await this.#tools.looks.look(this.#file);
      return { kind: 'failed', status: 'save_failed', reason, state, isTakenBack: !isTorn };
    } finally {
      recording.end();
    }
    this.#decision.onDidLand();
    await this.#followed();
    return appliedOnDisk(this.#tools.looks, this.#file, { disk: digestOf(this.#bytes) }, () => this.#takeBack());
  }

  async #takeBack(): Promise<TakenBack> {
    let isWhole = false;
    try {
      isWhole =
        elsewhereProblem(this.#file.key) === undefined &&
        overwriteExactly(this.#file.key, this.#bytes, this.#before).kind === 'done';
      await this.#followed();
    } catch (error) {
      this.#tools.log.error(`${this.#file.path}: the edit could not be taken back: ${describe(error)}`);
    }
    return { state: (await this.#tools.looks.look(this.#file)).state, isWhole };
  }

  /** Waits for the editor to show what is on disk by now: a key pressed before that would be pressed on an old text. */
  async #followed(): Promise<void> {
    const document = this.#document;
    if (document === undefined || document.isClosed) {
      return;
    }
    const isShown = () => document.isClosed || !this.#tools.looks.isLagging(this.#file, document);
    if (!isShown() && !(await changesWithin(RELOAD_TIME, document, isShown))) {
      this.#tools.log.info(`${this.#file.path}: the editor does not show yet what is on disk`);
    }
  }
}
