import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import * as vscode from 'vscode';
import { baseOf, check, edit, invoke, only, read, replace } from './support/agent.ts';
import { bytesOf, fresh, pathOf, sha256, textOf, writes } from './support/disk.ts';
import { documentOf, engineer, isOpen, until } from './support/engineer.ts';

describe('Bad input', () => {
  it('answers every wrong call with a status of its own and what to do next, and never throws', async () => {
    const path = fresh('one\n');
    mkdirSync(pathOf(`${path}.d`));
    const base = await baseOf(path);
    const edits = [{ old_string: 'one', new_string: '1' }];
    const cases: readonly (readonly [object, string])[] = [
      [{ path, edits }, 'invalid_base'],
      [{ path, base: 'sha256:12345', edits }, 'invalid_base'],
      [{ path, base: 'md5:0123456789abcdef', edits }, 'invalid_base'],
      [{ path, base: sha256('two\n'), edits }, 'stale_base'],
      [{ path, base, edits, oops: 1 }, 'invalid_input'],
      [{ path, base, edits, content: 'x' }, 'invalid_input'],
      [{ path, base }, 'invalid_input'],
      [{ path, base, edits: [{ old_string: '', new_string: '#' }] }, 'invalid_input'],
      [{ path, base, edits: [{ old_string: 'one', new_string: '1', line: 0 }] }, 'invalid_input'],
      [{ path, base, edits: Array.from({ length: 10_000 }, () => edits[0]) }, 'invalid_input'],
      [{ path: 'a\0b', base, edits }, 'invalid_input'],
      [{ path: `${path}.d`, base, edits }, 'is_directory'],
      [{ path: '../outside.txt', base, edits }, 'outside_workspace'],
      [{ path: 'no/such.txt', base: 'absent', edits }, 'not_found_on_disk'],
      [{ path: 'no/such.txt', base, edits }, 'stale_base'],
      [{ path, base, edits: [{ old_string: 'nowhere', new_string: 'x' }] }, 'not_found'],
      [{ path, base, edits: [{ old_string: 'one', new_string: 'one' }] }, 'no_change'],
      [{ path, base, edits: [{ old_string: 'one', new_string: 'a\rb' }] }, 'mixed_line_endings'],
      [{ path, base, edits: [{ old_string: 'one', new_string: '\ud800' }] }, 'unencodable'],
      [{ path, base, patch: '@@ -1,1 +1,1 @@\n-two\n+2\n' }, 'patch_mismatch'],
      [{ path, base, patch: 'not a patch' }, 'invalid_input'],
    ];
    for (const [entry, status] of cases) {
      const result = only(await edit({ files: [entry] }));
      assert.equal(result.status, status, JSON.stringify(result));
      assert.ok(result.next, JSON.stringify(result));
    }
    for (const input of [
      {},
      { files: [] },
      { files: 'x' },
      { files: [{ path, base, edits }], mode: 'x' },
      { files: [{ path, base, edits }], on_conflict: 'maybe' },
    ]) {
      const answer = await edit(input);
      assert.equal(answer.summary, 'invalid_input', JSON.stringify(answer));
      assert.deepEqual(answer.results, []);
      assert.ok(answer.next);
    }
    assert.equal(textOf(path), 'one\n');
    assert.equal(isOpen(path), false, 'a refused edit opens nothing');
  });

  it('runs the other entries when a file is named twice', async () => {
    const [twice, other] = [fresh('a\n'), fresh('a\n')];
    const [base, otherBase] = [await baseOf(twice), await baseOf(other)];
    const edits = [{ old_string: 'a', new_string: 'b' }];
    const answer = await edit({
      files: [
        { path: twice, base, edits },
        { path: other, base: otherBase, edits },
        { path: pathOf(twice), base, edits },
      ],
    });
    assert.equal(answer.summary, '2 invalid_input, 1 applied');
    assert.equal(textOf(twice), 'a\n');
  });

  it('accepts a base cut to 12 digits, and echoes it whole', async () => {
    const path = fresh('one\n');
    const base = await baseOf(path);
    writes(path, 'two\n');
    const stale = await replace(path, base.slice(0, 'sha256:'.length + 12), 'one', '1');
    assert.equal(stale.expected, base);
    const applied = await replace(path, sha256('two\n').slice(0, 'sha256:'.length + 12), 'two', '2');
    assert.equal(applied.status, 'applied');
  });

  it('knows a base of another file, and says so', async () => {
    const [mine, other] = [fresh('mine\n'), fresh('other\n')];
    const otherBase = await baseOf(other);
    await baseOf(mine);
    const result = await replace(mine, otherBase, 'mine', 'x');
    assert.equal(result.status, 'stale_base');
    assert.match(String(result.note), /another file/);
  });

  it('is honest about an unconsidered retry, and lets a considered one through', async () => {
    const path = fresh('one\ntwo\nthree\n');
    const base = await baseOf(path);
    writes(path, 'one\nTWO\nthree\n');
    const stale = await replace(path, base, 'three', '3');
    assert.equal(stale.status, 'stale_base');
    const reflex = await replace(path, String(stale.actual), 'three', '3');
    assert.equal(reflex.status, 'unconsidered_retry');
    assert.equal(reflex.diff_since_read, stale.diff_since_read);
    assert.match(String(reflex.next), /still_needed/);
    const considered = await replace(path, String(stale.actual), 'three', '3', {
      still_needed: 'line 2 does not concern it',
    });
    assert.equal(considered.status, 'applied');
  });

  it('answers the same call sent again with already_applied', async () => {
    const path = fresh('one\n');
    const base = await baseOf(path);
    const first = await replace(path, base, 'one', '1');
    const again = await replace(path, base, 'one', '1');
    assert.equal(again.status, 'already_applied');
    assert.equal(again.base, first.base);
    assert.equal(again.edit, first.edit);
  });

  it('honours a cancellation before the compare', async () => {
    const path = fresh('one\n');
    const base = await baseOf(path);
    const source = new vscode.CancellationTokenSource();
    source.cancel();
    const answers = await invoke(
      'arbiter_edit',
      { files: [{ path, base, edits: [{ old_string: 'one', new_string: '1' }] }] },
      source.token,
    ).then(
      ([text]) => JSON.parse(text ?? ''),
      (error: Error) => error,
    );
    // The editor itself may end a call that was cancelled before it began; ours then never ran.
    assert.ok(answers instanceof Error || answers.summary === '1 cancelled', JSON.stringify(answers));
    assert.equal(textOf(path), 'one\n');
  });
});

describe('Files', () => {
  it('edits through the tab that is open by a link, and keeps the link', async () => {
    const path = fresh('one\n', 'real.txt');
    const link = path.replace('real', 'alias');
    symlinkSync('real.txt', pathOf(link));
    await engineer.types(link, '!', { line: 0, character: 3 });
    const [part] = await read(path);
    assert.equal(part?.content, 'one!\n', 'unsaved text is found whatever the spelling');
    await engineer.saves(link);
    assert.equal((await replace(path, await baseOf(path), 'one!', 'two')).status, 'applied');
    assert.equal(textOf(link), 'two\n');
  });

  it('refuses by name what the editor cannot hold, and touches nothing', async () => {
    const latin = fresh(Buffer.from('prix: 9 \x80\nqty = 1\n', 'latin1'));
    const [part] = await read(latin);
    assert.equal(part?.header.status, 'undecodable');
    assert.equal(part.header['offset'], 8);
    assert.match(String(part.header.next), /encoding/);
    const binary = fresh(Buffer.from([0x7f, 0x45, 0, 1]));
    assert.equal((await read(binary))[0]?.header.status, 'binary');
    const notebook = fresh('{"cells":[]}', 'n.ipynb');
    assert.equal((await read(notebook))[0]?.header.status, 'notebook');
    const locked = fresh('a=1\n', 'locked.cfg');
    const { chmodSync } = await import('node:fs');
    chmodSync(pathOf(locked), 0o444);
    const refused = await replace(locked, await baseOf(locked), 'a=1', 'a=2');
    assert.equal(refused.status, 'read_only', JSON.stringify(refused));
    assert.equal(isOpen(locked), false);
  });

  it('keeps UTF-16 both ways, byte for byte', async () => {
    for (const swap of [false, true]) {
      const bytes = Buffer.from('\uFEFFgrün\r\n🙂\r\n', 'utf16le');
      const path = fresh(swap ? bytes.swap16() : bytes, 'u16.txt');
      const [part] = await read(path);
      assert.equal(part?.header.encoding, swap ? 'utf16be' : 'utf16le');
      assert.equal(part.content, 'grün\n🙂\n');
      const result = await replace(path, String(part.header.base), 'grün', 'blau');
      assert.equal(result.status, 'applied', JSON.stringify(result));
      const expected = Buffer.from('\uFEFFblau\r\n🙂\r\n', 'utf16le');
      assert.deepEqual(bytesOf(path), swap ? expected.swap16() : expected);
    }
  });

  it('gives windows of lines, cut where the request ends, and never inside a character', async () => {
    const path = fresh('p1\n\f\ndef g():\n    return 2\n', 'old.py');
    const [part] = await read({ path, start_line: 4, end_line: 99 });
    assert.equal(part?.content, '    return 2\n');
    assert.equal(part.header.lines, '4-4 of 4');
    const [beyond] = await read({ path, start_line: 9 });
    assert.equal(beyond?.header.status, 'invalid_range');
    const empty = fresh('');
    assert.equal((await read(empty))[0]?.header.lines, '0-0 of 0');
    const long = fresh(`${'🙂'.repeat(200_000)}\nend\n`);
    const [cut] = await read(long);
    assert.equal(cut?.content.length, 256 * 1024);
    assert.ok(cut.content.isWellFormed());
    assert.match(String(cut.header.note), /cut/);
  });

  it('keeps parts apart whatever the files hold', async () => {
    const [one, two] = [fresh('{"path":"x"}\nno newline'), fresh('second\n')];
    const texts = await invoke('arbiter_read', { files: [{ path: one }, { path: 'missing.txt' }, { path: two }] });
    const glued = texts.join('');
    const header = JSON.parse(glued.slice(0, glued.indexOf('\n')));
    const rest = glued.slice(glued.indexOf('\n') + 1 + header.chars);
    assert.equal(
      glued.slice(glued.indexOf('\n') + 1, glued.indexOf('\n') + 1 + header.chars),
      '{"path":"x"}\nno newline',
    );
    assert.match(rest, /^\n\{"path":"missing.txt"|^\n\{"status":"not_found"/);
  });

  it('tells once of other files that have moved, and what is stale when asked', async () => {
    const [mine, other] = [fresh('mine\n'), fresh('other\n')];
    await read(mine, other);
    writes(other, 'OTHER\n');
    const first = await edit({
      files: [{ path: mine, base: sha256('mine\n'), edits: [{ old_string: 'mine', new_string: '1' }] }],
    });
    assert.ok(first.also_changed?.includes(`${other}: external writer`), JSON.stringify(first.also_changed));
    const second = await edit({
      files: [{ path: mine, base: sha256('1\n'), edits: [{ old_string: '1', new_string: '2' }] }],
    });
    assert.ok(!second.also_changed?.some((line) => line.startsWith(other)), JSON.stringify(second.also_changed));
    const stale = (await check()).find(({ path }) => path === other);
    assert.equal(stale?.status, 'stale_base');
    assert.equal(stale.diff_since_read, '@@ -1,1 +1,1 @@\n-other\n+OTHER\n');
    const [fine] = await check({ files: [{ path: other, base: sha256('OTHER\n') }] });
    assert.equal(fine?.status, 'fresh');
  });

  it('shows how edits ended as a page', async () => {
    const path = fresh('one\n');
    const base = await baseOf(path);
    assert.equal((await replace(path, base, 'one', '1')).status, 'applied');
    writes(path, 'x\n');
    assert.equal((await replace(path, sha256('1\n'), '1', '2')).status, 'stale_base');
    await vscode.commands.executeCommand('editArbiter.showStatistics');
    await until(() => vscode.window.tabGroups.activeTabGroup.activeTab?.label === 'Edit Arbiter: Statistics');
    assert.ok(vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputWebview);
  });

  it('leaves a document that the engineer holds unsaved alone when the disk under it moves', async () => {
    const path = fresh('one\ntwo\n');
    await engineer.types(path, '!', { line: 0, character: 3 });
    const base = await baseOf(path);
    writes(path, 'ONE\ntwo\n');
    const result = await replace(path, base, 'two', '2');
    assert.equal(result.status, 'stale_base', JSON.stringify(result));
    assert.equal(documentOf(path).getText(), 'one!\ntwo\n');
    assert.equal(textOf(path), 'ONE\ntwo\n');
  });
});
