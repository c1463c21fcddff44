import assert from 'node:assert/strict';
import { baseOf, edit, only, read, replace } from './support/agent.ts';
import { bytesOf, fresh, sha256, textOf } from './support/disk.ts';
import { documentOf, engineer } from './support/engineer.ts';
import { withSettings } from './support/settings.ts';

const EMPTY = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describe('Known failures of line ends', function () {
  this.timeout(60_000);

  describe('A word changes, and every line end stays what it was', () => {
    for (const [what, before] of [
      ['mixed line ends, and carriage returns that are data', 'start\nload 10%\rload 90%\rdone\nend\r\n'],
      ['CRLF, and one bare line feed', 'start\r\none\r\ntwo\nthree\r\n'],
      ['line feeds, and one CRLF', 'start\none\ntwo\r\nthree\n'],
      ['lone carriage returns only', 'start\rone\rtwo\r'],
      ['a carriage return before a CRLF', 'start\r\r\none\r\n'],
      ['a carriage return at the very end', 'start\none\n\r'],
    ] as const) {
      it(what, async () => {
        const path = fresh(before, 'log.txt');
        const [part] = await read(path);
        assert.equal(part?.header.base, sha256(before));
        const result = await replace(path, String(part.header.base), 'start', 'begin');
        assert.equal(result.status, 'applied', JSON.stringify(result));
        const after = before.replace('start', 'begin');
        assert.deepEqual(bytesOf(path), Buffer.from(after));
        const changed = [...bytesOf(path)].filter((byte, index) => byte !== Buffer.from(before)[index]);
        assert.equal(changed.length, 5);
        assert.deepEqual([result.base, result.changed_lines, result.hooks], [sha256(after), [[1, 1]], undefined]);
        const stale = await replace(path, sha256(before), 'begin', 'x');
        assert.equal(stale.status, 'stale_base');
        assert.equal(String(stale.diff_since_read).match(/^[-+]/gm)?.length, 2, String(stale.diff_since_read));
      });
    }
  });

  describe('What a file with CRLF is asked for in line feeds lands in CRLF', () => {
    const before = 'set A=1\r\nset B=2\r\necho %A%\r\n';
    const after = 'set A=1\r\nset B=3\r\nset C=4\r\necho %A%\r\n';
    for (const [what, wish] of [
      [
        'edits with line feeds',
        { edits: [{ old_string: 'set A=1\nset B=2', new_string: 'set A=1\nset B=3\nset C=4' }] },
      ],
      [
        'edits with CRLF',
        { edits: [{ old_string: 'set A=1\r\nset B=2', new_string: 'set A=1\r\nset B=3\r\nset C=4' }] },
      ],
      [
        'edits with both',
        { edits: [{ old_string: 'set A=1\nset B=2\r\n', new_string: 'set A=1\r\nset B=3\nset C=4\n' }] },
      ],
      ['an edit inside a line', { edits: [{ old_string: 'B=2', new_string: 'B=3\nset C=4' }] }],
      ['an edit of a line end', { edits: [{ old_string: '=2\n', new_string: '=3\nset C=4\n' }] }],
      ['a patch with line feeds', { patch: '@@ -1,3 +1,4 @@\n set A=1\n-set B=2\n+set B=3\n+set C=4\n echo %A%\n' }],
      [
        'a patch with CRLF',
        { patch: '@@ -1,3 +1,4 @@\r\n set A=1\r\n-set B=2\r\n+set B=3\r\n+set C=4\r\n echo %A%\r\n' },
      ],
      ['a whole text', { content: 'set A=1\nset B=3\nset C=4\necho %A%\n' }],
    ] as const) {
      it(what, async () => {
        const path = fresh(before, 'w.bat');
        const [part] = await read(path);
        assert.deepEqual([part?.content, part?.header.eol], [before.replaceAll('\r', ''), 'crlf']);
        const result = only(await edit({ files: [{ path, base: part?.header.base, ...wish }] }));
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.equal(textOf(path), after);
        assert.deepEqual([result.base, result['format_changed']], [sha256(after), undefined]);
      });
    }

    it('in UTF-16, and with unsaved text', async () => {
      const path = fresh(Buffer.from(`\uFEFF${before}`, 'utf16le'), 'w.bat');
      await engineer.types(path, 'x', { line: 2, character: 8 });
      const edits = [{ old_string: 'set A=1\nset B=2', new_string: 'set A=1\nset B=3\nset C=4' }];
      const result = only(await edit({ files: [{ path, base: await baseOf(path), edits }] }));
      assert.equal(result.status, 'applied', JSON.stringify(result));
      await engineer.saves(path);
      assert.equal(bytesOf(path).toString('utf16le'), `\uFEFF${after.replace('%A%', '%A%x')}`);
    });
  });

  describe('No newline is added at the end of a file that has none', () => {
    const before = '{\n "a": 1,\n "b": 2\n}';
    for (const [what, wish, after] of [
      ['by an edit elsewhere', { edits: [{ old_string: '"a": 1', new_string: '"a": 5' }] }, '{\n "a": 5,\n "b": 2\n}'],
      [
        'by an edit of the last line',
        { edits: [{ old_string: '2\n}', new_string: '3\n}' }] },
        '{\n "a": 1,\n "b": 3\n}',
      ],
      [
        'by an edit that adds lines',
        { edits: [{ old_string: '}', new_string: '\n}\n// x' }] },
        `${before.slice(0, -1)}\n}\n// x`,
      ],
      [
        'by a patch',
        { patch: '@@ -1,4 +1,4 @@\n {\n- "a": 1,\n+ "a": 5,\n  "b": 2\n }\n\\ No newline at end of file\n' },
        '{\n "a": 5,\n "b": 2\n}',
      ],
      ['by a patch that stops before', { patch: '@@ -2,1 +2,1 @@\n- "a": 1,\n+ "a": 5,\n' }, '{\n "a": 5,\n "b": 2\n}'],
      ['by a whole text without one', { content: '{}' }, '{}'],
    ] as const) {
      it(what, async () => {
        const path = fresh(before, 'strings.json');
        const result = only(await edit({ files: [{ path, base: await baseOf(path), ...wish }] }));
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.equal(textOf(path), after);
        assert.deepEqual([result.base, result.hooks], [sha256(after), undefined]);
      });
    }

    it('in a file with CRLF, nor taken from one that has one, nor from one that has many', async () => {
      for (const text of ['a\r\nb', 'a\r\nb\r\n', 'a\nb\n\n\n', '\n', 'b']) {
        const path = fresh(`one\n${text}`.replace('one\n', text.includes('\r') ? 'one\r\n' : 'one\n'));
        const before = textOf(path);
        const result = await replace(path, await baseOf(path), 'one', '1');
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.equal(textOf(path), before.replace('one', '1'));
      }
    });

    for (const [setting, content, asked, saved] of [
      ['insertFinalNewline', before, before.replace('1', '5'), `${before.replace('1', '5')}\n`],
      ['trimFinalNewlines', 'a\n"a": 1\n\n\n\n', 'a\n"a": 5\n\n\n\n', 'a\n"a": 5\n'],
    ] as const) {
      it(`but by the editor, where ${setting} is on: then the reply says so, and the base counts it`, async () => {
        await withSettings('files', { [setting]: true }, async () => {
          const path = fresh(content, 'strings.txt');
          const result = await replace(path, await baseOf(path), '"a": 1', '"a": 5');
          assert.equal(result.status, 'applied', JSON.stringify(result));
          assert.equal(textOf(path), saved);
          assert.deepEqual([result.hooks, result.base], [['format on save'], sha256(saved)], asked);
          assert.match(String(result.diff_by_hooks), setting === 'insertFinalNewline' ? /^\+\}$/m : /^-$/m);
          const next = await replace(path, String(result.base), '"a": 5', '"a": 6');
          assert.equal(next.status, 'applied', JSON.stringify(next));
          assert.equal(next.hooks, undefined);
        });
      });
    }
  });

  describe('An empty search text lands nowhere', () => {
    for (const [what, content] of [
      ['in a file with text', 'abc'],
      ['in an empty file', ''],
      ['in a file with nothing but a newline', '\n'],
      ['in a file with nothing but a BOM', '\uFEFF'],
    ] as const) {
      it(what, async () => {
        const path = fresh(content, 't.txt');
        const base = await baseOf(path);
        for (const more of [{}, { replace_all: true }, { line: 1 }]) {
          const edits = [{ old_string: '', new_string: '#', ...more }];
          const result = only(await edit({ files: [{ path, base, edits }] }));
          assert.equal(result.status, 'invalid_input', JSON.stringify(result));
          assert.match(String(result.reason), /`old_string` is empty/);
          assert.match(String(result.reason), /for an empty file send `content`/);
          assert.equal(textOf(path), content);
        }
      });
    }

    it('not even beside an edit that would', async () => {
      const path = fresh('abc');
      const edits = [
        { old_string: 'b', new_string: 'B' },
        { old_string: '', new_string: '#' },
      ];
      const result = only(await edit({ files: [{ path, base: await baseOf(path), edits }] }));
      assert.equal(result.status, 'invalid_input', JSON.stringify(result));
      assert.equal(textOf(path), 'abc');
    });
  });

  describe('An empty file is a file like any other', () => {
    it('with a base, a place for text, and an end of it again', async () => {
      const path = fresh('', 'e.txt');
      const [part] = await read(path);
      assert.deepEqual(
        [part?.header.status, part?.header.base, part?.header.lines, part?.content],
        ['ok', EMPTY, '0-0 of 0', ''],
      );
      const filled = only(await edit({ files: [{ path, base: EMPTY, content: 'first\n' }] }));
      assert.equal(filled.status, 'applied', JSON.stringify(filled));
      assert.equal(textOf(path), 'first\n');
      assert.deepEqual(filled.changed_lines, [[1, 1]]);
      const emptied = only(await edit({ files: [{ path, base: filled.base, content: '' }] }));
      assert.deepEqual([emptied.status, emptied.base], ['applied', EMPTY], JSON.stringify(emptied));
      assert.equal(textOf(path), '');
      assert.equal(documentOf(path).isDirty, false);
    });

    it('by a patch, and one that an edit has emptied', async () => {
      const path = fresh('', 'e.txt');
      const filled = only(await edit({ files: [{ path, base: EMPTY, patch: '@@ -0,0 +1,1 @@\n+first\n' }] }));
      assert.equal(filled.status, 'applied', JSON.stringify(filled));
      assert.equal(textOf(path), 'first\n');
      const emptied = await replace(path, String(filled.base), 'first\n', '');
      assert.deepEqual([emptied.status, emptied.base], ['applied', EMPTY], JSON.stringify(emptied));
    });

    it('which is not nothing: it is created once, deleted, and its base is not that of a missing file', async () => {
      const path = fresh('x\n').replace('file.txt', 'e.txt');
      const create = { path, base: 'absent', content: '' };
      const created = only(await edit({ files: [create] }));
      assert.deepEqual([created.status, created.base], ['applied', EMPTY], JSON.stringify(created));
      const taken = only(await edit({ files: [{ ...create, content: 'second\n' }] }));
      assert.deepEqual([taken.status, taken.actual], ['stale_base', EMPTY], JSON.stringify(taken));
      assert.equal(textOf(path), '');
      const deleted = only(await edit({ files: [{ path, base: EMPTY, delete: true }] }));
      assert.deepEqual([deleted.status, deleted.base], ['applied', 'absent'], JSON.stringify(deleted));
      const gone = only(await edit({ files: [{ path, base: EMPTY, content: 'third\n' }] }));
      assert.deepEqual([gone.status, gone.actual], ['stale_base', 'absent'], JSON.stringify(gone));
      assert.throws(() => textOf(path), { code: 'ENOENT' });
    });
  });
});
