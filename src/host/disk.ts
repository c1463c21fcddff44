import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statfsSync } from 'node:fs';
import type { Problem } from '../core/status.ts';
import { codeOf, describe } from './errors.ts';

/** Largest file that the editor opens for an extension. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;

/** What is on disk at one moment. */
export type Disk =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly stats: Stats }
  | { readonly kind: 'other'; readonly problem: Problem };

/** Reads a file in one synchronous step: nothing can come between this and what the caller does next in the same turn. */
export function readDisk(path: string): Disk {
  let descriptor: number;
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return { kind: 'absent' };
    }
    return { kind: 'other', problem: code === 'EISDIR' ? directory() : unreadable(describe(error)) };
  }
  try {
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) {
      return { kind: 'other', problem: directory() };
    }
    if (!stats.isFile()) {
      return {
        kind: 'other',
        problem: {
          status: 'binary',
          reason: 'not a regular file',
          next: 'only regular text files can be read or edited',
        },
      };
    }
    if (stats.size > MAX_FILE_BYTES) {
      return {
        kind: 'other',
        problem: {
          status: 'too_large',
          reason: `${stats.size} bytes; at most ${MAX_FILE_BYTES} can be opened`,
          next: 'use another tool for files of this size',
        },
      };
    }
    return { kind: 'file', bytes: readFileSync(descriptor), stats };
  } catch (error) {
    return { kind: 'other', problem: unreadable(describe(error)) };
  } finally {
    closeSync(descriptor);
  }
}

/** Whether two looks at the disk found the same bytes. */
export function isSameDisk(one: Disk, other: Disk): boolean {
  if (one.kind === 'file' && other.kind === 'file') {
    return one.bytes.equals(other.bytes);
  }
  return one.kind === 'absent' && other.kind === 'absent';
}

/** Which disks were full, as far as saves of ours have found out. Files saved side by side take the room from each other. */
export class FullDisks {
  readonly #times = new Map<number, number>();

  /** To be called when a file is seen to be cut off, before any room is given back. */
  note({ dev }: Stats): void {
    this.#times.set(dev, performance.now());
  }

  /** Whether the disk of a file had too little room for so many bytes more, now or since a time of `performance.now()`. */
  wasFull(path: string, { dev }: Stats, bytes: number, since: number): boolean {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize < bytes || (this.#times.get(dev) ?? Number.NEGATIVE_INFINITY) >= since;
  }
}

function directory(): Problem {
  return { status: 'is_directory', reason: 'this is a folder', next: 'name a file in it' };
}

function unreadable(reason: string): Problem {
  return {
    status: 'protected',
    reason: `the system does not let it be read: ${reason}`,
    next: 'ask the engineer to give access',
  };
}
