import assert from 'node:assert/strict';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import * as vscode from 'vscode';
import { baseOf, edit, read, replace } from './support/agent.ts';
import { fresh, pathOf, root, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { documentOf, engineer, until } from './support/engineer.ts';

/** The placeholder in a hook's command. */
const FILE = '\x24{file}';

/** Sets a setting of the extension for the workspace while `body` runs. */
async function withSetting(name: string, value: unknown, body: () => Promise<void>): Promise<void> {
  const settings = vscode.workspace.getConfiguration('editArbiter', uriOf('.'));
  await settings.update(name, value, vscode.ConfigurationTarget.Workspace);
  try {
    await body();
  } finally {
    await settings.update(name, undefined, vscode.ConfigurationTarget.Workspace);
  }
}

/** A hook that runs a line of Node on the file: `text` is its text, and what the line gives is written. */
function hook(name: string, expression: string, more: object = {}): object {
  const script = `const fs = require('fs'); const [file] = process.argv.slice(1); const text = fs.readFileSync(file, 'utf8'); fs.writeFileSync(file, ${expression});`;
  return { name, files: '**/*.txt', command: [process.execPath, '-e', script, '--', FILE], ...more };
}

describe('Hooks', function () {
  this.timeout(60_000);

  it('run after the save, in order; the base is the state after them, and their part is shown', async () => {
    const path = fresh('one\ntwo\nthree\nfour\n', 'it\'s a "file" -x.txt');
    const hooks = [
      hook('upper', "text.replace('two', 'TWO')"),
      hook('idle', 'text'),
      hook('twice', "text.replace('TWO', 'TWO TWO')"),
    ];
    await withSetting('hooks', hooks, async () => {
      const base = await baseOf(path);
      const result = await replace(path, base, 'four', '4');
      assert.equal(result.status, 'applied', JSON.stringify(result));
      assert.equal(textOf(path), 'one\nTWO TWO\nthree\n4\n');
      assert.deepEqual(result.hooks, ['upper', 'twice']);
      assert.equal(result.diff_by_hooks, '@@ -1,4 +1,4 @@\n one\n-two\n+TWO TWO\n three\n 4\n');
      assert.deepEqual(result.changed_lines, [
        [2, 2],
        [4, 4],
      ]);
      assert.equal(result.base, sha256(textOf(path)));
      const next = await replace(path, String(result.base), 'one', '1');
      assert.equal(next.status, 'applied', JSON.stringify(next));
      const stale = await replace(path, base, 'three', '3');
      assert.deepEqual(stale.changed_by?.slice(1, 3), ['post-write hook: upper', 'post-write hook: twice']);
      await until(() => documentOf(path).getText() === textOf(path));
      assert.equal(documentOf(path).isDirty, false);
    });
  });

  it('that fail, hang, are missing or make no sense leave the edit standing, and the result says so', async () => {
    const hooks = [
      hook('broken', '(() => { console.error("boom"); process.exit(3); })()'),
      { name: 'missing', files: '**/*.txt', command: ['/no/such/program', FILE] },
      { name: 'no program', files: '**/*.txt', command: ['/etc/passwd/x', FILE] },
      { name: 'no name', files: '**/*.txt', command: ['', FILE] },
      { name: 'NUL', files: '**/*.txt', command: ['echo', '\0'] },
      { name: 'long', files: '**/*.txt', command: ['echo', 'x'.repeat(3_000_000)] },
      hook('slow', '(() => { for (;;); })()', { timeout: 300 }),
      hook(
        'loud',
        '(() => { for (let i = 0; i < 2000; i += 1) { fs.writeSync(1, "x".repeat(100_000)); } return text; })()',
      ),
      { name: 'nonsense', files: '**/*.txt', command: 'rm -rf /' },
      hook('fine', "text + 'end\\n'"),
    ];
    const path = fresh('one\n');
    await withSetting('hooks', hooks, async () => {
      const result = await replace(path, await baseOf(path), 'one', '1');
      assert.equal(result.status, 'applied', JSON.stringify(result));
      assert.deepEqual(result.hooks, ['fine']);
      assert.equal(textOf(path), '1\nend\n');
      assert.equal(result.base, sha256('1\nend\n'));
      const note = String(result.note);
      assert.match(note, /hook broken failed: it ended with 3: .*boom/s);
      assert.match(note, /hook missing failed: "\/no\/such\/program" could not be started/);
      assert.match(note, /hook no program failed: "\/etc\/passwd\/x" could not be started/);
      assert.match(note, /hook no name failed: .*hook NUL failed: .*hook long failed: /s);
      assert.match(note, /hook slow failed: it did not end within 300 ms/);
      assert.doesNotMatch(note, /loud/);
    });
  });

  it('run for the files that they are for, and for no others', async () => {
    const path = fresh('one\n', 'a.md');
    await withSetting('hooks', [hook('upper', 'text.toUpperCase()')], async () => {
      const result = await replace(path, await baseOf(path), 'one', 'two');
      assert.equal(result.hooks, undefined);
      assert.equal(textOf(path), 'two\n');
    });
  });

  it('keep what the engineer types while they run, and then no base is given', async () => {
    const path = fresh('one\ntwo\n');
    const flag = pathOf(`${path}.flag`);
    const waiting = `(() => { fs.writeFileSync(${JSON.stringify(flag)}, ''); while (fs.existsSync(${JSON.stringify(flag)})); return text; })()`;
    await withSetting('hooks', [hook('waiting', waiting)], async () => {
      await engineer.opens(path);
      const base = await baseOf(path);
      const calling = replace(path, base, 'one', '1');
      await until(() => existsSync(flag));
      await engineer.types(path, '!', { line: 1, character: 3 });
      rmSync(flag);
      const result = await calling;
      assert.equal(result.status, 'applied', JSON.stringify(result));
      assert.equal(result.base, undefined);
      assert.equal(documentOf(path).getText(), '1\ntwo!\n');
      assert.equal(textOf(path), '1\ntwo\n');
    });
  });

  it('that leave the file alone are not blamed for what the engineer saves while they run', async () => {
    const path = fresh('one\ntwo\n');
    const flag = pathOf(`${path}.flag`);
    const waiting = `(() => { fs.writeFileSync(${JSON.stringify(flag)}, ''); while (fs.existsSync(${JSON.stringify(flag)})); process.exit(); })()`;
    await withSetting('hooks', [hook('idle', waiting)], async () => {
      await engineer.opens(path);
      const base = await baseOf(path);
      const calling = replace(path, base, 'one', '1');
      await until(() => existsSync(flag));
      await engineer.types(path, '!', { line: 1, character: 3 });
      await engineer.saves(path);
      rmSync(flag);
      const result = await calling;
      assert.equal(result.hooks, undefined, JSON.stringify(result));
      const stale = await replace(path, base, 'nothing', 'x');
      assert.deepEqual(
        stale.changed_by?.map((cause) => cause.replace(/, turn \d+/, '')),
        [`edit #${result.edit} (session unknown)`, 'engineer: typed in the editor (1 edit, saved)'],
      );
    });
  });

  it('are not blamed for what the engineer types and saves while they run', async () => {
    const path = fresh('one\ntwo\n');
    const flag = pathOf(`${path}.flag`);
    const command = [
      process.execPath,
      '-e',
      `const fs = require('fs'); fs.writeFileSync(${JSON.stringify(flag)}, ''); while (fs.existsSync(${JSON.stringify(flag)}));`,
    ];
    await withSetting('hooks', [{ name: 'idle', files: '**/*.txt', command }], async () => {
      await engineer.opens(path);
      const base = await baseOf(path);
      const calling = replace(path, base, 'one', '1');
      await until(() => existsSync(flag));
      await engineer.types(path, '!', { line: 1, character: 3 });
      await engineer.saves(path);
      rmSync(flag);
      const result = await calling;
      assert.deepEqual(
        [result.status, result.base, result.diff_by_hooks],
        ['applied', undefined, undefined],
        JSON.stringify(result),
      );
      assert.equal(textOf(path), '1\ntwo!\n');
    });
  });

  it('of an atomic call run once all of it stands, also where one writes a file of the same call', async () => {
    const [a, b] = [fresh('one\n', 'a.txt'), fresh('one\n', 'b.txt')];
    const meddling = `(() => { if (file.endsWith('a.txt')) { fs.appendFileSync(${JSON.stringify(pathOf(b))}, 'by the hook of a\\n'); } return text.toUpperCase(); })()`;
    await withSetting('hooks', [hook('meddling', meddling)], async () => {
      const [first, second] = await Promise.all([a, b].map(baseOf));
      const answer = await edit({
        files: [
          { path: a, base: first, edits: [{ old_string: 'one', new_string: 'two' }] },
          { path: b, base: second, edits: [{ old_string: 'one', new_string: 'two' }] },
        ],
        on_conflict: 'atomic',
      });
      assert.equal(answer.summary, '2 applied', JSON.stringify(answer));
      assert.deepEqual([textOf(a), textOf(b)], ['TWO\n', 'TWO\nBY THE HOOK OF A\n']);
      const [own, others] = answer.results;
      assert.deepEqual([own?.base, own?.diff_by_hooks], [sha256('TWO\n'), '@@ -1,1 +1,1 @@\n-two\n+TWO\n']);
      // What another file's hook wrote is not this edit's own.
      assert.deepEqual([others?.base, others?.actual], [undefined, sha256('TWO\nBY THE HOOK OF A\n')]);
    });
  });

  it('of an atomic call do not run where it is taken back, and what save participants did goes with it', async () => {
    const [participated, moves] = [fresh('one  \ntwo\n', 'p.ini'), fresh('one\n', 'b.txt')];
    const marker = pathOf(`${moves}.marker`);
    const marking = hook('marking', `(() => { fs.writeFileSync(${JSON.stringify(marker)}, ''); return text; })()`, {
      files: '**/*',
    });
    await withSetting('hooks', [marking], async () => {
      const [first, second] = await Promise.all([participated, moves].map(baseOf));
      const subscription = vscode.workspace.onWillSaveTextDocument((event) => {
        if (event.document.uri.toString() === uriOf(moves).toString()) {
          subscription.dispose();
          const isSaved = until(() => textOf(participated) === 'one\n2\n');
          event.waitUntil(isSaved.then(() => writes(moves, 'their longer text\n')));
        }
      });
      const answer = await edit({
        files: [
          { path: participated, base: first, edits: [{ old_string: 'two', new_string: '2' }] },
          { path: moves, base: second, edits: [{ old_string: 'one', new_string: '1' }] },
        ],
        on_conflict: 'atomic',
      });
      subscription.dispose();
      assert.equal(answer.summary, '1 rolled_back, 1 disk_changed_during_save', JSON.stringify(answer));
      assert.equal(answer.results[0]?.base, first);
      assert.deepEqual([textOf(participated), textOf(moves)], ['one  \ntwo\n', 'their longer text\n']);
      assert.equal(existsSync(marker), false);
      await until(() => documentOf(participated).getText() === textOf(participated));
    });
  });

  it('run for a created file, too', async () => {
    await withSetting('hooks', [hook('upper', 'text.toUpperCase()')], async () => {
      const path = `${fresh('x\n')}.new.txt`;
      const { results } = await edit({ files: [{ path, base: 'absent', content: 'new\n' }] });
      assert.equal(results[0]?.status, 'applied', JSON.stringify(results));
      assert.deepEqual(results[0]?.hooks, ['upper']);
      assert.equal(textOf(path), 'NEW\n');
      assert.equal(results[0]?.base, sha256('NEW\n'));
    });
  });

  it('of the editor: formatAfterEdit runs the formatter of the language before the save', async () => {
    const path = fresh('let a = "x";\nlet b = 1;\n', 'formatted.txt');
    const formatter = vscode.languages.registerDocumentFormattingEditProvider(
      { pattern: '**/formatted.txt' },
      {
        provideDocumentFormattingEdits: (document) => {
          const at = document.getText().indexOf('"');
          return at === -1
            ? []
            : [...document.getText().matchAll(/"/g)].map(({ index }) =>
                vscode.TextEdit.replace(
                  new vscode.Range(document.positionAt(index), document.positionAt(index + 1)),
                  "'",
                ),
              );
        },
      },
    );
    try {
      await withSetting('formatAfterEdit', true, async () => {
        const result = await replace(path, await baseOf(path), 'b = 1', 'b = 2');
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.deepEqual(result.hooks, ['format after edit']);
        assert.equal(textOf(path), "let a = 'x';\nlet b = 2;\n");
        assert.equal(result.base, sha256(textOf(path)));
        await engineer.undoes(path);
        assert.equal(
          documentOf(path).getText(),
          'let a = "x";\nlet b = 2;\n',
          'what a hook did is an undo step of its own',
        );
      });
    } finally {
      formatter.dispose();
    }
  });

  it('of the editor may change the size of an edit that changes it, too: what is saved is the formatted text', async () => {
    const path = fresh('let a = 1;\n', 'padded.txt');
    const formatter = vscode.languages.registerDocumentFormattingEditProvider(
      { pattern: '**/padded.txt' },
      {
        provideDocumentFormattingEdits: (document) =>
          document.getText().startsWith('//') ? [] : [vscode.TextEdit.insert(new vscode.Position(0, 0), '// padded\n')],
      },
    );
    try {
      await withSetting('formatAfterEdit', true, async () => {
        const result = await replace(path, await baseOf(path), 'a = 1', 'a = 1_000');
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.deepEqual(result.hooks, ['format after edit']);
        assert.equal(textOf(path), '// padded\nlet a = 1_000;\n');
        assert.deepEqual([result.base, result.saved], [sha256(textOf(path)), true]);
        assert.equal(documentOf(path).isDirty, false);
      });
    } finally {
      formatter.dispose();
    }
  });

  it('that nobody could know of: another extension that changes the text on save, the first time and the next', async () => {
    const path = fresh('count 0\nlet a = 1;\n', 'stamped.txt');
    const saves = vscode.workspace.onWillSaveTextDocument((event) => {
      if (event.document.uri.toString() === uriOf(path).toString()) {
        const line = event.document.lineAt(0);
        event.waitUntil(Promise.resolve([vscode.TextEdit.replace(line.range, `${line.text}+`)]));
      }
    });
    try {
      let base = await baseOf(path);
      let marks = 0;
      for (const [old, next] of [
        ['a = 1', 'a = 10'],
        ['a = 10', 'a = 100'],
      ] as const) {
        const result = await replace(path, base, old, next);
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.deepEqual(result.hooks, ['format on save']);
        assert.match(textOf(path), new RegExp(`^count 0\\++\nlet ${next};\n$`));
        assert.deepEqual([result.base, result.saved], [sha256(textOf(path)), true]);
        assert.equal(documentOf(path).isDirty, false);
        const count = textOf(path).split('+').length - 1;
        // Once it is known, the editor saves alone, and so it runs once.
        assert.ok(marks === 0 || count === marks + 1, textOf(path));
        marks = count;
        base = String(result.base);
      }
    } finally {
      saves.dispose();
    }
  });

  it('of a file that a hook deletes or replaces are told from what is there', async () => {
    const path = fresh('one\n');
    await withSetting(
      'hooks',
      [
        {
          name: 'remove',
          files: '**/*.txt',
          command: [process.execPath, '-e', 'require("fs").rmSync(process.argv[1])', FILE],
        },
      ],
      async () => {
        const result = await replace(path, await baseOf(path), 'one', '1');
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.equal(result.base, undefined);
        assert.equal(result.actual, 'absent');
        const [part] = await read(path);
        assert.equal(part?.header.status, 'not_found');
      },
    );
    assert.ok(root());
    writes(path, 'x\n');
    chmodSync(pathOf(path), 0o644);
  });
});
