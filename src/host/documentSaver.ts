import type * as vscode from 'vscode';
import { formatOf } from '../core/codec.ts';
import type { FileRef } from '../core/documents.ts';
import type { Conversions } from './conversions.ts';
import { type Disk, isSameDisk, readDisk } from './disk.ts';
import { describe } from './errors.ts';
import { overwriteExactly, TornError } from './fileOperations.ts';
import { elsewhereProblem } from './paths.ts';
import { mayChangeOnSave } from './saveParticipants.ts';

/** How a save went, as far as the editor and the system tell. */
export type Saved =
  /** The editor says that the buffer is on disk. */
  | { readonly kind: 'saved' }
  /** Another program has written the file since it was looked at. Nothing was written. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'declined'; readonly reason: string }
  /** The file could neither be written nor left as it was. */
  | { readonly kind: 'torn'; readonly reason: string };

/** How often others may change the buffer during one save. */
const MAX_ROUNDS = 5;
/** Above this many bytes, the editor does not compare what is on disk with what it is to write. */
const MAX_COMPARED = 256 * 1024;

/**
 * Saves documents over exactly the bytes that were looked at. Left alone, the editor takes tens of milliseconds from its own look
 * at the disk to its write, goes by time and size, and empties a file that has no room left. So the bytes are compared and
 * written here, in one synchronous step; the editor's save then finds what it wants to write, and calls the document clean.
 *
 * Where something changes the text while it is saved (a formatter, another extension), the editor takes our write for another
 * program's: then the changed text is written in the same way. That shows a notice of a conflict for a moment, so a file for
 * which it has happened is left to the editor from then on, as is one for which the settings say that it will.
 */
export class DocumentSaver {
  readonly #conversions: Conversions;
  /** Real paths of files whose text somebody has changed during a save. */
  readonly #changedOnSave = new Set<string>();

  constructor(conversions: Conversions) {
    this.#conversions = conversions;
  }

  /**
   * Begins in the caller's turn.
   *
   * @param disk what the file must hold.
   * @param bytes what a save of the buffer writes.
   */
  async save({ key }: FileRef, document: vscode.TextDocument, disk: Disk, bytes: Buffer): Promise<Saved> {
    const now = readDisk(key);
    // The editor's auto save may have been quicker; then the disk holds the bytes already.
    const isThere = now.kind === 'file' && now.bytes.equals(bytes);
    if (!isThere && !isSameDisk(now, disk)) {
      return { kind: 'moved' };
    }
    if (isThere || disk.kind !== 'file' || this.#isLeftToEditor(key, document, bytes)) {
      return this.#saveInEditor(document);
    }
    try {
      if (elsewhereProblem(key) || overwriteExactly(key, disk.bytes, bytes).kind === 'moved') {
        return { kind: 'moved' };
      }
      return await this.#confirm(key, document, bytes);
    } catch (error) {
      const reason = `the file could not be written: ${describe(error)}`;
      return { kind: error instanceof TornError ? 'torn' : 'declined', reason };
    }
  }

  /** Lets the editor save what is on disk already. */
  async #confirm(key: string, document: vscode.TextDocument, bytes: Buffer): Promise<Saved> {
    let written = bytes;
    for (let round = 0; ; round += 1) {
      const saved = await this.#saveInEditor(document);
      const raw = document.getText();
      const format = formatOf(document.encoding);
      if (this.#conversions.tryBytesOf(raw, format) === undefined) {
        await this.#conversions.encode(raw, format.encoding);
      }
      const next = this.#conversions.tryBytesOf(document.getText(), format);
      const isChanged = Buffer.isBuffer(next) && !next.equals(written);
      if (saved.kind === 'saved' || !isChanged || round === MAX_ROUNDS) {
        return saved;
      }
      this.#changedOnSave.add(key);
      if (overwriteExactly(key, written, next).kind === 'moved') {
        return saved;
      }
      written = next;
    }
  }

  #isLeftToEditor(key: string, document: vscode.TextDocument, bytes: Buffer): boolean {
    return this.#changedOnSave.has(key) || bytes.length > MAX_COMPARED || mayChangeOnSave(document);
  }

  async #saveInEditor(document: vscode.TextDocument): Promise<Saved> {
    try {
      return (await document.save())
        ? { kind: 'saved' }
        : { kind: 'declined', reason: 'the editor would not save the file' };
    } catch (error) {
      return { kind: 'declined', reason: `the editor could not save the file: ${describe(error)}` };
    }
  }
}
