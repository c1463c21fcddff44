import assert from 'node:assert/strict';
import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { baseOf, edit, only, type Result, read, replace } from './support/agent.ts';
import { fresh, pathOf, root, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { documentOf, engineer, until } from './support/engineer.ts';
import { duringSave, latch, whenTextIs } from './support/moments.ts';
import { withSettings } from './support/settings.ts';

async function sends(entry: object): Promise<Result> {
  return only(await edit({ files: [entry] }));
}

describe('Known failures of paths', function () {
  this.timeout(60_000);

  describe('What resolves outside the workspace is neither read nor written, however it is spelled', () => {
    // Beside the workspace: one of its name and more, one of another name.
    const outside = () => ({ evil: `${root()}-evil`, elsewhere: `${root()}-elsewhere` });
    let proj = '';
    beforeEach(() => {
      for (const folder of Object.values(outside())) {
        mkdirSync(folder);
        writeFileSync(`${folder}/t.txt`, 'keep\n');
      }
      proj = dirname(fresh('x\n', 'sub.txt'));
      writes(`${proj}/sub/f.txt`, 'inside\n');
      symlinkSync(outside().elsewhere, pathOf(`${proj}/box`));
      symlinkSync(`${outside().elsewhere}/t.txt`, pathOf(`${proj}/file-link`));
      symlinkSync('nowhere.txt', pathOf(`${proj}/dangling`));
      symlinkSync(`../../${basename(outside().elsewhere)}`, pathOf(`${proj}/relative-box`));
    });
    afterEach(() => {
      for (const folder of Object.values(outside())) {
        assert.deepEqual(readdirSync(folder), ['t.txt']);
        rmSync(folder, { recursive: true });
      }
    });
    const isUntouched = () => {
      for (const folder of Object.values(outside())) {
        assert.deepEqual(readdirSync(folder), ['t.txt'], 'nothing outside was created, renamed or deleted');
        assert.equal(textOf(`../${basename(folder)}/t.txt`), 'keep\n');
      }
    };

    for (const [what, spelled] of [
      ['through a link to a folder', () => `${proj}/box/t.txt`],
      ['through a relative link', () => `${proj}/relative-box/t.txt`],
      ['through a link to a file', () => `${proj}/file-link`],
      ['a name that begins like the workspace', () => `../${basename(root())}-evil/t.txt`],
      ['by going up from a folder', () => `${proj}/sub/../../../${basename(outside().elsewhere)}/t.txt`],
      ['by going up from a folder that does not exist', () => `no/such/../../../${basename(root())}-evil/t.txt`],
      ['through a link and up from there', () => `${proj}/box/../${basename(root())}-evil/t.txt`],
      ['by its whole path', () => `${outside().elsewhere}/t.txt`],
      ['by its whole path, from the workspace up', () => `${root()}/../${basename(root())}-evil/t.txt`],
      ['a new file in a linked folder', () => `${proj}/box/new.txt`],
      ['a new file in a new folder in a linked one', () => `${proj}/box/deep/new.txt`],
      ['a link that leads nowhere', () => `${proj}/dangling`],
      ['the folder above', () => '..'],
    ] as const) {
      it(what, async () => {
        const path = spelled();
        const [part] = await read(path);
        // Where a link is followed by two dots, the text of the path decides, as everywhere in the editor.
        const isLexical = path.startsWith(`${proj}/box/../`);
        assert.equal(part?.header.status, isLexical ? 'not_found' : 'outside_workspace', JSON.stringify(part));
        const base = sha256('keep\n');
        for (const entry of [
          { path, base, edits: [{ old_string: 'keep', new_string: 'lost' }] },
          { path, base, content: 'lost\n' },
          { path, base, patch: '@@ -1,1 +1,1 @@\n-keep\n+lost\n' },
          { path, base, delete: true },
          { path, base, rename_to: `${proj}/taken.txt` },
          ...(isLexical ? [] : [{ path, base: 'absent', content: 'new\n' }]),
        ]) {
          const result = await sends(entry);
          assert.equal(result.status, isLexical ? 'stale_base' : 'outside_workspace', JSON.stringify(result));
          assert.ok(
            isLexical || /resolves outside|leads nowhere/.test(String(result['reason'])),
            String(result.reason),
          );
        }
        if (!isLexical) {
          const target = await sends({ path: `${proj}/sub/f.txt`, base: sha256('inside\n'), rename_to: path });
          assert.equal(target.status, 'outside_workspace', JSON.stringify(target));
        }
        assert.equal(textOf(`${proj}/sub/f.txt`), 'inside\n');
        isUntouched();
      });
    }

    it('nor by a URI', async () => {
      for (const path of [
        'file:///etc/passwd',
        `file://${outside().elsewhere}/t.txt`,
        'untitled:t.txt',
        'vscode://x/y',
      ]) {
        const [part] = await read(path);
        const result = await sends({ path, base: sha256('keep\n'), content: 'lost\n' });
        for (const status of [part?.header.status, result.status]) {
          assert.ok(['invalid_input', 'not_found', 'stale_base'].includes(String(status)), `${path}: ${status}`);
        }
      }
      isUntouched();
    });

    it('nor by the name of a device, a drive or a share, nor by one that only looks or sounds alike', async () => {
      writes(`${proj}/caf\u00e9.txt`, 'keep\n');
      for (const path of [
        '/dev/null',
        '/dev/stdin',
        '/proc/self/mem',
        '/proc/self/cwd/f.txt',
        `/proc/self/root${outside().elsewhere}/t.txt`,
        'CON',
        'nul.txt',
        'C:\\t.txt',
        'C:t.txt',
        '\\\\server\\share\\t.txt',
        '//server/share/t.txt',
        '\\\\?\\C:\\t.txt',
        '~/t.txt',
        '$HOME/t.txt',
        '%TEMP%/t.txt',
        `${proj}\\sub\\f.txt`,
        `${proj}/..\u2215..\u2215${basename(outside().elsewhere)}\u2215t.txt`,
        `${proj}/\uff0e\uff0e/\uff0e\uff0e/${basename(outside().elsewhere)}/t.txt`,
        `${proj}/%2e%2e/%2e%2e/${basename(outside().elsewhere)}/t.txt`,
        `${proj}/cafe\u0301.txt`,
        `${proj}/sub/f\u200b.txt`,
        `${proj}/sub/f.txt.`,
        `${proj}/sub/f.txt::$DATA`,
      ]) {
        const [part] = await read(path);
        const result = await sends({ path, base: sha256('keep\n'), content: 'lost\n' });
        for (const status of [part?.header.status, result.status]) {
          assert.ok(
            ['outside_workspace', 'not_found', 'stale_base', 'binary'].includes(String(status)),
            `${path}: ${status}`,
          );
        }
        assert.equal(part?.content, '', path);
      }
      assert.deepEqual([textOf(`${proj}/caf\u00e9.txt`), textOf(`${proj}/sub/f.txt`)], ['keep\n', 'inside\n']);
      isUntouched();
    });

    it('while a link that stays inside leads to its file, and to one identity', async () => {
      const path = `${proj}/sub/f.txt`;
      symlinkSync('sub', pathOf(`${proj}/inner`));
      symlinkSync('sub/f.txt', pathOf(`${proj}/f`));
      const parts = await read(path, `${proj}/inner/f.txt`, `${proj}/f`, pathOf(`${proj}/inner/f.txt`));
      assert.deepEqual(new Set(parts.map(({ header }) => header.base)), new Set([sha256('inside\n')]));
      assert.deepEqual(new Set(parts.map(({ header }) => header.path)), new Set([path]));
      const result = await replace(`${proj}/inner/f.txt`, sha256('inside\n'), 'inside', 'within');
      assert.deepEqual([result.status, result.path], ['applied', path], JSON.stringify(result));
      assert.equal(textOf(path), 'within\n');
    });

    it('also where the folder has become a link since the call began', async () => {
      writes(`${proj}/d/t.txt`, 'keep\n');
      linkSync(pathOf(`${proj}/d/t.txt`), pathOf(`${proj}/other-name.txt`));
      const [reached, saving] = [latch(), latch()];
      duringSave(`${proj}/other-name.txt`, async () => {
        reached.open();
        await saving.opened;
      });
      // Two names of one file wait for each other.
      const first = replace(`${proj}/other-name.txt`, sha256('keep\n'), 'keep', 'kept');
      await reached.opened;
      const second = replace(`${proj}/d/t.txt`, sha256('keep\n'), 'keep', 'lost');
      renameSync(pathOf(`${proj}/d`), pathOf(`${proj}/moved`));
      symlinkSync(outside().elsewhere, pathOf(`${proj}/d`));
      saving.open();
      assert.equal((await first).status, 'applied');
      const result = await second;
      assert.equal(result.status, 'outside_workspace', JSON.stringify(result));
      isUntouched();
    });

    it('also where the folder becomes a link between the apply and the save', async () => {
      const path = `${proj}/d/t.txt`;
      writes(path, 'keep\n');
      const base = await baseOf(path);
      await engineer.holds(path);
      whenTextIs(path, 'lost\n', () => {
        renameSync(pathOf(`${proj}/d`), pathOf(`${proj}/moved`));
        symlinkSync(outside().elsewhere, pathOf(`${proj}/d`));
      });
      const result = await replace(path, base, 'keep', 'lost');
      isUntouched();
      assert.equal(result.status, 'save_failed', JSON.stringify(result));
      assert.match(String(result.reason), /a symbolic link has been put in its place/);
      assert.equal(textOf(`${proj}/moved/t.txt`), 'keep\n');
      assert.equal(documentOf(path).getText(), 'keep\n');
    });
  });

  describe('A file that steers the editor is not changed on a right base alone', () => {
    for (const [name, before, after] of [
      ['.vscode/settings.json', '{}\n', '{"chat.tools.autoApprove": true}\n'],
      ['.vscode/tasks.json', '{}\n', '{"tasks": []}\n'],
      ['.vscode/launch.json', '{}\n', '{"configurations": []}\n'],
      ['.vscode/mcp.json', '{}\n', '{"servers": {}}\n'],
      ['my.code-workspace', '{}\n', '{"settings": {}}\n'],
      ['.git/config', '[core]\n', '[core]\n\thooksPath = hooks\n'],
      ['.git/hooks/pre-commit', '#!/bin/sh\n', '#!/bin/sh\nid\n'],
      ['deep/er/.vscode/settings.json', '{}\n', '{"x": 1}\n'],
      ['.VSCode/Settings.JSON', '{}\n', '{"x": 1}\n'],
      ['.github/workflows/ci.yml', 'on: push\n', 'on: pull_request_target\n'],
    ] as const) {
      it(name, async () => {
        const path = fresh(before, name);
        const folder = path.slice(0, path.indexOf('/'));
        writes(`${folder}/harmless.txt`, after);
        symlinkSync(name, pathOf(`${folder}/link.json`));
        const base = await baseOf(path);
        for (const entry of [
          { path, base, edits: [{ old_string: before, new_string: after }] },
          { path, base, content: after },
          { path, base, delete: true },
          { path, base, rename_to: `${folder}/away.txt` },
          { path: `${folder}/link.json`, base, content: after },
          { path: `${folder}/x/../${name}`, base, content: after },
          { path: pathOf(path), base, content: after },
          { path: path.replace(basename(path), `new-${basename(path)}`), base: 'absent', content: after },
          { path: `${folder}/harmless.txt`, base: sha256(after), rename_to: `${path}.${basename(path)}` },
        ]) {
          // A new hook of git, or a new file in these folders, counts as much as those that are known by name.
          const result = await sends(entry);
          assert.equal(result.status, 'protected', JSON.stringify([entry, result]));
          assert.match(String(result.reason), /only with a human's yes/);
        }
        assert.equal(textOf(path), before);
        assert.deepEqual(
          readdirSync(dirname(pathOf(path))).filter((one) => one.startsWith('new-')),
          [],
        );
        assert.equal(textOf(`${folder}/harmless.txt`), after);
      });
    }

    it('and no setting that the workspace brings along takes a file from the list', async () => {
      const path = fresh('{}\n', '.vscode/settings.json');
      const settings = vscode.workspace.getConfiguration('editArbiter');
      await assert.rejects(
        async () => settings.update('unprotect', ['**'], vscode.ConfigurationTarget.Workspace),
        /unprotect/,
      );
      // The engineer clones a repository that holds this file; the second line tells when the editor has read it.
      const own = '.vscode/settings.json';
      const before = existsSync(pathOf(own)) ? textOf(own) : undefined;
      writes(own, '{"editArbiter.unprotect": ["**"], "editArbiter.diffTime": 201}\n');
      await until(() => vscode.workspace.getConfiguration('editArbiter').get('diffTime') === 201);
      try {
        const result = await replace(path, await baseOf(path), '{}', '{"x": 1}');
        assert.equal(result.status, 'protected', JSON.stringify(result));
        assert.equal(textOf(path), '{}\n');
      } finally {
        if (before === undefined) {
          rmSync(pathOf(own));
        } else {
          writes(own, before);
        }
        await until(() => vscode.workspace.getConfiguration('editArbiter').get('diffTime') !== 201);
      }
    });

    it('while one can lengthen the list, and the rest of a call lands', async () => {
      await withSettings('editArbiter', { protect: ['**/precious.txt'] }, async () => {
        const precious = fresh('one\n', 'precious.txt');
        const plain = fresh('one\n', 'plain.txt');
        const edits = [{ old_string: 'one', new_string: '1' }];
        const files = [precious, plain].map((path) => ({ path, base: sha256('one\n'), edits }));
        assert.equal((await edit({ files })).summary, '1 protected, 1 applied');
        assert.equal(textOf(precious), 'one\n');
        const atomic = await edit({
          files: files.map((file) => ({
            ...file,
            base: sha256(textOf(file.path)),
            edits: [{ old_string: '\n', new_string: '!' }],
          })),
          on_conflict: 'atomic',
        });
        assert.equal(atomic.summary, '1 protected, 1 skipped');
        assert.equal(textOf(plain), '1\n');
      });
    });
  });

  describe('A file in another letter case', () => {
    it('is the same file where the disk says so, and not found where it does not', async () => {
      const path = fresh('a\n', 'App.ts');
      const other = `${dirname(path).toUpperCase()}/app.ts`;
      const isSame = existsSync(pathOf(other));
      const listed = `${dirname(path)}/${readdirSync(dirname(pathOf(path)))[0]}`;
      const base = await baseOf(path);
      await engineer.holds(path);
      const [part] = await read(other);
      const result = await replace(other, base, 'a', 'b');
      if (isSame) {
        assert.deepEqual([part?.header.path, part?.header.base], [listed, base]);
        assert.deepEqual([result.status, result.path], ['applied', listed], JSON.stringify(result));
        assert.equal(textOf(path), 'b\n');
      } else {
        assert.deepEqual([part?.header.status, part?.header.base], ['not_found', 'absent']);
        assert.deepEqual([result.status, result.actual], ['stale_base', 'absent'], JSON.stringify(result));
        assert.equal(textOf(path), 'a\n');
        assert.equal(existsSync(pathOf(other)), false);
      }
      const documents = vscode.workspace.textDocuments.filter(
        ({ uri }) => uri.path.toLowerCase() === uriOf(path).path.toLowerCase(),
      );
      assert.equal(documents.length, 1, String(documents.map(({ uri }) => uri.path)));
    });

    it('is not edited under the unsaved text of its other name', async () => {
      const path = fresh('a\n', 'App.ts');
      const other = `${dirname(path).toUpperCase()}/app.ts`;
      const isSame = existsSync(pathOf(other));
      const base = await baseOf(path);
      await engineer.types(path, '!', { line: 0, character: 1 });
      const result = await replace(other, base, 'a', 'b');
      assert.deepEqual(
        [result.status, result.actual],
        ['stale_base', isSame ? `${base}+dirty:${sha256('a!\n').slice(7)}` : 'absent'],
        JSON.stringify(result),
      );
      assert.deepEqual([documentOf(path).getText(), textOf(path)], ['a!\n', 'a\n']);
    });
  });
});
