import assert from 'node:assert/strict';
import { followLines, withoutLines } from '../../src/core/markLines.ts';

describe('Marked lines', () => {
  it('stay above a change and move along below it', () => {
    const ranges = [
      [2, 3],
      [8, 9],
    ] as const;
    assert.deepEqual(followLines(ranges, { start: 4, end: 4, delta: 2 }), [
      [2, 3],
      [10, 11],
    ]);
    assert.deepEqual(followLines(ranges, { start: 4, end: 6, delta: -2 }), [
      [2, 3],
      [6, 7],
    ]);
  });

  it('stay marked where somebody types in them, and do not spread', () => {
    assert.deepEqual(followLines([[5, 6]], { start: 4, end: 4, delta: 0 }), [[5, 6]]);
    assert.deepEqual(followLines([[5, 6]], { start: 5, end: 5, delta: 1 }), [[5, 6]]);
    assert.deepEqual(followLines([[5, 6]], { start: 4, end: 4, delta: 1 }), [[5, 7]]);
  });

  it('go with the lines that are deleted', () => {
    assert.deepEqual(followLines([[5, 6]], { start: 4, end: 6, delta: -2 }), []);
    assert.deepEqual(followLines([[5, 8]], { start: 5, end: 6, delta: -1 }), [[5, 7]]);
    assert.deepEqual(followLines([[5, 6]], { start: 2, end: 4, delta: -2 }), [[3, 4]]);
  });

  it('are marked once: the newest mark takes them from older ones', () => {
    assert.deepEqual(withoutLines([[1, 9]], [[4, 5]]), [
      [1, 3],
      [6, 9],
    ]);
    assert.deepEqual(withoutLines([[4, 5]], [[1, 9]]), []);
    assert.deepEqual(
      withoutLines(
        [
          [1, 2],
          [4, 6],
        ],
        [
          [2, 4],
          [9, 9],
        ],
      ),
      [
        [1, 1],
        [5, 6],
      ],
    );
  });
});
