import * as vscode from 'vscode';
import { type BufferEdit, inOrder, inverseOf } from '../core/landing.ts';
import type { Ledger } from '../core/ledger.ts';
import type { BufferChange, Origin } from './bufferChanges.ts';
import type { ForeignChange, NumberedEdit, WorkspaceDocuments } from './documents.ts';

/** How many edits of ours are remembered per document, to name an undo of them. */
const MAX_OWN_EDITS = 200;

/** One edit of ours, as an undo and a redo of it will look. */
interface OwnEdit {
  readonly number: number;
  readonly undo: string;
  readonly redo: string;
}

/**
 * Writes into the ledger what the editor tells of files that agents have read. Nothing is hashed on a keystroke: a change
 * is recorded without the state that followed.
 */
export class Observer implements vscode.Disposable {
  readonly #documents: WorkspaceDocuments;
  readonly #ledger: Ledger;
  readonly #own = new WeakMap<vscode.TextDocument, OwnEdit[]>();
  readonly #saving = new Set<vscode.TextDocument>();
  /** Changes whose origin is not known yet, and whether a save has begun or ended since. */
  readonly #open = new Map<vscode.TextDocument, Set<{ isInSave: boolean }>>();
  readonly #subscriptions: vscode.Disposable[];

  constructor(documents: WorkspaceDocuments, ledger: Ledger) {
    this.#documents = documents;
    this.#ledger = ledger;
    this.#subscriptions = [
      documents.onDidChange((event) => void this.#changed(event)),
      documents.onDidNumber((edit) => this.#numbered(edit)),
      vscode.workspace.onWillSaveTextDocument(({ document }) => this.#saves(document)),
      vscode.workspace.onDidSaveTextDocument((document) => this.#saved(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#saving.delete(document)),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  async #changed({ key, document, change }: ForeignChange): Promise<void> {
    if (!this.#ledger.knows(key)) {
      return;
    }
    const pending = this.#ledger.pending(key, Date.now());
    const edit = this.#editTakenBack(document, change);
    if (change.reason !== undefined) {
      // Undo and redo move no caret by hand, so their reason is all that tells them; of other text than ours they are typing.
      pending.become(edit === undefined ? { kind: 'typed', count: 1 } : { kind: change.reason, edit });
      return;
    }
    const origin = await this.#originOf(document, change);
    switch (origin) {
      case 'typed':
        return pending.become({ kind: 'typed', count: 1 });
      case 'reloaded':
        pending.withdraw();
        return this.#look(key);
      case 'format':
      case 'not_typed':
        return pending.become({ kind: origin });
      default:
        return origin satisfies never;
    }
  }

  /**
   * Save participants change a dirty document right before or while the editor says that it saves; some of them (trimming,
   * the final newline) before it says so.
   */
  async #originOf(document: vscode.TextDocument, { origin, wasDirty }: BufferChange): Promise<Origin | 'format'> {
    const entry = { isInSave: this.#saving.has(document) };
    const open = this.#open.get(document) ?? new Set();
    this.#open.set(document, open.add(entry));
    const told = await origin;
    open.delete(entry);
    if (open.size === 0) {
      this.#open.delete(document);
    }
    return told === 'not_typed' && wasDirty && entry.isInSave ? 'format' : told;
  }

  #saves(document: vscode.TextDocument): void {
    this.#saving.add(document);
    for (const entry of this.#open.get(document) ?? []) {
      entry.isInSave = true;
    }
  }

  #saved(document: vscode.TextDocument): void {
    this.#saving.delete(document);
    if (document.uri.scheme !== 'file' || this.#documents.isBusy(document)) {
      return;
    }
    const key = this.#documents.looks.keyOf(document);
    const file = this.#documents.looks.fileOf(key);
    if (file === undefined || !this.#ledger.knows(key)) {
      return;
    }
    const look = this.#documents.looks.lookNow(file);
    const base = 'state' in look ? look.state.base : undefined;
    this.#ledger.moved(key, { kind: 'save' }, Date.now(), base);
  }

  /** A reload from disk: what moved the disk is named by comparing with the last state. */
  #look(key: string): void {
    const file = this.#documents.looks.fileOf(key);
    const look = file && this.#documents.looks.lookNow(file);
    if (look && 'state' in look && look.state.base !== undefined) {
      this.#ledger.seen(key, look.state.base, Date.now(), (since) => this.#documents.writerSince(file, since));
    }
  }

  #numbered({ document, edits, before, number }: NumberedEdit): void {
    const own = this.#own.get(document) ?? [];
    own.push({ number, undo: print(inverseOf(before, edits)), redo: print(edits) });
    this.#own.set(document, own.slice(-MAX_OWN_EDITS));
  }

  /** The number of the edit of ours that an undo takes back, or a redo brings back. */
  #editTakenBack(document: vscode.TextDocument, { edits, reason }: BufferChange): number | undefined {
    if (reason === undefined) {
      return undefined;
    }
    const printed = print(edits);
    return this.#own.get(document)?.findLast((own) => own[reason] === printed)?.number;
  }
}

function print(edits: readonly BufferEdit[]): string {
  return JSON.stringify(inOrder(edits));
}
