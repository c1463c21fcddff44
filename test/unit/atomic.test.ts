import assert from 'node:assert/strict';
import { type Answer, Story } from './support/story.ts';

const FILES = { a: 'one\n', b: 'one\n', c: 'one\n', d: 'one\n' };

/** A story whose agent has read every file, and a call that edits `a` and `b`, creates `n`, renames `c` and deletes `d`. */
async function prepare() {
  const story = new Story(FILES);
  const agent = story.agent('x');
  for (const path of Object.keys(FILES)) {
    await agent.reads(path);
  }
  const call = () =>
    agent.sends(
      [
        agent.plans('a', { one: '1' }),
        { path: 'd', base: agent.baseOf('d'), delete: true },
        agent.plans('c', { one: '3' }, { rename_to: 'moved' }),
        agent.plans('b', { one: '2' }),
        { path: 'n', base: 'absent', content: 'new\n' },
      ],
      { on_conflict: 'atomic' },
    );
  const disk = () =>
    Object.fromEntries(['a', 'b', 'c', 'd', 'n', 'moved'].map((path) => [path, story.disk.text(path)]));
  return { story, agent, call, disk };
}

const BEFORE = { a: 'one\n', b: 'one\n', c: 'one\n', d: 'one\n', n: undefined, moved: undefined };

function statuses({ results }: Answer): string[] {
  return results.map(({ status }) => status);
}

describe('An atomic call', () => {
  it('lands as a whole: edits, a new file, a rename with edits and a delete, reported in the order of the call', async () => {
    const { story, call, disk } = await prepare();
    const answer = await call();
    assert.deepEqual(statuses(answer), Array(5).fill('applied'), JSON.stringify(answer));
    assert.deepEqual(disk(), { a: '1\n', b: '2\n', c: undefined, d: undefined, n: 'new\n', moved: '3\n' });
    assert.deepEqual(
      answer.results.map(({ path, base, edit }) => [path, base, edit]),
      [
        ['a', story.base('a'), 1],
        ['d', 'absent', 2],
        ['moved', story.base('moved'), 3],
        ['b', story.base('b'), 4],
        ['n', story.base('n'), 5],
      ],
    );
  });

  it('touches nothing where any entry is refused: stale, misplaced, read-only, invalid, denied', async () => {
    const refusals: readonly (readonly [string, (story: Story) => void])[] = [
      ['b stale_base', (story) => story.disk.writes('b', 'theirs\n')],
      ['b not_found', (story) => story.human.types('b', { one: 'uno' })],
      ['b read_only', (story) => story.documents.makeReadOnly('b')],
      ['d read_only', (story) => story.documents.makeReadOnly('d')],
    ];
    for (const [refusal, act] of refusals) {
      const { story, agent, call, disk } = await prepare();
      act(story);
      if (refusal === 'b not_found') {
        await agent.reads('b');
      }
      const before = disk();
      const answer = await call();
      assert.deepEqual(
        answer.results.map(({ path, status }) => `${path} ${status}`),
        ['a skipped', 'd skipped', 'c skipped', 'b skipped', 'n skipped'].map((other) =>
          other[0] === refusal[0] ? refusal : other,
        ),
        JSON.stringify(answer),
      );
      assert.deepEqual(disk(), before);
      assert.equal(answer.results[0]?.reason, `${refusal[0]} was refused, and the call says all or nothing`);
    }
    for (const wish of [{ delete: true }, { rename_to: 'moved' }]) {
      const { story, agent, disk } = await prepare();
      story.documents.makeReadOnly('d');
      const entries = [agent.plans('a', { one: '1' }), { path: 'd', base: agent.baseOf('d'), ...wish }];
      const answer = await agent.sends(entries, { on_conflict: 'atomic' });
      assert.deepEqual(statuses(answer), ['skipped', 'read_only'], JSON.stringify(answer));
      assert.deepEqual(disk(), BEFORE);
    }
    const { agent, disk } = await prepare();
    const entries = [agent.plans('a', { one: '1' }), { path: 'b', base: 'nonsense', content: '' }];
    assert.deepEqual(statuses(await agent.sends(entries, { on_conflict: 'atomic' })), ['skipped', 'invalid_base']);
    const secret = [agent.plans('a', { one: '1' }), { path: '.env', base: 'absent', content: 'KEY=1\n' }];
    assert.deepEqual(statuses(await agent.sends(secret, { on_conflict: 'atomic' })), ['skipped', 'denied']);
    assert.deepEqual(disk(), BEFORE);
  });

  it('touches nothing where the target of a rename is taken', async () => {
    const { story, call, disk } = await prepare();
    story.disk.writes('moved', 'theirs\n');
    const before = disk();
    const answer = await call();
    assert.deepEqual(
      statuses(answer),
      ['skipped', 'skipped', 'stale_base', 'skipped', 'skipped'],
      JSON.stringify(answer),
    );
    assert.equal(answer.results[2]?.path, 'moved');
    assert.deepEqual(disk(), before);
  });

  it('is taken back as a whole where a save, a create, a rename or a delete fails, and says where each file is', async () => {
    const faults: readonly (readonly [string, number, (story: Story) => void])[] = [
      ['b', 3, (story) => story.documents.makeStuck('b')],
      ['n', 4, (story) => story.at('after save', () => story.disk.writes('n', 'theirs\n'))],
      ['c', 2, (story) => story.at('after save', () => story.disk.writes('moved', 'theirs\n'))],
      ['d', 1, (story) => story.documents.makeStuck('d')],
    ];
    for (const [name, index, act] of faults) {
      const { story, agent, call, disk } = await prepare();
      act(story);
      const answer = await call();
      const { n: _, moved: __, ...kept } = disk();
      assert.deepEqual(kept, { a: 'one\n', b: 'one\n', c: 'one\n', d: 'one\n' }, `${name}: ${JSON.stringify(answer)}`);
      assert.ok([undefined, 'theirs\n'].includes(story.disk.text('n')));
      for (const [at, result] of answer.results.entries()) {
        const isExpected =
          at === index
            ? !['applied', 'rolled_back'].includes(result.status)
            : ['rolled_back', 'skipped'].includes(result.status);
        assert.ok(isExpected, `${name}: ${JSON.stringify(result)}`);
        if (result.status === 'rolled_back') {
          assert.equal(result.base, story.base(result.path ?? ''));
        }
      }
      const again = await agent.edits('a', { one: '1' });
      assert.equal(again.status, 'applied', JSON.stringify(again));
    }
  });

  it('takes its place in the line of each file when it arrives, before every call that arrives later', async () => {
    const { story, agent } = await prepare();
    const other = story.agent('y');
    await Promise.all(['a', 'b', 'c'].map((path) => other.reads(path)));
    const [together, ...alone] = await Promise.all([
      agent.sends(
        ['a', 'b', 'c'].map((path) => agent.plans(path, { one: 'first' })),
        { on_conflict: 'atomic' },
      ),
      ...['c', 'b', 'a'].map((path) => other.edits(path, { one: 'second' })),
    ]);
    assert.deepEqual(statuses(together), ['applied', 'applied', 'applied'], JSON.stringify(together));
    assert.deepEqual(
      alone.map(({ status, changed_by: causes }) => [status, String(causes)]),
      ['3', '2', '1'].map((number) => ['stale_base', `edit #${number} (another session, turn 5)`]),
    );
  });

  it('sent again after its answer was lost changes nothing and says so', async () => {
    const { story, agent, disk } = await prepare();
    const entries = [agent.plans('a', { one: '1' }), agent.plans('c', { one: '3' }, { rename_to: 'moved' })];
    await agent.sends(entries, { on_conflict: 'atomic' });
    const after = disk();
    const answer = await agent.sends(entries, { on_conflict: 'atomic' });
    assert.deepEqual(statuses(answer), ['already_applied', 'already_applied']);
    assert.deepEqual(disk(), after);
    assert.deepEqual(story.faults, []);
  });

  it('does not stop at an entry that was applied before, and takes nothing of it back', async () => {
    const { agent, disk } = await prepare();
    const done = agent.plans('a', { one: '1' });
    await agent.sends([done]);
    const answer = await agent.sends([done, agent.plans('b', { one: '2' })], { on_conflict: 'atomic' });
    assert.deepEqual(statuses(answer), ['already_applied', 'applied']);
    assert.deepEqual([disk()['a'], disk()['b']], ['1\n', '2\n']);
  });
});
