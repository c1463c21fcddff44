import assert from 'node:assert/strict';
import { chmodSync, existsSync, linkSync, lstatSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { baseOf, edit, only, type Result, replace } from './support/agent.ts';
import { bytesOf, fresh, pathOf, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { engineer, until } from './support/engineer.ts';

async function sends(entry: object): Promise<Result> {
  return only(await edit({ files: [entry] }));
}

function shownPaths(): string[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) =>
    tabs.map(({ input }) => (input instanceof vscode.TabInputText ? vscode.workspace.asRelativePath(input.uri) : '')),
  );
}

describe('Deleting', function () {
  this.timeout(60_000);

  it('takes the file and its tab away, and answers with the base of nothing', async () => {
    const path = fresh('one\n');
    await engineer.opens(path);
    const base = await baseOf(path);
    const result = await sends({ path, base, delete: true });
    assert.deepEqual([result.status, result.base], ['applied', 'absent'], JSON.stringify(result));
    assert.equal(existsSync(pathOf(path)), false);
    assert.deepEqual(readdirSync(dirname(pathOf(path))), []);
    await until(() => !shownPaths().includes(path));
    assert.equal((await sends({ path, base, delete: true })).status, 'already_applied');
    assert.equal((await sends({ path, base: 'absent', content: 'new\n' })).status, 'applied');
    assert.equal(textOf(path), 'new\n');
  });

  it('is refused where the file moved, holds unsaved text, or is read only', async () => {
    const path = fresh('one\n');
    const base = await baseOf(path);
    writes(path, 'two\n');
    assert.equal((await sends({ path, base, delete: true })).status, 'stale_base');
    await engineer.types(path, 'x', { line: 0, character: 0 });
    assert.equal((await sends({ path, base: await baseOf(path), delete: true })).status, 'unsaved_changes');
    assert.equal(textOf(path), 'two\n');
    const locked = fresh('one\n');
    const itsBase = await baseOf(locked);
    chmodSync(pathOf(locked), 0o444);
    assert.equal((await sends({ path: locked, base: itsBase, delete: true })).status, 'read_only');
    assert.equal(textOf(locked), 'one\n');
  });
});

describe('Renaming', function () {
  this.timeout(60_000);

  it('takes file, mode and tab to the new place; folders are made; the base goes with it', async () => {
    const path = fresh('one\n');
    chmodSync(pathOf(path), 0o755);
    const editor = await engineer.opens(path);
    editor.selection = new vscode.Selection(0, 2, 0, 2);
    const base = await baseOf(path);
    const target = `${dirname(path)}/deep/er/new.txt`;
    const result = await sends({ path, base, rename_to: target });
    assert.deepEqual(
      [result.status, result.path, result['renamed_from'], result.base],
      ['applied', target, path, base],
      JSON.stringify(result),
    );
    assert.equal(existsSync(pathOf(path)), false);
    assert.equal(statSync(pathOf(target)).mode & 0o777, 0o755);
    await until(() => vscode.window.activeTextEditor?.document.uri.toString() === uriOf(target).toString());
    assert.deepEqual(shownPaths().includes(path), false);
    assert.equal(vscode.window.activeTextEditor?.selection.active.character, 2);
    assert.equal((await replace(target, base, 'one', '1')).status, 'applied');
  });

  it('carries edits along', async () => {
    const path = fresh('one\r\ntwo\r\n');
    const target = `${dirname(path)}/new.txt`;
    const entry = { path, base: await baseOf(path), rename_to: target };
    const result = await sends({ ...entry, edits: [{ old_string: 'two', new_string: '2' }] });
    assert.equal(result.status, 'applied', JSON.stringify(result));
    assert.equal(bytesOf(target).toString(), 'one\r\n2\r\n');
    assert.equal(result.base, sha256('one\r\n2\r\n'));
    assert.deepEqual(result.changed_lines, [[2, 2]]);
    assert.equal(existsSync(pathOf(path)), false);
    assert.equal(shownPaths().includes(path), false);
    const again = await sends({ ...entry, edits: [{ old_string: 'two', new_string: '2' }] });
    assert.equal(again.status, 'already_applied');
    const stale = await replace(path, entry.base, 'one', '1');
    assert.deepEqual(stale.changed_by?.slice(-1), [`renamed to ${target}`]);
  });

  it('never goes onto anything: a file, a folder, a link that leads nowhere, unsaved text', async () => {
    const path = fresh('one\n');
    const base = await baseOf(path);
    const folder = dirname(path);
    writes(`${folder}/taken.txt`, 'theirs\n');
    writes(`${folder}/folder/x.txt`, 'theirs\n');
    symlinkSync('nowhere', pathOf(`${folder}/link.txt`));
    const unsaved = await vscode.workspace.openTextDocument(
      uriOf(`${folder}/unsaved.txt`).with({ scheme: 'untitled' }),
    );
    const insert = new vscode.WorkspaceEdit();
    insert.insert(unsaved.uri, new vscode.Position(0, 0), 'theirs');
    assert.ok(await vscode.workspace.applyEdit(insert));
    for (const name of ['taken.txt', 'folder', 'link.txt', 'unsaved.txt']) {
      const result = await sends({ path, base, rename_to: `${folder}/${name}` });
      assert.notEqual(result.status, 'applied', `${name}: ${JSON.stringify(result)}`);
      assert.equal(textOf(path), 'one\n');
    }
    assert.equal(textOf(`${folder}/taken.txt`), 'theirs\n');
    assert.ok(lstatSync(pathOf(`${folder}/link.txt`)).isSymbolicLink());
    assert.equal(unsaved.getText(), 'theirs');
    const taken = await sends({ path, base, rename_to: `${folder}/taken.txt` });
    assert.deepEqual(
      [taken.status, taken.path, taken.expected, taken.actual],
      ['stale_base', `${folder}/taken.txt`, 'absent', sha256('theirs\n')],
    );
    await vscode.window.showTextDocument(unsaved);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('of one of two names of the same bytes in one call names that file twice', async () => {
    const path = fresh('one\n');
    const other = `${dirname(path)}/other.txt`;
    linkSync(pathOf(path), pathOf(other));
    const base = await baseOf(path);
    const edits = [{ old_string: 'one', new_string: '1' }];
    const { results } = await edit({
      files: [
        { path, base, edits },
        { path: other, base, edits },
      ],
    });
    assert.deepEqual(
      results.map(({ status }) => status),
      ['invalid_input', 'invalid_input'],
    );
  });

  it('and creating below a file is refused, in the words of the system', async () => {
    const path = fresh('one\n');
    const result = await sends({ path: `${path}/below.txt`, base: 'absent', content: 'x\n' });
    assert.equal(result.status, 'save_failed', JSON.stringify(result));
    assert.doesNotMatch(String(result.reason), /inside Edit Arbiter/);
    assert.equal(textOf(path), 'one\n');
  });

  it('is refused out of the workspace, and with unsaved text', async () => {
    const path = fresh('one\n');
    const base = await baseOf(path);
    assert.equal((await sends({ path, base, rename_to: '../out.txt' })).status, 'outside_workspace');
    await engineer.types(path, 'x', { line: 0, character: 0 });
    const dirty = await sends({ path, base: await baseOf(path), rename_to: `${path}.new` });
    assert.equal(dirty.status, 'unsaved_changes', JSON.stringify(dirty));
  });
});
