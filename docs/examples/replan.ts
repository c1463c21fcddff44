import type { EditArbiter, FileEdit, FileResult } from '../../api.d.ts';

/** Plans edits on a text. `refused` says why an earlier plan was refused. `undefined`: no edit is needed. */
export type Plan = (text: string, refused?: FileResult) => FileEdit['edits'] | undefined;

/** Changes one file by a plan, and plans again on what is there when the file has moved. */
export async function change(arbiter: Pick<EditArbiter, 'read' | 'edit'>, path: string, plan: Plan): Promise<string> {
  const session = `change ${path}`;
  let refused: FileResult | undefined;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const [part] = await arbiter.read({ files: [{ path }] }, { session });
    if (part?.content === undefined || part.header.base === undefined) {
      return part?.header.status ?? 'not_found';
    }
    const edits = plan(part.content, refused);
    if (edits === undefined) {
      return 'not needed';
    }
    const { results } = await arbiter.edit({ files: [{ path, base: part.header.base, edits }] }, { session });
    refused = results[0];
    if (refused?.status !== 'stale_base') {
      return refused?.status ?? 'invalid_input';
    }
  }
  return 'stale_base';
}
