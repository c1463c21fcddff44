import assert from 'node:assert/strict';
import { countLines, idOf } from '../../src/core/staleBases.ts';
import { Story } from './support/story.ts';

describe('Stale bases', () => {
  it('are those held bases whose file has moved, with cause, time and lines', async () => {
    const story = new Story({ f: 'one\ntwo\n', g: 'x\n' });
    await story.agent('a').reads('f');
    await story.agent('a').reads('g');
    assert.deepEqual(await story.arbiter.held.stale(story.arbiter.held.files), []);
    story.passes(500);
    story.human.types('f', { one: '1\n2' });
    story.passes(500);
    const [stale, ...others] = await story.arbiter.held.stale(story.arbiter.held.files);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [stale?.path, stale?.session, stale?.turn, stale?.since, stale?.lines],
      ['f', 'a', 1, 1_000_500, { added: 2, removed: 1 }],
    );
    assert.deepEqual(stale?.causes, ['engineer: typed in the editor (1 edit, unsaved)']);
  });

  it('are fresh again after an undo, after a read, and when the engineer lets go of them', async () => {
    const story = new Story({ f: 'one\n' });
    await story.agent('a').reads('f');
    story.human.types('f', { one: '1' });
    assert.equal((await story.arbiter.held.stale(['/w/f'])).length, 1);
    story.human.undoes('f');
    assert.equal((await story.arbiter.held.stale(['/w/f'])).length, 0);
    story.human.types('f', { one: '2' });
    assert.equal((await story.arbiter.held.stale(['/w/f'])).length, 1);
    await story.agent('a').reads('f');
    assert.equal((await story.arbiter.held.stale(['/w/f'])).length, 0);
    story.human.types('f', { 2: '3' });
    const [stale] = await story.arbiter.held.stale(['/w/f']);
    assert.ok(stale);
    story.arbiter.held.release(stale);
    assert.deepEqual([...story.arbiter.held.files], []);
    assert.equal((await story.arbiter.held.stale(['/w/f'])).length, 0);
  });

  it('belong each to the session that holds them', async () => {
    const story = new Story({ f: 'one\n' });
    await story.agent('a').reads('f');
    await story.agent('b').reads('f');
    await story.agent('a').edits('f', { one: '1' });
    const stale = await story.arbiter.held.stale(['/w/f']);
    assert.deepEqual(
      stale.map(({ session, causes }) => [session, causes]),
      [['b', ['edit #1 (another session, turn 2)']]],
    );
    assert.notEqual(idOf({ session: undefined, key: 'f' }), idOf({ session: 'f', key: '' }));
  });

  it('are looked at without telling their session, and without remembering every state of a buffer', async () => {
    const story = new Story({ f: 'one\n', g: 'x\n' });
    await story.agent('a').reads('f');
    await story.agent('a').reads('g');
    story.human.types('f', { one: '1' });
    const before = story.ledger.transitions('/w/f').length;
    await story.arbiter.held.stale(['/w/f']);
    await story.arbiter.held.stale(['/w/f']);
    assert.equal(story.ledger.transitions('/w/f').length, before);
    const { also_changed } = await story.agent('a').sends([story.agent('a').plans('g', { x: 'y' })]);
    assert.deepEqual(also_changed, ['f: engineer: typed in the editor (1 edit, unsaved)']);
  });

  it('name the writer of a disk that moved', async () => {
    const story = new Story({ f: 'one\n' });
    await story.agent('a').reads('f');
    story.disk.writes('f', 'two\n');
    const [stale] = await story.arbiter.held.stale(['/w/f']);
    assert.deepEqual(stale?.causes, ['external writer']);
    // The ledger waits for a look that counts: by then it may be known better who wrote.
    assert.equal(story.ledger.transitions('/w/f').at(-1)?.cause, undefined);
  });

  it('are told of when calls change what is held', async () => {
    const story = new Story({ f: 'one\n' });
    const told: (readonly string[])[] = [];
    const stop = story.arbiter.held.onDidChange((keys) => told.push(keys));
    await story.agent('a').reads('f');
    await story.agent('a').edits('f', { one: '1' });
    stop();
    await story.agent('a').reads('f');
    assert.deepEqual(told, [['/w/f'], ['/w/f']]);
  });

  it('count lines only where that is quick', () => {
    assert.deepEqual(countLines('a\nb\n', 'a\nc\nd\n'), { added: 2, removed: 1 });
    assert.equal(countLines('x'.repeat(2_000_000), 'y'), undefined);
    const lines = Array.from({ length: 2_000 }, (_, line) => `${line}\n`);
    assert.equal(countLines(lines.join(''), lines.toReversed().join('')), undefined);
  });
});
