import assert from 'node:assert/strict';
import { chmodSync, existsSync, linkSync, statSync, symlinkSync } from 'node:fs';
import * as vscode from 'vscode';
import { baseOf, edit, only, read, replace } from './support/agent.ts';
import { fresh, pathOf, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { documentOf, engineer, isOpen } from './support/engineer.ts';

const LOG = 'start\nload 10%\rload 90%\rdone\nend\r\n';

/** What the editor shows, with its own line endings. */
function shown(path: string): string {
  return documentOf(path).getText().replaceAll('\r\n', '\n');
}

describe('A file whose line endings no editor can hold', () => {
  it('is edited on its bytes: every other byte stays, and nothing is opened', async () => {
    const path = fresh(LOG, 'log.txt');
    const [part] = await read(path);
    assert.equal(part?.header.eol, 'mixed');
    assert.equal(part.content, 'start\nload 10%\nload 90%\ndone\nend\n');
    const result = await replace(path, String(part.header.base), 'start', 'begin');
    assert.equal(result.status, 'applied', JSON.stringify(result));
    assert.equal(textOf(path), LOG.replace('start', 'begin'));
    assert.deepEqual([result.base, result.saved], [sha256(textOf(path)), true]);
    assert.deepEqual(result.changed_lines, [[1, 1]]);
    assert.equal(isOpen(path), false);
    const next = await replace(path, String(result.base), 'done\nend', 'done\nmore\nend');
    assert.equal(next.status, 'applied', JSON.stringify(next));
    assert.equal(textOf(path), 'begin\nload 10%\rload 90%\rdone\nmore\nend\r\n');
  });

  for (const [name, before, old, replacement, after] of [
    ['lone carriage returns', 'a\rb\rc\r', 'b', 'B\nB', 'a\rB\rB\rc\r'],
    ['a carriage return as data', 'a\nx\ry\nb\n', 'x\ry', 'x\rz', 'a\nx\rz\nb\n'],
    ['CRLF but for one', 'a\r\nb\nc\r\n', 'a', 'A', 'A\r\nb\nc\r\n'],
    ['LF but for one', 'a\nb\r\nc\n', 'c', 'C', 'a\nb\r\nC\n'],
    ['no final newline', 'a\r\nb\nc', 'c', 'C', 'a\r\nb\nC'],
    ['a BOM', '\ufeffa\r\nb\nc\r\n', 'a', 'A', '\ufeffA\r\nb\nc\r\n'],
  ] as const) {
    it(`keeps ${name}`, async () => {
      const path = fresh(before);
      const result = await replace(path, await baseOf(path), old, replacement);
      assert.equal(result.status, 'applied', JSON.stringify(result));
      assert.equal(textOf(path), after);
    });
  }

  it('keeps mode bits, symbolic links and hard links', async () => {
    const path = fresh(LOG, 'run.sh');
    const [link, other] = [path.replace('run.sh', 'link'), path.replace('run.sh', 'other')];
    chmodSync(pathOf(path), 0o755);
    symlinkSync('run.sh', pathOf(link));
    linkSync(pathOf(path), pathOf(other));
    assert.equal((await replace(link, await baseOf(link), 'start', 'begin')).status, 'applied');
    assert.equal(textOf(other), LOG.replace('start', 'begin'));
    assert.equal(statSync(pathOf(path)).mode & 0o777, 0o755);
    assert.equal(statSync(pathOf(path)).nlink, 2);
  });

  it('is followed by the editor that shows it, clean, before the answer comes', async () => {
    const path = fresh(LOG, 'log.txt');
    await engineer.opens(path);
    const result = await replace(path, await baseOf(path), 'start', 'begin');
    assert.equal(result.status, 'applied', JSON.stringify(result));
    assert.equal(textOf(path), LOG.replace('start', 'begin'));
    assert.equal(shown(path), 'begin\nload 10%\nload 90%\ndone\nend\n');
    assert.equal(documentOf(path).isDirty, false);
    const next = await replace(path, String(result.base), 'end', 'END');
    assert.equal(next.status, 'applied', JSON.stringify(next));
    assert.equal(shown(path), 'begin\nload 10%\nload 90%\ndone\nEND\n');
  });

  it('is refused while the editor holds unsaved changes of it', async () => {
    const path = fresh(LOG, 'log.txt');
    await engineer.types(path, '!', { line: 0, character: 5 });
    const result = await replace(path, await baseOf(path), 'load 10%', 'load 11%');
    assert.equal(result.status, 'unsaved_changes', JSON.stringify(result));
    assert.match(String(result.reason), /mixes line endings/);
    assert.equal(textOf(path), LOG);
    assert.equal(shown(path), 'start!\nload 10%\nload 90%\ndone\nend\n');
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('is stale when another program has changed only its line endings', async () => {
    const path = fresh(LOG, 'log.txt');
    const base = await baseOf(path);
    writes(path, LOG.replaceAll('\r\n', '\n'));
    const result = await replace(path, base, 'start', 'begin');
    assert.equal(result.status, 'stale_base');
    assert.deepEqual(result.changed_by, ['external writer']);
    assert.equal(textOf(path), LOG.replaceAll('\r\n', '\n'));
  });

  it('takes patches, whole texts, renames and deletes', async () => {
    const path = fresh(LOG, 'log.txt');
    const patch = '@@ -4,2 +4,2 @@\n-done\n+DONE\n end\n';
    const patched = only(await edit({ files: [{ path, base: await baseOf(path), patch }] }));
    assert.equal(patched.status, 'applied', JSON.stringify(patched));
    assert.equal(textOf(path), LOG.replace('done', 'DONE'));
    const content = 'start\nload 10%\nload 95%\nDONE\nend\n';
    const whole = only(await edit({ files: [{ path, base: patched.base, content }] }));
    assert.equal(whole.status, 'applied', JSON.stringify(whole));
    assert.equal(textOf(path), 'start\nload 10%\rload 95%\rDONE\nend\r\n');
    const target = path.replace('log', 'moved');
    const edits = [{ old_string: 'start', new_string: 'begin' }];
    const renamed = only(await edit({ files: [{ path, base: whole.base, rename_to: target, edits }] }));
    assert.equal(renamed.status, 'applied', JSON.stringify(renamed));
    assert.equal(textOf(target), 'begin\nload 10%\rload 95%\rDONE\nend\r\n');
    const deleted = only(await edit({ files: [{ path: target, base: renamed.base, delete: true }] }));
    assert.equal(deleted.status, 'applied');
    assert.equal(existsSync(pathOf(target)), false);
  });

  it('lands and is taken back with the others of an atomic call', async () => {
    const path = fresh(LOG, 'log.txt');
    const [plain, late] = [path.replace('log', 'plain'), path.replace('log', 'late')];
    writes(plain, 'one\n');
    writes(late, 'one\n');
    const entry = async (file: string, old: string, replacement: string) => ({
      path: file,
      base: await baseOf(file),
      edits: [{ old_string: old, new_string: replacement }],
    });
    const files = [await entry(path, 'start', 'begin'), await entry(plain, 'one', '1')];
    const landed = await edit({ on_conflict: 'atomic', files });
    assert.deepEqual(
      landed.results.map(({ status }) => status),
      ['applied', 'applied'],
      JSON.stringify(landed),
    );
    assert.deepEqual([textOf(path), textOf(plain)], [LOG.replace('start', 'begin'), '1\n']);

    const second = [await entry(path, 'begin', 'BEGIN'), await entry(late, 'one', '1'), await entry(plain, '1', '2')];
    const subscription = vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.uri.toString() === uriOf(late).toString() && document.isDirty) {
        writes(late, 'by another program\n');
        subscription.dispose();
      }
    });
    const refused = await edit({ on_conflict: 'atomic', files: second });
    subscription.dispose();
    assert.deepEqual(
      refused.results.map(({ status }) => status),
      ['rolled_back', 'disk_changed_during_save', 'rolled_back'],
      JSON.stringify(refused),
    );
    assert.deepEqual(
      [textOf(path), textOf(late), textOf(plain)],
      [LOG.replace('start', 'begin'), 'by another program\n', '1\n'],
    );
  });

  it('loses nothing to another program that writes it all the time', async () => {
    const path = fresh(LOG, 'log.txt');
    for (let round = 0; round < 30; round += 1) {
      const base = await baseOf(path);
      const before = textOf(path);
      const isMoved = round % 2 === 1;
      const sent = replace(path, base, before.slice(0, 5), `n${String(round).padStart(4, '0')}`);
      if (isMoved) {
        writes(path, before.replace(/\r\n$/, `\r\nround ${round}\r\n`));
      }
      const { status } = await sent;
      const after = textOf(path);
      assert.equal(status, isMoved ? 'stale_base' : 'applied');
      assert.equal(after.includes(`round ${round}`), isMoved);
    }
  });
});
