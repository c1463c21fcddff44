import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConflictPanel } from '../hosts/conflictPanel.ts';
import { type Editor, startEditor } from '../hosts/editor.ts';
import { invoke, readBases, sendEdit } from './support/tools.ts';

type Event = 'onWillSaveTextDocument' | 'onDidSaveTextDocument';

describe('An edit that is cut off by a kill of the extension host', function () {
  this.timeout(240_000);
  const folder = mkdtempSync(join(tmpdir(), 'edit-arbiter-interrupted-'));
  let editor: Editor;
  let panel: ConflictPanel;

  const put = (path: string, content: string) => writeFileSync(join(folder, path), content);
  const get = (path: string) => readFileSync(join(folder, path), 'utf8');

  before(async () => {
    put('a.txt', 'one\ntwo\n');
    editor = await startEditor({
      folder,
      model: () => ({ parts: [] }),
      colorScheme: 'dark',
      // So that this one is left to the editor's own save, which takes its time.
      settings: { '[markdown]': { 'editor.formatOnSave': true }, 'files.autoSave': 'off' },
    });
    panel = new ConflictPanel(editor.workbench);
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      await editor.workbench.screenshot('out/screenshots/interrupted/failed.png');
    }
  });

  after(async () => {
    await editor?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Sends a call, and kills the extension host in the middle of it. */
  async function cutOff(call: object, event: Event, path: string, meanwhile = () => {}): Promise<void> {
    const killed = await editor.model.evaluate(() => process.pid);
    await editor.model.evaluate(
      (api, [on, end]) => {
        api.workspace[on]((happened: { readonly document?: { readonly uri: { readonly path: string } } }) => {
          if (happened.document?.uri.path.endsWith(end) || JSON.stringify(happened).includes(end)) {
            process.kill(process.pid, 'SIGKILL');
          }
        });
      },
      [event, path] as const,
    );
    await assert.rejects(invoke(editor, 'arbiter_edit', call));
    meanwhile();
    await editor.workbench.page.reload();
    await editor.workbench.ready();
    while ((await editor.model.evaluate(() => process.pid).catch(() => killed)) === killed) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  function records(): string[] {
    const data = join(editor.server.dataDir, 'data');
    const folders = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('/applies'),
    );
    return folders
      .flatMap((path) => (existsSync(join(data, path)) ? readdirSync(join(data, path)) : []))
      .filter((name) => !name.endsWith('.found'));
  }

  it('is shown file by file where some of an atomic call landed, and put back when the engineer says so', async () => {
    put('b.md', 'three\n');
    const [a, b] = await readBases(editor, 'a.txt', 'b.md');
    const files = [
      { path: 'a.txt', base: a, edits: [{ old_string: 'one', new_string: '1' }] },
      { path: 'b.md', base: b, edits: [{ old_string: 'three', new_string: '3' }] },
      { path: 'c.txt', base: 'absent', content: 'new\n' },
    ];
    await cutOff({ on_conflict: 'atomic', files }, 'onWillSaveTextDocument', 'b.md');
    assert.deepEqual([get('a.txt'), get('b.md'), existsSync(join(folder, 'c.txt'))], ['1\ntwo\n', 'three\n', false]);
    assert.equal(records().length, 1);

    await panel.open();
    const row = panel.interrupted('a.txt');
    await row.getByText('an edit of 3 files was cut off: a.txt: edited; b.md: as before; c.txt: as before').waitFor();
    await panel.expand(row);
    await panel.details.locator('.added', { hasText: '1' }).waitFor();
    await editor.workbench.screenshot('out/screenshots/interrupted/torn.png');
    await panel.details.getByRole('button', { name: 'Restore' }).click();
    await row.waitFor({ state: 'detached' });
    assert.deepEqual([get('a.txt'), get('b.md'), records()], ['one\ntwo\n', 'three\n', []]);
  });

  it('is told as an edit, and not shown, where it had ended', async () => {
    const [base] = await readBases(editor, 'a.txt');
    const edits = [{ old_string: 'two', new_string: '2' }];
    await cutOff({ files: [{ path: 'a.txt', base, edits }] }, 'onDidSaveTextDocument', 'a.txt');
    assert.equal(get('a.txt'), 'one\n2\n');
    const refused = await sendEdit(editor, 'a.txt', base, ['one', '1']);
    assert.equal(refused.status, 'stale_base');
    assert.deepEqual(refused.changed_by, ['edit #2 (session unknown, turn 2)']);
    assert.equal(refused.diff_since_read, '@@ -1,2 +1,2 @@\n one\n-two\n+2\n');
    await panel.open();
    await panel.refused('a.txt').waitFor();
    assert.equal(await panel.interrupted('a.txt').count(), 0);
    assert.deepEqual(records(), []);
  });

  it('leaves nothing behind where it had not begun', async () => {
    put('b.md', 'three\n');
    const [base] = await readBases(editor, 'b.md');
    const edits = [{ old_string: 'three', new_string: '3' }];
    await cutOff({ files: [{ path: 'b.md', base, edits }] }, 'onWillSaveTextDocument', 'b.md');
    assert.equal(get('b.md'), 'three\n');
    const again = await sendEdit(editor, 'b.md', base, ['three', '3']);
    assert.equal(again.status, 'applied', JSON.stringify(again));
    assert.deepEqual(records(), []);
  });

  it('is shown where the bytes are torn; and nothing is put back over what somebody has written since', async () => {
    const [base] = await readBases(editor, 'b.md');
    const before = get('b.md');
    const call = { files: [{ path: 'b.md', base, content: `${before}more\n` }] };
    // As a save leaves a file that is cut off after the editor has emptied it.
    await cutOff(call, 'onWillSaveTextDocument', 'b.md', () => put('b.md', ''));
    await panel.open();
    const row = panel.interrupted('b.md');
    await row.getByText('neither as before nor as it was to become').waitFor();
    put('b.md', 'by somebody\n');
    await panel.expand(row);
    await panel.details.getByRole('button', { name: 'Restore' }).click();
    await editor.workbench.page.getByText('Nothing was restored').first().waitFor();
    assert.equal(get('b.md'), 'by somebody\n');
    // Nor after another start, when that is what is found.
    await editor.workbench.page.reload();
    await editor.workbench.ready();
    await panel.open();
    await row.waitFor();
    await panel.expand(row);
    await panel.details.getByRole('button', { name: 'Restore' }).click();
    await editor.workbench.page.getByText('Nothing was restored').first().waitFor();
    assert.equal(get('b.md'), 'by somebody\n');
    await panel.details.getByRole('button', { name: 'Dismiss' }).click();
    await row.waitFor({ state: 'detached' });
    assert.deepEqual(records(), []);
  });
});

describe('An edit that is cut off by a kill of the server and of all its processes', function () {
  this.timeout(240_000);

  it('is recognised when the server is back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'edit-arbiter-killed-server-'));
    const dataDir = mkdtempSync(join(tmpdir(), 'edit-arbiter-user-'));
    const settings = { '[markdown]': { 'editor.formatOnSave': true }, 'files.autoSave': 'off' };
    const options = { folder, dataDir, settings, model: () => ({ parts: [] }) };
    const get = (path: string) => readFileSync(join(folder, path), 'utf8');
    for (const path of ['a.txt', 'b.md']) {
      writeFileSync(join(folder, path), 'one\n');
    }
    let editor = await startEditor(options);
    try {
      const { port } = editor.server;
      const [a, b] = await readBases(editor, 'a.txt', 'b.md');
      const edits = [{ old_string: 'one', new_string: 'two words' }];
      const files = [
        { path: 'a.txt', base: a, edits },
        { path: 'b.md', base: b, edits },
      ];
      await editor.model.evaluate((api) => {
        api.workspace.onWillSaveTextDocument(({ document }) => {
          if (document.uri.path.endsWith('b.md')) {
            process.kill(process.ppid, 'SIGKILL');
            process.kill(process.pid, 'SIGKILL');
          }
        });
      });
      await assert.rejects(invoke(editor, 'arbiter_edit', { on_conflict: 'atomic', files }));
      await assert.rejects(editor.server.crashed);
      await editor.stop();
      assert.deepEqual([get('a.txt'), get('b.md')], ['two words\n', 'one\n']);

      editor = await startEditor({ ...options, port });
      const panel = new ConflictPanel(editor.workbench);
      await panel.open();
      const row = panel.interrupted('a.txt');
      await row.getByText('an edit of 2 files was cut off: a.txt: edited; b.md: as before').waitFor();
      await panel.expand(row);
      await panel.details.getByRole('button', { name: 'Restore' }).click();
      await row.waitFor({ state: 'detached' });
      assert.deepEqual([get('a.txt'), get('b.md')], ['one\n', 'one\n']);
    } finally {
      await editor.stop();
      for (const path of [folder, dataDir]) {
        rmSync(path, { recursive: true, force: true, maxRetries: 5 });
      }
    }
  });
});
