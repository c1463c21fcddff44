import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { baseOf, edit, type Result, replace } from './support/agent.ts';
import { fresh, pathOf, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { documentOf, engineer, until } from './support/engineer.ts';
import { runs } from './support/tasks.ts';

/** What a stale edit is told of who moved the file. */
async function causes(path: string, base: string): Promise<readonly string[] | undefined> {
  const result: Result = await replace(path, base, 'nothing', 'x');
  assert.equal(result.status, 'stale_base', JSON.stringify(result));
  return result.changed_by;
}

function git(folder: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
  execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'pipe' });
}

describe('Causes', function () {
  this.timeout(60_000);

  it('a task that wrote the file, with its command line', async () => {
    const path = fresh('schema 1\n');
    const base = await baseOf(path);
    const commandLine = `printf 'schema 2\\n' > '${pathOf(path)}'`;
    await runs(commandLine);
    assert.equal(textOf(path), 'schema 2\n');
    assert.deepEqual(await causes(path, base), [`code generator: ${commandLine} (task)`]);
  });

  it('a background task is not blamed, only named', async () => {
    const path = fresh('a\n');
    const base = await baseOf(path);
    const execution = await runs('sleep 30', true);
    writes(path, 'b\n');
    const changedBy = await causes(path, base);
    execution.terminate();
    assert.deepEqual(changedBy, ['external writer (while sleep 30 ran)']);
  });

  it('a command in a terminal', async () => {
    const path = fresh('a\n');
    const base = await baseOf(path);
    const terminal = vscode.window.createTerminal('test');
    terminal.show(true);
    await until(() => terminal.shellIntegration !== undefined);
    const commandLine = `echo b > '${pathOf(path)}'`;
    const ended = new Promise<void>((resolve) => {
      const subscription = vscode.window.onDidEndTerminalShellExecution((event) => {
        if (event.terminal === terminal) {
          subscription.dispose();
          resolve();
        }
      });
    });
    terminal.shellIntegration?.executeCommand(commandLine);
    await ended;
    await until(() => textOf(path) === 'b\n');
    const changedBy = await causes(path, base);
    terminal.dispose();
    assert.deepEqual(changedBy, [`code generator: ${commandLine} (terminal)`]);
  });

  it('a checkout of another branch, and nothing else for a file that it did not touch', async () => {
    const path = fresh('main\n', 'repo/f.txt');
    const folder = dirname(pathOf(path));
    git(folder, 'init', '-q', '-b', 'main');
    git(folder, 'add', '.');
    git(folder, 'commit', '-q', '-m', 'one');
    git(folder, 'checkout', '-q', '-b', 'feature');
    writes(path, 'feature\n');
    git(folder, 'commit', '-q', '-a', '-m', 'two');
    const base = await baseOf(path);
    git(folder, 'checkout', '-q', 'main');
    assert.equal(textOf(path), 'main\n');
    assert.deepEqual(await causes(path, base), ['git: checkout main']);
    const beside = `${path.slice(0, path.lastIndexOf('/'))}/beside.txt`;
    writes(beside, 'one\n');
    const itsBase = await baseOf(beside);
    writes(beside, 'two\n');
    git(folder, 'checkout', '-q', 'feature');
    assert.deepEqual(await causes(beside, itsBase), ['external writer']);
  });

  it('an external writer, a deletion, and the same bytes again, which is no move', async () => {
    const path = fresh('a\n');
    const base = await baseOf(path);
    writes(path, 'b\n');
    assert.deepEqual(await causes(path, base), ['external writer']);
    rmSync(pathOf(path));
    assert.deepEqual(await causes(path, base), ['external writer', 'deleted on disk']);
    writes(path, 'a\n');
    assert.equal((await replace(path, base, 'a', 'c')).status, 'applied');
  });

  it('a rename in the editor, of the file or of its folder, names the new place', async () => {
    const path = fresh('a\n', 'old/d.ts');
    const base = await baseOf(path);
    const renames = new vscode.WorkspaceEdit();
    const folder = path.slice(0, path.indexOf('/'));
    renames.renameFile(uriOf(`${folder}/old`), uriOf(`${folder}/new`));
    assert.ok(await vscode.workspace.applyEdit(renames));
    assert.deepEqual(await causes(path, base), [`renamed to ${folder}/new/d.ts`]);
    const moved = `${folder}/new/d.ts`;
    const again = await baseOf(moved);
    const rename = new vscode.WorkspaceEdit();
    rename.renameFile(uriOf(moved), uriOf(`${folder}/new/e.ts`));
    assert.ok(await vscode.workspace.applyEdit(rename));
    assert.deepEqual(await causes(moved, again), [`renamed to ${folder}/new/e.ts`]);
  });

  it('another extension or a quick fix: changed in the editor, not typed', async () => {
    const path = fresh('a\nb\n');
    await engineer.opens(path);
    const base = await baseOf(path);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uriOf(path), new vscode.Position(1, 1), 'x');
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.deepEqual(await causes(path, base), ['changed in the editor, not typed']);
  });

  it('format on save in the save of the engineer', async () => {
    const path = fresh('a  \nb\n');
    const files = vscode.workspace.getConfiguration('files', uriOf(path));
    await files.update('trimTrailingWhitespace', true, vscode.ConfigurationTarget.Workspace);
    try {
      await engineer.opens(path);
      const base = await baseOf(path);
      await engineer.types(path, '!', { line: 1, character: 1 });
      await engineer.saves(path);
      assert.equal(textOf(path), 'a\nb!\n');
      assert.deepEqual(await causes(path, base), [
        'engineer: typed in the editor (1 edit, saved)',
        'engineer: format on save',
      ]);
    } finally {
      await files.update('trimTrailingWhitespace', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('several in one answer, in order: own edit, engineer, generator', async () => {
    const path = fresh('one\ntwo\n');
    const base = await baseOf(path);
    const own = await replace(path, base, 'one', '1');
    await engineer.types(path, '!', { line: 1, character: 3 });
    await engineer.saves(path);
    const commandLine = `printf 'three\\n' >> '${pathOf(path)}'`;
    await runs(commandLine);
    const changedBy = await causes(path, base);
    assert.deepEqual(
      changedBy?.map((cause) => cause.replace(/, turn \d+/, '')),
      [
        `edit #${own.edit} (session unknown)`,
        'engineer: typed in the editor (1 edit, saved)',
        `code generator: ${commandLine} (task)`,
      ],
    );
    await until(() => documentOf(path).getText() === '1\ntwo!\nthree\n');
  });

  it('a deletion beside which a command ran that deletes nothing, and a command that deletes', async () => {
    const path = fresh('a\n');
    const base = await baseOf(path);
    rmSync(pathOf(path));
    await runs(`touch '${pathOf(`${dirname(path)}/other.txt`)}'`);
    assert.deepEqual(await causes(path, base), ['deleted on disk']);
    const other = fresh('a\n');
    const itsBase = await baseOf(other);
    const commandLine = `rm -rf '${dirname(pathOf(other))}'`;
    await runs(commandLine);
    assert.deepEqual(await causes(other, itsBase), [`code generator: ${commandLine} (task)`]);
  });

  it('keys in every guise are the engineer’s: Enter in an indented block, trailing blanks, undo of the right edit', async () => {
    const path = fresh('def f():\n    a\n', 'f.py');
    await engineer.opens(path);
    const base = await baseOf(path);
    await engineer.types(path, '\n\n', { line: 1, character: 5 });
    assert.deepEqual(await causes(path, base), ['engineer: typed in the editor (2 edits, unsaved)']);

    const flip = fresh('a\n');
    await engineer.opens(flip);
    const start = await baseOf(flip);
    const first = await replace(flip, start, 'a', 'X');
    const second = await replace(flip, first.base ?? '', 'X', 'a');
    const third = await replace(flip, second.base ?? '', 'a', 'X');
    for (let count = 0; count < 3; count += 1) {
      await engineer.undoes(flip);
    }
    const changedBy = await causes(flip, third.base ?? '');
    assert.deepEqual(
      changedBy,
      [third, second, first].map(({ edit: number }) => `engineer: undo of edit #${number}`),
    );
  });

  it('another extension that edits and saves is not taken for the formatter of the engineer', async () => {
    const path = fresh('a\nb\n');
    await engineer.opens(path);
    const base = await baseOf(path);
    for (const text of ['x', 'y']) {
      const change = new vscode.WorkspaceEdit();
      change.insert(uriOf(path), new vscode.Position(1, 1), text);
      assert.ok(await vscode.workspace.applyEdit(change));
    }
    await documentOf(path).save();
    assert.deepEqual(await causes(path, base), ['changed in the editor, not typed']);
  });

  it('final newline and trim at the caret are the save’s, in the engineer’s save and in ours', async () => {
    const path = fresh('a\nb', 'f.ini');
    const files = vscode.workspace.getConfiguration('files', uriOf(path));
    await files.update('insertFinalNewline', true, vscode.ConfigurationTarget.Workspace);
    try {
      await engineer.opens(path);
      const base = await baseOf(path);
      await engineer.types(path, '!! ', { line: 1, character: 1 });
      await engineer.saves(path);
      assert.equal(textOf(path), 'a\nb!!\n');
      assert.deepEqual(await causes(path, base), [
        'engineer: typed in the editor (3 edits, saved)',
        'engineer: format on save',
      ]);
      const other = fresh('a\nb', 'f.ini');
      const editor = await engineer.opens(other);
      editor.selection = new vscode.Selection(1, 1, 1, 1);
      const result = await replace(other, await baseOf(other), 'a', 'A');
      assert.deepEqual([result.hooks, result.base], [['format on save'], sha256('A\nb\n')], JSON.stringify(result));
    } finally {
      await files.update('insertFinalNewline', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('a terminal that was closed blames nobody', async () => {
    const terminal = vscode.window.createTerminal('test');
    terminal.show(true);
    await until(() => terminal.shellIntegration !== undefined);
    const closed = new Promise<void>((resolve) => {
      const subscription = vscode.window.onDidCloseTerminal((one) => {
        if (one === terminal) {
          subscription.dispose();
          resolve();
        }
      });
    });
    terminal.shellIntegration?.executeCommand('sleep 100');
    terminal.dispose();
    await closed;
    const path = fresh('a\n');
    const base = await baseOf(path);
    writes(path, 'b\n');
    assert.deepEqual(await causes(path, base), ['external writer']);
  });

  it('four in one answer, in order: own edit, hook, engineer, generator', async () => {
    const path = fresh('one\ntwo\nthree\n', 'four.txt');
    const settings = vscode.workspace.getConfiguration('editArbiter', uriOf(path));
    const script = "const fs = require('fs'); fs.appendFileSync(process.argv[1], 'hook\\n')";
    const command = [process.execPath, '-e', script, '\x24{file}'];
    await settings.update(
      'hooks',
      [{ name: 'append', files: '**/four.txt', command }],
      vscode.ConfigurationTarget.Workspace,
    );
    try {
      const base = await baseOf(path);
      const own = await replace(path, base, 'one', '1');
      assert.deepEqual(own.hooks, ['append']);
      await until(() => documentOf(path).getText() === textOf(path));
      await engineer.types(path, '!!', { line: 1, character: 3 });
      await engineer.saves(path);
      const commandLine = `printf 'generated\\n' >> '${pathOf(path)}'`;
      await runs(commandLine);
      const changedBy = await causes(path, base);
      assert.deepEqual(
        changedBy?.map((cause) => cause.replace(/, turn \d+/, '')),
        [
          `edit #${own.edit} (session unknown)`,
          'post-write hook: append',
          'engineer: typed in the editor (2 edits, saved)',
          `code generator: ${commandLine} (task)`,
        ],
      );
    } finally {
      await settings.update('hooks', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('a hook that writes another file than its own, told beside the answer', async () => {
    const path = fresh('one\n', 'source.txt');
    const folder = dirname(path);
    writes(`${folder}/index.txt`, 'nothing\n');
    const settings = vscode.workspace.getConfiguration('editArbiter', uriOf(path));
    const script = `require('fs').writeFileSync(${JSON.stringify(pathOf(`${folder}/index.txt`))}, 'source\\n')`;
    const command = [process.execPath, '-e', script];
    await settings.update(
      'hooks',
      [{ name: 'index', files: '**/source.txt', command }],
      vscode.ConfigurationTarget.Workspace,
    );
    try {
      const index = await baseOf(`${folder}/index.txt`);
      const base = await baseOf(path);
      const answer = await edit({ files: [{ path, base, edits: [{ old_string: 'one', new_string: '1' }] }] });
      assert.equal(answer.results[0]?.status, 'applied', JSON.stringify(answer));
      assert.ok(
        answer.also_changed?.includes(`${folder}/index.txt: post-write hook: index`),
        JSON.stringify(answer.also_changed),
      );
      assert.deepEqual(await causes(`${folder}/index.txt`, index), ['post-write hook: index']);
    } finally {
      await settings.update('hooks', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('a base that is older than anything seen', async () => {
    const path = fresh('one\n');
    const base = sha256('long ago\n');
    assert.deepEqual(await causes(path, base), ['before this window opened']);
  });

  it('a stash', async () => {
    const path = fresh('main\n', 'stashed/f.txt');
    const folder = dirname(pathOf(path));
    git(folder, 'init', '-q', '-b', 'main');
    git(folder, 'add', '.');
    git(folder, 'commit', '-q', '-m', 'one');
    writes(path, 'kept\n');
    git(folder, 'stash', '-q');
    writes(path, 'work\n');
    const base = await baseOf(path);
    git(folder, 'stash', '-q');
    assert.equal(textOf(path), 'main\n');
    assert.deepEqual(await causes(path, base), ['git: stash']);
  });

  it('an agent of another program, writing the file directly', async () => {
    const path = fresh('one\ntwo\n');
    const base = await baseOf(path);
    const own = await replace(path, base, 'one', '1');
    execFileSync(process.execPath, [
      '-e',
      'const fs = require("fs"); fs.writeFileSync(process.argv[1], fs.readFileSync(process.argv[1], "utf8") + "three\\n")',
      pathOf(path),
    ]);
    assert.deepEqual(await causes(path, own.base ?? ''), ['external writer']);
    const changedBy = await causes(path, base);
    assert.deepEqual(
      changedBy?.map((cause) => cause.replace(/, turn \d+/, '')),
      [`edit #${own.edit} (session unknown)`, 'external writer'],
    );
  });

  it('redo of an edit of ours, and typing counted after it', async () => {
    const path = fresh('one\ntwo\n');
    await engineer.opens(path);
    const base = await baseOf(path);
    const { edit } = await replace(path, base, 'one', '1');
    await engineer.undoes(path);
    await engineer.redoes(path);
    await engineer.types(path, 'ab', { line: 1, character: 3 });
    const changedBy = await causes(path, base);
    assert.deepEqual(changedBy?.slice(1), [
      `engineer: undo of edit #${edit}`,
      `engineer: redo of edit #${edit}`,
      'engineer: typed in the editor (2 edits, unsaved)',
    ]);
  });
});
