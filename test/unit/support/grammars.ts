import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodeSymbol } from '../../../src/core/symbols.ts';
import { type GrammarFiles, Grammars } from '../../../src/host/syntax/grammars.ts';
import type { Language } from '../../../src/host/syntax/languages.ts';

const runtime = createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm');

/** The runtime and the grammars as their package has them. */
export const packagedFiles: GrammarFiles = {
  runtime,
  folder: dirname(runtime),
  queries: fileURLToPath(new URL('../../../src/host/syntax/queries', import.meta.url)),
};

/** Shared by the suites: loading a grammar takes a while. */
export const grammars = new Grammars(packagedFiles, (error, what) => {
  throw new Error(what, { cause: error });
});

/** The symbols of a text, whose language is loaded when needed. */
export async function symbolsIn(language: Language, content: string): Promise<readonly CodeSymbol[]> {
  await grammars.loadSymbols(language);
  const outline = grammars.outline(language, content);
  assert.equal(outline.kind, 'known', JSON.stringify(outline));
  return outline.symbols;
}
