import type { Arbiter } from '../../core/arbiter.ts';
import type { ToolParts } from './tool.ts';

/** `arbiter_edit`: edits that carry the base they were planned on. */
export function editTool(arbiter: Arbiter): ToolParts {
  return {
    verb: 'Editing',
    answer: async ({ input }, caller) => [JSON.stringify(await arbiter.edit(input, caller))],
  };
}
