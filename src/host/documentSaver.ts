import * as vscode from 'vscode';
import { formatOf } from '../core/codec.ts';
import type { FileRef } from '../core/documents.ts';
import type { Conversions } from './conversions.ts';
import { type Disk, isSameDisk, readDisk } from './disk.ts';
import { describe } from './errors.ts';
import { overwriteExactly, setTimes, TornError } from './fileOperations.ts';
import { mayChangeOnSave } from './saveParticipants.ts';
import { SaveWatch } from './saveWatch.ts';

/** How a save went, as far as the editor and the system tell. */
export type Saved =
  /** The editor says that the buffer is on disk. */
  | { readonly kind: 'saved' }
  /** Another program has written the file since it was looked at. What it wrote is there. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'declined'; readonly reason: string }
  /** The file could neither be written nor left as it was. */
  | { readonly kind: 'torn'; readonly reason: string };

type FileOnDisk = Extract<Disk, { kind: 'file' }>;

/** Above this many bytes, the editor does not compare what is on disk with what it is to write. */
const MAX_COMPARED = 256 * 1024;

/**
 * Saves documents over exactly the bytes that were looked at. Left alone, the editor takes tens of milliseconds from its own look
 * at the disk to its write, goes by time and size, and empties a file that has no room left. So the bytes are compared and
 * written here, in one synchronous step; the editor's save then finds what it wants to write, and calls the document clean.
 *
 * An edit that leaves the size as it was is left to the editor, which would write it once more; what others write meanwhile is seen
 * and put back. So is one of more bytes than the editor compares.
 *
 * Where something changes the text while it is saved (a formatter, another extension), the editor takes our write for another
 * program's, and shows a notice of a conflict: then our write is taken back, and the editor saves alone. A file for which that has
 * happened is left to the editor from then on, as is one for which the settings say that it will.
 */
export class DocumentSaver {
  readonly #conversions: Conversions;
  readonly #log: vscode.LogOutputChannel;
  /** Real paths of files whose text somebody has changed during a save. */
  readonly #changedOnSave = new Set<string>();

  constructor(conversions: Conversions, log: vscode.LogOutputChannel) {
    this.#conversions = conversions;
    this.#log = log;
  }

  /**
   * Begins in the caller's turn. The path must have been resolved in it: links are not looked at.
   *
   * @param disk what the file must hold.
   * @param bytes what a save of the buffer writes; `undefined` where only the editor can tell.
   */
  async save({ key }: FileRef, document: vscode.TextDocument, disk: Disk, bytes: Buffer | undefined): Promise<Saved> {
    if (bytes === undefined || disk.kind !== 'file' || this.#isLeftToEditor(key, document, disk, bytes)) {
      return this.#saveOver(key, document, disk, bytes);
    }
    try {
      return overwriteExactly(key, disk.bytes, bytes).kind === 'moved'
        ? await this.#saveOver(key, document, disk, bytes)
        : await this.#confirm(key, document, disk, bytes);
    } catch (error) {
      const reason = `the file could not be written: ${describe(error)}`;
      return { kind: error instanceof TornError ? 'torn' : 'declined', reason };
    }
  }

  /** Lets the editor save alone, where the disk holds what it must; or already what is to be written: auto save may be quicker. */
  async #saveOver(key: string, document: vscode.TextDocument, disk: Disk, bytes: Buffer | undefined): Promise<Saved> {
    const now = readDisk(key);
    const isThere = now.kind === 'file' && bytes !== undefined && now.bytes.equals(bytes);
    return isThere || isSameDisk(now, disk)
      ? this.#saveInEditor(key, document, now.kind === 'file' ? now.bytes : undefined)
      : { kind: 'moved' };
  }

  /** Lets the editor save what is on disk already. */
  async #confirm(key: string, document: vscode.TextDocument, disk: FileOnDisk, bytes: Buffer): Promise<Saved> {
    const raw = document.getText();
    const saved = await this.#saveInEditor(key, document, bytes);
    if (saved.kind === 'saved' || document.getText() === raw) {
      return saved;
    }
    this.#changedOnSave.add(key);
    // As if nothing had been written: with its time, the file is to the editor what it knows.
    if (overwriteExactly(key, bytes, disk.bytes).kind === 'moved') {
      return saved;
    }
    setTimes(key, disk.stats, this.#log);
    return this.#saveInEditor(key, document, disk.bytes);
  }

  /** The editor goes by time and size: of the same size, it writes over whatever is there. */
  #isLeftToEditor(key: string, document: vscode.TextDocument, disk: FileOnDisk, bytes: Buffer): boolean {
    return (
      this.#changedOnSave.has(key) ||
      // Nothing is no text to the editor to compare with.
      bytes.length === 0 ||
      bytes.length > MAX_COMPARED ||
      bytes.length === disk.bytes.length ||
      mayChangeOnSave(document)
    );
  }

  /** @param before what the file holds. What others write meanwhile, and the editor then overwrites, is put back. */
  async #saveInEditor(key: string, document: vscode.TextDocument, before: Buffer | undefined): Promise<Saved> {
    const bytesOf = (text: string) => {
      const bytes = this.#conversions.tryBytesOf(text, formatOf(document.encoding));
      return Buffer.isBuffer(bytes) ? bytes : undefined;
    };
    // Whoever types meanwhile: the editor, which may be saving by itself, too, writes one of the texts that it has held.
    const wholes = [bytesOf(document.getText())];
    const changes = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && event.contentChanges.length > 0) {
        wholes.push(bytesOf(document.getText()));
      }
    });
    const isOurs = (bytes: Buffer) => wholes.some((whole) => startsWith(whole, bytes));
    const watch = new SaveWatch(key, (bytes) => before?.equals(bytes) || isOurs(bytes), this.#log);
    try {
      const isSaved = await document.save();
      const written = watch.seen && bytesOf(document.getText());
      if (watch.seen && written && overwriteExactly(key, written, watch.seen).kind === 'done') {
        this.#log.warn(`${key}: another program wrote it while the editor saved; its bytes were put back`);
        return { kind: 'moved' };
      }
      return isSaved ? { kind: 'saved' } : { kind: 'declined', reason: 'the editor would not save the file' };
    } catch (error) {
      const kind = error instanceof TornError ? 'torn' : 'declined';
      return { kind, reason: `the editor could not save the file: ${describe(error)}` };
    } finally {
      watch.stop();
      changes.dispose();
    }
  }
}

function startsWith(whole: Buffer | undefined, part: Buffer): boolean {
  return whole !== undefined && part.length <= whole.length && whole.subarray(0, part.length).equals(part);
}
