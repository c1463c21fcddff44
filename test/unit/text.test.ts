import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lineCount } from '../../src/core/lines.ts';
import {
  applySpans,
  changesNothing,
  type Ending,
  eolOf,
  hasMixedEndings,
  parseText,
  renderText,
  type Span,
  splice,
} from '../../src/core/text.ts';

const raw = fc.string({ unit: fc.constantFrom('a', 'b', '\r', '\n', '\r\n', '\u2028', '😀'), maxLength: 24 });
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

describe('eolOf', () => {
  it('says which line endings a text has', () => {
    assert.equal(eolOf(parseText('a\n'), 'crlf'), 'lf');
    assert.equal(eolOf(parseText('a\r\n'), 'lf'), 'crlf');
    assert.equal(eolOf(parseText('a\r'), 'lf'), 'cr');
    assert.equal(eolOf(parseText('a\r\n\n'), 'lf'), 'mixed');
    assert.equal(eolOf(parseText('a'), 'crlf'), 'crlf');
  });
});

describe('hasMixedEndings', () => {
  it('tells what no editor can hold', () => {
    const held = ['', 'a', 'a\nb\n', 'a\r\nb\r\n'];
    const notHeld = ['a\r', 'a\rb\r', 'a\r\nb\n', 'a\r\n\r'];
    assert.deepEqual(
      [...held, ...notHeld].filter((before) => hasMixedEndings(parseText(before))),
      notHeld,
    );
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
