import * as vscode from 'vscode';
import { LineIndex } from '../../core/lines.ts';
import type { CodeSymbol } from '../../core/symbols.ts';
import type { Outliner } from '../../core/syntax.ts';
import { parseText } from '../../core/text.ts';
import { describe } from '../errors.ts';
import { within } from '../within.ts';

/** How long the extension of a language may take to start and to tell its first symbols, in milliseconds. */
const START_TIME = 5_000;
/** How long it may take for one answer, in milliseconds. */
const ANSWER_TIME = 5_000;
/** How long to wait before it is asked again, in milliseconds. */
const PAUSE = 100;

/** The symbols that the editor's own extensions tell, for languages without a grammar here. */
export class DocumentSymbols {
  readonly #log: vscode.LogOutputChannel;
  /** Languages that had their time to start. */
  readonly #started = new Set<string>();

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
  }

  /** Asks for the symbols of a document. The outliner knows those of the very text that they were told for, and no other. */
  async outliner(uri: vscode.Uri): Promise<Outliner> {
    try {
      return await this.#ask(uri);
    } catch (error) {
      this.#log.warn(`${uri.fsPath}: no symbols:`, error instanceof Error ? error : describe(error));
      return () => ({ kind: 'unknown', reason: `the editor could not tell its symbols: ${describe(error)}` });
    }
  }

  async #ask(uri: vscode.Uri): Promise<Outliner> {
    const document = await vscode.workspace.openTextDocument(uri);
    const { languageId } = document;
    const end = performance.now() + (this.#started.has(languageId) ? 0 : START_TIME);
    for (;;) {
      const { version } = document;
      const raw = document.getText();
      const told = await within(
        ANSWER_TIME,
        vscode.commands.executeCommand<Told[] | undefined>('vscode.executeDocumentSymbolProvider', uri),
      );
      if (told !== undefined && told.length > 0 && document.version === version) {
        this.#started.add(languageId);
        const { content } = parseText(raw);
        const symbols = toSymbols(told, new LineIndex(content), undefined);
        return (asked) => (asked === content ? { kind: 'known', symbols } : { kind: 'unknown', reason: OTHER_TEXT });
      }
      if (performance.now() >= end) {
        this.#started.add(languageId);
        return () => ({
          kind: 'unknown',
          reason: `no grammar here and no extension of the editor tells symbols of ${languageId} files`,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}

/** The editor answers with one of the two. */
type Told = vscode.DocumentSymbol | vscode.SymbolInformation;

function toSymbols(told: readonly Told[], lines: LineIndex, outer: string | undefined): CodeSymbol[] {
  return told.flatMap((symbol) => {
    const range = 'range' in symbol ? symbol.range : symbol.location.range;
    const nameRange = 'selectionRange' in symbol ? symbol.selectionRange : range;
    // Some extensions put the parameters into the name.
    const { plain, parameters } = /^(?<plain>[^\s()]+)\((?<parameters>.*)\)$/s.exec(symbol.name)?.groups ?? {};
    const own = plain ?? symbol.name;
    const name = outer === undefined ? own : `${outer}.${own}`;
    const children = 'children' in symbol ? symbol.children : [];
    return [
      {
        name,
        ...(parameters === undefined ? {} : { parameters }),
        rank: 'code' as const,
        start: offsetOf(lines, range.start),
        end: offsetOf(lines, range.end),
        nameStart: offsetOf(lines, nameRange.start),
        isBroken: false,
      },
      ...toSymbols(children, lines, name),
    ];
  });
}

function offsetOf(lines: LineIndex, { line, character }: vscode.Position): number {
  return Math.min(lines.lineStart(line) + character, lines.lineStart(line + 1));
}

const OTHER_TEXT = 'the editor has symbols of another text than the one that would be edited';
