import { type Digest, digest } from '../core/base.ts';

/** How many bytes are kept to know them again, and of how many contents. */
const [MAX_BYTES, MAX_CONTENTS] = [8 * 1024 * 1024, 256];

/** Newest first. */
let recent: readonly { readonly bytes: Buffer; readonly digest: Digest }[] = [];

/**
 * As `digest`; but bytes that were hashed a moment ago are compared, which is many times faster: one edit meets the same bytes
 * before it, on record, and on disk after it.
 *
 * @param bytes not to be changed afterwards.
 */
export function digestOf(bytes: Buffer): Digest {
  const known = recent.find((one) => one.bytes === bytes || one.bytes.equals(bytes));
  const entry = known ?? { bytes, digest: digest(bytes) };
  let size = 0;
  recent = [entry, ...recent.filter((one) => one !== known)].filter((one, index) => {
    size += one.bytes.length;
    return index < MAX_CONTENTS && size <= MAX_BYTES;
  });
  return entry.digest;
}
