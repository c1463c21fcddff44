import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as treeSitter from '@vscode/tree-sitter-wasm';
import { describeFault } from '../../core/fault.ts';
import { buildSymbols } from '../../core/outline.ts';
import type { Outline } from '../../core/symbols.ts';
import type { Soundness } from '../../core/syntax.ts';
import { describe } from '../errors.ts';
import { firstFault } from './faults.ts';
import { type Language, queriesOf } from './languages.ts';
import { marksIn } from './marks.ts';

/** Where the parser and its grammars are on disk. */
export interface GrammarFiles {
  /** The script of the runtime. */
  readonly runtime: string;
  /** The folder of its `.wasm` files, which have the names that their package gives them. */
  readonly folder: string;
  /** The folder of the queries, `src/host/syntax/queries` here. */
  readonly queries: string;
}

/** The files as esbuild.js puts them into the extension. */
export function shippedGrammars(folder: string): GrammarFiles {
  return { runtime: join(folder, 'tree-sitter.cjs'), folder, queries: folder };
}

type Runtime = typeof treeSitter;

interface Grammar {
  readonly language: treeSitter.Language;
  /** What finds its declarations; made when symbols are first asked for, since that takes a while. */
  query: treeSitter.Query | undefined;
}

/** A text with what a parser made of it, or why it made nothing. */
interface Parsed {
  readonly language: Language;
  readonly content: string;
  readonly tree: treeSitter.Tree | string;
}

/** How long one pass over one text may take, in milliseconds. */
const MAX_PASS_MS = 500;
/** The longest text that is parsed, in UTF-16 units. */
const MAX_CONTENT = 2_000_000;
/** How many trees are kept: the text before and the text after, of the last two edits. */
const MAX_TREES = 4;

/**
 * Parses texts with tree-sitter. Runtime and grammars are loaded from disk when they are first asked for, each once;
 * parsing itself is synchronous. Knows nothing of the editor.
 */
export class Grammars {
  readonly #files: GrammarFiles;
  readonly #onFault: (error: unknown, what: string) => void;
  readonly #maxPassMs: number;
  readonly #grammars = new Map<Language, Grammar>();
  readonly #loading = new Map<Language, Promise<void>>();
  readonly #failures = new Map<Language, string>();
  #runtime: Promise<Runtime> | undefined;
  #parser: treeSitter.Parser | undefined;
  /** The last used last. */
  #parsed: Parsed[] = [];

  /** @param onFault told of a grammar that would not load, and of a parser that broke down. */
  constructor(files: GrammarFiles, onFault: (error: unknown, what: string) => void, maxPassMs = MAX_PASS_MS) {
    this.#files = files;
    this.#onFault = onFault;
    this.#maxPassMs = maxPassMs;
  }

  /** Loads a grammar; at once where that was done before. Never rejects. */
  load(language: Language): Promise<void> {
    let loading = this.#loading.get(language);
    if (!loading) {
      loading = this.#load(language);
      this.#loading.set(language, loading);
    }
    return loading;
  }

  /** As {@link load}, and gets ready to tell symbols. */
  async loadSymbols(language: Language): Promise<void> {
    try {
      await this.load(language);
      const grammar = this.#grammars.get(language);
      if (grammar && !grammar.query && this.#runtime) {
        const { Query } = await this.#runtime;
        const files = queriesOf(language).map((name) => join(this.#files.queries, `${name}.scm`));
        const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
        grammar.query ??= new Query(grammar.language, [...texts, '(ERROR) @error'].join('\n'));
      }
    } catch (error) {
      this.#failures.set(language, `symbols of ${language} cannot be told: ${describe(error)}`);
      this.#onFault(error, `getting ready to tell symbols of ${language}`);
    }
  }

  /** Whether a text parses. */
  soundness(language: Language, content: string): Soundness {
    const tree = this.#parse(language, content);
    if (typeof tree === 'string') {
      return { kind: 'unknown', reason: tree };
    }
    return this.#attempt(
      language,
      (reason): Soundness => ({ kind: 'unknown', reason }),
      () => {
        const site = tree.rootNode.hasError ? firstFault(tree) : undefined;
        return site ? { kind: 'broken', fault: describeFault(content, site) } : { kind: 'sound' };
      },
    );
  }

  /** The symbols of a text. */
  outline(language: Language, content: string): Outline {
    const query = this.#grammars.get(language)?.query;
    const tree = query ? this.#parse(language, content) : (this.#failures.get(language) ?? notLoaded(language));
    if (typeof tree === 'string' || !query) {
      return { kind: 'unknown', reason: String(tree) };
    }
    return this.#attempt(
      language,
      (reason): Outline => ({ kind: 'unknown', reason }),
      () => {
        const marks = marksIn(tree, query, this.#untilLate());
        return marks ? { kind: 'known', symbols: buildSymbols(content, marks) } : { kind: 'unknown', reason: TOO_SLOW };
      },
    );
  }

  async #load(language: Language): Promise<void> {
    try {
      this.#runtime ??= this.#loadRuntime();
      const { Language } = await this.#runtime;
      const loaded = await Language.load(await readFile(join(this.#files.folder, `tree-sitter-${language}.wasm`)));
      this.#grammars.set(language, { language: loaded, query: undefined });
    } catch (error) {
      this.#failures.set(language, `the grammar for ${language} could not be loaded: ${describe(error)}`);
      this.#onFault(error, `loading the grammar for ${language}`);
    }
  }

  async #loadRuntime(): Promise<Runtime> {
    const { runtime, folder } = this.#files;
    const loaded: Runtime = createRequire(runtime)(runtime);
    await loaded.Parser.init({ locateFile: (name) => join(folder, name) });
    this.#parser = new loaded.Parser();
    return loaded;
  }

  /** @returns why there is no tree, where there is none. */
  #parse(language: Language, content: string): treeSitter.Tree | string {
    const parser = this.#parser;
    const grammar = this.#grammars.get(language);
    if (!parser || !grammar) {
      return this.#failures.get(language) ?? notLoaded(language);
    }
    if (content.length > MAX_CONTENT) {
      return 'the file is too long to be parsed here';
    }
    const at = this.#parsed.findIndex((parsed) => parsed.language === language && parsed.content === content);
    const [known] = at === -1 ? [] : this.#parsed.splice(at, 1);
    const parsed = known ?? { language, content, tree: this.#parseAnew(parser, grammar, language, content) };
    this.#parsed.push(parsed);
    if (this.#parsed.length > MAX_TREES) {
      const oldest = this.#parsed.shift();
      if (oldest && typeof oldest.tree !== 'string') {
        oldest.tree.delete();
      }
    }
    return parsed.tree;
  }

  #parseAnew(
    parser: treeSitter.Parser,
    grammar: Grammar,
    language: Language,
    content: string,
  ): treeSitter.Tree | string {
    return this.#attempt(
      language,
      (reason): treeSitter.Tree | string => reason,
      () => {
        parser.setLanguage(grammar.language);
        const tree = parser.parse(content, null, { progressCallback: this.#untilLate() });
        if (tree === null) {
          // Otherwise the next text would be taken for the rest of this one.
          parser.reset();
        }
        return tree ?? TOO_SLOW;
      },
    );
  }

  /** A parser that breaks down is not asked for that language again. */
  #attempt<T>(language: Language, otherwise: (reason: string) => T, work: () => T): T {
    try {
      return work();
    } catch (error) {
      const reason = `the parser for ${language} broke down: ${describe(error)}`;
      this.#grammars.delete(language);
      this.#failures.set(language, reason);
      this.#onFault(error, `parsing ${language}`);
      return otherwise(reason);
    }
  }

  #untilLate(): () => boolean {
    const end = performance.now() + this.#maxPassMs;
    return () => performance.now() > end;
  }
}

function notLoaded(language: Language): string {
  return `the grammar for ${language} is not loaded yet`;
}

const TOO_SLOW = 'the file takes too long to be parsed here';
