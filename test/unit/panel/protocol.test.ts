import assert from 'node:assert/strict';
import {
  CAUSE_KINDS,
  type FromPanel,
  parseFromPanel,
  parseToPanel,
  type StaleRow,
  type ToPanel,
} from '../../../src/panel/protocol.ts';

const ROW: StaleRow = {
  id: 'r',
  name: 'f.ts',
  folder: 'src',
  session: 'session 1',
  turn: 2,
  time: 1,
  causes: [{ kind: 'engineer', text: 'you typed' }],
  added: 1,
  removed: 0,
};

describe('The protocol of the panel', () => {
  it('lets through what both ends say', () => {
    const toPanel: ToPanel[] = [
      { type: 'stale', rows: [ROW] },
      { type: 'stale', rows: [] },
      { type: 'refused', rows: [{ ...ROW, status: 'stale_base', explanation: undefined, fit: 'untouched' }] },
      {
        type: 'totals',
        totals: { applied: 1, staleRate: 0.5, causes: CAUSE_KINDS.map((kind) => ({ kind, count: 1 })) },
      },
      { type: 'details', details: { id: 'r', since: '@@', wanted: undefined } },
    ];
    for (const message of toPanel) {
      assert.equal(parseToPanel(message), message);
    }
    const fromPanel: FromPanel[] = [
      { type: 'ready' },
      { type: 'details', id: 'r' },
      { type: 'act', action: 'replan', id: 'r' },
      { type: 'offer', offer: 'tryStory' },
    ];
    for (const message of fromPanel) {
      assert.equal(parseFromPanel(message), message);
    }
  });

  it('lets nothing else through', () => {
    for (const value of [
      undefined,
      null,
      'ready',
      [],
      {},
      { type: 1 },
      { type: 'toString' },
      { type: '__proto__' },
      { type: 'stale' },
      { type: 'stale', rows: [{ ...ROW, causes: [{ kind: 'nobody', text: '' }] }] },
      { type: 'stale', rows: [{ ...ROW, turn: Number.NaN }] },
      { type: 'stale', rows: [{ ...ROW, added: '1' }] },
      { type: 'refused', rows: [ROW] },
      { type: 'details', details: { id: 1 } },
      { type: 'ready' },
    ]) {
      assert.equal(parseToPanel(value), undefined, JSON.stringify(value));
    }
    for (const value of [
      null,
      { type: 'act', action: 'format disk', id: 'r' },
      { type: 'act', action: 'replan' },
      { type: 'act', action: 'replan', id: 'x'.repeat(1_000_001) },
      { type: 'offer', offer: 'workbench.action.quit' },
      { type: 'stale', rows: [] },
    ]) {
      assert.equal(parseFromPanel(value), undefined);
    }
  });
});
