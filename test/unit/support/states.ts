import { digest } from '../../../src/core/base.ts';
import type { State } from '../../../src/core/documents.ts';
import { parseText } from '../../../src/core/text.ts';

export const ABSENT: State = { kind: 'absent', base: { disk: 'absent' } };

/** The state of a file that holds `raw`, and `dirty` in an editor. */
export function stateOf(raw: string, dirty?: string): State & { readonly kind: 'text' } {
  const disk = digest(Buffer.from(raw));
  return {
    kind: 'text',
    base: dirty === undefined ? { disk } : { disk, dirty: digest(Buffer.from(dirty)) },
    text: parseText(dirty ?? raw),
    format: { encoding: 'utf8', bom: false },
  };
}
