import assert from 'node:assert/strict';
import { assertStatus, editsOf, Story } from './support/story.ts';

describe('An error that no rule foresees', () => {
  it('in one file leaves the results of the others as they are', async () => {
    const story = new Story({ f: 'one\n', g: 'two\n' });
    const a = story.agent('a');
    await a.reads('f');
    await a.reads('g');
    const { transact } = story.documents;
    story.documents.transact = (file, decide) => {
      if (file.path === 'g') {
        throw new Error('the disk is on fire');
      }
      return transact.call(story.documents, file, decide);
    };
    const entry = (path: string, edits: Readonly<Record<string, string>>) => ({
      path,
      base: a.baseOf(path),
      edits: editsOf(edits),
    });
    const answer = await a.sends([entry('f', { one: '1' }), entry('g', { two: '2' })]);
    assert.equal(answer.summary, '1 applied, 1 apply_failed');
    assert.match(String(answer.results[1]?.reason), /the disk is on fire/);
    assert.match(String(answer.results[1]?.next), /may or may not have landed/);
    assert.equal(story.faults.length, 1);
    story.documents.transact = transact;
    assertStatus(await a.edits('g', { two: '2' }), 'applied');
  });

  it('in a look beside the call costs only the advice', async () => {
    const story = new Story({ f: 'one\n', g: 'two\n' });
    const a = story.agent('a');
    await a.reads('f');
    await a.reads('g');
    story.documents.isProbablyIn = () => {
      throw new Error('no');
    };
    assertStatus(await a.edits('f', { one: '1' }), 'applied');
    assert.equal(story.faults.length, 1);
  });

  it('in a read is told in the header of that file', async () => {
    const story = new Story({ f: 'one\n', g: 'two\n' });
    const { look } = story.documents;
    story.documents.look = (file) =>
      file.path === 'f' ? Promise.reject(new Error('no')) : look.call(story.documents, file);
    const parts = await story.arbiter.read(
      { files: [{ path: 'f' }, { path: 'g' }] },
      { session: 'a', isCancelled: () => false },
      async (text) => text.length,
    );
    assert.deepEqual(
      parts.map(({ header }) => header.status),
      ['apply_failed', 'ok'],
    );
  });
});

describe('The reflex guard', () => {
  it('remembers the first refusal, however often the edit is refused again', async () => {
    const story = new Story({ f: 'zero\nx\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.disk.writes('f', 'first\nx\n');
    const first = await a.edits('f', { x: 'y' });
    assertStatus(first, 'stale_base');
    story.disk.writes('f', 'second\nx\n');
    assertStatus(await a.edits('f', { x: 'y' }, { base: String(first.actual) }), 'stale_base');
    story.disk.writes('f', 'first\nx\n');
    const reflex = await a.edits('f', { x: 'y' }, { base: String(first.actual) });
    assertStatus(reflex, 'unconsidered_retry');
    assert.match(String(reflex.diff_since_read), /^-zero\n\+first$/m);
  });

  it('knows the same edit in other words, and beside others; a part of it is another plan', async () => {
    const sends = async (edits: readonly object[]) => {
      const story = new Story({ f: 'one\nx\ny\nz\n' });
      const a = story.agent('a');
      await a.reads('f');
      const base = a.baseOf('f');
      story.disk.writes('f', 'ONE\nx\ny\nz\n');
      const refused = [
        { old_string: 'x\ny', new_string: 'X\nY' },
        { old_string: 'z', new_string: 'Z' },
      ];
      const { results } = await a.sends([{ path: 'f', base, edits: refused }]);
      const again = await a.sends([{ path: 'f', base: results[0]?.actual, edits }]);
      return again.results[0]?.status;
    };
    const [x, z] = [
      { old_string: 'x\r\ny', new_string: 'X\r\nY', line: 2 },
      { old_string: 'z', new_string: 'Z', replace_all: true },
    ];
    assert.equal(await sends([z, x]), 'unconsidered_retry');
    assert.equal(await sends([x, z, { old_string: 'ONE', new_string: '1' }]), 'unconsidered_retry');
    assert.equal(await sends([x]), 'applied');
  });

  it('is not lifted by a read of which nothing could be shown', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.disk.writes('f', 'ONE\ntwo\n');
    const stale = await a.edits('f', { two: '2' });
    await story.arbiter.read({ files: [{ path: 'f' }] }, { session: 'a', isCancelled: () => false }, async () => 0);
    assertStatus(await a.edits('f', { two: '2' }, { base: String(stale.actual) }), 'unconsidered_retry');
  });
});

describe('A file named twice', () => {
  it('is touched by neither entry, also where the other one is malformed', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    await a.reads('f');
    const base = a.baseOf('f');
    const answer = await a.sends([
      { path: 'f', base, edits: editsOf({ one: '1' }) },
      { path: 'f', base, edits: [] },
    ]);
    assert.equal(answer.summary, '2 invalid_input');
    assert.equal(story.disk.text('f'), 'one\n');
  });
});

describe('A move', () => {
  it('that a refusal has told is not told again beside another call', async () => {
    const story = new Story({ f: 'one\n', g: 'two\n' });
    const a = story.agent('a');
    await a.reads('f');
    await a.reads('g');
    story.disk.writes('g', 'TWO\n');
    assertStatus(await a.edits('g', { two: '2' }), 'stale_base');
    const answer = await a.sends([{ path: 'f', base: a.baseOf('f'), edits: editsOf({ one: '1' }) }]);
    assert.equal(answer.also_changed, undefined);
  });

  it('is no longer watched for once the engineer has dismissed it', async () => {
    const story = new Story({ f: 'one\n', g: 'two\n' });
    const a = story.agent('a');
    await a.reads('f');
    await a.reads('g');
    story.disk.writes('g', 'TWO\n');
    await a.edits('g', { two: '2' });
    const [conflict] = story.arbiter.conflicts.open;
    assert.ok(conflict);
    story.arbiter.dismiss(conflict.id);
    assert.equal(story.arbiter.conflicts.open.length, 0);
    assert.deepEqual(await a.checks(), []);
  });

  it('of the line endings is told only where there were some before', async () => {
    const story = new Story({ f: 'one', g: 'a\nb\n' });
    const a = story.agent('a');
    await a.reads('f');
    await a.reads('g');
    story.disk.writes('f', 'one\r\ntwo\r\n');
    story.disk.writes('g', 'a\r\nb\r\n');
    assert.equal((await a.edits('f', { one: '1' }))['format_changed'], undefined);
    assert.deepEqual((await a.edits('g', { a: 'A' }))['format_changed'], ['eol lf→crlf']);
  });
});
