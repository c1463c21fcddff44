import { createHash } from 'node:crypto';

/** SHA-256 as 64 lower-case hex digits. */
export type Digest = string;

/**
 * Names the exact state of one file.
 *
 * `disk` is the digest of the raw bytes on disk, or `absent` where there is no such file. `dirty` is the digest of the
 * effective bytes, and is there only when an editor holds text that differs from the disk.
 */
export interface Base {
  readonly disk: Digest | 'absent';
  readonly dirty?: Digest;
}

/** The fewest leading hex digits that may stand for a digest. */
export const MIN_ABBREVIATION = 12;

export function digest(bytes: Uint8Array): Digest {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The token agents carry: `sha256:…`, `sha256:…+dirty:…`, `absent` or `absent+dirty:…`. */
export function printBase(base: Base): string {
  const disk = base.disk === 'absent' ? 'absent' : `sha256:${base.disk}`;
  return base.dirty === undefined ? disk : `${disk}+dirty:${base.dirty}`;
}

const TOKEN = /^(?:sha256:([0-9a-fA-F]{12,64})|absent)(?:\+dirty:([0-9a-fA-F]{12,64}))?$/;

/**
 * Reads a token. Each digest may be abbreviated to {@link MIN_ABBREVIATION} or more leading digits, in any letter case,
 * as git allows.
 *
 * @returns `undefined` for anything that is not a token.
 */
export function parseBase(token: string): Base | undefined {
  const found = TOKEN.exec(token);
  if (!found) {
    return undefined;
  }
  const disk = found[1]?.toLowerCase() ?? 'absent';
  const dirty = found[2]?.toLowerCase();
  return dirty === undefined ? { disk } : { disk, dirty };
}

/** The digest of the effective bytes, or `absent`. */
export function effectiveDigest(base: Base): Digest | 'absent' {
  return base.dirty ?? base.disk;
}

/** Whether `given`, possibly abbreviated, names the state `full`. */
export function isSameBase(given: Base, full: Base): boolean {
  return abbreviates(given.disk, full.disk) && isSameDirty(given.dirty, full.dirty);
}

/**
 * Whether an edit planned on `given` may be applied to the state `now`: the same token, or the base was dirty and has
 * merely been saved since.
 */
export function isFresh(given: Base, now: Base): boolean {
  if (isSameBase(given, now)) {
    return true;
  }
  return given.dirty !== undefined && now.dirty === undefined && abbreviates(given.dirty, now.disk);
}

function isSameDirty(given: Digest | undefined, full: Digest | undefined): boolean {
  if (given === undefined || full === undefined) {
    return given === full;
  }
  return abbreviates(given, full);
}

/** `absent` is a word, not a digest: it neither abbreviates nor is abbreviated. */
function abbreviates(given: string, full: string): boolean {
  return given === 'absent' || full === 'absent' ? given === full : full.startsWith(given);
}
