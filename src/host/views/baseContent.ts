import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { Arbiter } from '../../core/arbiter.ts';
import { parseBase } from '../../core/base.ts';

const SCHEME = 'edit-arbiter-base';

/** How many texts that nobody ever wrote are kept for diffs that are shown. */
const MAX_TEXTS = 50;

/** Serves texts that are in no file to the editor's own diff view: those at bases, and those that edits intended. */
export class BaseContent implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #arbiter: Arbiter;
  readonly #registration: vscode.Disposable;
  readonly #texts = new Map<string, string>();

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

  /** A document with a text of its own, named as `file`. */
  uriOfText(file: vscode.Uri, text: string): vscode.Uri {
    const query = `text=${createHash('sha256').update(text).digest('hex')}`;
    this.#texts.delete(query);
    this.#texts.set(query, text);
    for (const oldest of [...this.#texts.keys()].slice(0, -MAX_TEXTS)) {
      this.#texts.delete(oldest);
    }
    return file.with({ scheme: SCHEME, authority: '', query });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const base = parseBase(uri.query);
    const content = this.#texts.get(uri.query) ?? (base && this.#arbiter.contentAt(base));
    if (content === undefined) {
      throw new Error('Edit Arbiter no longer remembers the text at this base.');
    }
    return content;
  }
}
