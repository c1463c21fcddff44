import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cutAtLine, LineIndex, lineAt, lineCount, lineStartAt, windowOf } from '../../src/core/lines.ts';

const content = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\n'), maxLength: 24 });

describe('lines', () => {
  it('are counted without one after a final newline', () => {
    assert.deepEqual(['', '\n', 'a', 'a\n', 'a\nb', '\n\n'].map(lineCount), [0, 1, 1, 1, 2, 2]);
  });

  it('are found by offset in the same way with and without an index', () => {
    fc.assert(
      fc.property(content, (text) => {
        const index = new LineIndex(text);
        for (let offset = 0; offset <= text.length; offset++) {
          const line = lineAt(text, offset);
          assert.equal(index.lineOf(offset), line);
          assert.equal(index.lineStart(line), lineStartAt(text, offset));
          assert.ok(index.lineStart(line) <= offset && (offset < index.lineStart(line + 1) || offset === text.length));
        }
      }),
      { seed: 7, numRuns: 100 },
    );
    assert.equal(new LineIndex('a\nb').lineStart(9), 3);
  });
});

describe('windowOf', () => {
  it('gives whole lines with their newlines and clamps the end', () => {
    assert.deepEqual(windowOf('a\nb\nc', 2, 2), { text: 'b\n', startLine: 2, endLine: 2, totalLines: 3 });
    assert.deepEqual(windowOf('a\nb\nc', 2, 99), { text: 'b\nc', startLine: 2, endLine: 3, totalLines: 3 });
    assert.deepEqual(windowOf('a\nb\n', 1, Number.POSITIVE_INFINITY), {
      text: 'a\nb\n',
      startLine: 1,
      endLine: 2,
      totalLines: 2,
    });
    assert.deepEqual(windowOf('', 1, 80), { text: '', startLine: 0, endLine: 0, totalLines: 0 });
  });

  it('gives nothing where the range names no line', () => {
    assert.equal(windowOf('a\n', 2, 3), undefined);
    assert.equal(windowOf('a\n', 0, 1), undefined);
    assert.equal(windowOf('a\nb\n', 2, 1), undefined);
    assert.equal(windowOf('', 2, 2), undefined);
  });
});

describe('cutAtLine', () => {
  it('cuts at a line end, and inside a first line that is too long', () => {
    assert.equal(cutAtLine('ab\ncd\nef', 7), 'ab\ncd\n');
    assert.equal(cutAtLine('ab\ncd\n', 3), 'ab\n');
    assert.equal(cutAtLine('ab\ncd', 5), 'ab\ncd');
    assert.equal(cutAtLine('abcdef\ng', 4), 'abcd');
    assert.equal(cutAtLine('a\nb', 0), '');
  });

  it('never cuts a surrogate pair in two', () => {
    assert.equal(cutAtLine('a😀b', 2), 'a');
    assert.equal(cutAtLine('a😀b', 3), 'a😀');
    assert.equal(cutAtLine('😀', 1), '');
  });
});
