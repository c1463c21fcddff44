import assert from 'node:assert/strict';
import { parseText } from '../../src/core/text.ts';
import { type Snapshot, Texts } from '../../src/core/texts.ts';

function snapshot(raw: string): Snapshot {
  return { text: parseText(raw), format: { encoding: 'utf8', bom: false } };
}

/** What a text of this many characters costs, its entry included. */
function bytes(chars: number): number {
  return 2 * chars + 100;
}

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];
const thousand = snapshot('x'.repeat(1_000));

describe('Texts', () => {
  it('finds a text by its digest, also by an abbreviated one', () => {
    const texts = new Texts(10_000);
    texts.keep(A, snapshot('one'));
    assert.equal(texts.find(A)?.text.content, 'one');
    assert.equal(texts.find(A.slice(0, 12))?.text.content, 'one');
    assert.equal(texts.find(B), undefined);
    assert.equal(texts.find(B.slice(0, 12)), undefined);
  });

  it('is bounded in bytes, and lets the oldest go first', () => {
    const texts = new Texts(2 * bytes(1_000));
    texts.keep(A, thousand);
    texts.keep(B, thousand);
    assert.equal(texts.size, 2 * bytes(1_000));
    texts.keep(C, snapshot('x'));
    assert.deepEqual(
      [A, B, C].map((digest) => texts.find(digest) !== undefined),
      [false, true, true],
    );
    assert.equal(texts.size, bytes(1_000) + bytes(1));
  });

  it('counts a text as used when it is found or kept again', () => {
    for (const use of ['find', 'keep', 'find by abbreviation']) {
      const texts = new Texts(2 * bytes(1_000));
      texts.keep(A, thousand);
      texts.keep(B, thousand);
      if (use === 'keep') {
        texts.keep(A, thousand);
      } else {
        texts.find(use === 'find' ? A : A.slice(0, 12));
      }
      assert.equal(texts.size, 2 * bytes(1_000), 'kept twice, counted once');
      texts.keep(C, snapshot('x'));
      assert.deepEqual(
        [A, B].map((digest) => texts.find(digest) !== undefined),
        [true, false],
        use,
      );
    }
  });

  it('counts the line endings of a text that mixes them', () => {
    const texts = new Texts(10_000);
    texts.keep(A, snapshot('a\r\nb\nc\r'));
    assert.equal(texts.size, bytes(6) + 3 * 8);
    texts.keep(B, snapshot('a\r\nb\r\n'));
    assert.equal(texts.size, bytes(6) + 3 * 8 + bytes(4));
  });

  it('does not keep what alone is too large', () => {
    const texts = new Texts(bytes(999));
    texts.keep(A, thousand);
    assert.deepEqual([texts.find(A), texts.size], [undefined, 0]);
  });

  it('lets texts go when the limit is lowered', () => {
    const texts = new Texts(10_000);
    texts.keep(A, thousand);
    texts.keep(B, thousand);
    texts.limit = bytes(1_000);
    assert.deepEqual([texts.find(A), texts.size], [undefined, bytes(1_000)]);
    assert.notEqual(texts.find(B), undefined);
  });
});
