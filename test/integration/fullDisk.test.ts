import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import * as vscode from 'vscode';
import { write } from '../hosts/mochaSuite.ts';
import { baseOf, edit, only, type Result, replace } from './support/agent.ts';
import { bytesOf, fresh, pathOf, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { documentOf, engineer, until } from './support/engineer.ts';
import { mountSmallDisk, type SmallDisk } from './support/smallDisk.ts';

/** So many kilobytes of text, each line with its number. */
function text(kilobytes: number, word = 'line'): string {
  let lines = '';
  for (let line = 1; lines.length < kilobytes * 1024; line += 1) {
    lines += `${word} ${line}\n`;
  }
  return lines;
}

/** Whoever still has the file open must not keep its room. */
function removes(path: string): void {
  truncateSync(pathOf(path));
  rmSync(pathOf(path));
}

/** More than the disk holds. */
const TOO_MUCH = text(70, 'new');

describe('A full disk', function () {
  this.timeout(90_000);
  let disk: SmallDisk;
  const subscriptions: vscode.Disposable[] = [];
  let count = 0;

  /** With a formatter that may act, the editor writes alone. */
  async function leaveSavesToEditor(isSo: boolean | undefined): Promise<void> {
    const editor = vscode.workspace.getConfiguration('editor', uriOf('.'));
    await editor.update('formatOnSave', isSo, vscode.ConfigurationTarget.Workspace);
  }

  before(async function () {
    const mounted = mountSmallDisk('small-disk', 64);
    if (typeof mounted === 'string') {
      write(`  A full disk is not tested: ${mounted}.`);
      this.skip();
    }
    disk = mounted;
    await leaveSavesToEditor(true);
  });

  afterEach(() => {
    for (const subscription of subscriptions.splice(0)) {
      subscription.dispose();
    }
    for (const name of disk ? readdirSync(pathOf(disk.folder)) : []) {
      removes(`${disk.folder}/${name}`);
    }
  });

  after(async () => {
    disk?.remove();
    await leaveSavesToEditor(undefined);
  });

  /** A file on the small disk. */
  function small(content: string): string {
    count += 1;
    const path = `${disk.folder}/f${count}.txt`;
    writes(path, content);
    return path;
  }

  function removeFillers(): void {
    for (const name of readdirSync(pathOf(disk.folder)).filter((name) => name.startsWith('filler'))) {
      removes(`${disk.folder}/${name}`);
    }
  }

  /** Runs `act` once, in the very turn in which the editor says that it has saved the file. */
  function whenSaved(path: string, act: () => void): void {
    const subscription = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (uri.toString() === uriOf(path).toString()) {
        subscription.dispose();
        act();
      }
    });
    subscriptions.push(subscription);
  }

  /** Disk and editor hold what they held before; without a formatter that a save would start, the editor knows it. */
  async function isAsBefore(path: string, content: string): Promise<void> {
    assert.equal(textOf(path) === content, true, `${statSync(pathOf(path)).size} bytes of ${content.length} on disk`);
    assert.equal(documentOf(path).getText(), content);
    const hasFormatter = vscode.workspace.getConfiguration('editor', uriOf(path)).get<boolean>('formatOnSave');
    await until(() => hasFormatter === true || !documentOf(path).isDirty);
  }

  function assertCutOff(result: Result | undefined, reason: RegExp): asserts result {
    assert.equal(result?.status, 'save_failed', JSON.stringify(result));
    assert.match(String(result.reason), reason);
  }

  it('is met before a byte of the file is touched, where nobody changes the text on save', async () => {
    await leaveSavesToEditor(false);
    try {
      for (const content of [text(20), 'first\n', '']) {
        const path = small(content);
        const base = await baseOf(path);
        const result = only(await edit({ files: [{ path, base, content: `${TOO_MUCH}${content}` }] }));
        assertCutOff(result, /^the file could not be written: ENOSPC/);
        assert.equal(result.actual, base);
        await isAsBefore(path, content);
        removes(path);
      }
    } finally {
      await leaveSavesToEditor(true);
    }
  });

  it('leaves a file as it was where the edit does not fit, and the base stays good', async () => {
    for (const content of [text(20), text(1), text(60), 'first\n']) {
      const path = small(content);
      const base = await baseOf(path);
      const [first] = content.split('\n') as [string];
      const result = await replace(path, base, `${first}\n`, `${first}\n${TOO_MUCH}`);
      assertCutOff(result, /^the disk is full: it took \d+ of \d+ bytes; what the file held before was put back$/);
      assert.equal(result.actual, base);
      await isAsBefore(path, content);
      const next = await replace(path, base, `${first}\n`, 'short\n');
      assert.equal(next.status, 'applied', JSON.stringify(next));
      assert.equal(textOf(path), content.replace(first, 'short'));
      removes(path);
    }
  });

  it('leaves a file as it was that it holds to the last byte, and to which nothing can be added', async () => {
    const content = text(10);
    const path = small(content.slice(0, 8192));
    const base = await baseOf(path);
    disk.fill();
    const last = textOf(path).slice(-20);
    const result = await replace(path, base, last, `${last} and more\n`);
    assertCutOff(result, /took 8192 of 8202 bytes; what the file held before was put back$/);
    assert.equal(result.actual, base);
    await isAsBefore(path, content.slice(0, 8192));
  });

  it('leaves an empty file empty', async () => {
    const path = small('');
    disk.fill();
    const result = only(await edit({ files: [{ path, base: sha256(''), content: 'text\n' }] }));
    assertCutOff(result, /^the editor would not save the file$/);
    await isAsBefore(path, '');
  });

  it('leaves a file in a legacy encoding as it was, byte for byte', async () => {
    const files = vscode.workspace.getConfiguration('files', uriOf('.'));
    await files.update('encoding', 'iso88591', vscode.ConfigurationTarget.Workspace);
    try {
      const content = Buffer.from(`caf\xe9 one\n${text(9)}`, 'latin1');
      const path = small('');
      writes(path, content);
      const result = await replace(path, await baseOf(path), 'one', `crème\n${TOO_MUCH}`);
      assertCutOff(result, /what the file held before was put back$/);
      assert.deepEqual(bytesOf(path), content);
    } finally {
      await files.update('encoding', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('keeps what the engineer typed beside the edit', async () => {
    const content = text(8);
    const path = small(content);
    const base = await baseOf(path);
    await engineer.opens(path);
    let typing: Promise<void> | undefined;
    subscriptions.push(
      vscode.workspace.onWillSaveTextDocument((event) => {
        if (event.document.uri.toString() === uriOf(path).toString() && !typing) {
          typing = engineer.types(path, '!', { line: event.document.lineCount - 2, character: 0 });
          event.waitUntil(typing);
        }
      }),
    );
    const result = await replace(path, base, 'line 1\n', `line 1\n${TOO_MUCH}`);
    await typing;
    assertCutOff(result, /what the file held before was put back$/);
    assert.equal(textOf(path) === content, true);
    const lines = content.split('\n');
    lines[lines.length - 2] = `!${lines.at(-2)}`;
    assert.equal(documentOf(path).getText() === lines.join('\n'), true);
  });

  it('where the old bytes do not fit any more either, says so, and the editor keeps their text', async () => {
    const content = text(20);
    const path = small(content);
    whenSaved(path, () => {
      truncateSync(pathOf(path), 4096);
      disk.fill();
    });
    const result = await replace(path, await baseOf(path), 'line 1\n', `line 1\n${TOO_MUCH}`);
    assertCutOff(
      result,
      /^the disk is full: it took 4096 of \d+ bytes, and what the file held before could not be put back \(ENOSPC.*\): on disk the file is cut off; the text from before is in the editor, unsaved/,
    );
    assert.match(String(result.next), /^part of the edit may still stand/);
    assert.equal(statSync(pathOf(path)).size, 4096);
    assert.equal(documentOf(path).getText() === content, true);
    assert.equal(documentOf(path).isDirty, true);
  });

  it('takes a file that is suddenly empty or shorter for cut off only where the disk is full', async () => {
    for (const [isFull, length] of [
      [true, 0],
      [false, 0],
      [false, 100],
    ] as const) {
      const content = text(10);
      const path = small(content);
      const base = await baseOf(path);
      const subscription = vscode.workspace.onWillSaveTextDocument(({ document }) => {
        if (document.uri.toString() === uriOf(path).toString()) {
          subscription.dispose();
          writes(path, content.replace('line 1', 'LINE 1').slice(0, length));
          if (isFull) {
            disk.fill();
          }
        }
      });
      subscriptions.push(subscription);
      const result = await replace(path, base, 'line 1\n', 'LINE 1\n');
      if (isFull) {
        assertCutOff(result, /it took 0 of \d+ bytes, and what the file held before could not be put back \(ENOSPC/);
        assert.equal(documentOf(path).getText() === content, true);
        assert.equal(documentOf(path).isDirty, true);
        removeFillers();
      } else {
        assert.equal(result.status, 'disk_changed_during_save', JSON.stringify(result));
        assert.equal(documentOf(path).getText(), textOf(path));
        assert.equal(textOf(path).length, length);
      }
    }
  });

  it('leaves nothing of a file that does not fit: created, or renamed onto the disk', async () => {
    disk.fill(8192);
    const roomy = fresh(text(20));
    const base = await baseOf(roomy);
    const [created, renamed] = [`${disk.folder}/new.txt`, `${disk.folder}/moved.txt`];
    const answer = await edit({
      files: [
        { path: created, base: 'absent', content: TOO_MUCH },
        { path: roomy, base, rename_to: renamed },
      ],
    });
    assert.equal(answer.summary, '2 save_failed', JSON.stringify(answer));
    assert.deepEqual([existsSync(pathOf(created)), existsSync(pathOf(renamed))], [false, false]);
    assert.equal(textOf(roomy) === text(20), true);
  });

  it('takes an atomic call back as a whole', async () => {
    const contents = [text(20), text(10), text(4)] as const;
    const [shrinks, grows, other] = contents.map(small) as [string, string, string];
    const [a, b, c] = (await Promise.all([shrinks, grows, other].map(baseOf))) as [string, string, string];
    const created = `${disk.folder}/new.txt`;
    const answer = await edit({
      files: [
        { path: shrinks, base: a, content: 'short\n' },
        { path: grows, base: b, edits: [{ old_string: 'line 1\n', new_string: TOO_MUCH }] },
        { path: other, base: c, edits: [{ old_string: 'line 1\n', new_string: 'LINE 1\n' }] },
        { path: created, base: 'absent', content: 'new\n' },
      ],
      on_conflict: 'atomic',
    });
    const [first, second, third, fourth] = answer.results;
    // They are saved side by side: whoever comes first takes the room.
    for (const result of [first, third]) {
      assert.ok(['rolled_back', 'save_failed'].includes(String(result?.status)), JSON.stringify(answer));
    }
    assert.deepEqual([second?.status, fourth?.status], ['save_failed', 'skipped'], JSON.stringify(answer));
    assert.deepEqual(
      [first, second, third].map((result) => result?.base ?? result?.actual),
      [a, b, c],
      JSON.stringify(answer),
    );
    assert.equal(existsSync(pathOf(created)), false);
    for (const [index, path] of [shrinks, grows, other].entries()) {
      await isAsBefore(path, contents[index] ?? '');
    }
  });

  it('says which file of an atomic call could not be taken back, and that one stays as it was edited', async () => {
    const [shrinks, moves] = [small(text(30)), fresh('one\n')];
    const [a, b] = [await baseOf(shrinks), await baseOf(moves)];
    whenSaved(shrinks, () => {
      disk.fill();
      writes(moves, 'theirs\n');
    });
    const answer = await edit({
      files: [
        { path: shrinks, base: a, content: 'short\n' },
        { path: moves, base: b, delete: true },
      ],
      on_conflict: 'atomic',
    });
    assert.deepEqual(
      answer.results.map(({ status }) => status),
      ['apply_failed', 'stale_base'],
      JSON.stringify(answer),
    );
    assert.match(String(answer.results[0]?.reason), /this edit could not be taken back/);
    assert.equal(answer.results[0]?.actual, sha256('short\n'));
    assert.equal(textOf(shrinks), 'short\n');
    assert.equal(documentOf(shrinks).getText(), 'short\n');
    assert.equal(documentOf(shrinks).isDirty, false);
    assert.equal(textOf(moves), 'theirs\n');
  });
});
