import assert from 'node:assert/strict';
import { chmodSync, statSync, utimesSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { baseOf, replace } from './support/agent.ts';
import { fresh, pathOf, replaces, sha256, textOf, writes } from './support/disk.ts';
import { documentOf, engineer, until } from './support/engineer.ts';
import { committed, git } from './support/git.ts';
import { withSettings } from './support/settings.ts';
import { runs } from './support/tasks.ts';

describe('Known failures of the check for staleness', function () {
  this.timeout(60_000);

  describe('What leaves the bytes alone leaves the base fresh', () => {
    const json = '{"k":1}\n';
    const moveTime = (path: string, seconds: number) => {
      const { mtimeMs } = statSync(pathOf(path));
      utimesSync(pathOf(path), mtimeMs / 1_000 + seconds, mtimeMs / 1_000 + seconds);
    };
    for (const [what, act] of [
      [
        'a save without a change',
        async (path: string) => {
          await engineer.opens(path);
          await vscode.commands.executeCommand('workbench.action.files.save');
        },
      ],
      [
        'a key and its Undo',
        async (path: string) => {
          await engineer.types(path, 'x', { line: 0, character: 0 });
          await engineer.undoes(path);
        },
      ],
      [
        'a key and another that deletes it',
        async (path: string) => {
          const editor = await engineer.opens(path);
          await engineer.types(path, 'x', { line: 0, character: 0 });
          await vscode.commands.executeCommand('deleteLeft');
          await until(() => editor.document.getText() === json);
        },
      ],
      ['a modification time five seconds later', async (path: string) => moveTime(path, 5)],
      ['a modification time an hour earlier', async (path: string) => moveTime(path, -3_600)],
      ['the same bytes written once more', async (path: string) => writes(path, json)],
      ['the same bytes in a new file', async (path: string) => replaces(path, json)],
      [
        'a change and its reversal by another program',
        async (path: string) => {
          writes(path, '{}\n');
          writes(path, json);
        },
      ],
      ['another mode', async (path: string) => chmodSync(pathOf(path), 0o600)],
    ] as const) {
      it(what, async () => {
        const path = fresh(json, 'a.json');
        const base = await baseOf(path);
        await act(path);
        const result = await replace(path, base, '1', '2');
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.equal(textOf(path), '{"k":2}\n');
        await until(() => !documentOf(path).isDirty);
      });
    }
  });

  describe('A formatter is named as what it was, and its diff is enough to plan on', () => {
    const before = 'import b\nimport a\nx=1\ny = 2\n';
    const after = 'import a\nimport b\nx = 1\ny = 2\n';
    const isRefused = async (path: string, base: string): Promise<readonly string[] | undefined> => {
      assert.equal(textOf(path), after);
      const stale = await replace(path, base, 'y = 2', 'y = 3');
      assert.equal(stale.status, 'stale_base', JSON.stringify(stale));
      assert.equal(stale.diff_since_read, '@@ -1,4 +1,4 @@\n-import b\n import a\n-x=1\n+import b\n+x = 1\n y = 2\n');
      assert.equal(stale.actual, sha256(after));
      assert.ok(stale.next?.includes(`on this diff with base ${sha256(after)}`), stale.next);
      assert.equal(textOf(path), after, 'nothing is applied again');
      const next = await replace(path, String(stale.actual), 'y = 2', 'y = 3', { still_needed: 'y is not formatted' });
      assert.equal(next.status, 'applied', JSON.stringify(next));
      return stale.changed_by;
    };

    it('a hook of the tool', async () => {
      const path = fresh(before, 'm.py');
      const other = path.replace('m.py', 'other.txt');
      writes(other, 'one\n');
      const script = `require('fs').writeFileSync(${JSON.stringify(pathOf(path))}, ${JSON.stringify(after)})`;
      const hooks = [{ name: 'sort and format', files: '**/other.txt', command: [process.execPath, '-e', script] }];
      const base = await baseOf(path);
      await withSettings('editArbiter', { hooks }, async () => {
        assert.equal((await replace(other, await baseOf(other), 'one', '1')).status, 'applied');
      });
      assert.deepEqual(await isRefused(path, base), ['post-write hook: sort and format']);
    });

    it('another program', async () => {
      const path = fresh(before, 'm.py');
      const base = await baseOf(path);
      writes(path, after);
      assert.deepEqual(await isRefused(path, base), ['external writer']);
    });

    for (const [how, commits, cause] of [
      [
        'outside the editor',
        async (folder: string) => git(folder, 'commit', '-q', '-a', '-m', 'two'),
        /^external writer$/,
      ],
      [
        'by a task',
        async (folder: string) => {
          await runs(`git -C '${folder}' commit -q -a -m two`);
        },
        /^git: commit -q -a -m two$/,
      ],
    ] as const) {
      it(`a commit hook of git, ${how}`, async () => {
        const path = committed(before, 'm.py');
        const folder = dirname(pathOf(path));
        writes(`${path}.formatted`, after);
        writes(`${dirname(path)}/.git/hooks/pre-commit`, '#!/bin/sh\ncp m.py.formatted m.py\ngit add m.py\n');
        chmodSync(`${folder}/.git/hooks/pre-commit`, 0o755);
        writes(`${dirname(path)}/more.txt`, 'more\n');
        git(folder, 'add', 'more.txt');
        const base = await baseOf(path);
        await commits(folder);
        const causes = await isRefused(path, base);
        assert.equal(causes?.length, 1, String(causes));
        assert.match(String(causes), cause);
      });
    }
  });

  describe('A change that neither size nor time shows makes a base stale', () => {
    const keepTime = (path: string, write: () => void) => {
      const { atime, mtime } = statSync(pathOf(path));
      write();
      utimesSync(pathOf(path), atime, mtime);
    };
    for (const [way, isOpen, write] of [
      ['in place, in an open file', true, writes],
      ['in place, in a file that is not open', false, writes],
      ['by a new file in its place', true, replaces],
    ] as const) {
      it(way, async () => {
        const path = fresh('t=10\nq=0\n', 'p.txt');
        if (isOpen) {
          await engineer.holds(path);
        }
        const base = await baseOf(path);
        keepTime(path, () => write(path, 't=20\nq=0\n'));
        const stale = await replace(path, base, 'q=0', 'q=1');
        assert.equal(stale.status, 'stale_base', JSON.stringify(stale));
        assert.equal(stale.diff_since_read, '@@ -1,2 +1,2 @@\n-t=10\n+t=20\n q=0\n');
        assert.equal(textOf(path), 't=20\nq=0\n');
        if (write === writes) {
          const result = await replace(path, await baseOf(path), 't=20', 't=30');
          assert.equal(result.status, 'applied', JSON.stringify(result));
          assert.equal(textOf(path), 't=30\nq=0\n');
        }
      });
    }
  });
});
