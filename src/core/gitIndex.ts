/** What git's index remembers of a file that it wrote or looked at: format of `.git/index`, versions 2 and 3. */
export interface IndexEntry {
  /** Modification time: whole seconds since the epoch, and nanoseconds beside them; 0 where the system has none. */
  readonly seconds: number;
  readonly nanoseconds: number;
  /** Bytes, modulo 2 ** 32. */
  readonly size: number;
}

const HEADER = 12;
/** Where the path of an entry begins: after ten numbers of 4 bytes, an object name of 20 and flags of 2. */
const FIXED = 62;
const EXTENDED = 0x4000;

/**
 * Reads an index: what it holds by path, relative to the work tree, with forward slashes.
 *
 * @returns `undefined` where this is no index that can be read: version 4 shortens paths, and repositories of SHA-256 have longer
 *   names.
 */
export function parseIndex(index: Buffer): ReadonlyMap<string, IndexEntry> | undefined {
  if (index.length < HEADER || index.toString('latin1', 0, 4) !== 'DIRC' || ![2, 3].includes(index.readUInt32BE(4))) {
    return undefined;
  }
  const entries = new Map<string, IndexEntry>();
  const count = index.readUInt32BE(8);
  let at = HEADER;
  for (let entry = 0; entry < count; entry += 1) {
    if (at + FIXED > index.length) {
      return undefined;
    }
    const start = at + FIXED + ((index.readUInt16BE(at + 60) & EXTENDED) === 0 ? 0 : 2);
    const end = index.indexOf(0, start);
    if (end === -1) {
      return undefined;
    }
    entries.set(index.toString('utf8', start, end), {
      seconds: index.readUInt32BE(at + 8),
      nanoseconds: index.readUInt32BE(at + 12),
      size: index.readUInt32BE(at + 36),
    });
    // Entries are filled up with zeros, one at least, to a multiple of 8 bytes.
    at += Math.floor((end - at + 8) / 8) * 8;
  }
  return entries;
}
