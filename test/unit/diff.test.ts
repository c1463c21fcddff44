import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Diff, unifiedDiff } from '../../src/core/diff.ts';
import { parsePatch, placePatch } from '../../src/core/patch.ts';
import { parseText, splice } from '../../src/core/text.ts';

const limits = { context: 3, maxChars: 4_000, maxMs: 200, now: () => 0 };

function diff(before: string, after: string, more: Partial<typeof limits> = {}): Diff {
  return unifiedDiff(before, after, { ...limits, ...more });
}

function numbered(count: number, prefix = 'line'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix} ${index + 1}\n`);
}

describe('unifiedDiff', () => {
  it('is empty where nothing differs', () => {
    assert.deepEqual(diff('a\n', 'a\n'), { text: '', complete: true, added: 0, removed: 0 });
    assert.deepEqual(diff('', ''), { text: '', complete: true, added: 0, removed: 0 });
  });

  it('shows three lines around what differs, without a file header', () => {
    const before = numbered(12);
    assert.deepEqual(diff(before.join(''), before.with(5, 'other\n').join('')), {
      text: '@@ -3,7 +3,7 @@\n line 3\n line 4\n line 5\n-line 6\n+other\n line 7\n line 8\n line 9\n',
      complete: true,
      added: 1,
      removed: 1,
    });
  });

  it('puts lines that are near each other into one hunk and others into two', () => {
    const before = numbered(20);
    const near = before.with(2, 'x\n').with(9, 'y\n').join('');
    const far = before.with(2, 'x\n').with(10, 'y\n').join('');
    assert.deepEqual(diff(before.join(''), near).text.match(/^@@.*/gm), ['@@ -1,13 +1,13 @@']);
    assert.deepEqual(diff(before.join(''), far).text.match(/^@@.*/gm), ['@@ -1,6 +1,6 @@', '@@ -8,7 +8,7 @@']);
  });

  it('names an empty side by the line before it', () => {
    assert.equal(diff('', 'a\nb\n').text, '@@ -0,0 +1,2 @@\n+a\n+b\n');
    assert.equal(diff('a\n', '').text, '@@ -1,1 +0,0 @@\n-a\n');
    assert.equal(diff('a\nb\n', 'a\nx\nb\n', { context: 0 }).text, '@@ -1,0 +2,1 @@\n+x\n');
  });

  it('shows a final newline that is missing', () => {
    const marker = '\\ No newline at end of file\n';
    assert.equal(diff('a\nb', 'a\nb\n').text, `@@ -1,2 +1,2 @@\n a\n-b\n${marker}+b\n`);
    assert.equal(diff('a\nb\n', 'a\nb').text, `@@ -1,2 +1,2 @@\n a\n-b\n+b\n${marker}`);
    assert.equal(diff('a\nb', 'c\nb').text, `@@ -1,2 +1,2 @@\n-a\n+c\n b\n${marker}`);
  });

  it('takes U+2028, form feeds and dollar signs as they are', () => {
    assert.equal(diff('a\u2028b\n', 'a\u2028-b $&\f\n').text, '@@ -1,1 +1,1 @@\n-a\u2028b\n+a\u2028-b $&\f\n');
  });

  it('is cut after a hunk and says how much is left', () => {
    const before = numbered(100);
    const after = before.map((line, index) => (index % 20 === 10 ? `changed ${line}` : line));
    const { text, complete, added, removed } = diff(before.join(''), after.join(''), { maxChars: 350 });
    assert.deepEqual([complete, added, removed], [false, 5, 5]);
    assert.ok(text.length <= 350);
    assert.deepEqual(text.match(/^@@.*/gm), ['@@ -8,7 +8,7 @@', '@@ -28,7 +28,7 @@']);
    assert.match(text, /\n line 34\n… 3 more hunks: 3 lines removed, 3 added\n$/);
  });

  it('is cut inside the first hunk at a line end where that is too long', () => {
    const before = numbered(25_000);
    const { text, complete, added, removed } = diff(before.join(''), before.slice(0, 500).join(''));
    assert.deepEqual([complete, added, removed], [false, 0, 24_500]);
    assert.ok(text.length <= 4_000 && text.length > 3_500);
    const [header, , , , ...rest] = text.split('\n');
    assert.equal(header, '@@ -498,24503 +498,3 @@');
    assert.equal(rest[0], '-line 501');
    const shown = rest.filter((line) => line.startsWith('-')).length;
    const left = String(24_500 - shown).replace(/(?=...$)/, ',');
    assert.equal(rest.at(-2), `… cut inside this hunk; left: ${left} lines removed, 0 added`);
  });

  it('is cut inside a huge line, though never inside a character', () => {
    const { text, complete } = diff('a\n', `${'😀'.repeat(5_000)}\n`);
    assert.equal(complete, false);
    assert.equal(text, '@@ -1,1 +1,1 @@\n-a\n… cut inside this hunk; left: 0 lines removed, 1 added\n');
    const tiny = diff('a\n', 'b\nc\n', { maxChars: 10 }).text;
    assert.equal(tiny, '… cut inside this hunk; left: 1 line removed, 2 added\n');
  });

  it('counts lines where finding the hunks would take too long', () => {
    const before = ['first\n', ...numbered(3_000), 'last\n'];
    const after = ['first\n', ...numbered(3_000).toReversed(), 'last\n'];
    let time = 0;
    const { text, ...rest } = diff(before.join(''), after.join(''), { now: () => (time += 30) });
    assert.equal(text, '3,000 lines removed, 3,000 added\n');
    assert.deepEqual(rest, { complete: false, added: 3_000, removed: 3_000 });
  });

  it('keeps to its time for two megabytes', () => {
    const before = numbered(60_000, 'const value = compute(another, value)').join('');
    const now = (): number => performance.now();
    const start = now();
    assert.equal(diff(before, before.split('\n').reverse().join('\n'), { now }).complete, false);
    assert.ok(now() - start < 1_000);
  });

  it('is a patch that leads from one content to the other', () => {
    const content = fc
      .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', '- x\n', '\u2028\n'), { maxLength: 25 })
      .chain((lines) => fc.constantFrom(lines.join(''), lines.join('').replace(/\n$/, '')));
    fc.assert(
      fc.property(content, content, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
        fc.pre(before !== after);
        const { text, complete, added, removed } = diff(before, after, { context });
        assert.equal(complete, true);
        const parsed = parsePatch(text);
        assert.ok(parsed.status === 'parsed', `${JSON.stringify(parsed)}\n${text}`);
        const placement = placePatch(parseText(before), parsed.patch.hunks);
        assert.ok(placement.status === 'located', `${JSON.stringify(placement)}\n${text}`);
        assert.equal(splice(before, placement.spans), after);
        const lines = parsed.patch.hunks.flatMap((hunk) => hunk.lines);
        assert.equal(lines.filter((line) => line.kind === 'added').length, added);
        assert.equal(lines.filter((line) => line.kind === 'removed').length, removed);
      }),
      { seed: 17, numRuns: 400 },
    );
  });
});
