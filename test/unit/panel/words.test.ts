import assert from 'node:assert/strict';
import { ageLasts, ageOf, causesWords, linesWords, shareWords, statusWords } from '../../../src/panel/words.ts';

describe('The words of the panel', () => {
  it('tell ages so that they seldom change', () => {
    const ages = [0, 4, 12, 59, 60, 3_599, 3_600, 86_400, 200_000].map((seconds) => ageOf(0, seconds * 1_000));
    assert.deepEqual(ages, ['now', 'now', '10 s', '55 s', '1 min', '59 min', '1 h', '1 d', '2 d']);
    assert.equal(ageOf(10_000, 0), 'now');
    assert.deepEqual([ageLasts(0, 1_000), ageLasts(0, 61_000)], [5_000, 60_000]);
  });

  it('tell causes, lines, shares and statuses', () => {
    const cause = (text: string) => ({ kind: 'git', text }) as const;
    assert.equal(causesWords([cause('a')]), 'a');
    assert.equal(causesWords([cause('a'), cause('b'), cause('c')]), 'c · and 2 before');
    assert.equal(causesWords([]), 'moved');
    assert.deepEqual(linesWords(2, 0), { added: '+2', removed: '' });
    assert.deepEqual(linesWords(undefined, undefined), { added: '', removed: '' });
    assert.equal(shareWords({ kind: 'engineer', count: 1 }, 3), 'you 33 %');
    assert.equal(statusWords('disk_changed_during_save'), 'disk changed during save');
  });
});
