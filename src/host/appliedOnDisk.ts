import { type Base, printBase } from '../core/base.ts';
import type { FileRef, Outcome, TakenBack } from '../core/documents.ts';
import type { Looks } from './looks.ts';

/**
 * What was done to a file on disk alone, past the editor.
 *
 * @param landed the state that it led to: where the file holds another one by now, that is somebody else's doing.
 */
export async function appliedOnDisk(
  looks: Looks,
  file: FileRef,
  landed: Base,
  takeBack: () => Promise<TakenBack>,
): Promise<Extract<Outcome, { kind: 'applied' }>> {
  const { state } = await looks.look(file);
  return {
    kind: 'applied',
    state,
    landed,
    saved: true,
    hooks: [],
    foreign: state.base === undefined || printBase(state.base) !== printBase(landed),
    isSavedTogether: false,
    onDidNumber: () => {},
    takeBack,
  };
}
