import type * as vscode from 'vscode';
import { replaceBuffer } from './bufferEdits.ts';
import { isSameDisk, readDisk } from './disk.ts';
import type { Looks } from './looks.ts';
import { hasSaveParticipants } from './saveParticipants.ts';

/** How often the disk may move meanwhile. */
const MAX_ATTEMPTS = 10;

/**
 * Makes a buffer what is on disk, and the editor know it, however often the disk moves meanwhile. Whatever the buffer holds
 * when this is called is overwritten; what somebody puts into it afterwards is not.
 *
 * @param onDidReplace called whenever the buffer has become what is on disk, before anything that comes after it.
 * @returns whether the buffer was replaced at least once: then nothing of what it held before is left.
 */
export async function synchronize(
  looks: Looks,
  key: string,
  document: vscode.TextDocument,
  onDidReplace: () => void = () => {},
): Promise<boolean> {
  let known = document.getText();
  let isReplaced = false;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const disk = readDisk(key);
    const raw = looks.textOn(key, disk, document);
    // Text that is neither what was there nor what we put there is somebody's work.
    if (raw === undefined || document.getText() !== known || !(await replaceBuffer(document, raw))) {
      return isReplaced;
    }
    known = raw;
    isReplaced = true;
    onDidReplace();
    // Looked at once more in the turn of the save: it must put nobody's text over another's. With the text on disk in its
    // buffer, the editor accepts the save, writes nothing new, and knows the file as clean.
    if (!isSameDisk(readDisk(key), disk) || document.getText() !== raw) {
      continue;
    }
    if (!document.isDirty || hasSaveParticipants(document) || (await document.save())) {
      return isReplaced;
    }
  }
  return isReplaced;
}
