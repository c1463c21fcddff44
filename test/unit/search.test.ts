import assert from 'node:assert/strict';
import fc from 'fast-check';
import { contains, occurrences } from '../../src/core/search.ts';

describe('search', () => {
  it('counts occurrences that overlap', () => {
    assert.deepEqual(occurrences('-\n-\n-\n', '-\n-\n', 20), { count: 2, offsets: [0, 2] });
    assert.deepEqual(occurrences('aaaa', 'aa', 2), { count: 3, offsets: [0, 1] });
  });

  it('takes a needle literally', () => {
    assert.deepEqual(occurrences('cost $& \\d+ .* $1', '$&', 9), { count: 1, offsets: [5] });
    assert.deepEqual(occurrences('cost $& \\d+ .* $1', '\\d+', 9), { count: 1, offsets: [8] });
  });

  it('finds nothing in an empty content and nothing longer than the content', () => {
    assert.equal(contains('', 'a'), false);
    assert.equal(contains('ab', 'abc'), false);
    assert.equal(contains('abc', 'abc'), true);
  });

  it('refuses an empty needle', () => {
    assert.throws(() => occurrences('a', '', 1), RangeError);
  });

  it('finds what comparing at every offset finds', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 90 });
    const needle = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(text, needle, (content, wanted) => {
        const expected = [...content].map((_, at) => at).filter((at) => content.startsWith(wanted, at));
        assert.deepEqual(occurrences(content, wanted, 100), { count: expected.length, offsets: expected });
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('finds what comparing at every offset finds, also where its parts stand everywhere', () => {
    const unit = fc.constantFrom('aaaaaaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaaaaab', 'aaaaaaaab');
    const [long, wish] = [fc.array(unit, { maxLength: 40 }), fc.array(unit, { minLength: 1, maxLength: 3 })];
    fc.assert(
      fc.property(long, wish, (parts, wanted) => {
        const [content, needle] = [parts.join(''), wanted.join('')];
        const expected = [...content].map((_, at) => at).filter((at) => content.startsWith(needle, at));
        assert.deepEqual(occurrences(content, needle, 1_000), { count: expected.length, offsets: expected });
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('is not slowed down by a long needle that differs in the middle of a repetitive line', () => {
    const line = `x=[${'0,'.repeat(1_000_000)}]`;
    const needle = `${'0,'.repeat(5_000)}1,${'0,'.repeat(5_000)}`;
    const start = performance.now();
    assert.equal(contains(line, needle), false);
    assert.equal(occurrences(line, '0,'.repeat(5_000), 1).count, 995_001);
    // The engine's own search takes several seconds here; this takes about 0.03.
    assert.ok(performance.now() - start < 1_000);
  });
});
