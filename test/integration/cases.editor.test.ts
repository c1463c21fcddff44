import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { type Answer, baseOf, edit, only, type Result, read, replace, replaceAll } from './support/agent.ts';
import { fresh, pathOf, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { documentOf, engineer, until } from './support/engineer.ts';
import { duringSave, latch, whenTextIs } from './support/moments.ts';
import { withSettings } from './support/settings.ts';

async function sends(entry: object): Promise<Result> {
  return only(await edit({ files: [entry] }));
}

/** Puts quotation marks of another kind in, as formatters do. */
function registerQuotes(pattern: string): vscode.Disposable {
  return vscode.languages.registerDocumentFormattingEditProvider(
    { pattern },
    {
      provideDocumentFormattingEdits: (document) =>
        [...document.getText().matchAll(/"/g)].map(({ index }) =>
          vscode.TextEdit.replace(new vscode.Range(document.positionAt(index), document.positionAt(index + 1)), "'"),
        ),
    },
  );
}

describe('Known failures in the editor', function () {
  this.timeout(60_000);

  describe('Of two calls at once on one file, one lands and the other is refused with its cause', () => {
    const before = 'l1\nl2\nl3\n';
    const change = (old: string, replacement: string) => ({ edits: [{ old_string: old, new_string: replacement }] });
    for (const [what, one, other, after, second] of [
      ['edits', change('l1', 'A'), change('l3', 'C'), 'A\nl2\nl3\n', 'stale_base'],
      ['the same edits the other way round', change('l3', 'C'), change('l1', 'A'), 'l1\nl2\nC\n', 'stale_base'],
      ['an edit and a whole text', change('l1', 'A'), { content: 'all\n' }, 'A\nl2\nl3\n', 'stale_base'],
      ['a whole text and an edit', { content: 'all\n' }, change('l1', 'A'), 'all\n', 'stale_base'],
      ['a patch and an edit', { patch: '@@ -1,1 +1,1 @@\n-l1\n+A\n' }, change('l3', 'C'), 'A\nl2\nl3\n', 'stale_base'],
      ['an edit and a delete', change('l1', 'A'), { delete: true }, 'A\nl2\nl3\n', 'stale_base'],
      ['a delete and an edit', { delete: true }, change('l1', 'A'), undefined, 'stale_base'],
      ['an edit and the very same one', change('l1', 'A'), change('l1', 'A'), 'A\nl2\nl3\n', 'already_applied'],
    ] as const) {
      it(what, async () => {
        const path = fresh(before, 'c.txt');
        const base = await baseOf(path);
        const results = await Promise.all([
          sends({ path, base, ...one }),
          sends({ path: pathOf(path), base, ...other }),
        ]);
        assert.deepEqual(
          results.map(({ status }) => status),
          ['applied', second],
          JSON.stringify(results),
        );
        if (after === undefined) {
          assert.throws(() => textOf(path), { code: 'ENOENT' });
        } else {
          assert.equal(textOf(path), after);
        }
        if (second === 'stale_base') {
          assert.match(String(results[1].changed_by), /^edit #\d+ \(session unknown, turn \d+\)$/);
          assert.equal(results[1].actual, results[0].base);
          assert.ok(String(results[1].diff_since_read).startsWith('@@'), JSON.stringify(results[1]));
        }
      });
    }

    it('ten of them', async () => {
      const path = fresh(Array.from({ length: 10 }, (_, index) => `l${index}.\n`).join(''), 'c.txt');
      const base = await baseOf(path);
      const calls = Array.from({ length: 10 }, (_, index) => replace(path, base, `l${index}.`, 'X'));
      const results = await Promise.all(calls);
      assert.equal(results.filter(({ status }) => status === 'applied').length, 1);
      assert.equal(results.filter(({ status }) => status === 'stale_base').length, 9);
      assert.equal(textOf(path).match(/X/g)?.length, 1);
    });

    it('while both land in one call', async () => {
      const path = fresh(before, 'c.txt');
      const edits = [...change('l1', 'A').edits, ...change('l3', 'C').edits];
      assert.equal((await replaceAll(path, await baseOf(path), edits)).status, 'applied');
      assert.equal(textOf(path), 'A\nl2\nC\n');
    });

    it('and calls on other files do not wait', async () => {
      const [slow, quick] = [fresh(before, 'slow.txt'), fresh(before, 'quick.txt')];
      const [reached, saving] = [latch(), latch()];
      const formatter = vscode.languages.registerDocumentFormattingEditProvider(
        { pattern: '**/slow.txt' },
        {
          provideDocumentFormattingEdits: async () => {
            reached.open();
            await saving.opened;
            return [];
          },
        },
      );
      try {
        await withSettings('editArbiter', { formatAfterEdit: true }, async () => {
          const calling = replace(slow, await baseOf(slow), 'l1', 'A');
          await reached.opened;
          assert.equal((await replace(quick, await baseOf(quick), 'l1', 'A')).status, 'applied');
          assert.equal(textOf(slow), before);
          saving.open();
          assert.equal((await calling).status, 'applied');
        });
      } finally {
        formatter.dispose();
      }
    });
  });

  describe('A key between the compare and the end of the apply neither moves the edit nor is lost', () => {
    for (const [what, place, command, argument, before, after] of [
      ['Enter above it', [0, 0], 'type', { text: '\n' }, '\napple\nbanana\n', '\nXXXXX\nbanana\n'],
      ['a letter on the line below', [1, 0], 'type', { text: 'x' }, 'apple\nxbanana\n', 'XXXXX\nxbanana\n'],
      [
        'a line taken out above it',
        [0, 0],
        'editor.action.deleteLines',
        undefined,
        'apple\nbanana\n',
        'XXXXX\nbanana\n',
      ],
      [
        'a paste above it',
        [0, 0],
        'paste',
        { text: 'one\ntwo\n' },
        'one\ntwo\napple\nbanana\n',
        'one\ntwo\nXXXXX\nbanana\n',
      ],
      ['lines that change places', [2, 0], 'editor.action.moveLinesUpAction', undefined, undefined, undefined],
    ] as const) {
      it(what, async () => {
        const head = command === 'editor.action.deleteLines' ? 'head\n' : '';
        for (let round = 0; round < 2; round += 1) {
          const start = `${head}apple\nbanana\n${command === 'editor.action.moveLinesUpAction' ? 'cherry\n' : ''}`;
          const path = fresh(start, 'f.txt');
          const editor = await engineer.opens(path);
          editor.selection = new vscode.Selection(place[0], place[1], place[0], place[1]);
          const base = await baseOf(path);
          const { version } = editor.document;
          const calling = replace(path, base, 'apple', 'XXXXX');
          for (let wait = 0; wait < 2 * round; wait += 1) {
            await new Promise((resolve) => setImmediate(resolve));
          }
          const pressing = vscode.commands.executeCommand(command, argument);
          const result = await calling;
          await pressing;
          const endings = [before ?? 'apple\ncherry\nbanana\n', after ?? 'XXXXX\ncherry\nbanana\n'];
          await until(() => editor.document.version > version && endings.includes(editor.document.getText()));
          const isFirst = editor.document.getText() === endings[1];
          assert.equal(result.status === 'applied', isFirst, JSON.stringify(result));
          if (!isFirst) {
            assert.ok(['stale_base', 'apply_failed'].includes(result.status), JSON.stringify(result));
            assert.equal(textOf(path), start, 'nothing reaches the disk');
          }
        }
      });
    }
  });

  describe('What a save does beside the edit is told, and the base counts it', () => {
    it('a formatter on save: the next edit of what it changed is not found', async () => {
      const path = fresh('let a = "x";\n', 'q.txt');
      const formatter = registerQuotes('**/q.txt');
      try {
        await withSettings('editor', { formatOnSave: true }, async () => {
          const first = await replace(path, await baseOf(path), 'let a = "x";\n', 'let a = "x";\nlet b = "y";\n');
          assert.equal(first.status, 'applied', JSON.stringify(first));
          assert.equal(textOf(path), "let a = 'x';\nlet b = 'y';\n");
          assert.deepEqual([first.hooks, first.base], [['format on save'], sha256(textOf(path))]);
          assert.equal(
            first.diff_by_hooks,
            `@@ -1,2 +1,2 @@\n-let a = "x";\n-let b = "y";\n+let a = 'x';\n+let b = 'y';\n`,
          );
          assert.deepEqual(first.changed_lines, [[1, 2]]);
          const second = await replace(path, String(first.base), 'let a = "x";', 'let a = "z";');
          assert.equal(second.status, 'not_found', JSON.stringify(second));
          const nearest = second['nearest'] as { line: number; differs: string[] };
          assert.equal(nearest.line, 1);
          assert.match(nearest.differs.join(), /quotes/);
          const stale = await replace(path, sha256('let a = "x";\n'), 'b', 'c');
          assert.equal(stale.changed_by?.at(-1), 'post-write hook: format on save');
        });
      } finally {
        formatter.dispose();
      }
    });

    for (const [setting, before, after, shown] of [
      ['trimTrailingWhitespace', 'one  \ntwo\n', 'one\n2\n', '@@ -1,2 +1,2 @@\n-one  \n+one\n 2\n'],
      ['insertFinalNewline', 'one\ntwo', 'one\n2\n', '@@ -1,2 +1,2 @@\n one\n-2\n\\ No newline at end of file\n+2\n'],
      ['trimFinalNewlines', 'one\ntwo\n\n\n', 'one\n2\n', '@@ -1,4 +1,2 @@\n one\n 2\n-\n-\n'],
    ] as const) {
      it(setting, async () => {
        await withSettings('files', { [setting]: true }, async () => {
          const path = fresh(before, 'w.md');
          const result = await replace(path, await baseOf(path), 'two', '2');
          assert.equal(result.status, 'applied', JSON.stringify(result));
          assert.deepEqual([result.hooks, result.diff_by_hooks], [['format on save'], shown]);
          assert.equal(textOf(path), after);
          assert.equal(result.base, sha256(after));
          const next = await replace(path, String(result.base), 'one', '1');
          assert.deepEqual([next.status, next.hooks], ['applied', undefined], JSON.stringify(next));
        });
      });
    }

    it('another extension, in the save', async () => {
      const path = fresh('one\ntwo\n', 'w.md');
      duringSave(path, async () => [vscode.TextEdit.insert(new vscode.Position(0, 0), '# stamp\n')]);
      const result = await replace(path, await baseOf(path), 'two', '2');
      assert.deepEqual([result.status, result.hooks], ['applied', ['format on save']], JSON.stringify(result));
      assert.equal(result.diff_by_hooks, '@@ -1,2 +1,3 @@\n+# stamp\n one\n 2\n');
      assert.deepEqual([textOf(path), result.base], ['# stamp\none\n2\n', sha256('# stamp\none\n2\n')]);
      assert.deepEqual(result.changed_lines, [
        [1, 1],
        [3, 3],
      ]);
    });

    for (const [what, theirs] of [
      ['other bytes of the same length', 'a=1\nb=5\n'],
      ['more bytes', 'a=1\nb=22222\n'],
      ['fewer bytes', 'a\n'],
      ['nothing', ''],
      ['what is no text', '\0'],
    ] as const) {
      it(`another program that writes ${what} between the apply and the save`, async () => {
        const path = fresh('a=1\nb=2\n', 'm.py');
        await engineer.holds(path);
        const base = await baseOf(path);
        whenTextIs(path, 'a=9\nb=2\n', () => writes(path, theirs));
        const result = await replace(path, base, 'a=1', 'a=9');
        assert.equal(textOf(path), theirs, 'never written over');
        if (theirs === '\0') {
          assert.ok(['binary', 'apply_failed'].includes(result.status), JSON.stringify(result));
          assert.equal(documentOf(path).getText(), 'a=1\nb=2\n');
          return;
        }
        assert.equal(result.status, 'disk_changed_during_save', JSON.stringify(result));
        assert.deepEqual([result.changed_by, result.actual], [['external writer'], sha256(theirs)]);
        assert.equal(documentOf(path).getText(), theirs);
        // The editor takes no empty text for that of a file that moved: then its flag stays, over the text that is on disk.
        assert.equal(documentOf(path).isDirty, theirs === '');
        assert.equal((await read(path))[0]?.header['dirty'], undefined);
      });
    }
  });

  describe('One Undo takes back one call, and nothing brings it again', () => {
    const twice = [
      { old_string: '2', new_string: 'two' },
      { old_string: '3', new_string: 'three' },
    ];
    for (const [what, wish] of [
      ['two edits', { edits: twice }],
      ['a patch', { patch: '@@ -3,2 +3,2 @@\n-2\n-3\n+two\n+three\n' }],
      ['a whole text', { content: '0\n1\ntwo\nthree\n' }],
    ] as const) {
      it(`of ${what}`, async () => {
        const path = fresh('1\n2\n3\n', 'u.txt');
        await engineer.types(path, '0\n', { line: 0, character: 0 });
        await engineer.saves(path);
        const landed = await sends({ path, base: await baseOf(path), ...wish });
        assert.equal(landed.status, 'applied', JSON.stringify(landed));
        assert.equal(textOf(path), '0\n1\ntwo\nthree\n');
        await engineer.undoes(path);
        assert.equal(documentOf(path).getText(), '0\n1\n2\n3\n', 'the whole call, and nothing else');
        const stale = await replace(path, String(landed.base), '1', 'one');
        assert.equal(stale.status, 'stale_base', JSON.stringify(stale));
        assert.deepEqual(stale.changed_by, [`engineer: undo of edit #${landed.edit}`]);
        assert.equal(stale.diff_since_read, '@@ -1,4 +1,4 @@\n 0\n 1\n-two\n-three\n+2\n+3\n');
        while (documentOf(path).getText() !== '1\n2\n3\n') {
          await engineer.undoes(path);
          assert.doesNotMatch(documentOf(path).getText(), /t/);
        }
        assert.equal(documentOf(path).isDirty, true);
        assert.equal(textOf(path), '0\n1\ntwo\nthree\n', 'the disk waits for the engineer to save');
        const again = await sends({ path, base: landed.base, ...wish });
        assert.notEqual(again.status, 'applied', JSON.stringify(again));
        assert.equal(documentOf(path).getText(), '1\n2\n3\n');
      });
    }

    it('over several files of an atomic call, and a refused call leaves nothing to undo', async () => {
      const paths = [fresh('1\n', 'one.txt'), fresh('1\n', 'two.txt')];
      const edits = [{ old_string: '1', new_string: 'one' }];
      for (const path of paths) {
        await engineer.opens(path);
      }
      const files = paths.map((path) => ({ path, base: sha256('1\n'), edits }));
      const landed: Answer = await edit({ files, on_conflict: 'atomic' });
      assert.equal(landed.summary, '2 applied', JSON.stringify(landed));
      const refused = await replace(paths[0] ?? '', sha256('1\n'), 'nothing', 'x');
      assert.equal(refused.status, 'stale_base');
      await engineer.undoes(paths[0] ?? '');
      for (const path of paths) {
        await until(() => documentOf(path).getText() === '1\n');
        assert.equal(textOf(path), 'one\n');
      }
      assert.ok(vscode.workspace.textDocuments.some(({ uri }) => uri.toString() === uriOf(paths[1] ?? '').toString()));
    });
  });
});
