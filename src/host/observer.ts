import { join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { digest } from '../core/base.ts';
import { type BufferEdit, inOrder, inverseOf } from '../core/landing.ts';
import type { Ledger, Pending } from '../core/ledger.ts';
import { type BufferChange, TYPED } from './bufferChanges.ts';
import type { ChatEdits } from './chatEdits.ts';
import type { ForeignChange, NumberedEdit, WorkspaceDocuments } from './documents.ts';
import { resolvePath } from './paths.ts';

/** How many edits of ours are remembered per document, to name an undo of them. */
const MAX_OWN_EDITS = 200;

/** How many changes right before a save are told to be its participants'. */
const MAX_UNSAVED = 50;
/** How long before a save is told of its first participants may have run, in milliseconds. */
const PARTICIPANTS_TIME = 3_000;

/** How long what a change was may be told after it, in milliseconds: by a save, or by the chat. */
const OPEN_TIME = 3_000;

interface Unsaved {
  readonly time: number;
  readonly mayBeParticipant: boolean;
  supposed?: Supposed;
  isSaved: boolean;
}

/** A change that nobody typed, and that may yet turn out to be somebody's. */
interface Supposed {
  readonly path: string;
  readonly document: vscode.TextDocument;
  /** Of the document, right after the change. */
  readonly version: number;
  readonly decide: (kind: 'chat' | 'format' | 'not_typed') => void;
}

/** One edit of ours, as an undo and a redo of it will look. */
interface OwnEdit {
  readonly number: number;
  readonly undo: string;
  readonly redo: string;
  isUndone: boolean;
}

/**
 * Writes into the ledger what the editor tells of files that agents have read. Nothing is hashed on a keystroke: a change
 * is recorded without the state that followed.
 */
export class Observer implements vscode.Disposable {
  readonly #documents: WorkspaceDocuments;
  readonly #ledger: Ledger;
  readonly #onDidType: () => void;
  readonly #chat: ChatEdits;
  readonly #supposed = new Set<Supposed>();
  readonly #own = new WeakMap<vscode.TextDocument, OwnEdit[]>();
  /** Changes of dirty documents since the last one by hand: the work of save participants, should a save follow. */
  readonly #unsaved = new Map<vscode.TextDocument, Unsaved[]>();
  /** When the last save of each document was told to begin, by the clock of `performance`. */
  readonly #saves = new Map<vscode.TextDocument, number>();
  readonly #subscriptions: vscode.Disposable[];

  /** @param onDidType called when typing was recorded that may go on. */
  constructor(
    documents: WorkspaceDocuments,
    ledger: Ledger,
    chat: ChatEdits,
    onDidType: () => void,
    log: vscode.LogOutputChannel,
  ) {
    this.#chat = chat;
    this.#onDidType = onDidType;
    this.#documents = documents;
    this.#ledger = ledger;
    this.#subscriptions = [
      documents.onDidChange((event) => {
        this.#changed(event).catch((error: unknown) =>
          log.error('A change could not be recorded', error instanceof Error ? error : String(error)),
        );
      }),
      chat.onDidTell(({ path, text }) => this.#chatTold(path, text)),
      documents.onDidNumber((edit) => this.#numbered(edit)),
      vscode.workspace.onWillSaveTextDocument(({ document }) => this.#saves.set(document, performance.now())),
      vscode.workspace.onDidSaveTextDocument((document) => this.#saved(document)),
      documents.onDidSaveBeside((document) => this.#record(document)),
      vscode.workspace.onDidRenameFiles(({ files }) => this.#renamed(files)),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.#unsaved.delete(document);
        this.#saves.delete(document);
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
    for (const { decide } of this.#supposed) {
      decide('not_typed');
    }
  }

  async #changed({ key, document, change }: ForeignChange): Promise<void> {
    if (!this.#ledger.knows(key)) {
      return;
    }
    if (change.origin === TYPED && change.reason === undefined) {
      this.#unsaved.delete(document);
      this.#ledger.typed(key, Date.now());
      return this.#onDidType();
    }
    const pending = this.#ledger.pending(key, Date.now());
    const { version } = document;
    const isChat = this.#chat.isEditing(document);
    const edit = this.#editTakenBack(document, change);
    if (change.reason !== undefined) {
      // Undo and redo move no caret by hand, so their reason is all that tells them; of other text than ours they are typing.
      pending.become(edit === undefined ? { kind: 'typed', count: 1 } : { kind: change.reason, edit });
      return;
    }
    const unsaved: Unsaved = {
      time: performance.now(),
      mayBeParticipant: change.mayBeParticipant,
      isSaved: false,
    };
    if (change.wasDirty) {
      this.#unsaved.set(document, [...(this.#unsaved.get(document) ?? []), unsaved].slice(-MAX_UNSAVED));
    }
    const origin = await change.origin;
    switch (origin) {
      case 'typed':
        this.#unsaved.delete(document);
        pending.become({ kind: 'typed', count: 1 });
        return this.#onDidType();
      case 'reloaded':
        pending.withdraw();
        return this.#look(key);
      case 'not_typed':
        if (isChat || unsaved.isSaved) {
          return pending.become({ kind: isChat ? 'chat' : 'format' });
        }
        unsaved.supposed = this.#suppose(document, version, pending);
        return;
      default:
        return origin satisfies never;
    }
  }

  /** Nobody typed it; who it was may still be told. */
  #suppose(document: vscode.TextDocument, version: number, pending: Pending): Supposed {
    pending.suppose({ kind: 'not_typed' });
    const timer = setTimeout(() => supposed.decide('not_typed'), OPEN_TIME);
    const supposed: Supposed = {
      path: document.uri.path,
      document,
      version,
      decide: (kind) => {
        clearTimeout(timer);
        if (this.#supposed.delete(supposed)) {
          pending.become({ kind });
        }
      },
    };
    this.#supposed.add(supposed);
    return supposed;
  }

  /** The chat says what a file is after an edit of its own: that is the change that led there. */
  #chatTold(path: string, text: string): void {
    for (const { path: changed, document, version, decide } of [...this.#supposed]) {
      if (changed === path && document.version === version && document.getText() === text) {
        decide('chat');
      }
    }
  }

  #saved(document: vscode.TextDocument): void {
    this.#participated(document);
    if (document.uri.scheme === 'file' && !this.#documents.isBusy(document)) {
      this.#record(document);
    }
  }

  #record(document: vscode.TextDocument): void {
    const key = this.#documents.looks.keyOf(document);
    const file = this.#documents.looks.fileOf(key);
    if (file === undefined || !this.#ledger.knows(key)) {
      return;
    }
    const look = this.#documents.looks.lookNow(file);
    const base = 'state' in look ? look.state.base : undefined;
    this.#ledger.moved(key, { kind: 'save' }, Date.now(), base);
  }

  /** Files and folders that were renamed in the editor: the old places are gone, and their new ones known. */
  #renamed(files: readonly { readonly oldUri: vscode.Uri; readonly newUri: vscode.Uri }[]): void {
    for (const { oldUri, newUri } of files.filter((file) => file.oldUri.scheme === 'file')) {
      const old = resolvePath(oldUri.fsPath);
      for (const key of 'key' in old ? this.#ledger.keysBelow(old.key, sep) : []) {
        const target = resolvePath(join(newUri.fsPath, relative('key' in old ? old.key : key, key)));
        const to = 'path' in target ? target.path : newUri.fsPath;
        this.#ledger.moved(key, { kind: 'renamed', to }, Date.now(), { disk: 'absent' });
      }
    }
  }

  /** What changed the document right before this save, and was not typed, were its participants. */
  #participated(document: vscode.TextDocument): void {
    // Only what trims, or ends the file, comes before the save is told of.
    const began = this.#saves.get(document) ?? Number.POSITIVE_INFINITY;
    for (const unsaved of this.#unsaved.get(document) ?? []) {
      const { time, mayBeParticipant } = unsaved;
      unsaved.isSaved = time >= began || (mayBeParticipant && time >= began - PARTICIPANTS_TIME);
      if (unsaved.isSaved) {
        unsaved.supposed?.decide('format');
      }
    }
    this.#unsaved.delete(document);
  }

  /** A reload from disk: what moved the disk is named by comparing with the last state. */
  #look(key: string): void {
    const file = this.#documents.looks.fileOf(key);
    const look = file && this.#documents.looks.lookNow(file);
    const base = look && 'state' in look ? look.state.base : undefined;
    if (file && base !== undefined) {
      this.#ledger.seen(key, base, Date.now(), (since, from) => this.#documents.writersSince(file, since, from, base));
    }
  }

  #numbered({ document, edits, before, number }: NumberedEdit): void {
    const own = this.#own.get(document) ?? [];
    own.push({ number, undo: print(inverseOf(before, edits)), redo: print(edits), isUndone: false });
    this.#own.set(document, own.slice(-MAX_OWN_EDITS));
  }

  /** The number of the edit of ours that an undo takes back, or a redo brings back. */
  #editTakenBack(document: vscode.TextDocument, { edits, reason }: BufferChange): number | undefined {
    if (reason === undefined) {
      return undefined;
    }
    const printed = print(edits);
    const own = this.#own.get(document) ?? [];
    // The last one that stands is undone first; the last one that was undone, the oldest by now, is brought back first.
    const edit =
      reason === 'undo'
        ? own.findLast(({ undo, isUndone }) => !isUndone && undo === printed)
        : own.find(({ redo, isUndone }) => isUndone && redo === printed);
    if (edit) {
      edit.isUndone = reason === 'undo';
    }
    return edit?.number;
  }
}

/** A change may be large, so its digest stands for it. */
function print(edits: readonly BufferEdit[]): string {
  return digest(Buffer.from(JSON.stringify(inOrder(edits))));
}
