import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type * as vscode from 'vscode';
import { codeOf, describe } from './errors.ts';

/** How a file operation ended. Nothing is ever overwritten, and nobody else's bytes are lost. */
export type FileOutcome =
  | { readonly kind: 'done' }
  /** The file does not hold the expected bytes any more. Nothing was touched. */
  | { readonly kind: 'moved' }
  /** Something is at the target. Nothing was touched. */
  | { readonly kind: 'occupied' };

/**
 * Deletes a file, only where it holds these bytes: it is put aside first, under a name of its own, and looked at once more
 * when nobody can write it by its old name. All in one synchronous step.
 *
 * @throws what the system says; then the file is where it was, unless the error names another place.
 */
export function deleteExactly(path: string, bytes: Uint8Array): FileOutcome {
  if (!holds(path, bytes)) {
    return { kind: 'moved' };
  }
  const aside = join(dirname(path), `.${randomUUID()}.deleted`);
  renameSync(path, aside);
  try {
    if (holds(aside, bytes)) {
      unlinkSync(aside);
      return { kind: 'done' };
    }
  } catch (error) {
    place(aside, path);
    throw error;
  }
  if (!place(aside, path)) {
    throw new Error(
      `another program wrote the file while it was deleted, and again since; what it wrote first is in ${aside}`,
    );
  }
  return { kind: 'moved' };
}

/**
 * Renames a file, only where it holds these bytes, and only onto nothing. Folders are created as needed, and removed again
 * where it comes to nothing. All in one synchronous step.
 *
 * @throws what the system says; then nothing was touched.
 */
export function renameExactly(path: string, target: string, bytes: Uint8Array): FileOutcome {
  if (!holds(path, bytes)) {
    return { kind: 'moved' };
  }
  const created = createFolders(dirname(target));
  let isDone = false;
  try {
    if (!isNothing(target) || !link(path, target)) {
      return { kind: 'occupied' };
    }
    if (!holds(target, bytes)) {
      unlinkSync(target);
      return { kind: 'moved' };
    }
    // Somebody may have put another file in the old place since; that one is not ours to remove.
    try {
      if (holds(path, bytes)) {
        unlinkSync(path);
      }
    } catch (error) {
      // The old name cannot be taken away: then the new one is.
      if (holds(path, bytes) && holds(target, bytes)) {
        unlinkSync(target);
      }
      throw error;
    }
    isDone = true;
    return { kind: 'done' };
  } finally {
    for (const folder of isDone ? [] : created) {
      removeEmpty(folder);
    }
  }
}

/** Puts a deleted file back, only where nothing is by now: whole, or not at all. @throws what the system says. */
export function restoreFile(path: string, bytes: Uint8Array, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const descriptor = openSync(path, 'wx');
  try {
    writeFileSync(descriptor, bytes);
  } catch (error) {
    // A part of it would pass for the file.
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(descriptor);
  }
  chmodSync(path, mode & 0o7777);
}

/** Moves a file back to a place, where nothing is. @returns whether it is there. */
function place(from: string, to: string): boolean {
  if (!link(from, to)) {
    return false;
  }
  unlinkSync(from);
  return true;
}

/** Gives a file a second name; where the file system has no such thing, a copy with it. @returns whether the name was free. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      return false;
    }
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EMLINK', 'ENOSYS'].includes(codeOf(error) ?? '')) {
      throw error;
    }
  }
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      return false;
    }
    throw error;
  }
}

function holds(path: string, bytes: Uint8Array): boolean {
  try {
    return statSync(path).size === bytes.length && readFileSync(path).equals(bytes);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EISDIR') {
      return false;
    }
    throw error;
  }
}

/** Also a symbolic link that leads nowhere is something. */
function isNothing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    // Below a file, there is nothing.
    if (codeOf(error) === 'ENOTDIR') {
      return true;
    }
    throw error;
  }
}

/** @returns `undefined` where there is no such file, also where a file is in the place of a folder above it. */
export function statOrNothing(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') {
      return undefined;
    }
    throw error;
  }
}

/** A write broke off, and what the file held before could not be put back either. */
export class TornError extends Error {}

/**
 * Writes a file in place, so that mode and links stay, only where it holds the expected bytes: compared and written by one
 * handle, in one synchronous step. A write that breaks off leaves the file as it was. Bytes before and behind the difference
 * are not written: what another program puts there between the compare and the write stays.
 *
 * @throws what the system says; {@link TornError} where the file could not be left as it was.
 */
export function overwriteExactly(path: string, expected: Uint8Array, bytes: Uint8Array): FileOutcome {
  const range = differenceOf(expected, bytes);
  // The path is a real one: a link in its place was put there since.
  const descriptor = openForWriting(path);
  if (descriptor === undefined) {
    return { kind: 'moved' };
  }
  try {
    if (fstatSync(descriptor).size !== expected.length || !readFileSync(descriptor).equals(expected)) {
      return { kind: 'moved' };
    }
    try {
      writeOver(descriptor, bytes, range);
    } catch (error) {
      putBack(descriptor, expected, range, error);
      throw error;
    }
    return { kind: 'done' };
  } finally {
    closeSync(descriptor);
  }
}

/** @returns `undefined` where there is no such file any more. */
function openForWriting(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes(codeOf(error) ?? '')) {
      return undefined;
    }
    throw error;
  }
}

/** Gives a file its times back, which only its owner may: where that is another, it goes without. */
export function setTimes(path: string, { atime, mtime }: Stats, log: vscode.LogOutputChannel): void {
  try {
    utimesSync(path, atime, mtime);
  } catch (error) {
    log.debug(`${path} keeps its new time: ${describe(error)}`);
  }
}

function putBack(descriptor: number, bytes: Uint8Array, range: Range, because: unknown): void {
  try {
    writeOver(descriptor, bytes, range);
  } catch (error) {
    throw new TornError(
      `${describe(because)}; and what the file held before could not be put back: ${describe(error)}`,
      {
        cause: because,
      },
    );
  }
}

/**
 * What goes beyond the end is written first, and what is left over there is cut off last: where a full disk has no room, nothing
 * of the file is gone.
 */
function writeOver(descriptor: number, bytes: Uint8Array, { from, behind }: Range): void {
  const { size } = fstatSync(descriptor);
  writeFrom(descriptor, bytes, Math.max(size, from), bytes.length);
  writeFrom(descriptor, bytes, from, Math.min(size, bytes.length - behind));
  if (size !== bytes.length) {
    ftruncateSync(descriptor, bytes.length);
  }
}

/** Where two contents differ: from the first byte that does, and up to so many bytes before the end. */
interface Range {
  readonly from: number;
  readonly behind: number;
}

function differenceOf(before: Uint8Array, after: Uint8Array): Range {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) {
    from += 1;
  }
  let behind = 0;
  // What is behind moves with the length.
  while (
    before.length === after.length &&
    behind < shorter - from &&
    before.at(-1 - behind) === after.at(-1 - behind)
  ) {
    behind += 1;
  }
  return { from, behind };
}

/** Writes the bytes from `start` up to `end` to where they belong in the file. */
function writeFrom(descriptor: number, bytes: Uint8Array, start: number, end: number): void {
  for (let at = start; at < end; ) {
    at += writeSync(descriptor, bytes, at, end - at, at);
  }
}

/** @returns the folders that were not there before, innermost first. */
function createFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let at = folder; isNothing(at); at = dirname(at)) {
    missing.push(at);
  }
  mkdirSync(folder, { recursive: true });
  return missing;
}

/** Not where somebody has put something into it since. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST' && codeOf(error) !== 'ENOENT') {
      throw error;
    }
  }
}
