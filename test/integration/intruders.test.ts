import assert from 'node:assert/strict';
import { linkSync, rmSync } from 'node:fs';
import * as vscode from 'vscode';
import { baseOf, edit, type Result, read, replace } from './support/agent.ts';
import { fresh, pathOf, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { documentOf, engineer, until } from './support/engineer.ts';
import { duringSave, whenTextIs } from './support/moments.ts';
import { withSettings } from './support/settings.ts';

async function putCaret(path: string, line: number, character: number): Promise<void> {
  const editor = await engineer.opens(path);
  const position = new vscode.Position(line, character);
  editor.selection = new vscode.Selection(position, position);
}

describe('Intruders', function () {
  this.timeout(60_000);
  it('a second program right after a reload: nobody has typed, and its bytes stay', async () => {
    await withSettings('files', { autoSave: 'afterDelay', autoSaveDelay: 200 }, async () => {
      const path = fresh('a=1\nb=1\n');
      await engineer.opens(path);
      await baseOf(path);
      let going: Promise<Result> | undefined;
      whenTextIs(path, 'a=2\nb=1\n', () => {
        writes(path, 'a=3\nb=1\n');
        going = (async () => {
          const [part] = await read(path);
          assert.equal(part?.header['dirty'], undefined, JSON.stringify(part));
          assert.equal(part?.content, 'a=3\nb=1\n');
          return replace(path, String(part?.header.base), 'b=1', 'b=9');
        })();
      });
      writes(path, 'a=2\nb=1\n');
      await until(() => going !== undefined);
      const result = await going;
      assert.equal(result?.status, 'applied', JSON.stringify(result));
      assert.equal(textOf(path), 'a=3\nb=9\n');
      await until(() => documentOf(path).getText() === 'a=3\nb=9\n' && !documentOf(path).isDirty);
    });
  });

  it('an Undo in the middle of a call is an undo, and nothing is put back twice', async () => {
    const path = fresh('one\ntwo\nthree\n');
    await putCaret(path, 2, 0);
    const base = await baseOf(path);
    let undoing: Thenable<unknown> = Promise.resolve();
    whenTextIs(path, 'uno\ntwo\nthree\n', () => {
      writes(path, 'one\ntwo\nthree\nexternal\n');
      undoing = vscode.commands.executeCommand('undo');
    });
    const result = await replace(path, base, 'one', 'uno');
    await undoing;
    assert.equal(result.base, undefined, JSON.stringify(result));
    assert.equal(textOf(path), 'one\ntwo\nthree\nexternal\n');
    await until(() => ['one\ntwo\nthree\n', 'one\ntwo\nthree\nexternal\n'].includes(documentOf(path).getText()));
  });

  it('an Undo during the save is told, and no base is given', async () => {
    const path = fresh('one\ntwo\n');
    await putCaret(path, 1, 0);
    const base = await baseOf(path);
    duringSave(path, async (document) => {
      await vscode.commands.executeCommand('undo');
      await until(() => document.getText() === 'one\ntwo\n');
    });
    const result = await replace(path, base, 'one', 'uno');
    assert.equal(documentOf(path).getText(), 'one\ntwo\n');
    assert.equal(result.base, undefined, JSON.stringify(result));
    assert.match(`${result.note} ${result.reason}`, /[Uu]ndo/, JSON.stringify(result));
  });

  it('a key that deletes, or another extension, during a save that fails: what they did stays', async () => {
    for (const intrude of [
      async (document: vscode.TextDocument) => {
        await vscode.commands.executeCommand('deleteRight');
        await until(() => document.getText().endsWith('\ncc\n'));
      },
      async (document: vscode.TextDocument) => {
        const edit = new vscode.WorkspaceEdit();
        edit.insert(document.uri, new vscode.Position(1, 0), 'OTHER\n');
        await vscode.workspace.applyEdit(edit);
      },
    ]) {
      const path = fresh('a=1\nb=1\nccc\n');
      await putCaret(path, 2, 0);
      const base = await baseOf(path);
      let theirs = '';
      duringSave(path, async (document) => {
        await intrude(document);
        theirs = document.getText().replace('a=9', 'a=1');
        writes(path, 'a=1\nb=1\nccc\nexternal\n');
      });
      const result = await replace(path, base, 'a=1', 'a=9');
      assert.notEqual(result.status, 'applied', JSON.stringify(result));
      assert.equal(documentOf(path).getText(), theirs);
      assert.equal(textOf(path), 'a=1\nb=1\nccc\nexternal\n');
    }
  });

  it('a program that writes twice while our part is taken back loses neither', async () => {
    const path = fresh('a=1\nb=1\n');
    await engineer.opens(path);
    const base = await baseOf(path);
    whenTextIs(path, 'a=9\nb=1\n', () => {
      writes(path, 'a=2\nb=2\n');
      whenTextIs(path, 'a=2\nb=2\n', () => writes(path, 'a=3\nb=3\n'));
    });
    const result = await replace(path, base, 'a=1', 'a=9');
    assert.equal(result.status, 'disk_changed_during_save', JSON.stringify(result));
    assert.equal(textOf(path), 'a=3\nb=3\n');
  });

  it('nor is the buffer garbled by a second try, and it ends clean', async () => {
    const path = fresh('one\ntwo\n');
    await engineer.opens(path);
    const base = await baseOf(path);
    whenTextIs(path, 'uno\ntwo\n', () => {
      writes(path, 'one\ntwo\next1\n');
      whenTextIs(path, 'one\ntwo\next1\n', () => writes(path, 'one\ntwo\nexternal2\n'));
    });
    const result = await replace(path, base, 'one', 'uno');
    assert.equal(result.status, 'disk_changed_during_save', JSON.stringify(result));
    await until(() => documentOf(path).getText() === 'one\ntwo\nexternal2\n' && !documentOf(path).isDirty);
    assert.equal(textOf(path), 'one\ntwo\nexternal2\n');
  });

  it('characters that share half of a surrogate pair are replaced whole, in the active editor too', async () => {
    for (const [before, old, replacement] of [
      ['status: 😀\n', '😀', '😁'],
      ['two😀x\n', 'two😀x', 'two🙂x'],
      ['𐐀\r\n', '𐐀', '𐀀'],
    ] as const) {
      const path = fresh(before);
      await engineer.opens(path);
      const result = await replace(path, await baseOf(path), old, replacement);
      assert.equal(result.status, 'applied', JSON.stringify(result));
      assert.equal(textOf(path), before.replace(old, replacement));
      await engineer.undoes(path);
      assert.equal(documentOf(path).getText(), before);
    }
  });

  it('unsaved text that is saved by request stays when another program writes meanwhile', async () => {
    const settings = vscode.workspace.getConfiguration('editArbiter', uriOf('.'));
    await settings.update('saveDirtyFiles', true, vscode.ConfigurationTarget.Workspace);
    try {
      const path = fresh('one\ntwo\n');
      await engineer.opens(path);
      await baseOf(path);
      await engineer.types(path, 'MINE', { line: 1, character: 3 });
      const base = await baseOf(path);
      whenTextIs(path, 'uno\ntwoMINE\n', () => writes(path, 'theirs\n'));
      const result = await replace(path, base, 'one', 'uno');
      assert.equal(result.status, 'disk_changed_during_save', JSON.stringify(result));
      assert.equal(documentOf(path).getText(), 'one\ntwoMINE\n');
      assert.equal(textOf(path), 'theirs\n');
      const calm = fresh('one\ntwo\n');
      await engineer.opens(calm);
      await baseOf(calm);
      await engineer.types(calm, 'MINE', { line: 1, character: 3 });
      const saved = await replace(calm, await baseOf(calm), 'one', 'uno');
      assert.deepEqual([saved.status, saved.saved, textOf(calm)], ['applied', true, 'uno\ntwoMINE\n']);
    } finally {
      await settings.update('saveDirtyFiles', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('a key that happens to be the same as the edit is not taken for it', async () => {
    for (let round = 0; round < 12; round += 1) {
      const path = fresh('one\ntwo\nthree\n');
      await putCaret(path, 2, 5);
      const base = await baseOf(path);
      const calling = replace(path, base, 'one', 'onex');
      for (let wait = 0; wait < round % 6; wait += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      const typing = vscode.commands.executeCommand('type', { text: 'x' });
      const result = await calling;
      await typing;
      await until(() => documentOf(path).getText().includes('threex'));
      assert.equal(result.status === 'applied', documentOf(path).getText().startsWith('onex'), JSON.stringify(result));
    }
  });

  it('a file that the editor never reloads is brought up to date, without writing over anybody', async () => {
    const path = fresh('a=1\nb=1\n', 'unwatched/f.txt');
    await engineer.opens(path);
    await baseOf(path);
    writes(path, 'a=2\nb=22\n');
    const base = await baseOf(path);
    assert.equal(base, sha256('a=2\nb=22\n'));
    whenTextIs(path, 'a=2\nb=22\n', () => writes(path, 'a=3\nb=33\n'));
    const stale = await replace(path, base, 'a=2', 'a=9');
    assert.equal(stale.status, 'stale_base', JSON.stringify(stale));
    assert.equal(textOf(path), 'a=3\nb=33\n');
    const result = await replace(path, await baseOf(path), 'a=3', 'a=9');
    assert.equal(result.status, 'applied', JSON.stringify(result));
    assert.equal(textOf(path), 'a=9\nb=33\n');
    assert.deepEqual(stale.changed_by, ['external writer']);
  });

  it('save participants keep their hands off a file that only lags', async () => {
    const path = fresh('a=1\n', 'unwatched/f.ini');
    await engineer.opens(path);
    await baseOf(path);
    writes(path, 'a=2\nb=2  \n');
    const result = await replace(path, await baseOf(path), 'a=2', 'a=9');
    assert.equal(result.status, 'apply_failed', JSON.stringify(result));
    assert.equal(textOf(path), 'a=2\nb=2  \n');
    assert.equal(documentOf(path).getText(), 'a=1\n');
  });

  it('two names of one file, by a hard link: one call at a time', async () => {
    const path = fresh('a=1\nb=1\n');
    const other = `${path}.hard`;
    linkSync(pathOf(path), pathOf(other));
    const [one, two] = [await baseOf(path), await baseOf(other)];
    const results = await Promise.all([replace(path, one, 'a=1', 'a=2'), replace(other, two, 'b=1', 'b=2')]);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['applied', 'stale_base'], JSON.stringify(results));
    assert.ok(['a=2\nb=1\n', 'a=1\nb=2\n'].includes(textOf(path)), textOf(path));
  });

  it('a participant that inserts much, whose diff is cut, is not vouched for, also when the call is sent again', async () => {
    const path = fresh('one\ntwo\n');
    const base = await baseOf(path);
    const lines = Array.from({ length: 600 }, (_, index) => `hidden line ${index}\n`).join('');
    duringSave(path, async () => [vscode.TextEdit.insert(new vscode.Position(2, 0), lines)]);
    const result = await replace(path, base, 'one', '1');
    assert.deepEqual([result.status, result.base], ['applied', undefined], JSON.stringify(result).slice(0, 500));
    assert.deepEqual(result.hooks, ['format on save']);
    const again = await replace(path, base, 'one', '1');
    assert.deepEqual([again.status, again.base], ['already_applied', undefined]);
  });

  it('a participant that changes only the line endings is not vouched for', async () => {
    const path = fresh('one\ntwo\n');
    const base = await baseOf(path);
    duringSave(path, async () => [vscode.TextEdit.setEndOfLine(vscode.EndOfLine.CRLF)]);
    const result = await replace(path, base, 'one', '1');
    assert.equal(textOf(path), '1\r\ntwo\r\n');
    assert.equal(result.base, undefined, JSON.stringify(result));
  });

  it('keys that move no caret are the engineer, too', async () => {
    for (const [command, expected] of [
      ['deleteLeft', 'on\ntwo\n'],
      ['deleteRight', 'onetwo\n'],
      ['tab', 'one \ntwo\n'],
      ['editor.action.clipboardCutAction', 'two\n'],
    ] as const) {
      const path = fresh('one\ntwo\n');
      await putCaret(path, 0, 3);
      const base = await baseOf(path);
      await vscode.commands.executeCommand(command);
      await until(() => documentOf(path).isDirty);
      const result = await replace(path, base, 'two', '2');
      assert.equal(result.status, 'stale_base', `${command} ${expected}`);
      const [cause] = result.changed_by ?? [];
      assert.equal(
        cause,
        'engineer: typed in the editor (1 edit, unsaved)',
        `${command}: ${JSON.stringify(result.changed_by)}`,
      );
    }
  });

  it('fifty files in a legacy encoding in one call', async () => {
    await withSettings('files', { encoding: 'iso88591' }, async () => {
      const paths = Array.from({ length: 50 }, () => fresh(Buffer.from('caf\xe9 one\n', 'latin1'), 'l.txt'));
      const parts = await read(...paths);
      const files = parts.map(({ header }) => ({
        path: header.path,
        base: header.base,
        edits: [{ old_string: 'one', new_string: 'crème' }],
      }));
      const answer = await edit({ files });
      assert.equal(
        answer.summary,
        '50 applied',
        JSON.stringify(answer.results.find(({ status }) => status !== 'applied')),
      );
      assert.equal(textOf(paths[7] ?? ''), Buffer.from('caf\xe9 cr\xe8me\n', 'latin1').toString('utf8'));
    });
  });

  it('a file below a file cannot be created, and the answer says so', async () => {
    const path = fresh('x\n');
    const { results } = await edit({ files: [{ path: `${path}/new.txt`, base: 'absent', content: 'y' }] });
    assert.equal(results[0]?.status, 'save_failed', JSON.stringify(results));
    assert.equal(textOf(path), 'x\n');
    rmSync(pathOf(path));
  });
});
