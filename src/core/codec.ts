import type { Format } from './documents.ts';
import type { Problem } from './status.ts';

/** Encodings that are read and written here, without the editor, and synchronously. */
const OWN_ENCODINGS = ['utf8', 'utf16le', 'utf16be'] as const;
type OwnEncoding = (typeof OWN_ENCODINGS)[number];

/** How many leading bytes the editor looks at to tell text from binary data. */
const BINARY_PROBE = 512;

export function isOwnEncoding(encoding: string): encoding is OwnEncoding {
  return OWN_ENCODINGS.some((own) => own === encoding);
}

/** The editor's identifier of an encoding, split into encoding and BOM. The editor always writes a BOM with UTF-16. */
export function formatOf(encoding: string): Format {
  return encoding === 'utf8bom' ? { encoding: 'utf8', bom: true } : { encoding, bom: encoding.startsWith('utf16') };
}

/** What the bytes themselves say: a BOM decides the encoding, as it does for the editor; otherwise `expected` holds. */
export function detectFormat(bytes: Uint8Array, expected: string): Format {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) {
    return { encoding: 'utf8', bom: true };
  }
  if (first === 0xff && second === 0xfe) {
    return { encoding: 'utf16le', bom: true };
  }
  if (first === 0xfe && second === 0xff) {
    return { encoding: 'utf16be', bom: true };
  }
  return { encoding: formatOf(expected).encoding, bom: false };
}

/** Whether the bytes are no text to the editor: a NUL among the first ones, where the encoding has none in text. */
export function isBinary(bytes: Uint8Array, format: Format): boolean {
  return !format.encoding.startsWith('utf16') && bytes.subarray(0, BINARY_PROBE).includes(0);
}

/** Whether the text, once it is saved, would be no text to the editor any more. */
export function becomesBinary(content: string, format: Format): boolean {
  return isBinary(new TextEncoder().encode(content.slice(0, BINARY_PROBE)), format);
}

/** @returns the text without its BOM, or where the bytes stop being text. */
export function decode(bytes: Uint8Array, { encoding, bom }: Format): string | Problem {
  if (!isOwnEncoding(encoding)) {
    throw new Error(`${encoding} is decoded by the editor`);
  }
  const bomLength = bom ? (encoding === 'utf8' ? 3 : 2) : 0;
  const body = bytes.subarray(bomLength);
  if (encoding === 'utf8') {
    return decodeUtf8(body) ?? undecodable(encoding, bomLength + (firstInvalidUtf8(body) ?? 0));
  }
  const offset = firstInvalidUtf16(body, encoding);
  if (offset !== undefined) {
    return undecodable(encoding, bomLength + offset);
  }
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return littleEndian(buffer, encoding).toString('utf16le');
}

/** @returns `undefined` where the bytes are not well-formed. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) {
      return undefined;
    }
    throw error;
  }
}

/** The bytes that a save writes for a text. Throws for encodings that are not {@link isOwnEncoding}. */
export function encode(text: string, { encoding, bom }: Format): Buffer {
  if (!isOwnEncoding(encoding)) {
    throw new Error(`${encoding} is encoded by the editor`);
  }
  const marked = bom ? `\uFEFF${text}` : text;
  return encoding === 'utf8' ? Buffer.from(marked, 'utf8') : littleEndian(Buffer.from(marked, 'utf16le'), encoding);
}

export function undecodable(encoding: string, offset: number): Problem {
  return {
    status: 'undecodable',
    reason: `not valid ${encoding}: the first byte that it cannot represent is at offset ${offset}`,
    offset,
    next: 'ask the engineer to set the right encoding for this file (files.encoding in the settings, or "Reopen with Encoding"), then read it again',
  };
}

/** Swaps byte pairs of UTF-16BE; a copy, since the bytes belong to the caller. */
function littleEndian(bytes: Buffer, encoding: OwnEncoding): Buffer {
  return encoding === 'utf16be' ? Buffer.from(bytes).swap16() : bytes;
}

/** Offset of the first byte that is not well-formed UTF-8, by table 3-7 of the Unicode standard. */
function firstInvalidUtf8(bytes: Uint8Array): number | undefined {
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) {
      at += 1;
      continue;
    }
    const length =
      lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
    const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    const second = bytes[at + 1] ?? 0;
    if (length === 0 || second < low || second > high) {
      return at;
    }
    for (let index = 2; index < length; index += 1) {
      if (((bytes[at + index] ?? 0) & 0xc0) !== 0x80) {
        return at;
      }
    }
    at += length;
  }
  return undefined;
}

function firstInvalidUtf16(bytes: Uint8Array, encoding: OwnEncoding): number | undefined {
  const unitAt = (at: number) =>
    encoding === 'utf16le'
      ? (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
      : ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    const unit = unitAt(at);
    if (unit >= 0xd800 && unit <= 0xdfff) {
      const isPair = unit <= 0xdbff && at + 3 < bytes.length && unitAt(at + 2) >= 0xdc00 && unitAt(at + 2) <= 0xdfff;
      if (!isPair) {
        return at;
      }
      at += 2;
    }
  }
  return bytes.length % 2 === 0 ? undefined : bytes.length - 1;
}
