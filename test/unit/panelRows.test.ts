import assert from 'node:assert/strict';
import { SessionNames } from '../../src/core/sessionNames.ts';
import type { Tally } from '../../src/core/statistics.ts';
import { causeWords, refusedRow, staleRow, totalsOf } from '../../src/host/views/panelRows.ts';
import { parseToPanel } from '../../src/panel/protocol.ts';
import { Story } from './support/story.ts';

const DAY = 24 * 60 * 60 * 1_000;

describe('The rows of the panel', () => {
  it('say who holds what, and what moved it, in messages that pass the check', async () => {
    const story = new Story({ 'src/f': 'one\ntwo\n' });
    const names = new SessionNames();
    await story.agent('a').reads('src/f');
    story.human.types('src/f', { one: '1' });
    const [stale] = await story.arbiter.held.stale(story.arbiter.held.files);
    assert.ok(stale);
    const row = staleRow('id', stale, names);
    assert.deepEqual(
      [row.name, row.folder, row.session, row.turn, row.added, row.removed],
      ['f', 'src', 'session 1', 1, 1, 1],
    );
    assert.deepEqual(row.causes, [{ kind: 'engineer', text: 'you typed in the editor · 1 edit, unsaved' }]);
    await story.agent('a').sends([story.agent('a').plans('src/f', { two: '2' })], { explanation: 'x'.repeat(900) });
    const [conflict] = story.arbiter.conflicts.open;
    assert.ok(conflict);
    const refused = refusedRow('id', conflict, names);
    assert.deepEqual(
      [refused.status, refused.fit, refused.explanation?.length],
      ['stale_base', 'next to the change', 501],
    );
    assert.ok(parseToPanel({ type: 'stale', rows: [row] }));
    assert.ok(parseToPanel({ type: 'refused', rows: [refused] }));
  });

  it('speak to the engineer', () => {
    assert.deepEqual(
      [
        'engineer: typed in the editor (3 edits, saved)',
        'engineer: undo of edit #3',
        'engineer: redo of edit #3',
        'engineer: format on save',
        'edit #3 (another session, turn 2)',
        'post-write hook: ruff format',
        'external writer (while npm run dev ran)',
      ].map(causeWords),
      [
        'you typed in the editor · 3 edits, saved',
        'you took edit #3 back',
        'you took edit #3 back, and again forth',
        'format on your save',
        'edit #3 · another session, turn 2',
        'post-write hook: ruff format',
        'external writer (while npm run dev ran)',
      ],
    );
  });

  it('count as the statistics do, the rate over a week', () => {
    const tally = (time: number, status: string, causes: readonly string[] = []): Tally => ({
      time,
      session: 'a',
      status,
      causes,
    });
    const now = 100 * DAY;
    const totals = totalsOf(
      [
        tally(now - 8 * DAY, 'stale_base', ['external writer']),
        tally(now - DAY, 'applied'),
        tally(now, 'applied'),
        tally(now, 'stale_base', ['external writer', 'git: checkout x']),
        tally(now, 'applied'),
        tally(now, 'not_found'),
      ],
      now,
    );
    assert.deepEqual(totals, {
      applied: 3,
      staleRate: 0.25,
      causes: [
        { kind: 'external writer', count: 2 },
        { kind: 'git', count: 1 },
      ],
    });
    assert.ok(parseToPanel({ type: 'totals', totals }));
  });
});
