import assert from 'node:assert/strict';
import type { LandedEdit } from '../../src/core/landedEdit.ts';
import { landedLines } from '../../src/core/landedLines.ts';
import { Story } from './support/story.ts';

describe('landedLines', () => {
  it('are those that the edit changed', () => {
    assert.deepEqual(landedLines('a\nb\nc\n', 'a\nB\nB\nc\n', 'a\nB\nB\nc\n'), { edited: [[2, 3]], hooked: [] });
    assert.deepEqual(landedLines('a\nb\n', 'a\n', 'a\n'), { edited: [], hooked: [] });
  });

  it('tell what hooks rewrote from what is the edit’s own', () => {
    assert.deepEqual(landedLines('a\nb\nc\nd\n', 'a\n1\n2\n3\nd\n', 'top\na\n1\nTWO\n3\nd\n'), {
      edited: [
        [3, 3],
        [5, 5],
      ],
      hooked: [
        [1, 1],
        [4, 4],
      ],
    });
    assert.deepEqual(landedLines('a\nb\n', 'a\nB\n', 'a\n B\n'), { edited: [], hooked: [[2, 2]] });
    assert.deepEqual(landedLines('a\nb\n', 'A\nb\n', 'A\nb\nend\n'), { edited: [[1, 1]], hooked: [[3, 3]] });
    assert.deepEqual(landedLines('a\nb\nc\n', 'a\nb\nC\n', 'b\nC\n'), { edited: [[2, 2]], hooked: [] });
  });

  it('are told of each edit that lands, with who sent it', async () => {
    const landed: LandedEdit[] = [];
    const story = new Story({ f: 'one\ntwo\n' }, {}, { onDidLand: (edit) => landed.push(edit) });
    await story.agent('a').reads('f');
    await story.agent('a').sends([story.agent('a').plans('f', { two: '2' })], { explanation: 'why' });
    const told = landed.map(({ lines, ...facts }) => ({ ...facts, ...lines() }));
    assert.deepEqual(told, [
      {
        key: '/w/f',
        path: 'f',
        edit: 1,
        session: 'a',
        turn: 2,
        explanation: 'why',
        content: 'one\n2\n',
        edited: [[2, 2]],
        hooked: [],
        hooks: [],
      },
    ]);
  });
});
