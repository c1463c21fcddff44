import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import * as vscode from 'vscode';
import { baseOf, read, replace } from './support/agent.ts';
import { fresh, pathOf, sha256, textOf, writes } from './support/disk.ts';
import { documentOf, engineer, until } from './support/engineer.ts';
import { duringSave, whenTextIs } from './support/moments.ts';

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
  it('does not say that an edit was saved which the engineer reverted right after the apply', async () => {
    const path = fresh('one\ntwo\n');
    await engineer.opens(path);
    const base = await baseOf(path);
    let reverting: Thenable<unknown> = Promise.resolve();
    whenTextIs(path, '1\ntwo\n', () => {
      reverting = vscode.commands.executeCommand('workbench.action.files.revert');
    });
    const result = await replace(path, base, 'one', '1');
    await reverting;
    await until(() => documentOf(path).getText() === textOf(path));
    // Whether the revert comes before the save or after it is for the editor to decide.
    assert.equal(textOf(path), result.status === 'applied' ? '1\ntwo\n' : 'one\ntwo\n', JSON.stringify(result));
    assert.ok(['applied', 'apply_failed'].includes(result.status), JSON.stringify(result));
    assert.equal(result.base ?? result.actual, sha256(textOf(path)));
    assert.equal(documentOf(path).isDirty, false);
  });

  it('names who typed while our part was taken back', async () => {
    const path = fresh('one\ntwo\n');
    await putCaret(path, 1, 3);
    const base = await baseOf(path);
    whenTextIs(path, '1\ntwo\n', () => writes(path, 'one\ntwo\nthree\n'));
    duringSave(path, async (document) => {
      await type('!');
      await until(() => document.getText().includes('!'));
    });
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
    whenTextIs(path, 'a=9\n', () => rmSync(pathOf(path)));
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
      whenTextIs(path, 'uno\ntwo\nthree\n', () => {
        typing = type('!');
      });
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
    duringSave(path, async (document) => {
      await type('!');
      await until(() => document.getText() === '1\ntwo!\n');
    });
    const result = await replace(path, base, 'one', '1');
    assert.equal(result.status, 'applied', JSON.stringify(result));
    assert.equal(result.base, undefined, JSON.stringify(result));
    assert.equal(documentOf(path).getText(), '1\ntwo!\n');
    assert.ok(result.actual);
    const [part] = await read(path);
    assert.equal(part?.content, '1\ntwo!\n');
  });
});
