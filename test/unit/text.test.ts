import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  applySpans,
  changedLines,
  changesNothing,
  countEndings,
  cutAtLine,
  type Ending,
  eolOf,
  LineIndex,
  lineAt,
  lineCount,
  lineShifts,
  parseText,
  renderText,
  type Span,
  spansBetween,
  splice,
  windowOf,
} from '../../src/core/text.ts';

const raw = fc.string({ unit: fc.constantFrom('a', 'b', '\r', '\n', '\r\n', '\u2028', '😀'), maxLength: 24 });
const content = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\n'), maxLength: 24 });
const runs = { seed: 7, numRuns: 400 };

/** Replaces the one occurrence of `oldText`, as an edit would, and gives the bytes that come out. */
function edit(before: string, oldText: string, newText: string, fallback: Ending = '\n'): string {
  const text = parseText(before);
  const start = text.content.indexOf(oldText);
  return renderText(applySpans(text, [{ start, end: start + oldText.length, text: newText }], fallback));
}

describe('parseText', () => {
  it('keeps one ending for a uniform text, a list for a mixed one, and an empty list where there is none', () => {
    assert.deepEqual(parseText('a\nb\n'), { content: 'a\nb\n', endings: '\n' });
    assert.deepEqual(parseText('a\r\nb\r\n'), { content: 'a\nb\n', endings: '\r\n' });
    assert.deepEqual(parseText('a\rb'), { content: 'a\nb', endings: '\r' });
    assert.deepEqual(parseText('a\r\nb\n\rc'), { content: 'a\nb\n\nc', endings: ['\r\n', '\n', '\r'] });
    assert.deepEqual(parseText('a'), { content: 'a', endings: [] });
    assert.deepEqual(parseText(''), { content: '', endings: [] });
  });

  it('ends no line at U+2028, U+2029, U+0085, a form feed or a vertical tab', () => {
    assert.deepEqual(parseText('a\u2028b\u2029c\u0085d\fe\vf'), {
      content: 'a\u2028b\u2029c\u0085d\fe\vf',
      endings: [],
    });
    assert.equal(lineCount('a\u2028b\u2029c\u0085d\fe\vf'), 1);
  });

  it('is undone by renderText, byte for byte', () => {
    fc.assert(
      fc.property(raw, (before) => {
        const text = parseText(before);
        assert.equal(renderText(text), before);
        assert.ok(!text.content.includes('\r'));
        if (typeof text.endings !== 'string') {
          assert.equal(text.endings.length, text.content.split('\n').length - 1);
        }
      }),
      runs,
    );
  });
});

describe('eolOf and countEndings', () => {
  it('say which line endings a text has', () => {
    assert.equal(eolOf(parseText('a\n'), 'crlf'), 'lf');
    assert.equal(eolOf(parseText('a\r\n'), 'lf'), 'crlf');
    assert.equal(eolOf(parseText('a\r'), 'lf'), 'cr');
    assert.equal(eolOf(parseText('a\r\n\n'), 'lf'), 'mixed');
    assert.equal(eolOf(parseText('a'), 'crlf'), 'crlf');
    assert.deepEqual(countEndings('a\r\r\nb\n\n\r'), { lf: 2, crlf: 1, cr: 2 });
  });
});

describe('splice', () => {
  it('replaces spans in any order, literally', () => {
    const spans = [
      { start: 4, end: 5, text: '$&' },
      { start: 0, end: 1, text: '$1\\n' },
      { start: 1, end: 1, text: '!' },
    ];
    assert.equal(splice('abcde', spans), '$1\\n!bcd$&');
  });

  it('names spans that overlap or lie outside', () => {
    const span = (start: number, end: number): Span => ({ start, end, text: '' });
    assert.throws(() => splice('abc', [span(1, 3), span(0, 2)]), /0-2 and 1-3 overlap/);
    assert.throws(() => splice('abc', [span(1, 1), span(1, 1)]), /overlap/);
    assert.throws(() => splice('abc', [span(2, 4)]), /2-4 is outside a content of 3/);
    assert.throws(() => splice('abc', [span(2, 1)]), /outside/);
  });
});

describe('applySpans', () => {
  it('gives added newlines the ending of a uniform text', () => {
    assert.equal(edit('a\r\nb\r\n', 'b', 'b1\nb2\r\nb3'), 'a\r\nb1\r\nb2\r\nb3\r\n');
    assert.equal(edit('a\rb', 'b', 'c\nd'), 'a\rc\rd');
    assert.equal(edit('a\nb', 'b', 'c\r\nd'), 'a\nc\nd');
  });

  it('gives added newlines the fallback where the text has no line end', () => {
    assert.equal(edit('a', 'a', 'a\nb\r\nc', '\r\n'), 'a\r\nb\r\nc');
    assert.equal(edit('', '', 'a\n', '\r'), 'a\r');
  });

  it('keeps the ending of every newline that the edit keeps in a mixed text', () => {
    assert.equal(edit('a\r\nb\nc\rd\n', 'a\nb\nc\nd', 'a\nB\nc\nd'), 'a\r\nB\nc\rd\n');
    assert.equal(edit('a\r\nb\nc\rd\n', 'a\nb\nc\nd', 'x\ny\nz\nw'), 'x\r\ny\nz\rw\n');
    assert.equal(edit('a\r\nb\nc\rd\n', 'b\nc\n', ''), 'a\r\nd\n');
  });

  it('pairs unchanged lines where the number of lines differs', () => {
    assert.equal(edit('1\r\na\nb\rc\r\n2\n', '1\na\nb\nc\n2', '1\nx\nb\ny\nz\n2!'), '1\r\nx\r\nb\ry\rz\r2!\n');
    assert.equal(edit('k\na\r\nb\nc\r\nz\n', 'a\nb\nc', 'A\nb\nx\nc'), 'k\nA\nb\nx\nc\r\nz\n');
  });

  it('gives an added newline the ending of the line before it, and of the majority at the start of a mixed text', () => {
    assert.equal(edit('a\nb\r\nc\n', 'c', 'x\nc'), 'a\nb\r\nx\r\nc\n');
    assert.equal(edit('a\nb\r\nc\r\n', 'a', 'x\na'), 'x\r\na\nb\r\nc\r\n');
  });

  it('tells an added newline from a kept one by what the edit repeats', () => {
    const before = 'a\r\nb\nc\r\nd\n';
    assert.equal(edit(before, 'c', 'x\nc'), 'a\r\nb\nx\nc\r\nd\n');
    assert.equal(edit(before, 'a\nb\nc\nd', 'a\nb\nx\nc\nd'), 'a\r\nb\nx\nc\r\nd\n');
    assert.equal(edit(before, 'b', 'b\nx'), 'a\r\nb\r\nx\nc\r\nd\n');
  });

  it('keeps a lone carriage return of new text as it is, without passing it on', () => {
    assert.equal(edit('a\nb\n', 'b', '1\r2\n3'), 'a\n1\r2\n3\n');
    assert.equal(edit('a\r\nb\r\n', 'b', '1\r2\n3'), 'a\r\n1\r2\r\n3\r\n');
    assert.deepEqual(applySpans(parseText('a\nb'), [{ start: 0, end: 1, text: '\rc' }], '\n').endings, ['\r', '\n']);
  });

  it('reads a carriage return that comes to stand before a newline as one line end', () => {
    assert.deepEqual(applySpans(parseText('a\rb\nc'), [{ start: 2, end: 3, text: '' }], '\n'), {
      content: 'a\nc',
      endings: '\r\n',
    });
  });

  it('leaves every byte outside the spans as it was, and always gives what its bytes say', () => {
    fc.assert(
      fc.property(raw, fc.nat(), fc.nat(), raw, (before, a, b, added) => {
        const text = parseText(before);
        const [start = 0, end = 0] = [a % (text.content.length + 1), b % (text.content.length + 1)].sort(
          (x, y) => x - y,
        );
        const after = applySpans(text, [{ start, end, text: added }], '\n');
        const head = renderText(applySpans(text, [{ start, end: text.content.length, text: '' }], '\n'));
        const tail = renderText(applySpans(text, [{ start: 0, end, text: '' }], '\n'));
        const rendered = renderText(after);
        assert.ok(rendered.startsWith(head) && rendered.endsWith(tail));
        assert.deepEqual(parseText(rendered), after);
        if (!before.includes('\r') && !added.includes('\r')) {
          assert.equal(rendered, before.slice(0, start) + added + before.slice(end));
        }
      }),
      runs,
    );
  });

  it('changes nothing where new text repeats the old, whatever the line endings', () => {
    fc.assert(
      fc.property(raw, fc.nat(), fc.nat(), (before, a, b) => {
        const text = parseText(before);
        const [start = 0, end = 0] = [a % (text.content.length + 1), b % (text.content.length + 1)].sort(
          (x, y) => x - y,
        );
        const same = { start, end, text: text.content.slice(start, end) };
        assert.deepEqual(applySpans(text, [same], '\n'), text);
        assert.equal(changesNothing(text, [same]), true);
      }),
      runs,
    );
  });

  it('is quick for a large mixed text', () => {
    const before = parseText('const value = 1;\n'.repeat(20_000) + '\r\n'.repeat(20_000));
    const start = performance.now();
    renderText(applySpans(before, [{ start: 5, end: 9, text: 'x\ny\nz' }], '\n'));
    assert.ok(performance.now() - start < 1_000);
  });
});

describe('lines', () => {
  it('are counted without one after a final newline', () => {
    assert.deepEqual(['', '\n', 'a', 'a\n', 'a\nb', '\n\n'].map(lineCount), [0, 1, 1, 1, 2, 2]);
  });

  it('are found by offset in the same way with and without an index', () => {
    fc.assert(
      fc.property(content, (text) => {
        const index = new LineIndex(text);
        for (let offset = 0; offset <= text.length; offset++) {
          const line = lineAt(text, offset);
          assert.equal(index.lineOf(offset), line);
          assert.ok(index.lineStart(line) <= offset && (offset < index.lineStart(line + 1) || offset === text.length));
        }
      }),
      { ...runs, numRuns: 100 },
    );
    assert.equal(new LineIndex('a\nb').lineStart(9), 3);
  });
});

describe('windowOf', () => {
  it('gives whole lines with their newlines and clamps the end', () => {
    assert.deepEqual(windowOf('a\nb\nc', 2, 2), { text: 'b\n', startLine: 2, endLine: 2, totalLines: 3 });
    assert.deepEqual(windowOf('a\nb\nc', 2, 99), { text: 'b\nc', startLine: 2, endLine: 3, totalLines: 3 });
    assert.deepEqual(windowOf('a\nb\n', 1, Number.POSITIVE_INFINITY), {
      text: 'a\nb\n',
      startLine: 1,
      endLine: 2,
      totalLines: 2,
    });
    assert.deepEqual(windowOf('', 1, 80), { text: '', startLine: 0, endLine: 0, totalLines: 0 });
  });

  it('gives nothing where the range names no line', () => {
    assert.equal(windowOf('a\n', 2, 3), undefined);
    assert.equal(windowOf('a\n', 0, 1), undefined);
    assert.equal(windowOf('a\nb\n', 2, 1), undefined);
    assert.equal(windowOf('', 2, 2), undefined);
  });
});

describe('cutAtLine', () => {
  it('cuts at a line end, and inside a first line that is too long', () => {
    assert.equal(cutAtLine('ab\ncd\nef', 7), 'ab\ncd\n');
    assert.equal(cutAtLine('ab\ncd\n', 3), 'ab\n');
    assert.equal(cutAtLine('ab\ncd', 5), 'ab\ncd');
    assert.equal(cutAtLine('abcdef\ng', 4), 'abcd');
    assert.equal(cutAtLine('a\nb', 0), '');
  });

  it('never cuts a surrogate pair in two', () => {
    assert.equal(cutAtLine('a😀b', 2), 'a');
    assert.equal(cutAtLine('a😀b', 3), 'a😀');
    assert.equal(cutAtLine('😀', 1), '');
  });
});

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
      { ...runs, numRuns: 1_500 },
    );
  });

  it('are found from two contents alone, too', () => {
    fc.assert(
      fc.property(content, content, (before, after) => {
        const spans = spansBetween(before, after);
        assert.equal(splice(before, spans), after);
        checkMapping(before, after, changedLines(before, after, spans), lineShifts(before, after, spans));
      }),
      { ...runs, numRuns: 1_000 },
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
