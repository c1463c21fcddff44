import * as vscode from 'vscode';
import type { FileRef } from '../../core/documents.ts';
import type { Outline } from '../../core/symbols.ts';
import type { Outliner, Soundness, Syntax, SyntaxGate } from '../../core/syntax.ts';
import { SECTION, SETTINGS } from '../../names.ts';
import type { Looks } from '../looks.ts';
import { DocumentSymbols } from './documentSymbols.ts';
import type { Grammars } from './grammars.ts';
import { languageIdOf, languageOf } from './languages.ts';

/** Grammars where there are any, and what the editor's extensions tell elsewhere. */
export class WorkspaceSyntax implements Syntax {
  readonly #grammars: Grammars;
  readonly #looks: Looks;
  readonly #documentSymbols: DocumentSymbols;

  constructor(grammars: Grammars, looks: Looks, log: vscode.LogOutputChannel) {
    this.#grammars = grammars;
    this.#looks = looks;
    this.#documentSymbols = new DocumentSymbols(log);
  }

  gateFor({ key, path }: FileRef): SyntaxGate {
    const uri = this.#looks.uriOf(key);
    const languageId = this.#looks.documentOf(key)?.languageId ?? languageIdOf(path);
    const scope = languageId === undefined ? uri : { uri, languageId };
    const gate = vscode.workspace.getConfiguration(SECTION, scope).get<unknown>(SETTINGS.syntaxGate);
    return gate === 'off' || gate === 'refuse' ? gate : 'warn';
  }

  async prepare({ path }: FileRef): Promise<void> {
    const language = languageOf(path);
    if (language !== undefined) {
      await this.#grammars.load(language);
    }
  }

  soundness({ path }: FileRef, content: string): Soundness {
    const language = languageOf(path);
    return language === undefined ? { kind: 'unknown' } : this.#grammars.soundness(language, content);
  }

  outline({ path }: FileRef, content: string): Outline {
    const language = languageOf(path);
    return language === undefined
      ? { kind: 'unknown', reason: 'there is no grammar for files of this kind' }
      : this.#grammars.outline(language, content);
  }

  async outliner(file: FileRef): Promise<Outliner> {
    const language = languageOf(file.path);
    if (language !== undefined) {
      await this.#grammars.loadSymbols(language);
      return (content) => this.#grammars.outline(language, content);
    }
    return this.#documentSymbols.outliner(this.#looks.documentOf(file.key)?.uri ?? this.#looks.uriOf(file.key));
  }
}
