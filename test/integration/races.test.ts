import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import * as vscode from 'vscode';
import { baseOf, edit, only, type Result, read, replace } from './support/agent.ts';
import { fresh, pathOf, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { documentOf, engineer, until } from './support/engineer.ts';

/** Runs `intrude` once, in the very turn in which the editor tells that the document's text has become `text`. */
function whenTextIs(path: string, text: string, intrude: () => unknown): vscode.Disposable {
  const subscription = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    if (document.uri.toString() === uriOf(path).toString() && document.getText() === text) {
      subscription.dispose();
      intrude();
    }
  });
  return subscription;
}

/** Types at the caret, without waiting for the editor to tell. */
function type(text: string): Thenable<unknown> {
  return vscode.commands.executeCommand('type', { text });
}

async function putCaret(path: string, line: number, character: number): Promise<void> {
  const editor = await engineer.opens(path);
  const position = new vscode.Position(line, character);
  editor.selection = new vscode.Selection(position, position);
}

describe('Races', () => {
  const subscriptions: vscode.Disposable[] = [];
  const watch = (subscription: vscode.Disposable) => subscriptions.push(subscription);
  afterEach(() => {
    for (const subscription of subscriptions.splice(0)) {
      subscription.dispose();
    }
  });

  it('keeps what another program writes between apply and save, of the same length too, and takes our own part back', async () => {
    for (const [before, theirs] of [
      ['a=1\nb=2\n', 'a=1\nb=5\n'],
      ['a=1\nb=2\n', 'a=1\nb=22222\n'],
    ] as const) {
      const path = fresh(before);
      await engineer.opens(path);
      const base = await baseOf(path);
      watch(whenTextIs(path, 'a=9\nb=2\n', () => writes(path, theirs)));
      const result = await replace(path, base, 'a=1', 'a=9');
      assert.equal(result.status, 'disk_changed_during_save', JSON.stringify(result));
      assert.equal(textOf(path), theirs);
      assert.equal(documentOf(path).getText(), theirs);
      assert.equal(documentOf(path).isDirty, false);
      assert.equal(result.actual, sha256(theirs));
      assert.deepEqual(result.changed_by, ['external writer']);
      assert.match(String(result.diff_since_read), /^\+b=/m);
    }
  });

  it('takes back what save participants made of it, too, where another program writes while they run', async () => {
    const path = fresh('one\ntwo\n');
    await engineer.opens(path);
    const base = await baseOf(path);
    const subscription = vscode.workspace.onWillSaveTextDocument((event) => {
      if (event.document.uri.toString() === uriOf(path).toString()) {
        subscription.dispose();
        writes(path, 'one\ntwo\nthree\n');
        event.waitUntil(Promise.resolve([vscode.TextEdit.insert(new vscode.Position(0, 0), 'formatted\n')]));
      }
    });
    watch(subscription);
    const result = await replace(path, base, 'one', '1');
    assert.equal(result.status, 'disk_changed_during_save', JSON.stringify(result));
    assert.equal(textOf(path), 'one\ntwo\nthree\n');
    assert.equal(documentOf(path).getText(), textOf(path));
    assert.equal(documentOf(path).isDirty, false);
    assert.deepEqual(result.changed_by, ['external writer']);
  });

  it('names who typed while our part was taken back', async () => {
    const path = fresh('one\ntwo\n');
    await putCaret(path, 1, 3);
    const base = await baseOf(path);
    watch(whenTextIs(path, '1\ntwo\n', () => writes(path, 'one\ntwo\nthree\n')));
    watch(
      vscode.workspace.onWillSaveTextDocument((event) => {
        if (event.document.uri.toString() === uriOf(path).toString()) {
          event.waitUntil(Promise.resolve(type('!')).then(() => until(() => event.document.getText().includes('!'))));
        }
      }),
    );
    const result = await replace(path, base, 'one', '1');
    assert.equal(result.status, 'disk_changed_during_save', JSON.stringify(result));
    assert.equal(documentOf(path).getText().replace('!', ''), 'one\ntwo\nthree\n');
    const told = [...(result.changed_by ?? []), ...((await replace(path, base, 'one', '1')).changed_by ?? [])];
    assert.ok(
      told.some((cause) => cause.startsWith('engineer: typed')),
      JSON.stringify(told),
    );
    assert.ok(!told.includes('changed in the editor, not typed'), JSON.stringify(told));
  });

  it('does not bring a file back that was deleted between apply and save', async () => {
    const path = fresh('a=1\n');
    await engineer.opens(path);
    const base = await baseOf(path);
    watch(whenTextIs(path, 'a=9\n', () => rmSync(pathOf(path))));
    const result = await replace(path, base, 'a=1', 'a=9');
    assert.equal(result.status, 'disk_changed_during_save', JSON.stringify(result));
    assert.deepEqual(result.changed_by, ['deleted on disk']);
    assert.throws(() => textOf(path), { code: 'ENOENT' });
  });

  it('keeps a key that lands right after the apply, beside the edit or in its very place, and vouches for nothing', async () => {
    for (const [caret, place] of [
      [{ line: 2, character: 5 }, 'elsewhere'],
      [{ line: 0, character: 2 }, 'inside'],
    ] as const) {
      const path = fresh('one\ntwo\nthree\n');
      await putCaret(path, caret.line, caret.character);
      const base = await baseOf(path);
      let typing: Thenable<unknown> = Promise.resolve();
      watch(
        whenTextIs(path, 'uno\ntwo\nthree\n', () => {
          typing = type('!');
        }),
      );
      const result = await replace(path, base, 'one', 'uno');
      await typing;
      await until(() => documentOf(path).getText().includes('!'));
      const text = documentOf(path).getText();
      assert.equal(result.base, undefined, `${place}: ${JSON.stringify(result)}`);
      if (result.status === 'applied') {
        assert.equal(text.replace('!', ''), 'uno\ntwo\nthree\n');
        assert.match(String(result.next), /read it again/);
        const stale = await replace(path, base, 'two', '2');
        assert.deepEqual(
          stale.changed_by?.map((cause) => cause.replace(/\(.*/, '')),
          [`edit #${result.edit} `, 'engineer: typed in the editor '],
        );
      } else {
        assert.equal(result.status, 'apply_failed');
        assert.equal(text.replace('!', ''), 'one\ntwo\nthree\n');
        assert.equal(textOf(path), 'one\ntwo\nthree\n');
      }
    }
  });

  it('loses no key and vouches for no text it has not shown, whenever the engineer types during a call', async function () {
    this.timeout(60_000);
    for (let round = 0; round < 8; round += 1) {
      const path = fresh('one\ntwo\nthree\n');
      await putCaret(path, 2, 5);
      const base = await baseOf(path);
      const calling = replace(path, base, 'one', '1');
      for (let wait = 0; wait < round; wait += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      const typing = type('!');
      const result = await calling;
      await typing;
      await until(() => documentOf(path).getText().includes('!'));
      const text = documentOf(path).getText();
      const edited = '1\ntwo\nthree!\n';
      assert.ok([edited, 'one\ntwo\nthree!\n'].includes(text), text);
      assert.equal(result.status === 'applied', text === edited, JSON.stringify(result));
      assert.ok(result.base === undefined || result.base === sha256('1\ntwo\nthree\n'), JSON.stringify(result));
      assert.ok(['one\ntwo\nthree\n', '1\ntwo\nthree\n', edited].includes(textOf(path)), textOf(path));
    }
  });

  it('keeps what is typed during the save, and vouches for nothing', async () => {
    const path = fresh('one\ntwo\n');
    await putCaret(path, 1, 3);
    const base = await baseOf(path);
    watch(
      vscode.workspace.onWillSaveTextDocument((event) => {
        if (event.document.uri.toString() === uriOf(path).toString()) {
          event.waitUntil(Promise.resolve(type('!')).then(() => until(() => event.document.getText() === '1\ntwo!\n')));
        }
      }),
    );
    const result = await replace(path, base, 'one', '1');
    assert.equal(result.status, 'applied', JSON.stringify(result));
    assert.equal(result.base, undefined, JSON.stringify(result));
    assert.equal(documentOf(path).getText(), '1\ntwo!\n');
    assert.ok(result.actual);
    const [part] = await read(path);
    assert.equal(part?.content, '1\ntwo!\n');
  });

  it('reports what save participants did as a hook, with its diff and the base after it', async () => {
    const path = fresh('one  \ntwo\n', 'w.txt');
    const files = vscode.workspace.getConfiguration('files', uriOf(path));
    await files.update('trimTrailingWhitespace', true, vscode.ConfigurationTarget.Workspace);
    try {
      const result = await replace(path, await baseOf(path), 'two', '2');
      assert.equal(result.status, 'applied', JSON.stringify(result));
      assert.deepEqual(result.hooks, ['format on save']);
      assert.equal(result.diff_by_hooks, '@@ -1,2 +1,2 @@\n-one  \n+one\n 2\n');
      assert.equal(result.base, sha256('one\n2\n'));
      assert.deepEqual(result.changed_lines, [[1, 2]]);
      assert.equal(textOf(path), 'one\n2\n');
      assert.equal((await replace(path, String(result.base), 'one', '1')).status, 'applied');
    } finally {
      await files.update('trimTrailingWhitespace', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('gives the base after a formatter on save, whose diff shows what the agent did not write', async () => {
    const path = fresh('let a = "x";\n', 'q.txt');
    const editor = vscode.workspace.getConfiguration('editor', uriOf(path));
    const formatter = vscode.languages.registerDocumentFormattingEditProvider(
      { pattern: '**/q.txt' },
      {
        provideDocumentFormattingEdits: (document) =>
          [...document.getText().matchAll(/"/g)].map(({ index }) =>
            vscode.TextEdit.replace(new vscode.Range(document.positionAt(index), document.positionAt(index + 1)), "'"),
          ),
      },
    );
    await editor.update('formatOnSave', true, vscode.ConfigurationTarget.Workspace);
    try {
      const result = await replace(path, await baseOf(path), 'let a = "x";\n', 'let a = "x";\nlet b = "y";\n');
      assert.deepEqual(result.hooks, ['format on save'], JSON.stringify(result));
      assert.equal(textOf(path), "let a = 'x';\nlet b = 'y';\n");
      assert.equal(result.base, sha256(textOf(path)));
      const next = await replace(path, String(result.base), 'let a = "x";', 'let a = "z";');
      assert.equal(next.status, 'not_found');
    } finally {
      formatter.dispose();
      await editor.update('formatOnSave', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('refuses when the engineer types between the compare and the apply, or lands before it; never on another text', async function () {
    this.timeout(60_000);
    for (let round = 0; round < 8; round += 1) {
      const path = fresh('apple\nbanana\n');
      await putCaret(path, 0, 0);
      const base = await baseOf(path);
      const typing = type('\n');
      const result = await replace(path, base, 'apple', 'XXXXX');
      await typing;
      await until(() => documentOf(path).lineCount === 4);
      const text = documentOf(path).getText();
      assert.ok(
        ['\nXXXXX\nbanana\n', '\napple\nbanana\n'].includes(text),
        `${JSON.stringify(text)} after ${JSON.stringify(result)}`,
      );
      assert.equal(result.status === 'applied', text === '\nXXXXX\nbanana\n', JSON.stringify(result));
    }
  });

  it('runs calls on different files side by side, and calls on one file in order', async () => {
    const slow = fresh('a\n', 'slow.txt');
    const quick = fresh('a\n', 'quick.txt');
    const bases = await Promise.all([baseOf(slow), baseOf(quick)]);
    const order: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    watch(
      vscode.workspace.onWillSaveTextDocument((event) => {
        if (event.document.uri.toString() === uriOf(slow).toString()) {
          event.waitUntil(held);
        }
      }),
    );
    const track = (name: string, result: Promise<Result>) =>
      result.then(({ status }) => order.push(`${name} ${status}`));
    const calls = [
      track('slow', replace(slow, bases[0], 'a', 'b')),
      track('second', replace(slow, bases[0], 'a', 'c')),
      track('quick', replace(quick, bases[1], 'a', 'b')),
    ];
    await until(() => order.length > 0);
    release();
    await Promise.all(calls);
    assert.deepEqual(order, ['quick applied', 'slow applied', 'second stale_base']);
  });

  it('takes a file that was replaced by the same bytes for no change', async () => {
    const path = fresh('{"k":1}\n');
    await engineer.opens(path);
    const base = await baseOf(path);
    writes(`${path}.tmp`, '{"k":1}\n');
    renameSync(pathOf(`${path}.tmp`), pathOf(path));
    const result = await replace(path, base, '1', '2');
    assert.equal(result.status, 'applied', JSON.stringify(result));
    assert.equal(textOf(path), '{"k":2}\n');
  });

  it('is one undo step, and is never applied again after an undo', async () => {
    const path = fresh('1\n2\n3\n');
    await engineer.types(path, '0', { line: 0, character: 0 });
    await engineer.saves(path);
    const base = await baseOf(path);
    const result = only(
      await edit({
        files: [
          {
            path,
            base,
            edits: [
              { old_string: '2', new_string: 'two' },
              { old_string: '3', new_string: 'three' },
            ],
          },
        ],
      }),
    );
    assert.equal(textOf(path), '01\ntwo\nthree\n');
    await engineer.undoes(path);
    assert.equal(documentOf(path).getText(), '01\n2\n3\n');
    const stale = await replace(path, String(result.base), '01', 'one');
    assert.equal(stale.status, 'stale_base');
    assert.deepEqual(stale.changed_by, [`engineer: undo of edit #${result.edit}`]);
    await engineer.undoes(path);
    assert.equal(documentOf(path).getText(), '1\n2\n3\n');
    assert.equal(textOf(path), '01\ntwo\nthree\n');
  });
});
