import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { lineCount } from '../../src/core/lines.ts';
import { type Hunk, type Patch, parsePatch, placePatch, sidesOf } from '../../src/core/patch.ts';
import { applySpans, parseText, renderText } from '../../src/core/text.ts';

function parse(patch: string): Patch {
  const parsed = parsePatch(patch);
  assert.ok(parsed.status === 'parsed', JSON.stringify(parsed));
  return parsed.patch;
}

function hunksOf(patch: string): readonly Hunk[] {
  return parse(patch).hunks;
}

/** The bytes after the patch, or what does not fit. */
function apply(before: string, patch: string): unknown {
  const text = parseText(before);
  const placement = placePatch(text, hunksOf(patch));
  return placement.status === 'located' ? renderText(applySpans(text, placement.spans, '\n')) : placement;
}

function malformed(patch: string): string {
  const parsed = parsePatch(patch);
  assert.ok(parsed.status === 'malformed', JSON.stringify(parsed));
  return `${parsed.patchLine}: ${parsed.message}`;
}

const HUNK = '@@ -2,2 +2,3 @@ def f():\n b\n-c\n+C\n+D\n';

describe('parsePatch', () => {
  it('reads names with prefix, time stamp and git quoting, and none at all', () => {
    const names = (headers: string): unknown => {
      const { oldName, newName } = parse(headers + HUNK);
      return [oldName, newName];
    };
    assert.deepEqual(names(''), [undefined, undefined]);
    assert.deepEqual(names('--- a/x/y.py\n+++ b/x/y.py\n'), ['x/y.py', 'x/y.py']);
    assert.deepEqual(names('--- a/x.py\n+++ a/x.py\n'), ['a/x.py', 'a/x.py']);
    assert.deepEqual(names('--- x y.py\t2026-11-30 15:55:08.1 +0000\n+++ x y.py\t2026-11-30\n'), ['x y.py', 'x y.py']);
    assert.deepEqual(names('--- /dev/null\n+++ b/x.py\n'), [null, 'x.py']);
    assert.deepEqual(names('--- a/x.py\n+++ /dev/null\n'), ['x.py', null]);
    assert.deepEqual(names('--- "a/f\\303\\244 \\"n\\"\\t\\\\.txt"\t\n+++ "b/\\360\\237\\230\\200ä"\n'), [
      'fä "n"\t\\.txt',
      '😀ä',
    ]);
  });

  it('reads the extended headers of git and of other tools', () => {
    const headers = [
      'diff --git a/x.py b/y.py',
      'old mode 100644',
      'new mode 100755',
      'similarity index 90%',
      'rename from x.py',
      'rename to y.py',
      'index 1b32298..206b378 100644',
      '--- a/x.py',
      '+++ b/y.py',
      '',
    ].join('\n');
    assert.equal(parse(headers + HUNK).newName, 'y.py');
    assert.equal(
      parse(`Index: x.py\n===================================================================\n${HUNK}`).hunks.length,
      1,
    );
  });

  it('reads counts left out, several hunks, and lines that look like headers', () => {
    assert.deepEqual(hunksOf('@@ -2 +2 @@\n--- a\n+++ b\n@@ -9,0 +10 @@\n+@@ -1 +1 @@\n'), [
      {
        oldStart: 1,
        lines: [
          { kind: 'removed', text: '-- a', unended: false },
          { kind: 'added', text: '++ b', unended: false },
        ],
      },
      { oldStart: 9, lines: [{ kind: 'added', text: '@@ -1 +1 @@', unended: false }] },
    ]);
  });

  it('reads an empty line as an empty context line, and carriage returns as part of the line ends', () => {
    assert.deepEqual(hunksOf('@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n'), hunksOf('@@ -1,3 +1,3 @@\r\n a\r\n \r\n-b\r\n+c'));
    assert.deepEqual(hunksOf(`${HUNK}\n\n`), hunksOf(HUNK));
  });

  it('gives the two sides of a hunk', () => {
    const [hunk] = hunksOf('@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n');
    assert.deepEqual(hunk && sidesOf(hunk), { oldText: 'a\nb', newText: 'a\nc\n' });
  });

  it('says what is wrong and in which line of the patch', () => {
    assert.match(malformed(''), /^1: no hunk/);
    assert.match(malformed('--- a/x\n+++ b/x\n'), /^3: no hunk/);
    assert.match(malformed('hello\n'), /^1: .*neither a header nor a hunk/);
    assert.match(malformed('*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n'), /^1: /);
    assert.match(malformed('@@\n-a\n+b\n'), /^1: the header of a hunk must read/);
    assert.match(malformed('@@ -1,3 +1,2 @@\n a\n-b\n'), /^1: the header counts -3 \+2 lines, but -2 \+1 follow/);
    assert.match(malformed('@@ -1,2 +1 @@\n a\n@@ -5 +5 @@\n-a\n+b\n'), /^1: .*but -1 \+1 follow/);
    assert.match(malformed('@@ -1 +1 @@\n-a\n-b\n+c\n'), /^3: more lines than the -1 \+1/);
    assert.match(malformed('@@ -1 +1 @@\n-a\n+c\n d\n'), /^4: this line is beyond the counts/);
    assert.match(malformed('@@ -1 +1 @@\n-a\nb\n'), /^3: a line of a hunk must begin/);
    assert.match(malformed('@@ -0,1 +1 @@\n-a\n+b\n'), /^1: lines are counted from 1/);
    assert.match(malformed('@@ -5 +5 @@\n-a\n+b\n@@ -5 +5 @@\n-a\n+b\n'), /^4: hunks must stand in the order/);
    assert.match(malformed('@@ -5,0 +6 @@\n+a\n@@ -5,0 +7 @@\n+b\n'), /^3: hunks must/);
    assert.match(malformed('@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n b\n'), /^1: only the last line/);
    assert.match(malformed('--- a/x\n@@ -1 +1 @@\n-a\n+b\n'), /^2: a "---" header without/);
    assert.match(malformed('diff --git a/x b/x\nBinary files a/x and b/x differ\n'), /^2: a binary patch/);
  });

  it('refuses a patch of more than one file', () => {
    const one = (name: string): string => `--- a/${name}\n+++ b/${name}\n${HUNK}`;
    assert.match(malformed(one('x') + one('y')), /^8: a second file begins here/);
    assert.match(malformed(`diff --git a/x b/x\n${one('x')}diff --git a/y b/y\n${one('y')}`), /^9: a second file/);
    assert.match(malformed(`diff --git a/x b/x\nold mode 1\ndiff --git a/y b/y\n${HUNK}`), /^3: a second file/);
  });
});

describe('placePatch', () => {
  it('replaces exactly the stated lines', () => {
    assert.equal(apply('a\nb\nc\nd\n', HUNK), 'a\nb\nC\nD\nd\n');
    assert.equal(apply('a\nb\nc\n', '@@ -0,0 +1 @@\n+x\n@@ -2,0 +4 @@\n+y\n@@ -3 +4,0 @@\n-c\n'), 'x\na\nb\ny\n');
    assert.equal(apply('', '@@ -0,0 +1,2 @@\n+x\n+y\n'), 'x\ny\n');
    assert.equal(apply('a\n', '@@ -1 +0,0 @@\n-a\n'), '');
  });

  it('keeps the line endings of the file', () => {
    assert.equal(apply('a\r\nb\r\nc\r\n', HUNK), 'a\r\nb\r\nC\r\nD\r\n');
    assert.equal(apply('a\nb\nc\n', HUNK.replaceAll('\n', '\r\n')), 'a\nb\nC\nD\n');
    assert.equal(apply('a\r\nb\nc\r\n', HUNK), 'a\r\nb\nC\nD\r\n');
  });

  it('never looks for another place', () => {
    assert.deepEqual(apply('x\na\nb\nc\n', HUNK), {
      status: 'patch_mismatch',
      hunk: 1,
      line: 2,
      expected: 'b',
      found: 'a',
    });
    assert.deepEqual(apply('a\nb\n', HUNK), { status: 'patch_mismatch', hunk: 1, line: 3, expected: 'c' });
    assert.deepEqual(apply('a\nb\n c\n', HUNK), {
      status: 'patch_mismatch',
      hunk: 1,
      line: 3,
      expected: 'c',
      found: ' c',
    });
    assert.deepEqual(apply('a\nb\n', '@@ -1 +1 @@\n-a\n+A\n@@ -5,0 +6 @@\n+y\n'), {
      status: 'patch_mismatch',
      hunk: 2,
      line: 5,
      expected: 'a line after which to insert',
    });
  });

  it('adds and removes the final newline', () => {
    const add = '@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n';
    const remove = '@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n';
    const keep = '@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n';
    assert.equal(apply('a\nb', add), 'a\nb\n');
    assert.equal(apply('a\nb\n', remove), 'a\nb');
    assert.equal(apply('a\nb', keep), 'A\nb');
  });

  it('refuses a file that ends otherwise than the hunk says', () => {
    const line = (before: string, patch: string): unknown => {
      const text = parseText(before);
      const placement = placePatch(text, hunksOf(patch));
      return placement.status === 'patch_mismatch' ? [placement.line, placement.expected, placement.found] : placement;
    };
    const marker = '\n\\ No newline at end of file';
    assert.deepEqual(line('a\n', `@@ -1 +1 @@\n-a${marker}\n+b\n`), [1, `a${marker}`, 'a']);
    assert.deepEqual(line('a', '@@ -1 +1 @@\n-a\n+b\n'), [1, 'a', `a${marker}`]);
    assert.deepEqual(line('a\nb\n', `@@ -1 +1 @@\n-a${marker}\n+b\n`), [1, `a${marker}`, 'a']);
    assert.deepEqual(line('a\nb\n', `@@ -1 +1 @@\n-a\n+c${marker}\n`), [2, 'the end of the file', 'b']);
    assert.deepEqual(line('a', '@@ -1,0 +2 @@\n+b\n'), [1, 'a', `a${marker}`]);
  });

  it('tells when nothing would change', () => {
    assert.deepEqual(apply('a\nb\n', '@@ -1,2 +1,2 @@\n a\n b\n'), { status: 'no_change' });
    assert.deepEqual(apply('a\nb\n', '@@ -1 +1 @@\n-a\n+a\n'), { status: 'no_change' });
  });

  it('shows of long lines the part that differs', () => {
    const mismatch = apply(`${'x'.repeat(900)}1${'y'.repeat(900)}\n`, `@@ -1 +1 @@\n-${'x'.repeat(900)}2\n+z\n`);
    assert.ok(typeof mismatch === 'object' && mismatch && 'found' in mismatch && 'expected' in mismatch);
    assert.match(String(mismatch.found), /^….*x1y.*…$/);
    assert.match(String(mismatch.expected), /^….*x2$/);
  });

  const line = fc.constantFrom('a', 'b', 'c', '', '-', '+ x', '\\ No', '@@ -1 +1 @@', '--- a', '\f', '\u2028', '😀 $&');
  const file = fc
    .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([lines, ending, ended]) => lines.join(ending) + (ended && lines.length > 0 ? ending : ''));

  it('applies what jsdiff writes to its own base, and to no text in which those lines differ', () => {
    fc.assert(
      fc.property(file, file, fc.integer({ min: 0, max: 4 }), fc.nat(), (before, after, context, at) => {
        const [from, to] = [parseText(before).content, parseText(after).content];
        fc.pre(from !== to);
        const patch = createTwoFilesPatch('x', 'x', from, to, undefined, undefined, { context });
        const { hunks } = parse(patch);
        const placement = placePatch(parseText(from), hunks);
        assert.ok(placement.status === 'located', `${JSON.stringify(placement)}\n${patch}`);
        assert.equal(renderText(applySpans(parseText(from), placement.spans, '\n')), to);
        const lines = from.split('\n');
        const touched = at % Math.max(1, lineCount(from));
        lines[touched] = `${lines[touched]}!`;
        const needed = hunks.some(
          (hunk) => hunk.oldStart <= touched && touched < hunk.oldStart + lineCount(sidesOf(hunk).oldText),
        );
        if (needed) {
          assert.equal(placePatch(parseText(lines.join('\n')), hunks).status, 'patch_mismatch');
        }
      }),
      { seed: 11, numRuns: 400 },
    );
  });

  it('applies what git writes to its own base', function () {
    this.timeout(10_000);
    const folder = mkdtempSync(join(tmpdir(), 'patch-'));
    try {
      const cases = fc.sample(fc.tuple(file, file), { seed: 13, numRuns: 40 });
      for (const [index, [before, after]] of cases.entries()) {
        for (const side of ['a', 'b']) {
          mkdirSync(join(folder, side), { recursive: true });
          writeFileSync(join(folder, side, `ä ${index}.txt`), side === 'a' ? before : after);
        }
      }
      for (const context of ['-U0', '-U3']) {
        const sections = gitDiff(folder, context).split(/^(?=diff --git )/m);
        assert.ok(sections.length > 25);
        for (const section of sections) {
          const { oldName, newName, hunks } = parse(section);
          const index = Number(/(\d+)\.txt/.exec(oldName ?? '')?.[1]);
          assert.equal(oldName, `a/ä ${index}.txt`);
          assert.equal(newName, `b/ä ${index}.txt`);
          const [before = '', after = ''] = cases[index] ?? [];
          const placement = placePatch(parseText(before), hunks);
          const ending = after.includes('\r\n') ? '\r\n' : '\n';
          if (parseText(before).content === parseText(after).content) {
            assert.equal(placement.status, 'no_change');
          } else {
            assert.ok(placement.status === 'located', `${JSON.stringify(placement)}\n${section}`);
            const result = applySpans(parseText(before), placement.spans, ending);
            assert.equal(result.content, parseText(after).content);
          }
        }
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function gitDiff(folder: string, context: string): string {
  try {
    return execFileSync('git', ['diff', '--no-index', '--no-color', '--no-ext-diff', '--text', context, 'a', 'b'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    });
  } catch (error) {
    // Exit status 1 says that there are differences.
    if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string' && error.stdout !== '') {
      return error.stdout;
    }
    throw error;
  }
}
