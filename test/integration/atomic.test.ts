import assert from 'node:assert/strict';
import { chmodSync, existsSync, statSync } from 'node:fs';
import * as vscode from 'vscode';
import { type Answer, baseOf, edit, read } from './support/agent.ts';
import { fresh, pathOf, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { documentOf, engineer, until } from './support/engineer.ts';

/** A folder with four files, and a call over them: two edits, a new file, a rename with an edit, a delete. */
async function prepare() {
  const folder = fresh('one\ntwo\n', 'a.txt').split('/')[0] as string;
  const at = (name: string) => `${folder}/${name}.txt`;
  for (const name of ['b', 'c', 'd']) {
    writes(at(name), 'one\ntwo\n');
  }
  chmodSync(pathOf(at('d')), 0o755);
  const bases = Object.fromEntries(
    await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => [name, await baseOf(at(name))] as const)),
  );
  const edits = (text: string) => [{ old_string: 'one', new_string: text }];
  const files = [
    { path: at('a'), base: bases['a'], edits: edits('A') },
    { path: at('d'), base: bases['d'], delete: true },
    { path: at('c'), base: bases['c'], edits: edits('C'), rename_to: at('moved') },
    { path: at('b'), base: bases['b'], edits: edits('B') },
    { path: at('n'), base: 'absent', content: 'new\n' },
  ];
  const disk = () =>
    Object.fromEntries(
      ['a', 'b', 'c', 'd', 'n', 'moved'].map((name) => [name, existsSync(pathOf(at(name))) ? textOf(at(name)) : null]),
    );
  return { at, files, disk };
}

const BEFORE = { a: 'one\ntwo\n', b: 'one\ntwo\n', c: 'one\ntwo\n', d: 'one\ntwo\n', n: null, moved: null };
const AFTER = { a: 'A\ntwo\n', b: 'B\ntwo\n', c: null, d: null, n: 'new\n', moved: 'C\ntwo\n' };

function statuses({ results }: Answer): string[] {
  return results.map(({ status }) => status);
}

/** Runs `act` as a participant of the next save of a file. */
function holdSave(path: string, act: () => Promise<void>): vscode.Disposable {
  const subscription = vscode.workspace.onWillSaveTextDocument((event) => {
    if (event.document.uri.toString() === uriOf(path).toString()) {
      subscription.dispose();
      event.waitUntil(act());
    }
  });
  return subscription;
}

function isShown(path: string): boolean {
  const uri = uriOf(path).toString();
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri);
}

/** Every token in an answer is the one that a read gives now. */
async function tellsWhatIs({ results }: Answer): Promise<void> {
  const told = results.flatMap(({ path, base, actual }) =>
    path && (base ?? actual) ? [{ path, token: base ?? actual }] : [],
  );
  const parts = await read(...told.map(({ path }) => path));
  assert.deepEqual(
    parts.map(({ header }) => ({ path: header.path, token: header.base })),
    told,
  );
}

/** What is open ends as what is on disk, and clean. */
async function settles(path: string): Promise<void> {
  await until(() => {
    const { isDirty } = documentOf(path);
    return !isDirty && documentOf(path).getText() === textOf(path);
  });
}

/** Waits until a text is on disk, and the editor knows it. */
function isSaved(path: string, text: string): Promise<void> {
  return until(() => textOf(path) === text && !documentOf(path).isDirty);
}

describe('An atomic call', function () {
  this.timeout(90_000);
  const subscriptions: vscode.Disposable[] = [];
  const watch = (subscription: vscode.Disposable) => subscriptions.push(subscription);
  afterEach(() => {
    for (const subscription of subscriptions.splice(0)) {
      subscription.dispose();
    }
  });

  it('lands as a whole, saved, and one Undo takes its text edits back together', async () => {
    const { at, files, disk } = await prepare();
    await engineer.opens(at('b'));
    await engineer.opens(at('a'));
    const answer = await edit({ files, on_conflict: 'atomic' });
    assert.deepEqual(statuses(answer), Array(5).fill('applied'), JSON.stringify(answer));
    assert.deepEqual(disk(), AFTER);
    assert.deepEqual(
      answer.results.map(({ base }) => base),
      [sha256('A\ntwo\n'), 'absent', sha256('C\ntwo\n'), sha256('B\ntwo\n'), sha256('new\n')],
    );
    await engineer.opens(at('a'));
    await vscode.commands.executeCommand('undo');
    await until(() => documentOf(at('a')).getText() === 'one\ntwo\n');
    await until(() => documentOf(at('b')).getText() === 'one\ntwo\n');
  });

  it('touches nothing where one file moved, is read only, or its target is taken', async () => {
    for (const [status, index, act] of [
      ['stale_base', 3, (at: (name: string) => string) => writes(at('b'), 'theirs\n')],
      ['read_only', 3, (at: (name: string) => string) => chmodSync(pathOf(at('b')), 0o444)],
      ['read_only', 1, (at: (name: string) => string) => chmodSync(pathOf(at('d')), 0o444)],
      ['read_only', 2, (at: (name: string) => string) => chmodSync(pathOf(at('c')), 0o444)],
      ['stale_base', 4, (at: (name: string) => string) => writes(at('n'), 'theirs\n')],
    ] as const) {
      const { at, files, disk } = await prepare();
      const { document: shown } = await engineer.opens(at('a'));
      const { version } = shown;
      act(at);
      const before = disk();
      const answer = await edit({ files, on_conflict: 'atomic' });
      const expected = Array.from({ length: 5 }, (_, at) => (at === index ? status : 'skipped'));
      assert.deepEqual(statuses(answer), expected, JSON.stringify(answer));
      assert.deepEqual(disk(), before);
      const own = ['a', 'b', 'c', 'd'].map((name) => uriOf(at(name)).toString());
      for (const document of vscode.workspace.textDocuments.filter(({ uri }) => own.includes(uri.toString()))) {
        assert.equal(document.isDirty, false, document.uri.path);
      }
      assert.equal(shown.version, version, 'nothing was done to the buffer, and so nothing can be undone');
    }
  });

  it('is taken back as a whole where another program writes one of the files between our apply and its save', async () => {
    const { at, files, disk } = await prepare();
    await engineer.opens(at('a'));
    const subscription = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (document.uri.toString() === uriOf(at('b')).toString() && contentChanges.length > 0) {
        subscription.dispose();
        writes(at('b'), 'their longer text\n');
      }
    });
    const answer = await edit({ files, on_conflict: 'atomic' });
    subscription.dispose();
    assert.equal(answer.results[3]?.status, 'disk_changed_during_save', JSON.stringify(answer));
    assert.deepEqual(
      statuses(answer).filter((_, index) => index !== 3),
      ['rolled_back', 'skipped', 'rolled_back', 'skipped'],
      JSON.stringify(answer),
    );
    assert.deepEqual(disk(), { ...BEFORE, b: 'their longer text\n' });
    for (const name of ['a', 'b', 'c']) {
      await settles(at(name));
    }
    const again = await edit({ files: [{ ...files[0], base: answer.results[0]?.base }] });
    assert.deepEqual(statuses(again), ['applied'], JSON.stringify(again));
  });

  it('is taken back also after files were created, renamed and deleted, with their modes', async () => {
    const { at, files, disk } = await prepare();
    await engineer.opens(at('c'));
    writes(at('e'), 'one\n');
    const last = { path: at('e'), base: await baseOf(at('e')), delete: true };
    // Just before the last delete, its file moves: everything else has happened by then.
    const subscription = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (uri.toString() === uriOf(at('b')).toString()) {
        writes(at('e'), 'theirs\n');
      }
    });
    const answer = await edit({ files: [...files, last], on_conflict: 'atomic' });
    subscription.dispose();
    assert.deepEqual(
      statuses(answer),
      ['rolled_back', 'rolled_back', 'rolled_back', 'rolled_back', 'rolled_back', 'stale_base'],
      JSON.stringify(answer),
    );
    assert.deepEqual(disk(), BEFORE);
    assert.equal(textOf(at('e')), 'theirs\n');
    assert.equal(statSync(pathOf(at('d'))).mode & 0o777, 0o755);
    for (const name of ['a', 'b', 'c']) {
      await settles(at(name));
    }
  });

  it('is taken back as a whole where a file moves between the saves of two others', async () => {
    const { at, files, disk } = await prepare();
    watch(
      holdSave(at('b'), async () => {
        await isSaved(at('a'), 'A\ntwo\n');
        writes(at('b'), 'their longer text\n');
      }),
    );
    const answer = await edit({ files, on_conflict: 'atomic' });
    assert.deepEqual(
      statuses(answer),
      ['rolled_back', 'skipped', 'rolled_back', 'disk_changed_during_save', 'skipped'],
      JSON.stringify(answer),
    );
    assert.deepEqual(disk(), { ...BEFORE, b: 'their longer text\n' });
    await tellsWhatIs(answer);
    for (const name of ['a', 'b', 'c']) {
      await settles(at(name));
    }
  });

  it('does not write over what another program writes after the save, and says that this file was not taken back', async () => {
    const { at, files, disk } = await prepare();
    watch(
      holdSave(at('b'), async () => {
        await isSaved(at('a'), 'A\ntwo\n');
        writes(at('a'), 'A\ntwo\nthree\n');
        writes(at('b'), 'their longer text\n');
      }),
    );
    const answer = await edit({ files, on_conflict: 'atomic' });
    assert.deepEqual(
      statuses(answer),
      ['apply_failed', 'skipped', 'rolled_back', 'disk_changed_during_save', 'skipped'],
      JSON.stringify(answer),
    );
    assert.deepEqual(disk(), { ...BEFORE, a: 'A\ntwo\nthree\n', b: 'their longer text\n' });
    assert.match(String(answer.results[0]?.reason), /this edit could not be taken back$/);
    await tellsWhatIs(answer);
  });

  it('is taken back also in a file whose tab was closed meanwhile', async () => {
    const { at, files, disk } = await prepare();
    await engineer.opens(at('a'));
    watch(
      holdSave(at('b'), async () => {
        await isSaved(at('a'), 'A\ntwo\n');
        await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
        await until(() => !isShown(at('a')));
        writes(at('b'), 'their longer text\n');
      }),
    );
    const answer = await edit({ files, on_conflict: 'atomic' });
    assert.deepEqual(
      statuses(answer),
      ['rolled_back', 'skipped', 'rolled_back', 'disk_changed_during_save', 'skipped'],
      JSON.stringify(answer),
    );
    assert.deepEqual(disk(), { ...BEFORE, b: 'their longer text\n' });
    await tellsWhatIs(answer);
  });

  it('is whole or taken back when the engineer reverts and closes a file in the middle', async () => {
    const { at, files, disk } = await prepare();
    await engineer.opens(at('a'));
    const revert = () => vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    let reverting: Thenable<unknown> | undefined;
    watch(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document.uri.toString() === uriOf(at('b')).toString() && contentChanges.length > 0) {
          reverting ??= revert();
        }
      }),
    );
    const answer = await edit({ files, on_conflict: 'atomic' });
    await reverting;
    const isWhole = answer.results.every(({ status }) => status === 'applied');
    assert.ok(isWhole || answer.results.every(({ status }) => status !== 'applied'), JSON.stringify(answer));
    assert.deepEqual(disk(), isWhole ? AFTER : BEFORE);
    await tellsWhatIs(answer);
  });

  it('keeps what the engineer types beside an edit that is taken back', async () => {
    const { at, files } = await prepare();
    await engineer.opens(at('a'));
    let typing: Promise<void> | undefined;
    const subscription = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (document.uri.toString() === uriOf(at('b')).toString() && contentChanges.length > 0 && !typing) {
        writes(at('b'), 'their longer text\n');
        typing = engineer.types(at('a'), '!', { line: 1, character: 3 });
      }
    });
    const answer = await edit({ files, on_conflict: 'atomic' });
    subscription.dispose();
    await typing;
    assert.equal(answer.results[3]?.status, 'disk_changed_during_save', JSON.stringify(answer));
    await until(() => documentOf(at('a')).getText() === 'one\ntwo!\n');
    assert.equal(textOf(at('a')), 'one\ntwo\n');
    assert.ok(['rolled_back', 'apply_failed'].includes(answer.results[0]?.status ?? ''), JSON.stringify(answer));
  });
});
