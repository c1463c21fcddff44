import assert from 'node:assert/strict';
import type { Conflict } from '../../src/core/conflict.ts';
import { parseConflicts, printConflicts } from '../../src/core/conflictStore.ts';
import type { Wish } from '../../src/core/input.ts';

function conflict(wish: Wish = { kind: 'delete' }, more: Partial<Conflict> = {}): Conflict {
  return {
    id: 7,
    time: 1_000,
    key: '/w/f',
    path: 'f',
    session: 'a',
    turn: 2,
    status: 'stale_base',
    expected: `sha256:${'a'.repeat(64)}`,
    since: `sha256:${'a'.repeat(64)}`,
    changedBy: ['external writer'],
    diffSinceRead: '@@ -1,1 +1,1 @@\n-a\n+b\n',
    explanation: 'why',
    request: { path: 'f', base: { disk: 'a'.repeat(64), dirty: 'b'.repeat(64) }, wish, signature: 's', parts: ['p'] },
    ...more,
  };
}

const WISHES: readonly Wish[] = [
  { kind: 'edits', replacements: [{ oldText: 'a', newText: 'b', replaceAll: false, line: 3 }] },
  { kind: 'patch', patch: '@@ -1 +1 @@' },
  { kind: 'content', content: 'all' },
  { kind: 'delete' },
  { kind: 'nothing' },
];

describe('Stored conflicts', () => {
  it('come back as they were, but for their number', () => {
    const all = WISHES.map((wish) =>
      conflict(wish, { yourEdit: 'untouched', reason: 'r', actual: 'absent', session: undefined }),
    );
    const back = parseConflicts(printConflicts(all));
    assert.deepEqual(
      back,
      all.map(({ id: _, ...rest }) => rest),
    );
  });

  it('are left out one by one where they make no sense, and altogether where the file is torn or of another version', () => {
    const whole = printConflicts([conflict()]);
    assert.deepEqual(parseConflicts(whole.slice(0, -5)), []);
    assert.deepEqual(parseConflicts(''), []);
    assert.deepEqual(parseConflicts('null'), []);
    assert.deepEqual(parseConflicts(whole.replace('"version":1', '"version":2')), []);
    const { version, conflicts } = JSON.parse(whole);
    for (const broken of [
      null,
      3,
      {},
      { ...conflicts[0], time: 'now' },
      { ...conflicts[0], changedBy: [1] },
      { ...conflicts[0], session: 4 },
      { ...conflicts[0], request: { ...conflicts[0].request, base: 'nonsense' } },
      { ...conflicts[0], request: { ...conflicts[0].request, wish: { kind: 'edits', replacements: [{}] } } },
      { ...conflicts[0], request: { ...conflicts[0].request, wish: { kind: 'unheard of' } } },
    ]) {
      const text = JSON.stringify({ version, conflicts: [broken, ...conflicts] });
      assert.equal(parseConflicts(text).length, 1, JSON.stringify(broken));
    }
  });

  it('are bounded: what is too large is left out', () => {
    const large = conflict({ kind: 'content', content: 'x'.repeat(5_000_000) });
    assert.deepEqual(parseConflicts(printConflicts([large])), []);
    const stored = printConflicts([conflict({ kind: 'content', content: 'x'.repeat(3_000_000) }), large]);
    assert.equal(parseConflicts(stored).length, 1);
  });
});
