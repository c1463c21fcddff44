import { type EditResult, parseEdit, parseRead } from '../../../demo/answers.ts';
import type { Editor } from '../../hosts/editor.ts';

/** Calls a tool from the extension host, as any extension can. @returns its text parts, glued together. */
export function invoke({ model }: Pick<Editor, 'model'>, tool: string, input: object): Promise<string> {
  return model.evaluate(
    async (api, call) => {
      const result = await api.lm.invokeTool(call.tool, { input: call.input, toolInvocationToken: undefined });
      return result.content.map((part) => (part as { value: string }).value).join('');
    },
    { tool, input },
  );
}

/** Reads files in one call. @returns their bases. */
export async function readBases(editor: Pick<Editor, 'model'>, ...paths: readonly string[]): Promise<string[]> {
  const parts = parseRead(await invoke(editor, 'arbiter_read', { files: paths.map((path) => ({ path })) }));
  return parts.map(({ header }) => header.base ?? '');
}

/** Sends one replacement. */
export async function sendEdit(
  editor: Pick<Editor, 'model'>,
  path: string,
  base: string | undefined,
  [old, replacement]: readonly [string, string],
  explanation?: string,
): Promise<EditResult> {
  const edits = [{ old_string: old, new_string: replacement }];
  const call = { files: [{ path, base, edits }], ...(explanation === undefined ? {} : { explanation }) };
  const [result] = parseEdit(await invoke(editor, 'arbiter_edit', call)).results;
  if (!result) {
    throw new Error(`no result for ${path}`);
  }
  return result;
}
