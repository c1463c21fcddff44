import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decode, detectFormat, encode, formatOf, isBinary, isOwnEncoding } from '../../src/core/codec.ts';
import type { Format } from '../../src/core/documents.ts';

const UTF8: Format = { encoding: 'utf8', bom: false };
const FORMATS: readonly Format[] = [
  UTF8,
  { encoding: 'utf8', bom: true },
  { encoding: 'utf16le', bom: true },
  { encoding: 'utf16le', bom: false },
  { encoding: 'utf16be', bom: true },
  { encoding: 'utf16be', bom: false },
];

/** The offset of the first byte that is not text, or the text. */
function firstBad(bytes: readonly number[], format: Format = UTF8): number | string | undefined {
  const decoded = decode(new Uint8Array(bytes), format);
  return typeof decoded === 'string' ? decoded : decoded.offset;
}

describe('detectFormat', () => {
  it('lets a BOM decide, whatever is expected', () => {
    for (const expected of ['utf8', 'utf16le', 'utf16be', 'windows1252']) {
      assert.deepEqual(detectFormat(Buffer.from('efbbbf61', 'hex'), expected), { encoding: 'utf8', bom: true });
      assert.deepEqual(detectFormat(Buffer.from('fffe6100', 'hex'), expected), { encoding: 'utf16le', bom: true });
      assert.deepEqual(detectFormat(Buffer.from('feff0061', 'hex'), expected), { encoding: 'utf16be', bom: true });
    }
  });

  it('takes what is expected where there is none, or only a part of one', () => {
    for (const bytes of ['', 'ef', 'efbb', 'ff', 'fe', '61']) {
      assert.deepEqual(detectFormat(Buffer.from(bytes, 'hex'), 'utf8'), UTF8);
    }
    assert.deepEqual(detectFormat(Buffer.from('a'), 'utf8bom'), UTF8);
    assert.deepEqual(detectFormat(Buffer.from('a'), 'windows1252'), { encoding: 'windows1252', bom: false });
    assert.deepEqual(detectFormat(Buffer.from('6100', 'hex'), 'utf16le'), { encoding: 'utf16le', bom: false });
  });
});

describe('formatOf', () => {
  it("takes the editor's identifier apart", () => {
    assert.deepEqual(formatOf('utf8'), UTF8);
    assert.deepEqual(formatOf('utf8bom'), { encoding: 'utf8', bom: true });
    assert.deepEqual(formatOf('utf16le'), { encoding: 'utf16le', bom: true });
    assert.deepEqual(formatOf('shiftjis'), { encoding: 'shiftjis', bom: false });
  });
});

describe('encode and decode', () => {
  it('write the BOM and the bytes of each encoding', () => {
    const hex = (encoding: string, bom: boolean) => encode('é😀', { encoding, bom }).toString('hex');
    assert.equal(hex('utf8', false), 'c3a9f09f9880');
    assert.equal(hex('utf8', true), 'efbbbfc3a9f09f9880');
    assert.equal(hex('utf16le', true), 'fffee9003dd800de');
    assert.equal(hex('utf16be', true), 'feff00e9d83dde00');
    assert.equal(hex('utf16be', false), '00e9d83dde00');
  });

  it('are the inverse of each other for every text, in every format', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '\u2028', '\r\n', '\uFEFF', '😀', '\ud7ff', '\ue000') });
    fc.assert(
      fc.property(text, fc.constantFrom(...FORMATS), (before, format) => {
        assert.equal(decode(encode(before, format), format), before);
      }),
      { seed: 31, numRuns: 200 },
    );
  });

  it('are the inverse of each other for every bytes, or name the first bad offset', () => {
    const bytes = fc.uint8Array({ maxLength: 12 });
    const likely = fc.array(
      fc.constantFrom(0x61, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xed, 0xa0, 0xf0, 0x9f, 0x98, 0x80, 0xd8, 0xdc),
      {
        maxLength: 10,
      },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          bytes,
          likely.map((list) => new Uint8Array(list)),
        ),
        fc.constantFrom(UTF8, { encoding: 'utf16le', bom: false }, { encoding: 'utf16be', bom: false }),
        (before, format) => {
          const decoded = decode(before, format);
          if (typeof decoded === 'string') {
            assert.deepEqual([...encode(decoded, format)], [...before]);
          } else {
            const offset = decoded.offset ?? -1;
            assert.ok(offset >= 0 && offset < before.length, `offset ${offset} of ${before.length}`);
            assert.equal(typeof decode(before.subarray(0, offset), format), 'string', 'what is before it is text');
          }
        },
      ),
      { seed: 37, numRuns: 400 },
    );
  });

  it('name the first byte that is no UTF-8', () => {
    const a = 0x61;
    assert.equal(firstBad([a, 0xff, 0xfe]), 1);
    assert.equal(firstBad([a, a, 0x80]), 2);
    assert.equal(firstBad([a, 0xc0, 0x80]), 1);
    assert.equal(firstBad([a, 0xc1, 0xbf]), 1);
    assert.equal(firstBad([a, 0xe0, 0x80, 0x80]), 1);
    assert.equal(firstBad([a, 0xed, 0xa0, 0x80]), 1);
    assert.equal(firstBad([a, 0xf0, 0x80, 0x80, 0x80]), 1);
    assert.equal(firstBad([a, 0xf4, 0x90, 0x80, 0x80]), 1);
    assert.equal(firstBad([a, 0xe2, 0x82]), 1);
    assert.equal(firstBad([0xe2, 0x82, a]), 0);
    assert.equal(firstBad([0xf4, 0x8f, 0xbf, 0xbf]), '\u{10ffff}');
  });

  it('count the offset from the start of the file, BOM included', () => {
    assert.equal(firstBad([0xef, 0xbb, 0xbf, 0x61, 0xff], { encoding: 'utf8', bom: true }), 4);
    assert.equal(firstBad([0xff, 0xfe, 0x61, 0x00, 0x00, 0xd8], { encoding: 'utf16le', bom: true }), 4);
    assert.equal(firstBad([0xfe, 0xff, 0x00, 0x61, 0x00], { encoding: 'utf16be', bom: true }), 4);
  });

  it('name lone surrogates and half a unit of UTF-16', () => {
    const le: Format = { encoding: 'utf16le', bom: false };
    const be: Format = { encoding: 'utf16be', bom: false };
    assert.equal(firstBad([0x00, 0xd8], le), 0);
    assert.equal(firstBad([0xd8, 0x00], be), 0);
    assert.equal(firstBad([0x61, 0x00, 0x00, 0xdc], le), 2);
    assert.equal(firstBad([0x00, 0xd8, 0x61, 0x00], le), 0);
    assert.equal(firstBad([0x00, 0xd8, 0x00, 0xd8, 0x00, 0xdc], le), 0);
    assert.equal(firstBad([0x61, 0x00, 0x61], le), 2);
    assert.equal(firstBad([0xd8, 0x3d, 0xde, 0x00], be), '😀');
  });

  it('leave the bytes of the caller as they were', () => {
    const bytes = Buffer.from('0061d83dde00', 'hex');
    assert.equal(decode(bytes, { encoding: 'utf16be', bom: false }), 'a😀');
    assert.equal(bytes.toString('hex'), '0061d83dde00');
  });

  it('leave other encodings to the editor', () => {
    assert.equal(isOwnEncoding('windows1252'), false);
    assert.throws(() => encode('a', { encoding: 'windows1252', bom: false }), /windows1252 is encoded by the editor/);
    assert.throws(() => decode(Buffer.from('a'), { encoding: 'windows1252', bom: false }), /decoded by the editor/);
  });

  it('say what can be done about a file that is no text', () => {
    const problem = decode(new Uint8Array([0xff]), UTF8);
    assert.ok(typeof problem !== 'string');
    assert.deepEqual([problem.status, problem.offset], ['undecodable', 0]);
    assert.match(problem.reason, /not valid utf8.*offset 0/);
    assert.match(problem.next, /encoding/);
  });
});

describe('isBinary', () => {
  it('holds for a NUL among the first 512 bytes, where the encoding has none in text', () => {
    const withNul = (at: number) => Buffer.concat([Buffer.alloc(at, 'a'), Buffer.from([0]), Buffer.from('a')]);
    assert.equal(isBinary(withNul(0), UTF8), true);
    assert.equal(isBinary(withNul(511), UTF8), true);
    assert.equal(isBinary(withNul(512), UTF8), false);
    assert.equal(isBinary(Buffer.from('6100', 'hex'), { encoding: 'utf16le', bom: false }), false);
    assert.equal(isBinary(Buffer.from('a'), UTF8), false);
  });
});
