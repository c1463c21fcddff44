import assert from 'node:assert/strict';
import { Story } from './support/story.ts';

/** What the only open conflict wanted. */
function intendedIn(story: Story): string | undefined {
  const [conflict] = story.arbiter.conflicts.open;
  assert.ok(conflict);
  return story.arbiter.intendedAt(conflict);
}

describe('The intended content of a refused edit', () => {
  it('is its wish applied to the text it was planned on, whatever the file holds now', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    await story.agent('a').reads('f');
    story.disk.writes('f', 'ONE\nTWO\n');
    await story.agent('a').edits('f', { two: '2' });
    assert.equal(intendedIn(story), 'one\n2\n');
  });

  it('is that of the first plan where the edit was sent again by reflex', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    await story.agent('a').reads('f');
    const { edits } = story.agent('a').plans('f', { two: '2' });
    story.human.types('f', { one: 'more\ntwo\n1' });
    const { actual } = await story.agent('a').edits('f', { two: '2' });
    await story.agent('a').sends([{ path: 'f', base: actual, edits }]);
    assert.equal(story.arbiter.conflicts.open[0]?.status, 'unconsidered_retry');
    assert.equal(intendedIn(story), 'one\n2\n');
  });

  it('is the content itself where a whole one was sent', async () => {
    const story = new Story({ f: 'one\n' });
    await story.agent('a').reads('f');
    story.disk.writes('f', 'ONE\n');
    await story.agent('a').writes('f', 'all\r\nnew\n');
    assert.equal(intendedIn(story), 'all\nnew\n');
  });

  it('is not known where the edit has no place, or deletes', async () => {
    const story = new Story({ f: 'one\n', g: 'two\n' });
    await story.agent('a').reads('f');
    await story.agent('a').edits('f', { three: '3' });
    assert.equal(intendedIn(story), undefined);
    story.arbiter.conflicts.close(() => true);
    await story.agent('a').reads('g');
    story.disk.writes('g', 'TWO\n');
    await story.agent('a').sends([{ path: 'g', base: story.agent('a').baseOf('g'), delete: true }]);
    assert.equal(intendedIn(story), undefined);
  });
});
