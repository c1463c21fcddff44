import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { applyPatch } from 'diff';
import { read, replaceAll } from '../integration/support/agent.ts';
import { pathOf, sha256 } from '../integration/support/disk.ts';
import { applyTo, isOnce, type Replacement } from './source.ts';

/** What an agent believes a file to hold, and the version that goes with it. */
export interface View {
  readonly text: string;
  readonly base: string;
}

/** How an apply ended, as its agent is told. */
export type Landing =
  | { readonly kind: 'landed'; readonly edit: number; readonly view: View }
  | { readonly kind: 'refused'; readonly causes: readonly string[] }
  /** The tool could not place the edit: loud, whether or not the file had moved. */
  | { readonly kind: 'misplaced' };

/** An edit tool as an agent uses it. */
export interface EditTool {
  /** Whether it works on what is in the editor, rather than on the disk alone. */
  readonly seesUnsaved: boolean;
  read(path: string): Promise<View>;
  apply(path: string, view: View, edits: readonly Replacement[]): Promise<Landing>;
}

/** Edit Arbiter, through the tools that it contributes. */
export const arbiter: EditTool = {
  seesUnsaved: true,

  async read(path) {
    const [part] = await read(path);
    if (part?.header.base === undefined) {
      throw new Error(`${path} was not read: ${JSON.stringify(part?.header)}`);
    }
    return { text: part.content, base: part.header.base };
  },

  async apply(path, view, edits) {
    const result = await replaceAll(path, view.base, edits);
    switch (result.status) {
      case 'applied': {
        const written = applyTo(view.text, edits);
        // All that the agent was not told of would make its view differ from the base.
        const text = result.diff_by_hooks ? applyPatch(written, result.diff_by_hooks) : written;
        if (text === false || result.base === undefined || result.edit === undefined) {
          throw new Error(`the answer does not show what the file holds: ${JSON.stringify(result)}`);
        }
        if (result.saved && result.base !== sha256(text)) {
          throw new Error(`the base is not that of what the answer shows: ${JSON.stringify(result)}`);
        }
        return { kind: 'landed', edit: result.edit, view: { text, base: result.base } };
      }
      case 'stale_base':
        return { kind: 'refused', causes: result.changed_by ?? [] };
      default:
        throw new Error(`neither applied nor stale: ${JSON.stringify(result)}`);
    }
  },
};

/**
 * A plain find-and-replace tool: reads the file from the disk, looks for the old text, which must be there exactly once, and
 * writes the new one. Nothing says which version the agent had read.
 *
 * @param format runs the formatting hook on a file after each write.
 */
export function findAndReplace(format: (path: string) => Promise<void>): EditTool {
  let edits = 0;
  const view = (text: string): View => ({ text, base: createHash('sha256').update(text).digest('hex') });
  return {
    seesUnsaved: false,
    read: async (path) => view(readFileSync(pathOf(path), 'utf8')),

    async apply(path, _, replacements) {
      const text = readFileSync(pathOf(path), 'utf8');
      if (!replacements.every(({ old_string: old }) => isOnce(text, old))) {
        return { kind: 'misplaced' };
      }
      const written = applyTo(text, replacements);
      writeFileSync(pathOf(path), written);
      await format(path);
      edits += 1;
      return { kind: 'landed', edit: edits, view: view(written) };
    },
  };
}
