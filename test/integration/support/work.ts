import crypto from 'node:crypto';
import fs from 'node:fs';
import { pathOf } from './disk.ts';

/** What has been done to one file, and hashed of its size. */
export interface Work {
  /** How often its bytes were read from the disk, whole. */
  reads: number;
  /** How often it was written. */
  writes: number;
  /** How often so many bytes as it has, or will have, were hashed. */
  hashes: number;
}

/** Counts what everybody in this process, the extension above all, does to a file by Node's synchronous calls. */
export async function workOn(path: string, body: () => Promise<unknown>): Promise<Work> {
  const work: Work = { reads: 0, writes: 0, hashes: 0 };
  const descriptors = new Set<number>();
  const { openSync, readFileSync, writeSync, closeSync } = fs;
  const { createHash } = crypto;
  const whole = pathOf(path);
  const least = fs.statSync(whole).size / 2;
  const written = new Set<number>();
  Object.assign(fs, {
    openSync: (...given: Parameters<typeof openSync>) => {
      const descriptor = openSync(...given);
      if (given[0] === whole) {
        descriptors.add(descriptor);
      }
      return descriptor;
    },
    readFileSync: (...given: Parameters<typeof readFileSync>) => {
      work.reads += given[0] === whole || descriptors.has(Number(given[0])) ? 1 : 0;
      return readFileSync(...given);
    },
    writeSync: (...given: Parameters<typeof writeSync>) => {
      if (descriptors.has(given[0])) {
        written.add(given[0]);
      }
      return writeSync(...given);
    },
    closeSync: (descriptor: number) => {
      work.writes += written.delete(descriptor) ? 1 : 0;
      descriptors.delete(descriptor);
      closeSync(descriptor);
    },
  });
  Object.assign(crypto, {
    createHash: (...given: Parameters<typeof createHash>) => {
      const hash = createHash(...given);
      const update = hash.update.bind(hash) as (data: crypto.BinaryLike) => crypto.Hash;
      hash.update = (data: crypto.BinaryLike) => {
        work.hashes += (typeof data === 'string' ? data.length : data.byteLength) >= least ? 1 : 0;
        return update(data);
      };
      return hash;
    },
  });
  try {
    await body();
  } finally {
    Object.assign(fs, { openSync, readFileSync, writeSync, closeSync });
    Object.assign(crypto, { createHash });
  }
  return work;
}
