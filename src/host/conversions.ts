import * as vscode from 'vscode';
import { type Digest, digest } from '../core/base.ts';
import { encode, isOwnEncoding, undecodable } from '../core/codec.ts';
import type { Format } from '../core/documents.ts';
import type { Problem } from '../core/status.ts';

/** How many conversions are remembered: those of a call over 50 files, in both directions, and some. */
const LIMIT = 400;
/** How much text and how many bytes they may hold together. */
const MAX_SIZE = 64 * 1024 * 1024;

/**
 * Conversions that only the editor can do (legacy code pages), and only asynchronously. A result is asked for first, and
 * taken synchronously later, so that nothing is awaited between compare and apply.
 */
export class Conversions {
  readonly #decoded = new Map<string, string | Problem>();
  readonly #encoded = new Map<string, Buffer | Problem>();

  /** @returns `undefined` until {@link decode} has run for these very bytes. */
  decoded(digest: Digest, encoding: string): string | Problem | undefined {
    return this.#decoded.get(`${encoding} ${digest}`);
  }

  /** Decodes, and makes sure that encoding gives the same bytes again: otherwise some of them are not text. */
  async decode(bytes: Buffer, digest: Digest, encoding: string): Promise<void> {
    const text = await vscode.workspace.decode(bytes, { encoding });
    const again = Buffer.from(await vscode.workspace.encode(text, { encoding }));
    const isExact = again.equals(bytes);
    remember(
      this.#decoded,
      `${encoding} ${digest}`,
      isExact ? text : undecodable(encoding, firstDifference(again, bytes)),
    );
  }

  /** @returns `undefined` until {@link encode} has run for this very text. */
  encoded(text: string, encoding: string): Buffer | Problem | undefined {
    return this.#encoded.get(keyOf(text, encoding));
  }

  /**
   * The bytes of a text in any encoding.
   *
   * @throws where a legacy encoding was not asked for with {@link encode} before, or cannot hold the text.
   */
  bytesOf(text: string, format: Format): Buffer {
    const bytes = this.tryBytesOf(text, format);
    if (!Buffer.isBuffer(bytes)) {
      throw new Error(`the text was not encoded as ${format.encoding} before it was needed`);
    }
    return bytes;
  }

  /** @returns `undefined` until {@link encode} has run for this very text in a legacy encoding. */
  tryBytesOf(text: string, format: Format): Buffer | Problem | undefined {
    return isOwnEncoding(format.encoding) ? encode(text, format) : this.encoded(text, format.encoding);
  }

  /** Encodes, and makes sure that decoding gives the same text again: otherwise the encoding lacks a character of it. */
  async encode(text: string, encoding: string): Promise<void> {
    const bytes = Buffer.from(await vscode.workspace.encode(text, { encoding }));
    const again = await vscode.workspace.decode(bytes, { encoding });
    remember(this.#encoded, keyOf(text, encoding), again === text ? bytes : unencodable(encoding, text, again));
  }
}

/** A text may be large, so its digest stands for it. */
function keyOf(text: string, encoding: string): string {
  return `${encoding} ${digest(Buffer.from(text, 'utf16le'))}`;
}

/** Offset of the first byte in which two buffers differ. */
export function firstDifference(one: Buffer, other: Buffer): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    if (one[at] !== other[at]) {
      return at;
    }
  }
  return length;
}

function unencodable(encoding: string, text: string, again: string): Problem {
  const characters = [...text];
  const kept = [...again];
  const lost = characters.find((character, index) => character !== kept[index]) ?? '';
  const code = lost.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0') ?? '';
  return {
    status: 'unencodable',
    reason: `the file's encoding, ${encoding}, has no character ${JSON.stringify(lost)} (U+${code})`,
    next: 'write it with characters of that encoding, or ask the engineer to change the encoding of the file',
  };
}

function remember<T extends string | Buffer | Problem>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  let size = 0;
  for (const held of map.values()) {
    size += sizeOf(held);
  }
  for (const [oldest, held] of map) {
    // The newest stays, however large it is.
    if (map.size <= 1 || (map.size <= LIMIT && size <= MAX_SIZE)) {
      return;
    }
    map.delete(oldest);
    size -= sizeOf(held);
  }
}

function sizeOf(value: string | Buffer | Problem): number {
  return typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 0;
}
