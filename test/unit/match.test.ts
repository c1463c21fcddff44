import assert from 'node:assert/strict';
import fc from 'fast-check';
import { find, locate, type Replacement } from '../../src/core/match.ts';
import { applySpans, parseText, renderText } from '../../src/core/text.ts';

function edit(oldText: string, newText: string, more: Partial<Replacement> = {}): Replacement {
  return { oldText, newText, replaceAll: false, ...more };
}

/** The bytes after the edits, or the status that refused them. */
function apply(before: string, ...edits: Replacement[]): string {
  const text = parseText(before);
  const location = locate(text, edits);
  return location.status === 'located' ? renderText(applySpans(text, location.spans, '\n')) : location.status;
}

describe('locate', () => {
  it('replaces text that occurs exactly once', () => {
    assert.equal(apply('a\nb\nc\n', edit('b', 'B')), 'a\nB\nc\n');
    assert.equal(apply('a\nb', edit('b', 'b\n')), 'a\nb\n');
    assert.equal(apply('x 😀 y', edit('😀', '😁')), 'x 😁 y');
  });

  it('takes old and new text literally', () => {
    assert.equal(apply('cost: \\d+ .*', edit('\\d+ .*', "$& $1 $' \\n")), "cost: $& $1 $' \\n");
    assert.equal(apply('a\u2028b\fc', edit('a\u2028b\f', 'A\u2028')), 'A\u2028c');
  });

  it('lets a newline in old text match the line ending of the file, and keeps it', () => {
    for (const newline of ['\n', '\r\n']) {
      assert.equal(apply('a\nb\n', edit(`a${newline}b`, `A${newline}B`)), 'A\nB\n');
      assert.equal(apply('a\r\nb\r\n', edit(`a${newline}b`, `A${newline}B`)), 'A\r\nB\r\n');
      assert.equal(apply('a\rb\r', edit(`a${newline}b`, `A${newline}B`)), 'A\rB\r');
      assert.equal(apply('a\r\nb\nc', edit(`a${newline}b${newline}c`, `A${newline}B${newline}C`)), 'A\r\nB\nC');
    }
  });

  it('lets a lone carriage return in old text match only a line end that is one', () => {
    assert.equal(apply('a\rb\r', edit('a\rb', 'c')), 'c\r');
    assert.equal(apply('a\rb\na\nb', edit('a\rb', 'c')), 'c\na\nb');
    assert.equal(apply('a\nb', edit('a\rb', 'c')), 'not_found');
    assert.equal(apply('a\r\nb', edit('a\rb', 'c')), 'not_found');
  });

  it('keeps a lone carriage return of new text', () => {
    assert.equal(apply('a\nb\n', edit('b', 'b\rc')), 'a\nb\rc\n');
    assert.equal(apply('a\nb\n', edit('a\n', 'a\r')), 'a\rb\n');
    assert.equal(apply('a\rb', edit('a\rb', 'a\rb')), 'no_change');
  });

  it('counts overlapping occurrences, so text that overlaps itself is ambiguous', () => {
    assert.deepEqual(locate(parseText('-\n-\n-\n'), [edit('-\n-\n', '+')]), {
      status: 'ambiguous',
      editIndex: 0,
      count: 2,
      lines: [1, 2],
    });
  });

  it('lists the lines of the first twenty occurrences', () => {
    const location = locate(parseText('x x\n'.repeat(30)), [edit('x x', 'y'), edit('x', 'y')]);
    assert.ok(location.status === 'ambiguous');
    assert.equal(location.count, 30);
    assert.deepEqual(
      location.lines,
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    const twice = locate(parseText('a\nx x\n'), [edit('x', 'y')]);
    assert.ok(twice.status === 'ambiguous');
    assert.deepEqual(twice.lines, [2, 2]);
  });

  it('picks by line among several', () => {
    assert.equal(apply('a\nx\nb\nx\n', edit('x', 'y', { line: 4 })), 'a\nx\nb\ny\n');
    assert.equal(apply('-\n-\n-\n', edit('-\n-\n', '+\n', { line: 2 })), '-\n+\n');
    assert.equal(apply('x', edit('x', 'y', { line: 1 })), 'y');
  });

  it('never takes the line as the only anchor', () => {
    assert.equal(apply('a\nx\nb\nx\n', edit('x', 'y', { line: 3 })), 'ambiguous');
    assert.equal(apply('a\nx x\nx\n', edit('x', 'y', { line: 2 })), 'ambiguous');
    assert.equal(apply('a\nx\n', edit('x', 'y', { line: 1 })), 'not_found');
    assert.equal(apply('a\nx\nx\n', edit('x', 'y', { line: 99 })), 'ambiguous');
    assert.deepEqual(locate(parseText('a\nx\n'), [edit('x', 'y', { line: 1 })]), {
      status: 'not_found',
      editIndex: 0,
      nearest: { line: 2, text: 'x', differs: ['line number'] },
    });
  });

  it('replaces all from the left, without overlaps', () => {
    assert.equal(apply('aaaaa', edit('aa', 'b', { replaceAll: true })), 'bba');
    assert.equal(apply('-\r\n-\r\n-\r\n', edit('-\n-\n', '+\n', { replaceAll: true })), '+\r\n-\r\n');
    assert.equal(apply('abc', edit('x', 'b', { replaceAll: true })), 'not_found');
    assert.throws(() => find(parseText('a'), edit('a', 'b', { replaceAll: true, line: 1 })), RangeError);
  });

  it('locates every edit in the base, never in the output of another', () => {
    assert.equal(apply('a b', edit('a', 'b'), edit('b', 'a')), 'b a');
    assert.equal(apply('a', edit('a', 'b'), edit('b', 'c')), 'not_found');
  });

  it('names two edits that overlap, whatever their order', () => {
    assert.deepEqual(locate(parseText('abcd'), [edit('d', 'D'), edit('bc', 'x'), edit('ab', 'y')]), {
      status: 'overlap',
      editIndexes: [1, 2],
    });
    assert.equal(apply('abcd', edit('ab', 'x'), edit('cd', 'y')), 'xy');
    assert.equal(apply('abcd', edit('ab', 'x'), edit('ab', 'x')), 'overlap');
  });

  it('tells when nothing would change, also over several edits', () => {
    assert.equal(apply('abc', edit('b', 'b')), 'no_change');
    assert.equal(apply('abc', edit('ab', 'a'), edit('c', 'bc')), 'no_change');
    assert.equal(apply('abc', edit('a', 'a'), edit('c', 'd')), 'abd');
    assert.equal(apply('abc'), 'no_change');
  });

  it('finds empty old text once in an empty file and everywhere in another', () => {
    assert.equal(apply('', edit('', 'a\n')), 'a\n');
    assert.equal(apply('ab', edit('', 'a\n')), 'ambiguous');
    assert.equal(apply('ab', edit('', 'a\n', { line: 1 })), 'ambiguous');
    assert.equal(apply('', edit('a', 'b')), 'not_found');
  });

  it('never begins or ends a match inside a character', () => {
    assert.equal(apply('a😀b', edit('\ude00b', 'x')), 'not_found');
    assert.equal(apply('a😀b', edit('a\ud83d', 'x')), 'not_found');
    assert.equal(apply('a😀b', edit('\ude00', 'x', { replaceAll: true })), 'not_found');
  });

  it('gives the same result in any order of the edits, equal to replacing one after the other', () => {
    const words = fc.uniqueArray(fc.constantFrom('one', 'two', 'three', 'four', 'five', 'six'), { minLength: 1 });
    const newText = fc.string({ unit: fc.constantFrom('A', '\n', '$&', '😀'), maxLength: 6 });
    fc.assert(
      fc.property(
        words,
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(newText, { minLength: 6, maxLength: 6 }),
        (all, ending, texts) => {
          const before = `one two three\nfour\nfive six`.replaceAll('\n', ending);
          const edits = all.map((word, index) => edit(word, texts[index] ?? ''));
          const expected = edits.reduce(
            (text, one) => text.replace(one.oldText, () => one.newText.replaceAll('\n', ending)),
            before,
          );
          assert.equal(apply(before, ...edits), expected);
          assert.equal(apply(before, ...edits.toReversed()), expected);
        },
      ),
      { seed: 3, numRuns: 200 },
    );
  });
});
