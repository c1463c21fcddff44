// What may stand in the way of an edit that has a place at a fresh base: the symbol that it must land inside, and the syntax
// that it must not break. Whatever takes time is got ready before the file is looked at; the judging itself never waits.

import { blocksBetween, moveLine } from './compare.ts';
import { type Candidate, contentOf, type FileRef, type State } from './documents.ts';
import type { Verdict } from './gate.ts';
import type { EditRequest } from './input.ts';
import { lineAt } from './lines.ts';
import { guardSymbol, type SymbolRefusal } from './symbolGuard.ts';
import type { Outline } from './symbols.ts';
import type { Fault, Outliner, Soundness, Syntax, SyntaxGate } from './syntax.ts';

/** An edit that a guard refuses. */
export interface Guarded {
  readonly kind: 'guarded';
  readonly refusal: SymbolRefusal | SyntaxRefusal;
}

/** What an edit would break. */
export interface SyntaxRefusal {
  readonly status: 'syntax_broken';
  /** 1-based, in the text that the edit would lead to. */
  readonly line: number;
  readonly message: string;
}

/** The contract's `syntax_warning`: a line of the final text, 1-based. */
export interface SyntaxWarning {
  readonly line: number;
  readonly message: string;
}

/** The symbol guard and the syntax gate of one entry. */
export class Guards {
  readonly #syntax: Syntax | undefined;
  readonly #request: EditRequest;
  readonly #file: FileRef;
  #gate: SyntaxGate = 'off';
  #outliner: Outliner | undefined;
  /** What the candidate that was judged last breaks; `undefined` where that has not been told yet. */
  #broken: { readonly fault: Fault | undefined } | undefined;
  #untold: string | undefined;

  constructor(syntax: Syntax | undefined, request: EditRequest, file: FileRef) {
    this.#syntax = syntax;
    this.#request = request;
    this.#file = file;
  }

  /**
   * Gets ready what {@link judge} needs. Waits only where the entry names a symbol or may be refused for its syntax; otherwise
   * a grammar loads meanwhile.
   */
  async prepare(): Promise<void> {
    const { wish, symbol } = this.#request;
    if (!this.#syntax || wish.kind === 'delete' || wish.kind === 'nothing') {
      return;
    }
    this.#gate = this.#syntax.gateFor(this.#file);
    const loading = this.#gate === 'off' ? undefined : this.#syntax.prepare(this.#file);
    if (this.#gate === 'refuse') {
      await loading;
    }
    if (symbol !== undefined) {
      this.#outliner = await this.#syntax.outliner(this.#file);
    }
  }

  /** What the guards say of an edit that the gate would accept. Runs between the look and the apply: it never waits. */
  judge(verdict: Verdict, state: State): Verdict | Guarded {
    this.#broken = undefined;
    this.#untold = undefined;
    if (verdict.kind !== 'accepted' && verdict.kind !== 'create' && verdict.kind !== 'rename') {
      return verdict;
    }
    const candidate = verdict.kind === 'create' ? undefined : verdict.candidate;
    const refusal = this.#judgeSymbol(candidate, contentOf(state)) ?? this.#judgeSyntax(candidate, state);
    return refusal ? { kind: 'guarded', refusal } : verdict;
  }

  /** What a landed edit broke, at its place in the final text; nothing where a hook or somebody has mended it since. */
  warning(before: State, candidate: Candidate, final: State): SyntaxWarning | undefined {
    if (this.#gate === 'off' || before.kind !== 'text' || final.kind !== 'text') {
      return undefined;
    }
    const asked = candidate.text.content;
    const { content } = final.text;
    const fault = (this.#broken ?? this.#whatBreaks(before.text.content, asked))?.fault;
    if (!fault || (content !== asked && this.#syntax?.soundness(this.#file, content).kind === 'sound')) {
      return undefined;
    }
    const line = lineAt(asked, fault.offset);
    return {
      line: (content === asked ? line : moveLine(line, blocksBetween(asked, content))) + 1,
      message: fault.message,
    };
  }

  /** Why the gate could not tell whether the edit breaks the syntax, where it was to be refused for that. */
  get untold(): string | undefined {
    return this.#gate === 'refuse' ? this.#untold : undefined;
  }

  /** The symbols of a text of the file, where they can be told without waiting. */
  outline(content: string): Outline | undefined {
    return this.#syntax?.outline(this.#file, content);
  }

  #judgeSymbol(candidate: Candidate | undefined, content: string): SymbolRefusal | undefined {
    const { symbol } = this.#request;
    if (symbol === undefined) {
      return undefined;
    }
    const refuse = (reason: string): SymbolRefusal => ({ status: 'symbol_not_found', symbol, reason });
    if (candidate === undefined) {
      return refuse('there is no file yet that could have symbols');
    }
    return this.#outliner
      ? guardSymbol(symbol, content, candidate, this.#outliner)
      : refuse('nothing here can tell where symbols begin and end');
  }

  #judgeSyntax(candidate: Candidate | undefined, state: State): SyntaxRefusal | undefined {
    if (this.#gate === 'off' || candidate === undefined || state.kind !== 'text') {
      return undefined;
    }
    const { content } = candidate.text;
    this.#broken = this.#whatBreaks(state.text.content, content);
    const fault = this.#broken?.fault;
    return fault && this.#gate === 'refuse'
      ? { status: 'syntax_broken', line: lineAt(content, fault.offset) + 1, message: fault.message }
      : undefined;
  }

  /** @returns `undefined` where nobody can tell; then {@link untold} says why. */
  #whatBreaks(before: string, after: string): { readonly fault: Fault | undefined } | undefined {
    const was = this.#soundness(before);
    if (was?.kind !== 'sound') {
      // What did not parse before is never held against the edit.
      return was?.kind === 'broken' ? { fault: undefined } : undefined;
    }
    const is = this.#soundness(after);
    return is?.kind === 'sound' ? { fault: undefined } : is?.kind === 'broken' ? { fault: is.fault } : undefined;
  }

  #soundness(content: string): Soundness | undefined {
    const soundness = this.#syntax?.soundness(this.#file, content);
    this.#untold = soundness?.kind === 'unknown' ? soundness.reason : undefined;
    return soundness;
  }
}
