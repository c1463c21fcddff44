import type { FileRef } from '../../../src/core/documents.ts';
import type { Outline } from '../../../src/core/symbols.ts';
import type { Outliner, Soundness, Syntax, SyntaxGate } from '../../../src/core/syntax.ts';
import { Grammars } from '../../../src/host/syntax/grammars.ts';
import { languageOf } from '../../../src/host/syntax/languages.ts';
import { packagedFiles } from './grammars.ts';

/** The real grammars behind the port, with nothing of an editor. */
export class PlainSyntax implements Syntax {
  gate: SyntaxGate = 'warn';
  /** What loading waits for beside the disk. */
  untilLoaded: Promise<void> = Promise.resolve();
  /** What an editor tells of files without a grammar. */
  editorSymbols: ((content: string) => Outline) | undefined;
  /** Errors that were told to the log. */
  readonly faults: unknown[] = [];
  readonly grammars: Grammars;

  /** @param maxPassMs how long one parse may take. */
  constructor(files = packagedFiles, maxPassMs?: number) {
    this.grammars = new Grammars(files, (error) => this.faults.push(error), maxPassMs);
  }

  gateFor(): SyntaxGate {
    return this.gate;
  }

  async prepare({ path }: FileRef): Promise<void> {
    await this.untilLoaded;
    const language = languageOf(path);
    if (language !== undefined) {
      await this.grammars.load(language);
    }
  }

  soundness({ path }: FileRef, content: string): Soundness {
    const language = languageOf(path);
    return language === undefined ? { kind: 'unknown' } : this.grammars.soundness(language, content);
  }

  outline({ path }: FileRef, content: string): Outline {
    const language = languageOf(path);
    return language === undefined
      ? { kind: 'unknown', reason: 'no grammar' }
      : this.grammars.outline(language, content);
  }

  async outliner({ path }: FileRef): Promise<Outliner> {
    const language = languageOf(path);
    if (language === undefined) {
      return this.editorSymbols ?? (() => ({ kind: 'unknown', reason: 'no grammar, and the editor does not know' }));
    }
    await this.grammars.loadSymbols(language);
    return (content) => this.grammars.outline(language, content);
  }
}
