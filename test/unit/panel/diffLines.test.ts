import assert from 'node:assert/strict';
import { unifiedDiff } from '../../../src/core/diff.ts';
import { diffLines } from '../../../src/panel/diffLines.ts';

describe('diffLines', () => {
  it('numbers the lines of a diff, removed ones as they were', () => {
    const limits = { context: 1, maxChars: 1_000, maxMs: 1_000, now: () => 0 };
    const { text } = unifiedDiff('a\nb\nc\nd\n', 'a\nB\nBB\nc\nd', limits);
    assert.deepEqual(
      diffLines(text).map(({ kind, text: line, number }) => `${kind} ${number ?? ''} ${line}`),
      [
        'hunk  lines 1–5',
        'same 1 a',
        'removed 2 b',
        'added 2 B',
        'added 3 BB',
        'same 4 c',
        'removed 4 d',
        'added 5 d',
        'note  No newline at end of file',
      ],
    );
  });

  it('keeps lines that look like a diff themselves, and says how much was cut', () => {
    assert.deepEqual(diffLines('@@ -1,1 +1,1 @@\n--- a\n++++ b\n… 2 more hunks\n'), [
      { kind: 'hunk', text: 'line 1' },
      { kind: 'removed', text: '-- a', number: 1 },
      { kind: 'added', text: '+++ b', number: 1 },
      { kind: 'note', text: '… 2 more hunks' },
    ]);
  });
});
