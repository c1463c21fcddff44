import assert from 'node:assert/strict';
import fc from 'fast-check';
import { changedLines, lineShifts, spansBetween } from '../../src/core/compare.ts';
import { applySpans, parseText, type Span, splice } from '../../src/core/text.ts';

const content = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\n'), maxLength: 24 });

describe('changedLines and lineShifts', () => {
  const both = (before: string, oldText: string, newText: string) => {
    const start = before.indexOf(oldText);
    const spans = [{ start, end: start + oldText.length, text: newText }];
    const after = splice(before, spans);
    return [changedLines(before, after, spans), lineShifts(before, after, spans)];
  };

  it('leave out lines that the edit repeats unchanged', () => {
    assert.deepEqual(both('a\nb\nc\nd\ne\n', 'a\nb\nc\nd\n', 'a\nb\nX\nd\n'), [[[3, 3]], []]);
    assert.deepEqual(both('a\nb\nc\n', 'b', 'b\nx\ny'), [[[3, 4]], [[3, 2]]]);
    assert.deepEqual(both('a\nb\nc\n', 'a\nb', 'x\na\ny\nb'), [
      [
        [1, 1],
        [3, 3],
      ],
      [
        [1, 1],
        [2, 2],
      ],
    ]);
  });

  it('report removed lines as the line that stands there now', () => {
    assert.deepEqual(both('a\nb\nc\n', 'b\n', ''), [[[2, 2]], [[3, -1]]]);
    assert.deepEqual(both('a\nb\nc\n', 'c\n', ''), [[[2, 2]], []]);
    assert.deepEqual(both('a\nb\n', 'a\nb\n', ''), [[], []]);
  });

  it('tell a change of the final newline', () => {
    assert.deepEqual(both('a\nb', 'b', 'b\n'), [[[2, 2]], []]);
    assert.deepEqual(both('', '', 'a\nb\n'), [[[1, 2]], []]);
  });

  it('merge ranges that touch, and leave out a shift that comes to the same', () => {
    const before = 'a\nb\nc\nd\n';
    const spans = [
      { start: 0, end: 1, text: 'A' },
      { start: 2, end: 3, text: 'B' },
      { start: 6, end: 8, text: '' },
      { start: 4, end: 4, text: 'x\n' },
    ];
    const after = splice(before, spans);
    assert.equal(after, 'A\nB\nx\nc\n');
    assert.deepEqual(changedLines(before, after, spans), [[1, 4]]);
    assert.deepEqual(lineShifts(before, after, spans), [[3, 1]]);
  });

  it('count carriage returns of new text as line ends', () => {
    const spans = [{ start: 0, end: 1, text: '1\r2\r\n3' }];
    const after = applySpans(parseText('a\nb\n'), spans, '\n').content;
    assert.deepEqual(changedLines('a\nb\n', after, spans), [[1, 3]]);
    assert.deepEqual(lineShifts('a\nb\n', after, spans), [[2, 2]]);
  });

  it('map every line that no range covers to an equal line, and cover every other', () => {
    fc.assert(
      fc.property(content, fc.array(fc.tuple(fc.nat(), fc.nat(4), content), { maxLength: 3 }), (before, edits) => {
        const spans = disjoint(before, edits);
        const after = splice(before, spans);
        checkMapping(before, after, changedLines(before, after, spans), lineShifts(before, after, spans));
      }),
      { seed: 7, numRuns: 1_500 },
    );
  });

  it('are found from two contents alone, too', () => {
    fc.assert(
      fc.property(content, content, (before, after) => {
        const spans = spansBetween(before, after);
        assert.equal(splice(before, spans), after);
        checkMapping(before, after, changedLines(before, after, spans), lineShifts(before, after, spans));
      }),
      { seed: 7, numRuns: 1_000 },
    );
  });

  it('fall back to one span where two large contents share their lines in another order', () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}\n`);
    const before = `first\n${lines.join('')}last\n`;
    const after = `first\n${lines.toReversed().join('')}last\n`;
    const spans = spansBetween(before, after);
    assert.equal(spans.length, 1);
    assert.equal(splice(before, spans), after);
    assert.deepEqual(changedLines(before, after, spans), [[2, 2_001]]);
  });
});

function disjoint(before: string, edits: readonly [number, number, string][]): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const [gap, length, text] of edits) {
    const start = from + (gap % 6);
    if (start + length <= before.length) {
      spans.push({ start, end: start + length, text });
      from = start + length + 1;
    }
  }
  return spans;
}

/** Each line below the first entry moves by its delta; lines of `after` that nothing moves to must be in a range. */
function checkMapping(before: string, after: string, ranges: [number, number][], shifts: [number, number][]): void {
  const oldLines = before.match(/[^\n]*\n|[^\n]+/g) ?? [];
  const newLines = after.match(/[^\n]*\n|[^\n]+/g) ?? [];
  const inRange = (line: number): boolean => ranges.some(([first, last]) => first <= line && line <= last);
  const moved = new Map<number, string>();
  for (const [index, text] of oldLines.entries()) {
    const delta = shifts.findLast(([line]) => line <= index + 1)?.[1] ?? 0;
    moved.set(index + 1 + delta, text);
  }
  for (const [index, text] of newLines.entries()) {
    assert.ok(inRange(index + 1) || moved.get(index + 1) === text, `line ${index + 1}`);
  }
  assert.ok(
    ranges.every(
      ([first, last], index) => first <= last && last <= newLines.length && first > (ranges[index - 1]?.[1] ?? 0),
    ),
  );
  assert.ok(shifts.every(([, delta], index) => delta !== (shifts[index - 1]?.[1] ?? 0)));
  assert.equal(ranges.length > 0, before !== after && after !== '');
}
