import type * as vscode from 'vscode';
import type { Arbiter } from '../../core/arbiter.ts';
import { callerOf, textResult } from './caller.ts';
import { progressOf } from './progress.ts';

/** `arbiter_check`: whether bases are still fresh. */
export class CheckTool implements vscode.LanguageModelTool<unknown> {
  readonly #arbiter: Arbiter;

  constructor(arbiter: Arbiter) {
    this.#arbiter = arbiter;
  }

  prepareInvocation({
    input,
  }: vscode.LanguageModelToolInvocationPrepareOptions<unknown>): vscode.PreparedToolInvocation {
    return progressOf('Checking', input);
  }

  async invoke(
    { input, toolInvocationToken }: vscode.LanguageModelToolInvocationOptions<unknown>,
    cancellation: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    return textResult(JSON.stringify(await this.#arbiter.check(input, callerOf(toolInvocationToken, cancellation))));
  }
}
