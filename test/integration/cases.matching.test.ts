import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { baseOf, edit, only, read, replace, replaceAll } from './support/agent.ts';
import { bytesOf, fresh, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { isOpen } from './support/engineer.ts';

describe('Known failures of matching', function () {
  this.timeout(60_000);

  describe('Overlapping occurrences are all counted', () => {
    for (const [content, old, count, lines] of [
      ['-\n-\n-\n', '-\n-\n', 2, [1, 2]],
      ['aaaa', 'aa', 3, [1, 1, 1]],
      ['a\na\na\na', 'a\na', 3, [1, 2, 3]],
      ['abababa\n', 'aba', 3, [1, 1, 1]],
      ['\n\n\n', '\n\n', 2, [1, 2]],
      ['\t\t\tx', '\t\t', 2, [1, 1]],
      ['🙂🙂🙂', '🙂🙂', 2, [1, 1]],
      ['x\r\nx\r\nx\r\n', 'x\nx\n', 2, [1, 2]],
    ] as const) {
      it(`${JSON.stringify(old)} in ${JSON.stringify(content)}`, async () => {
        const path = fresh(content, 'r.txt');
        const result = await replace(path, await baseOf(path), old, '+');
        assert.equal(result.status, 'ambiguous', JSON.stringify(result));
        assert.deepEqual([result['count'], result['lines']], [count, lines]);
        assert.match(String(result.next), /line/);
        assert.equal(textOf(path), content);
        assert.equal(isOpen(path), false);
      });
    }

    it('and the line where one starts picks it', async () => {
      const path = fresh('-\n-\n-\n', 'r.txt');
      const base = await baseOf(path);
      const wish = (line: number) => [{ old_string: '-\n-\n', new_string: '+\n+\n', line }];
      assert.equal((await replaceAll(path, base, wish(3))).status, 'ambiguous');
      const result = await replaceAll(path, base, wish(2));
      assert.equal(result.status, 'applied', JSON.stringify(result));
      assert.equal(textOf(path), '-\n+\n+\n');
    });

    it('but where one line holds two, no line picks one', async () => {
      const path = fresh('x\naaa\n', 'r.txt');
      const result = await replaceAll(path, await baseOf(path), [{ old_string: 'aa', new_string: 'b', line: 2 }]);
      assert.equal(result.status, 'ambiguous', JSON.stringify(result));
      assert.equal(textOf(path), 'x\naaa\n');
    });

    it('and all of them means those that do not overlap, from the left', async () => {
      const path = fresh('-\n-\n-\n', 'r.txt');
      const edits = [{ old_string: '-\n-\n', new_string: '+\n', replace_all: true }];
      const result = await replaceAll(path, await baseOf(path), edits);
      assert.equal(result.status, 'applied', JSON.stringify(result));
      assert.equal(textOf(path), '+\n-\n');
    });
  });

  describe('Blanks that are not those of the file match nothing, and the answer shows what is there', () => {
    for (const [what, line, sought, differs] of [
      ['a tab, sought as four blanks', '\treturn 1', '    return 1', /tab/],
      ['a tab, sought as eight blanks', '\treturn 1', '        return 1', /tab|indentation/],
      ['two tabs, sought as one', '\t\treturn 1', '\treturn 1 // x', /./],
      ['four blanks, sought as a tab', '    return 1', '\treturn 1', /tab/],
      ['four blanks, sought as two', '    return 1', '\n  return 1', /indentation/],
      ['a tab inside the line', 'a\tb', 'a b', /tab|blanks/],
      ['a blank at the end', 'return 1 ', 'return 1\n', /trailing blanks/],
      ['a blank too many at the end', 'return 1', 'return 1 \n', /trailing blanks/],
      ['a non-breaking blank', 'return\u00a01', 'return 1', /U\+00A0/],
    ] as const) {
      it(what, async () => {
        const content = `func f() {\n${line}\n}\n`;
        const path = fresh(content, 'g.go');
        const [part] = await read(path);
        assert.equal(part?.content, content);
        const result = await replace(path, String(part.header.base), sought, 'return 2');
        assert.equal(result.status, 'not_found', JSON.stringify(result));
        const nearest = result['nearest'] as { line: number; text: string; differs: string[] };
        assert.ok(nearest.line === 2 || sought.startsWith('\n'), JSON.stringify(nearest));
        assert.ok(nearest.text.includes(line.trim()), JSON.stringify(nearest));
        assert.match(nearest.differs.join(', '), differs);
        assert.equal(textOf(path), content);
        assert.equal(isOpen(path), false);
      });
    }

    it('and the right ones do, and stay', async () => {
      const path = fresh('func f() {\n\treturn 1\n}\n', 'g.go');
      const result = await replace(path, await baseOf(path), '\treturn 1', '\treturn 2');
      assert.equal(result.status, 'applied', JSON.stringify(result));
      assert.deepEqual(bytesOf(path), Buffer.from('func f() {\n\treturn 2\n}\n'));
    });
  });

  describe('Line 4 is the same line for read, edit, diff and editor', () => {
    for (const [what, odd] of [
      ['a form feed', '\f'],
      ['a vertical tab', '\v'],
      ['a file separator', '\x1c'],
      ['a group separator', '\x1d'],
      ['a record separator', '\x1e'],
      ['a unit separator', '\x1f'],
      ['a next-line character', '\x85'],
      ['a line separator', '\u2028'],
      ['a paragraph separator', '\u2029'],
      ['an escaped line feed', '\\n'],
      ['a picture of a line feed', '\u240a'],
    ] as const) {
      it(`around ${what}`, async () => {
        const before = `p1\n${odd}\ndef g():\n    return 2\n`;
        const after = before.replace('return 2', 'return 3');
        const path = fresh(before, 'old.py');
        const [part] = await read({ path, start_line: 4, end_line: 4 });
        assert.deepEqual([part?.content, part?.header.lines], ['    return 2\n', '4-4 of 4']);
        const base = String(part?.header.base);
        const at = (line: number) => [{ old_string: '    return 2', new_string: '    return 3', line }];
        assert.equal((await replaceAll(path, base, at(5))).status, 'not_found');
        const result = await replaceAll(path, base, at(4));
        assert.deepEqual([result.status, result.changed_lines], ['applied', [[4, 4]]], JSON.stringify(result));
        assert.deepEqual(bytesOf(path), Buffer.from(after));
        const document = await vscode.workspace.openTextDocument(uriOf(path));
        assert.deepEqual([document.lineCount, document.lineAt(3).text], [5, '    return 3']);
        const patch = '@@ -4,1 +4,1 @@\n-    return 3\n+    return 4\n';
        const patched = only(await edit({ files: [{ path, base: result.base, patch }] }));
        assert.equal(patched.status, 'applied', JSON.stringify(patched));
        const stale = await replace(path, base, 'p1', 'P1');
        assert.match(String(stale.diff_since_read), /^@@ -1,4 \+1,4 @@\n p1\n/);
        assert.match(String(stale.diff_since_read), /\n- {4}return 2\n\+ {4}return 4\n$/);
      });
    }
  });

  describe('No character is cut in half', () => {
    const half = (text: string, at: number) => text.slice(0, at);
    for (const [what, content, old, replacement] of [
      ['the first of two', '🙂🙂 ok\n', '🙂🙂 ok', 'a🙂 ok'],
      ['the last of two', '🙂🙂 ok\n', '🙂 ok', 'a ok'],
      ['one of a family', 'x 👩‍👩‍👧 y\n', '👩‍👩‍👧', '👩‍👧'],
      ['one with the same first half', '🙂 ok\n', '🙂', '🙃'],
      ['one with the same second half', '🙂 ok\n', '🙂', '𐤂'],
      ['a flag', '🇩🇪\n', '🇩🇪', '🇫🇷'],
      ['one beyond all planes but the last', '\u{10ffff}\n', '\u{10ffff}', '\u{10fffd}'],
    ] as const) {
      it(`by an edit of ${what}`, async () => {
        const path = fresh(content, 'u.md');
        const result = await replace(path, await baseOf(path), old, replacement);
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.equal(textOf(path), content.replace(old, replacement));
        assert.equal(result.base, sha256(content.replace(old, replacement)));
      });
    }

    it('by a search for one half, nor by new text that holds one', async () => {
      const content = '🙂🙂 ok\n';
      const path = fresh(content, 'u.md');
      const base = await baseOf(path);
      for (const old of [half(content, 1), content.slice(1), content.slice(1, 3), content.slice(3, 5)]) {
        const result = await replace(path, base, old, 'a');
        assert.equal(result.status, 'not_found', JSON.stringify(result));
        assert.match(JSON.stringify(result['nearest']), /splits a character/);
      }
      for (const wish of [
        { edits: [{ old_string: 'ok', new_string: half('🙂', 1) }] },
        { edits: [{ old_string: 'ok', new_string: '🙂'.slice(1) }] },
        { content: `${'🙂'.slice(1)}${half('🙂', 1)}\n` },
        { patch: `@@ -1,1 +1,1 @@\n-🙂🙂 ok\n+🙂${half('🙂', 1)} ok\n` },
      ]) {
        const result = only(await edit({ files: [{ path, base, ...wish }] }));
        assert.equal(result.status, 'unencodable', JSON.stringify(result));
      }
      assert.deepEqual(bytesOf(path), Buffer.from(content));
    });

    it('by the end of a window', async () => {
      const limit = 256 * 1024;
      for (const lead of ['', 'x', 'xx', 'x\n', 'é']) {
        const path = fresh(`${lead}${'🙂'.repeat(limit / 2)}\nend\n`, 'long.md');
        const [part] = await read(path);
        assert.ok(part);
        assert.ok(part.content.isWellFormed(), lead);
        assert.ok([limit, limit - 1].includes(part.content.length) || lead === 'x\n', String(part.content.length));
        assert.equal(part.header.chars, part.content.length);
      }
    });

    it('in a diff, where one character becomes another', async () => {
      const path = fresh('🙂 ok\n', 'u.md');
      const base = await baseOf(path);
      writes(path, '🙃 ok\n');
      const stale = await replace(path, base, 'ok', 'x');
      assert.equal(stale.diff_since_read, '@@ -1,1 +1,1 @@\n-🙂 ok\n+🙃 ok\n');
      assert.ok(JSON.stringify(stale).isWellFormed());
    });
  });
});
