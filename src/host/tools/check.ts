import type { Arbiter } from '../../core/arbiter.ts';
import type { ToolParts } from './tool.ts';

/** `arbiter_check`: whether bases are still fresh. */
export function checkTool(arbiter: Arbiter): ToolParts {
  return {
    verb: 'Checking',
    answer: async ({ input }, caller) => [JSON.stringify(await arbiter.check(input, caller))],
  };
}
