import * as vscode from 'vscode';
import type { Arbiter } from '../../core/arbiter.ts';
import { parseBase } from '../../core/base.ts';

const SCHEME = 'edit-arbiter-base';

/** Serves the text at a base to the editor's own diff view. */
export class BaseContent implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #arbiter: Arbiter;
  readonly #registration: vscode.Disposable;

  constructor(arbiter: Arbiter) {
    this.#arbiter = arbiter;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  /** A document with the text that `file` had at a base; its name keeps the language. */
  uriAt(file: vscode.Uri, token: string): vscode.Uri {
    return file.with({ scheme: SCHEME, authority: '', query: token });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const base = parseBase(uri.query);
    const content = base && this.#arbiter.contentAt(base);
    if (content === undefined) {
      throw new Error('Edit Arbiter no longer remembers the text at this base.');
    }
    return content;
  }
}
