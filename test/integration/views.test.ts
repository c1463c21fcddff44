import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { parseEditCall } from '../../src/core/input.ts';
import { baseOf, edit, replace } from './support/agent.ts';
import { fresh, pathOf, textOf, uriOf, writes } from './support/disk.ts';
import { engineer, until } from './support/engineer.ts';

function follow(value: string | undefined): Thenable<void> {
  return vscode.workspace.getConfiguration('editArbiter').update('follow', value, vscode.ConfigurationTarget.Global);
}

/** Titles of all tabs. */
function tabs(): string[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label));
}

describe('What the engineer sees', () => {
  afterEach(() => follow(undefined));

  it('is taken to where an edit lands only where they want that, and then without losing the keyboard', async () => {
    const [quiet, shown] = [fresh('one\n', 'quiet.txt'), fresh(`${'line\n'.repeat(200)}one\n`, 'shown.txt')];
    const own = fresh('mine\n', 'own.txt');
    await engineer.opens(own);
    await replace(quiet, await baseOf(quiet), 'one', '1');
    assert.deepEqual(tabs(), ['own.txt']);
    await follow('reveal');
    await replace(shown, await baseOf(shown), 'one', '1');
    const editor = () => vscode.window.visibleTextEditors.find(({ document }) => document.uri.fsPath === pathOf(shown));
    await until(() => editor()?.visibleRanges.some((range) => range.end.line >= 200) === true);
    await follow('off');
    await replace(quiet, await baseOf(quiet), '1', '2');
    assert.equal(textOf(quiet), '2\n');
  });

  it('is never taken away from a file they type in', async () => {
    const [own, other] = [fresh('mine\n', 'own.txt'), fresh('one\n', 'other.txt')];
    await follow('reveal');
    await engineer.opens(own);
    const base = await baseOf(other);
    await engineer.types(own, 'x', { line: 0, character: 0 });
    await replace(other, base, 'one', '1');
    // The editor itself may open a tab in the background for a file that was dirty for some time.
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), uriOf(own).toString());
    assert.deepEqual(
      vscode.window.visibleTextEditors.map(({ document }) => document.uri.toString()),
      [uriOf(own).toString()],
    );
  });

  it('is shown the right texts of a refused edit, whatever the command is called with', async () => {
    const path = fresh('one\ntwo\n', 'texts.txt');
    const base = await baseOf(path);
    writes(path, 'ONE\ntwo\n');
    await replace(path, base, 'two', '2');
    const row = JSON.stringify(['refused', null, pathOf(path), signatureOf(path)]);
    await vscode.commands.executeCommand('editArbiter.showIntended', { row });
    await until(() => tabs().length === 2);
    const inputs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ input }) => input));
    const texts = await Promise.all(
      inputs.map(async (input) => {
        assert.ok(input instanceof vscode.TabInputTextDiff);
        const [original, modified] = await Promise.all(
          [input.original, input.modified].map((uri) => vscode.workspace.openTextDocument(uri)),
        );
        return [original?.getText(), modified?.getText()];
      }),
    );
    assert.deepEqual(texts, [
      ['one\ntwo\n', 'one\n2\n'],
      ['ONE\ntwo\n', 'one\n2\n'],
    ]);
    await vscode.commands.executeCommand('editArbiter.copyPrompt', { row });
    assert.match(await vscode.env.clipboard.readText(), /texts\.txt/);
    await vscode.commands.executeCommand('editArbiter.dismiss', { row });
    await vscode.commands.executeCommand('editArbiter.dismiss', { row: 'nothing of ours' });
    await vscode.commands.executeCommand('editArbiter.openFile', { row });
  });

  it('is shown what an edit looked for where it has no place in the text it was planned on', async () => {
    const path = fresh('one\n', 'lost.txt');
    await edit({ files: [{ path, base: await baseOf(path), edits: [{ old_string: 'three', new_string: '3' }] }] });
    const row = JSON.stringify(['refused', null, pathOf(path), signatureOf(path, 'three', '3')]);
    await vscode.commands.executeCommand('editArbiter.showIntended', { row });
    await until(() => tabs().includes('lost.txt (what the edit looked for ↔ what it wanted)'));
    await vscode.commands.executeCommand('editArbiter.openFile', { row });
    await until(() => vscode.window.activeTextEditor?.document.uri.fsPath === uriOf(path).fsPath);
    await vscode.commands.executeCommand('editArbiter.dismiss', { row });
  });
});

/** The signature of one replacement, as the core gives it. */
function signatureOf(path: string, old = 'two', replacement = '2'): string {
  const edits = [{ old_string: old, new_string: replacement }];
  const parsed = parseEditCall({ files: [{ path, base: 'absent', edits }] });
  const [entry] = 'entries' in parsed ? parsed.entries : [];
  assert.ok(entry && 'signature' in entry);
  return entry.signature;
}
