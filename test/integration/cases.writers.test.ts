import assert from 'node:assert/strict';
import { rmSync, statSync, utimesSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { baseOf, edit, only, read, replace } from './support/agent.ts';
import { fresh, pathOf, replaces, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { documentOf, engineer, until } from './support/engineer.ts';
import { committed, git } from './support/git.ts';
import { duringSave, latch } from './support/moments.ts';

describe('Known failures of other writers', function () {
  this.timeout(60_000);

  describe('A private copy never brings back what the engineer reverted', () => {
    const before = 'cpu=1\nmem=2\nnet=3\n';
    for (const [way, revert, cause] of [
      [
        'by typing',
        async (path: string) => {
          await engineer.types(path, '2', { line: 1, character: 4, length: 1 });
          await engineer.saves(path);
        },
        () => 'engineer: typed in the editor (1 edit, saved)',
      ],
      [
        'with Undo',
        async (path: string) => {
          await engineer.undoes(path);
          await engineer.saves(path);
        },
        (number: number | undefined) => `engineer: undo of edit #${number}`,
      ],
      ['with another program', async (path: string) => writes(path, before), () => 'external writer'],
      [
        'with git',
        async (path: string) => git(dirname(pathOf(path)), 'checkout', '-q', '--', '.'),
        () => 'external writer',
      ],
    ] as const) {
      it(way, async () => {
        const path = committed(before, 'limits.ini');
        const original = await baseOf(path);
        const own = await replace(path, original, 'mem=2', 'mem=8');
        assert.equal(own.status, 'applied', JSON.stringify(own));
        await revert(path);
        assert.equal(textOf(path), before);
        const stale = await replace(path, String(own.base), 'net=3', 'net=9');
        assert.equal(stale.status, 'stale_base', JSON.stringify(stale));
        assert.equal(stale.actual, original, 'the same bytes have the same base');
        assert.deepEqual(stale.changed_by, [cause(own.edit)]);
        assert.equal(stale.diff_since_read, '@@ -1,3 +1,3 @@\n cpu=1\n-mem=8\n+mem=2\n net=3\n');
        assert.equal(textOf(path), before);
        const reflex = await replace(path, original, 'net=3', 'net=9');
        assert.equal(reflex.status, 'unconsidered_retry', JSON.stringify(reflex));
        const considered = await replace(path, original, 'net=3', 'net=9', { still_needed: 'net is another key' });
        assert.equal(considered.status, 'applied', JSON.stringify(considered));
        assert.equal(textOf(path), 'cpu=1\nmem=2\nnet=9\n');
      });
    }
  });

  describe('Unsaved text is neither written over nor left behind on disk', () => {
    const show = async (path: string) => void (await engineer.opens(path));
    for (const [place, arrange] of [
      ['in the active tab', show],
      ['in a tab behind another', async () => show(fresh('other\n', 'other.md'))],
      [
        'in two editors side by side',
        async (path: string) =>
          void (await vscode.window.showTextDocument(uriOf(path), { viewColumn: vscode.ViewColumn.Beside })),
      ],
    ] as const) {
      it(place, async () => {
        const path = fresh('alpha\nbeta\n', 'notes.md');
        const before = await baseOf(path);
        await engineer.types(path, '!', { line: 0, character: 5 });
        await arrange(path);
        const stale = await replace(path, before, 'beta', 'gamma');
        assert.equal(stale.status, 'stale_base', JSON.stringify(stale));
        assert.deepEqual(stale.changed_by, ['engineer: typed in the editor (1 edit, unsaved)']);
        assert.equal(stale.diff_since_read, '@@ -1,2 +1,2 @@\n-alpha\n+alpha!\n beta\n');
        assert.match(String(stale.next), /someone else is working/);
        assert.deepEqual(
          [documentOf(path).getText(), documentOf(path).isDirty, textOf(path)],
          ['alpha!\nbeta\n', true, 'alpha\nbeta\n'],
        );

        const [part] = await read(path);
        assert.deepEqual(
          [part?.content, part?.header['dirty'], part?.header.base],
          ['alpha!\nbeta\n', true, `${sha256('alpha\nbeta\n')}+dirty:${sha256('alpha!\nbeta\n').slice(7)}`],
        );
        const result = await replace(path, String(part?.header.base), 'beta', 'delta');
        assert.deepEqual([result.status, result.saved], ['applied', false], JSON.stringify(result));
        assert.deepEqual(
          [documentOf(path).getText(), documentOf(path).isDirty, textOf(path)],
          ['alpha!\ndelta\n', true, 'alpha\nbeta\n'],
        );
        await engineer.undoes(path);
        assert.equal(documentOf(path).getText(), 'alpha!\nbeta\n', 'one Undo takes the edit back alone');
      });
    }

    it('of a new document that has a name and no file yet', async () => {
      const path = fresh('x\n').replace('file.txt', 'new.md');
      const document = await vscode.workspace.openTextDocument(uriOf(path).with({ scheme: 'untitled' }));
      const insert = new vscode.WorkspaceEdit();
      insert.insert(document.uri, new vscode.Position(0, 0), 'theirs\n');
      assert.ok(await vscode.workspace.applyEdit(insert));
      const result = only(await edit({ files: [{ path, base: 'absent', content: 'mine\n' }] }));
      assert.equal(result.status, 'stale_base', JSON.stringify(result));
      assert.equal(result.actual, `absent+dirty:${sha256('theirs\n').slice(7)}`);
      assert.equal(document.getText(), 'theirs\n');
      assert.throws(() => textOf(path), { code: 'ENOENT' });
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    });
  });

  describe('A read right after another program wrote gives what is on disk, and its base', () => {
    for (const [way, write] of [
      ['in place', (path: string) => writes(path, '2.0\n')],
      ['by putting a new file in its place', (path: string) => replaces(path, '2.0\n')],
      [
        'by deleting it and writing it anew',
        (path: string) => {
          rmSync(pathOf(path));
          writes(path, '2.0\n');
        },
      ],
      [
        'at the time the file had before',
        (path: string) => {
          const { atime, mtime } = statSync(pathOf(path));
          writes(path, '2.0\n');
          utimesSync(pathOf(path), atime, mtime);
        },
      ],
      ['by a checkout', (path: string) => git(dirname(pathOf(path)), 'checkout', '-q', 'newer')],
    ] as const) {
      it(way, async () => {
        const path = committed('2.0\n', 'ver.txt');
        const folder = dirname(pathOf(path));
        git(folder, 'branch', 'newer');
        writes(path, '1.0\n');
        git(folder, 'commit', '-q', '-a', '-m', 'two');
        await engineer.holds(path);
        const old = await baseOf(path);
        write(path);
        const [part] = await read(path);
        assert.deepEqual([part?.content, part?.header.base], ['2.0\n', sha256('2.0\n')]);
        const stale = await replace(path, old, '1.0', '1.1');
        assert.equal(stale.status, 'stale_base', JSON.stringify(stale));
        assert.equal(stale.diff_since_read, '@@ -1,1 +1,1 @@\n-1.0\n+2.0\n');
        assert.equal(textOf(path), '2.0\n');
        const result = await replace(path, String(part?.header.base), '2.0', '2.10');
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.equal(textOf(path), '2.10\n');
        await until(() => documentOf(path).getText() === '2.10\n');
      });
    }
  });

  describe('What waited while another edit landed meets the gate when its turn comes', () => {
    for (const [what, wish] of [
      ['an edit', { edits: [{ old_string: 'World', new_string: 'Earth' }] }],
      ['a patch', { patch: '@@ -1,1 +1,1 @@\n-Hello World\n+Hello Earth\n' }],
      ['a whole new text', { content: 'Hello Earth\n' }],
      ['a delete', { delete: true }],
      ['a rename', { rename_to: 'earth/hello.md' }],
    ] as const) {
      it(what, async () => {
        const path = fresh('Hello World\n', 'hello.md');
        const base = await baseOf(path);
        const saving = latch();
        const reached = latch();
        duringSave(path, async () => {
          reached.open();
          await saving.opened;
        });
        const landing = replace(path, base, 'World', 'Mars');
        await reached.opened;
        const waiting = edit({ files: [{ path, base, ...wish }] });
        saving.open();
        const landed = await landing;
        assert.equal(landed.status, 'applied', JSON.stringify(landed));
        const stale = only(await waiting);
        assert.equal(stale.status, 'stale_base', JSON.stringify(stale));
        assert.deepEqual(
          stale.changed_by?.map((cause) => cause.replace(/, turn \d+/, '')),
          [`edit #${landed.edit} (session unknown)`],
        );
        assert.equal(stale.diff_since_read, '@@ -1,1 +1,1 @@\n-Hello World\n+Hello Mars\n');
        assert.equal(textOf(path), 'Hello Mars\n');
      });
    }
  });
});
