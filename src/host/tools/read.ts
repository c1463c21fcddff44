import type * as vscode from 'vscode';
import type { Arbiter } from '../../core/arbiter.ts';
import { cutAtCharacter } from '../../core/lines.ts';
import { printReadPart, type Room } from '../../core/reading.ts';
import type { ToolParts } from './tool.ts';

/** `arbiter_read`: content and base of files, from the same bytes. */
export function readTool(arbiter: Arbiter): ToolParts {
  return {
    verb: 'Reading',
    answer: async ({ input, tokenizationOptions }, caller, cancellation) => {
      const room = tokenizationOptions ? roomIn(tokenizationOptions, cancellation) : roomForAll;
      return (await arbiter.read(input, caller, room)).map(printReadPart);
    },
  };
}

const roomForAll: Room = async (text) => text.length;

/** What of the request's token budget is kept for a file's header. */
const HEADER_TOKENS = 200;
/** How much of the budget a text may take, by its bytes, without being counted: no token is shorter than a byte. */
const UNCOUNTED = 1 / 4;

/** How much of each text still fits into the request's token budget, first come, first served. */
function roomIn(
  { tokenBudget, countTokens }: vscode.LanguageModelToolTokenizationOptions,
  cancellation: vscode.CancellationToken,
): Room {
  let left = tokenBudget;
  return async (text) => {
    left -= HEADER_TOKENS;
    const bytes = Buffer.byteLength(text);
    if (bytes <= left * UNCOUNTED) {
      left -= bytes;
      return text.length;
    }
    let fitting = text;
    let tokens = await countTokens(fitting, cancellation);
    // Tokens are not spread evenly over a text, so a cut is counted again.
    while (tokens > left && fitting.length > 0) {
      fitting = cutAtCharacter(fitting, Math.floor((fitting.length * Math.max(0, left) * 0.95) / tokens));
      tokens = fitting === '' ? 0 : await countTokens(fitting, cancellation);
    }
    left -= tokens;
    return fitting.length;
  };
}
