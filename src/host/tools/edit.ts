import type { Arbiter } from '../../core/arbiter.ts';
import { asksForAll } from '../settings.ts';
import { confirmationOf } from './confirmation.ts';
import type { ToolParts } from './tool.ts';

/** `arbiter_edit`: edits that carry the base they were planned on. */
export function editTool(arbiter: Arbiter): ToolParts {
  return {
    verb: 'Editing',
    answer: async ({ input }, caller) => [JSON.stringify(await arbiter.edit(input, caller))],
    confirm: async (input) => {
      if (!asksForAll()) {
        return undefined;
      }
      const { previews, others, explanation } = await arbiter.preview(input);
      return previews.length + others.length === 0 ? undefined : confirmationOf(previews, others, explanation);
    },
  };
}
