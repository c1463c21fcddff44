import * as vscode from 'vscode';
import type { ReportedEdit } from './guard.ts';

/** Documents that the chat opens beside a file that its built-in tools edit. Undocumented: nothing but a name rests on it. */
const SCHEMES = ['chat-editing-text-model', 'chat-editing-snapshot-text-model'];

/** How long before an edit the chat opens its documents, in milliseconds. */
const BEFORE = 2_000;

/** How long after the guard has reported an edit it may come: somebody may be asked in between. Milliseconds. */
const REPORTED = 10_000;

/** Sees the built-in edit tools of the chat at work. */
export class ChatEdits implements vscode.Disposable {
  readonly #opened = new Map<string, number>();
  readonly #takeReported: () => readonly ReportedEdit[];
  #reported: readonly ReportedEdit[] = [];
  readonly #onDidTell = new vscode.EventEmitter<{ readonly path: string; readonly text: string }>();
  /** The chat holds a text for what a file is after an edit of its own. */
  readonly onDidTell = this.#onDidTell.event;
  readonly #subscriptions: readonly vscode.Disposable[];

  /** @param takeReported edits that the guard has reported since it was last asked. */
  constructor(takeReported: () => readonly ReportedEdit[]) {
    this.#takeReported = takeReported;
    this.#subscriptions = [
      vscode.workspace.onDidOpenTextDocument((document) => this.#told(document, true)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) =>
        this.#told(document, contentChanges.length > 0),
      ),
      this.#onDidTell,
    ];
  }

  /** Whether the chat was about to edit the document just now. */
  isEditing({ uri }: vscode.TextDocument): boolean {
    this.#reported = [...this.#reported, ...this.#takeReported()].filter(({ time }) => Date.now() - time <= REPORTED);
    return (
      this.#reported.some(({ path }) => path === uri.path) ||
      performance.now() - (this.#opened.get(uri.path) ?? Number.NEGATIVE_INFINITY) <= BEFORE
    );
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  #told(document: vscode.TextDocument, isNews: boolean): void {
    const { scheme, path } = document.uri;
    if (!isNews || !SCHEMES.includes(scheme)) {
      return;
    }
    const now = performance.now();
    for (const [known, time] of this.#opened) {
      if (now - time > BEFORE) {
        this.#opened.delete(known);
      }
    }
    this.#opened.set(path, now);
    this.#onDidTell.fire({ path, text: document.getText() });
  }
}
