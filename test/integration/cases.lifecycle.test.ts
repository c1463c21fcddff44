import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { baseOf, edit, only, type Result, read, replace } from './support/agent.ts';
import { fresh, pathOf, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { closeEverything, documentOf, engineer, isOpen, until } from './support/engineer.ts';
import { withSettings } from './support/settings.ts';

async function sends(entry: object): Promise<Result> {
  return only(await edit({ files: [entry] }));
}

/** What an engineer does in the explorer. */
async function operates(prepare: (edit: vscode.WorkspaceEdit) => void): Promise<void> {
  const operation = new vscode.WorkspaceEdit();
  prepare(operation);
  assert.ok(await vscode.workspace.applyEdit(operation));
}

describe('Known failures of the life of a file', function () {
  this.timeout(60_000);

  describe('A file that is gone is not brought back by an edit, and the reply says where it went', () => {
    const content = 'export {}\n';
    const beside = (path: string, name: string) => `${dirname(path)}/${name}`;
    for (const [what, act, cause] of [
      ['deleted by another program', async (path: string) => rmSync(pathOf(path)), /^deleted on disk$/],
      [
        'deleted by another program while its tab is open',
        async (path: string) => {
          await engineer.opens(path);
          rmSync(pathOf(path));
        },
        /^deleted on disk$/,
      ],
      [
        'deleted with its folder',
        async (path: string) => rmSync(dirname(pathOf(path)), { recursive: true }),
        /^deleted on disk$/,
      ],
      [
        'deleted in the editor',
        async (path: string) => operates((edit) => edit.deleteFile(uriOf(path))),
        /^deleted on disk$/,
      ],
      [
        'renamed by another program',
        async (path: string) => renameSync(pathOf(path), pathOf(beside(path, 'e.ts'))),
        /^deleted on disk$/,
      ],
      [
        'renamed in the editor',
        async (path: string) => operates((edit) => edit.renameFile(uriOf(path), uriOf(beside(path, 'e.ts')))),
        /^renamed to t\d+\/e\.ts$/,
      ],
      [
        'renamed in the editor while its tab is open',
        async (path: string) => {
          await engineer.opens(path);
          await operates((edit) => edit.renameFile(uriOf(path), uriOf(beside(path, 'e.ts'))));
        },
        /^renamed to t\d+\/e\.ts$/,
      ],
      [
        'moved in the editor, with its folder',
        async (path: string) => operates((edit) => edit.renameFile(uriOf(dirname(path)), uriOf(`${dirname(path)}x`))),
        /^renamed to t\d+x\/d\.ts$/,
      ],
      [
        'renamed through the tool',
        async (path: string) => {
          const rename = { path, base: sha256(content), rename_to: beside(path, 'e.ts') };
          assert.equal((await sends(rename)).status, 'applied');
        },
        /^edit #\d+ \(.*\)\|renamed to t\d+\/e\.ts$/,
      ],
    ] as const) {
      it(what, async () => {
        const path = fresh(content, 'd.ts');
        const base = await baseOf(path);
        await act(path);
        for (const wish of [
          { edits: [{ old_string: '{}', new_string: '{ x }' }] },
          { content: 'export { x }\n' },
          { patch: '@@ -1,1 +1,1 @@\n-export {}\n+export { x }\n' },
          { delete: true },
        ]) {
          const result = await sends({ path, base, ...wish });
          assert.deepEqual([result.status, result.actual], ['stale_base', 'absent'], JSON.stringify(result));
          assert.match(String(result.changed_by?.join('|')), cause);
          assert.match(String(result.next), /The file is gone.*"absent"/);
          assert.equal(existsSync(pathOf(path)), false, 'not brought back');
        }
        assert.ok(!isOpen(path) || !documentOf(path).isDirty);
        const [part] = await read(path);
        assert.deepEqual([part?.header.status, part?.header.base], ['not_found', 'absent']);

        const created = await sends({ path, base: 'absent', content: 'export { y }\n' });
        assert.equal(created.status, 'applied', JSON.stringify(created));
        assert.equal(textOf(path), 'export { y }\n');
        const again = await sends({ path, base: 'absent', content: 'export { z }\n' });
        assert.equal(again.status, 'stale_base', 'nothing is written over what exists');
        assert.equal(textOf(path), 'export { y }\n');
      });
    }

    it('and while an editor still holds unsaved text for it, that text is left alone', async () => {
      const path = fresh(content, 'd.ts');
      const base = await baseOf(path);
      await engineer.types(path, '//', { line: 0, character: 0 });
      rmSync(pathOf(path));
      const result = await replace(path, base, '{}', '{ x }');
      assert.deepEqual(
        [result.status, result.actual],
        ['stale_base', `absent+dirty:${sha256(`//${content}`).slice(7)}`],
        JSON.stringify(result),
      );
      const created = await sends({ path, base: 'absent', content: 'mine\n' });
      assert.equal(created.status, 'stale_base', JSON.stringify(created));
      assert.equal(documentOf(path).getText(), `//${content}`);
      assert.equal(existsSync(pathOf(path)), false);
      writes(path, content); // So that the test can leave nothing behind.
    });

    it('and a folder, or a link, in its place is named', async () => {
      const path = fresh(content, 'd.ts');
      const base = await baseOf(path);
      rmSync(pathOf(path));
      mkdirSync(pathOf(path));
      assert.equal((await replace(path, base, '{}', '{ x }')).status, 'is_directory');
      const other = fresh(content, 'd.ts');
      rmSync(pathOf(other));
      symlinkSync('nowhere', pathOf(other));
      assert.equal((await replace(other, base, '{}', '{ x }')).status, 'outside_workspace');
    });
  });

  describe('A file that is read only is refused before anything is touched', () => {
    for (const [what, settings, mode, isRefused] of [
      ['by its mode', {}, 0o444, /read-only on disk/],
      ['by its mode, although it can be run', {}, 0o555, /read-only on disk/],
      ['by files.readonlyInclude', { readonlyInclude: { '**/r.cfg': true } }, 0o644, /files\.readonlyInclude/],
      [
        'by a folder in files.readonlyInclude',
        { readonlyInclude: { '**/locked/**': true } },
        0o644,
        /files\.readonlyInclude/,
      ],
      [
        'unless files.readonlyExclude takes it out',
        { readonlyInclude: { '**/locked/**': true }, readonlyExclude: { '**/r.cfg': true } },
        0o644,
        undefined,
      ],
      ['unless the entry is switched off', { readonlyInclude: { '**/r.cfg': false } }, 0o644, undefined],
    ] as const) {
      it(what, async () => {
        await withSettings('files', settings, async () => {
          for (const wish of [
            { edits: [{ old_string: 'a=1', new_string: 'a=2' }] },
            { content: 'a=2\n' },
            { patch: '@@ -1,1 +1,1 @@\n-a=1\n+a=2\n' },
            { rename_to: 'elsewhere' },
            { delete: true },
          ]) {
            const path = fresh('a=1\n', 'locked/r.cfg');
            chmodSync(pathOf(path), mode);
            const base = await baseOf(path);
            const target = `${dirname(path)}/new.txt`;
            const result = await sends({ path, base, ...wish, ...('rename_to' in wish ? { rename_to: target } : {}) });
            if (isRefused) {
              assert.equal(result.status, 'read_only', JSON.stringify([wish, result]));
              assert.match(String(result.reason), isRefused);
              assert.equal(textOf(path), 'a=1\n');
              assert.equal(statSync(pathOf(path)).mode & 0o777, mode);
              assert.ok(!isOpen(path) || !documentOf(path).isDirty);
            } else {
              assert.equal(result.status, 'applied', JSON.stringify(result));
            }
          }
        });
      });
    }

    it('by the engineer, for this session', async () => {
      const path = fresh('a=1\n', 'r.cfg');
      const base = await baseOf(path);
      await engineer.opens(path);
      await vscode.commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession');
      const result = await replace(path, base, 'a=1', 'a=2');
      assert.notEqual(result.status, 'applied', JSON.stringify(result));
      assert.ok(result.next);
      assert.equal(textOf(path), 'a=1\n');
      assert.equal(documentOf(path).getText(), 'a=1\n');
      assert.equal(documentOf(path).isDirty, false);
      await vscode.commands.executeCommand('workbench.action.files.resetActiveEditorReadonlyInSession');
    });

    it('since the read, and can be edited when it is writable again', async () => {
      const path = fresh('a=1\n', 'r.cfg');
      const base = await baseOf(path);
      chmodSync(pathOf(path), 0o444);
      const refused = await replace(path, base, 'a=1', 'a=2');
      assert.equal(refused.status, 'read_only', JSON.stringify(refused));
      chmodSync(pathOf(path), 0o644);
      const result = await replace(path, base, 'a=1', 'a=2');
      assert.equal(result.status, 'applied', JSON.stringify(result));
    });
  });

  describe('A file stays the file it was: its mode, its links, its other names', () => {
    for (const [what, wish] of [
      ['edits', { edits: [{ old_string: 'echo 1', new_string: 'echo 2' }] }],
      ['a patch', { patch: '@@ -2,1 +2,1 @@\n-echo 1\n+echo 2\n' }],
      ['a whole text', { content: '#!/bin/sh\necho 2\n' }],
    ] as const) {
      for (const mode of ['continue', 'atomic'] as const) {
        it(`${what}, ${mode}, through a link`, async () => {
          const path = fresh('#!/bin/sh\necho 1\n', 'bin/run.sh');
          const folder = path.slice(0, path.indexOf('/'));
          chmodSync(pathOf(path), 0o755);
          symlinkSync('bin/run.sh', pathOf(`${folder}/link`));
          symlinkSync('link', pathOf(`${folder}/run`));
          linkSync(pathOf(path), pathOf(`${folder}/hard`));
          const { ino } = statSync(pathOf(path));
          const bases = await Promise.all([path, `${folder}/run`, `${folder}/link`, `${folder}/hard`].map(baseOf));
          assert.equal(new Set(bases).size, 1);
          const answer = await edit({ files: [{ path: `${folder}/run`, base: bases[0], ...wish }], on_conflict: mode });
          assert.equal(only(answer).status, 'applied', JSON.stringify(answer));
          assert.equal(only(answer).path, path);
          for (const link of ['run', 'link']) {
            assert.ok(lstatSync(pathOf(`${folder}/${link}`)).isSymbolicLink());
          }
          assert.equal(textOf(path), '#!/bin/sh\necho 2\n');
          assert.equal(textOf(`${folder}/hard`), '#!/bin/sh\necho 2\n');
          assert.deepEqual([statSync(pathOf(path)).mode & 0o7777, statSync(pathOf(path)).ino], [0o755, ino]);
          const stale = await replace(path, String(bases[0]), 'echo', 'x');
          assert.equal(stale.status, 'stale_base', 'one file, whatever it is called');
        });
      }
    }

    for (const mode of [0o600, 0o640, 0o750, 0o777, 0o4755, 0o2755, 0o1644]) {
      it(`mode ${mode.toString(8)}`, async () => {
        const path = fresh('one\n');
        chmodSync(pathOf(path), mode);
        const first = await replace(path, await baseOf(path), 'one', '1');
        assert.equal(first.status, 'applied', JSON.stringify(first));
        // The system itself takes the bits away with which a program runs as somebody else, where a user writes to it.
        const kept = process.getuid?.() === 0 ? 0o7777 : 0o1777;
        assert.equal(statSync(pathOf(path)).mode & kept, mode & kept);
      });
    }
  });

  describe('A notebook is refused as one, and nothing of it is taken for text', () => {
    const notebook = (source: string) =>
      `${JSON.stringify({
        cells: [{ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: [source] }],
        metadata: {},
        nbformat: 4,
        nbformat_minor: 5,
      })}\n`;

    it('closed', async () => {
      const path = fresh(notebook('x = 1'), 'n.ipynb');
      const [part] = await read(path);
      assert.equal(part?.header.status, 'notebook', JSON.stringify(part));
      const base = sha256(notebook('x = 1'));
      for (const wish of [{ edits: [{ old_string: 'x = 1', new_string: 'x = 2' }] }, { content: notebook('x = 2') }]) {
        const result = await sends({ path, base, ...wish });
        assert.equal(result.status, 'notebook', JSON.stringify(result));
        assert.match(String(result.next), /notebook tools/);
      }
      assert.equal(textOf(path), notebook('x = 1'));
      assert.equal(isOpen(path), false);
    });

    it('open, with a cell that is not saved', async () => {
      const path = fresh(notebook('x = 1'), 'n.ipynb');
      const base = sha256(notebook('x = 1'));
      const document = await vscode.workspace.openNotebookDocument(uriOf(path));
      await vscode.window.showNotebookDocument(document);
      const cell = document.cellAt(0).document;
      await operates((edit) => edit.replace(cell.uri, new vscode.Range(0, 4, 0, 5), '5'));
      await until(() => document.isDirty);
      const result = await replace(path, base, 'x = 1', 'x = 2');
      assert.equal(result.status, 'notebook', JSON.stringify(result));
      assert.equal((await sends({ path, base, delete: true })).status, 'notebook');
      assert.equal((await sends({ path, base, rename_to: `${dirname(path)}/m.ipynb` })).status, 'notebook');
      assert.equal(cell.getText(), 'x = 5');
      assert.equal(document.isDirty, true);
      assert.equal(textOf(path), notebook('x = 1'));
      assert.equal(isOpen(path), false, 'no second document of the same file');
      await vscode.commands.executeCommand('workbench.action.files.revert');
      await until(() => !document.isDirty);
      await closeEverything();
    });
  });
});
