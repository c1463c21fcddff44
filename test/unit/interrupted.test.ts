import assert from 'node:assert/strict';
import { type ApplyRecord, fatesOf } from '../../src/core/applyRecord.ts';
import { digest } from '../../src/core/base.ts';
import { Story } from './support/story.ts';

const A = digest(Buffer.from('a'));
const B = digest(Buffer.from('b'));
const C = digest(Buffer.from('c'));

function recordOf(...paths: readonly string[]): ApplyRecord {
  const files = paths.map((path) => ({ key: `/w/${path}`, path, before: A, after: B, length: 1 }));
  return { session: 's', turn: 2, time: 1, pid: 1, files };
}

function tell(story: Story, record: ApplyRecord, now: readonly (string | null)[], edit?: number): number | undefined {
  const fates = fatesOf(
    record,
    now.map((state) => state ?? undefined),
  );
  return story.arbiter.interrupted({ id: 'r', record, fates, now, edit, texts: now.map(() => undefined) });
}

describe('An edit that was cut off', () => {
  it('is nothing where it had not begun, and an edit where it had ended', () => {
    const story = new Story({});
    assert.equal(tell(story, recordOf('f', 'g'), [A, A]), undefined);
    assert.equal(tell(story, recordOf('f', 'g'), [B, B]), 1);
    assert.deepEqual(story.arbiter.conflicts.open, []);
    assert.deepEqual(
      story.ledger.transitions('/w/f').map(({ cause, to }) => [cause?.kind, to?.disk]),
      [['edit', B]],
    );
  });

  it('has a row for each file that is not as before; one that cannot be read cannot be restored', () => {
    const story = new Story({});
    tell(story, recordOf('f', 'g', 'h', 'i'), [A, B, C, null]);
    assert.deepEqual(
      story.arbiter.conflicts.open.map(({ path, actual, interruption }) => [path, actual, interruption?.isSure]),
      [
        ['i', undefined, false],
        ['h', `sha256:${C}`, false],
        ['g', `sha256:${B}`, true],
      ],
    );
    assert.match(
      String(story.arbiter.conflicts.open[0]?.reason),
      /f: as before; g: edited; h: neither as before nor as it was to become; i: cannot be read now$/,
    );
  });

  it('has its row also where nothing but a file that cannot be read is left of it', () => {
    const story = new Story({});
    tell(story, recordOf('f', 'g'), [A, null]);
    assert.equal(story.arbiter.conflicts.open.length, 1);
  });

  it('keeps its number, and is named once, however often it is recognised', () => {
    const story = new Story({});
    const number = tell(story, recordOf('f', 'g'), [B, A]);
    assert.equal(tell(story, recordOf('f', 'g'), [B, A], number), number);
    assert.equal(story.ledger.transitions('/w/f').length, 1);
    assert.equal(story.arbiter.conflicts.open.length, 1);
  });

  it('is settled by the engineer alone: no read or edit of an agent, and no crowd of refusals', async () => {
    const story = new Story({ f: 'one\n' });
    tell(story, { ...recordOf('f', 'g'), session: 'a' }, [B, A]);
    const agent = story.agent('a');
    for (let count = 0; count < 1_100; count += 1) {
      await agent.reads('f');
      story.disk.writes('f', `one\n${count}\n`);
      await agent.edits('f', { one: `1 ${count}` });
    }
    const [left] = story.arbiter.conflicts.open.filter(({ interruption }) => interruption !== undefined);
    assert.ok(left);
    story.arbiter.dismiss(left.id);
    assert.ok(story.arbiter.conflicts.open.every(({ interruption }) => interruption === undefined));
  });
});
