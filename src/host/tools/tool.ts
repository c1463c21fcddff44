import { channel } from 'node:diagnostics_channel';
import * as vscode from 'vscode';
import type { Caller } from '../../core/arbiter.ts';
import { describe } from '../errors.ts';
import { callerOf } from './caller.ts';
import { progressOf } from './progress.ts';

/** Tells whoever listens in this process how long each call took from its first to its last step: the benchmark does. */
const CALLS = channel('edit-arbiter.call');

type Options = vscode.LanguageModelToolInvocationOptions<unknown>;

/** What differs between the tools. */
export interface ToolParts {
  /** What the chat says while it runs, before the names of the files. */
  readonly verb: string;
  /** The text parts of the answer: all that reaches a model. */
  readonly answer: (
    options: Options,
    caller: Caller,
    cancellation: vscode.CancellationToken,
  ) => Promise<readonly string[]>;
  /** What the chat asks before the call; `undefined` where nobody has to be asked. The call checks everything again. */
  readonly confirm?: (input: unknown) => Promise<vscode.LanguageModelToolConfirmationMessages | undefined>;
}

/**
 * A tool that always has an answer: nothing is thrown out of `invoke`.
 *
 * @param load called before each call: brings back what was stored, once. Does not throw.
 * @param onChatCall called when a chat, and not another extension, calls. Does not throw.
 */
export function makeTool(
  { verb, answer, confirm }: ToolParts,
  load: () => void,
  onChatCall: () => void,
  log: vscode.LogOutputChannel,
): vscode.LanguageModelTool<unknown> {
  return {
    prepareInvocation: async ({ input }) => {
      if (confirm) {
        load();
      }
      const confirmationMessages = await confirm?.(input).catch((error: unknown) => unpreviewed(error, log));
      return { ...progressOf(verb, input), ...(confirmationMessages ? { confirmationMessages } : {}) };
    },
    invoke: async (options, cancellation) => {
      const begun = performance.now();
      load();
      const caller = callerOf(options, cancellation);
      if (caller.isChat) {
        onChatCall();
      }
      const texts = await answer(options, caller, cancellation).catch((error: unknown) => [fault(error, log)]);
      CALLS.publish({ verb, milliseconds: performance.now() - begun });
      return new vscode.LanguageModelToolResult(texts.map((text) => new vscode.LanguageModelTextPart(text)));
    },
  };
}

/** Somebody wants to be asked: where it cannot be shown what would change, they are asked all the same. */
function unpreviewed(error: unknown, log: vscode.LogOutputChannel): vscode.LanguageModelToolConfirmationMessages {
  log.error('The changes of a call could not be shown', error instanceof Error ? error : String(error));
  return { title: 'Apply the edits?', message: 'What they would change could not be shown; the log says why.' };
}

function fault(error: unknown, log: vscode.LogOutputChannel): string {
  log.error('A call broke off', error instanceof Error ? error : String(error));
  return JSON.stringify({
    summary: 'apply_failed',
    results: [],
    reason: `an error inside Edit Arbiter: ${describe(error)}`,
    next: 'edits of this call may or may not have landed; read the files before you go on, and tell the engineer to look at the log of Edit Arbiter',
  });
}
