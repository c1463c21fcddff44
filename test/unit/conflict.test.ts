import assert from 'node:assert/strict';
import { type Conflict, Conflicts } from '../../src/core/conflict.ts';

function conflict(
  path: string,
  more: { signature?: string; session?: string; time?: number } = {},
): Omit<Conflict, 'id'> {
  const { signature = 's', session = 'a', time = 0 } = more;
  return {
    time,
    key: `/w/${path}`,
    path,
    session,
    turn: 1,
    status: 'stale_base',
    expected: 'absent',
    since: 'absent',
    changedBy: [],
    diffSinceRead: null,
    explanation: undefined,
    request: { path, base: { disk: 'absent' }, wish: { kind: 'delete' }, signature, parts: ['p'] },
  };
}

function paths(conflicts: readonly Conflict[]): string[] {
  return conflicts.map(({ path }) => path);
}

describe('Conflicts', () => {
  it('are listed newest first, each with a number of its own', () => {
    const conflicts = new Conflicts();
    conflicts.add(conflict('f'));
    conflicts.add(conflict('g'));
    assert.deepEqual(paths(conflicts.open), ['g', 'f']);
    assert.equal(new Set(conflicts.open.map(({ id }) => id)).size, 2);
  });

  it('hold the same edit of the same file by the same session once', () => {
    const conflicts = new Conflicts();
    conflicts.add(conflict('f', { time: 1 }));
    conflicts.add(conflict('g'));
    conflicts.add(conflict('f', { time: 2 }));
    assert.deepEqual(paths(conflicts.open), ['f', 'g']);
    assert.equal(conflicts.open[0]?.time, 2);
    conflicts.add(conflict('f', { signature: 'other' }));
    conflicts.add(conflict('f', { session: 'b' }));
    assert.equal(conflicts.open.length, 4);
    assert.deepEqual(conflicts.resolved, []);
  });

  it('are told of as they are refused, again where one is sent again, and not when they come back from before', () => {
    const conflicts = new Conflicts();
    const told: string[] = [];
    const stop = conflicts.onDidAdd(({ path }) => told.push(path));
    conflicts.add(conflict('f'));
    conflicts.add(conflict('f'));
    conflicts.restore([conflict('g')]);
    stop();
    conflicts.add(conflict('h'));
    assert.deepEqual(told, ['f', 'f']);
  });

  it('are moved to the resolved ones when they are dismissed or closed', () => {
    const conflicts = new Conflicts();
    for (const path of ['f', 'g', 'h']) {
      conflicts.add(conflict(path));
    }
    conflicts.close(({ path }) => path === 'g');
    assert.deepEqual([paths(conflicts.open), paths(conflicts.resolved)], [['h', 'f'], ['g']]);
    conflicts.close(({ path }) => path === 'f');
    assert.deepEqual([paths(conflicts.open), paths(conflicts.resolved)], [['h'], ['f', 'g']]);
    conflicts.clearResolved();
    assert.deepEqual([paths(conflicts.open), paths(conflicts.resolved)], [['h'], []]);
  });

  it('tell their listeners of every change and of nothing else', () => {
    const conflicts = new Conflicts();
    let changes = 0;
    const stop = conflicts.onDidChange(() => {
      changes += 1;
    });
    conflicts.add(conflict('f'));
    conflicts.close(() => false);
    assert.equal(changes, 1);
    conflicts.close(() => true);
    conflicts.clearResolved();
    assert.equal(changes, 3);
    stop();
    conflicts.add(conflict('f'));
    assert.equal(changes, 3);
  });

  it('are kept up to a thousand, the newest', () => {
    const conflicts = new Conflicts();
    for (let index = 0; index < 1_005; index++) {
      conflicts.add(conflict(`f${index}`));
    }
    assert.deepEqual(
      [conflicts.open.length, conflicts.open[0]?.path, conflicts.open.at(-1)?.path],
      [1_000, 'f1004', 'f5'],
    );
  });

  it('are kept as long as their texts are not too large, the newest in any case', () => {
    const conflicts = new Conflicts();
    for (const path of ['f', 'g', 'h']) {
      conflicts.add({ ...conflict(path), diffSinceRead: 'x'.repeat(7 * 1024 * 1024) });
    }
    assert.deepEqual(paths(conflicts.open), ['h', 'g']);
    conflicts.add({ ...conflict('large'), diffSinceRead: 'x'.repeat(17 * 1024 * 1024) });
    assert.deepEqual(paths(conflicts.open), ['large']);
  });

  it('come back behind those that are open by then, with numbers of their own', () => {
    const conflicts = new Conflicts();
    conflicts.add(conflict('new'));
    conflicts.restore([conflict('f'), conflict('g')]);
    assert.deepEqual(paths(conflicts.open), ['new', 'f', 'g']);
    assert.equal(new Set(conflicts.open.map(({ id }) => id)).size, 3);
  });
});
