import type * as vscode from 'vscode';
import type { Arbiter } from '../../core/arbiter.ts';
import { printReadPart, type Room } from '../../core/reading.ts';
import { callerOf, textResult } from './caller.ts';
import { progressOf } from './progress.ts';

/** `arbiter_read`: content and base of files, from the same bytes. */
export class ReadTool implements vscode.LanguageModelTool<unknown> {
  readonly #arbiter: Arbiter;

  constructor(arbiter: Arbiter) {
    this.#arbiter = arbiter;
  }

  prepareInvocation({
    input,
  }: vscode.LanguageModelToolInvocationPrepareOptions<unknown>): vscode.PreparedToolInvocation {
    return progressOf('Reading', input);
  }

  async invoke(
    { input, toolInvocationToken, tokenizationOptions }: vscode.LanguageModelToolInvocationOptions<unknown>,
    cancellation: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const fit = tokenizationOptions ? fitInto(tokenizationOptions, cancellation) : fitAll;
    const parts = await this.#arbiter.read(input, callerOf(toolInvocationToken, cancellation), fit);
    return textResult(...parts.map(printReadPart));
  }
}

const fitAll: Room = async (text) => text.length;

/** What of the request's token budget is kept for headers, per file. */
const HEADER_TOKENS = 200;

/** How much of each text still fits into the request's token budget, first come, first served. */
function fitInto(
  { tokenBudget, countTokens }: vscode.LanguageModelToolTokenizationOptions,
  cancellation: vscode.CancellationToken,
): Room {
  let left = tokenBudget;
  return async (text) => {
    left -= HEADER_TOKENS;
    // No token is shorter than a byte, so most texts need not be counted.
    if (Buffer.byteLength(text) <= left / 4) {
      left -= Buffer.byteLength(text) / 2;
      return text.length;
    }
    const tokens = await countTokens(text, cancellation);
    const share = tokens <= left ? 1 : Math.max(0, left) / tokens;
    left -= tokens * share;
    return Math.floor(text.length * share);
  };
}
