import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmdirSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from './disk.ts';

/** A folder of the workspace that is a disk of its own, with very little room. */
export interface SmallDisk {
  readonly folder: string;
  /** Another program takes all the room but for so many bytes. */
  fill(left?: number): void;
  remove(): void;
}

/**
 * Mounts a disk in memory, where the system lets us.
 *
 * @param size in kilobytes.
 * @returns why there can be none, otherwise.
 */
export function mountSmallDisk(folder: string, size: number): SmallDisk | string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return 'only root on Linux can mount a small disk';
  }
  const path = pathOf(folder);
  mkdirSync(path, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}k`, 'tmpfs', path], { stdio: 'pipe', encoding: 'utf8' });
  } catch (error) {
    rmdirSync(path);
    return `no disk could be mounted: ${error instanceof Error ? error.message.trim() : String(error)}`;
  }
  return {
    folder,
    fill: (left = 0) => {
      const { bavail, bsize } = statfsSync(path);
      const filler = openSync(join(path, `filler${bavail}`), 'w');
      for (let room = bavail * bsize - left; room > 0; ) {
        room -= writeSync(filler, Buffer.alloc(room));
      }
      closeSync(filler);
    },
    // A watcher of the editor may still hold the folder.
    remove: () => execFileSync('umount', ['--lazy', path]),
  };
}
