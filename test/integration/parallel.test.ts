import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { randomFrom } from '../replay/schedule.ts';
import { type Answer, baseOf, edit, invoke, read, replace } from './support/agent.ts';
import { fresh, pathOf, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { documentOf, engineer, isOpen, until } from './support/engineer.ts';

interface Entry {
  readonly path: string;
  readonly base: string;
  readonly edits: readonly [{ readonly old_string: string; readonly new_string: string }];
  readonly rename_to?: string;
}

function entry(path: string, base: string, old: string, replacement: string): Entry {
  return { path, base, edits: [{ old_string: old, new_string: replacement }] };
}

const MODES = ['continue', 'stop', 'atomic'];

describe('Parallel calls', function () {
  this.timeout(180_000);

  it('on one file are carried out in the order of their arrival: the first lands, and the others name it', async () => {
    const path = fresh('one\ntwo\n');
    const base = await baseOf(path);
    const calls = Array.from({ length: 12 }, (_, index) => replace(path, base, 'one', `call ${index}`));
    const [first, ...others] = await Promise.all(calls);
    assert.equal(first?.status, 'applied', JSON.stringify(first));
    assert.equal(textOf(path), 'call 0\ntwo\n');
    for (const other of others) {
      assert.equal(other.status, 'stale_base', JSON.stringify(other));
      assert.equal(other.changed_by?.length, 1);
      assert.match(String(other.changed_by[0]), new RegExp(`^edit #${first.edit} \\(session unknown, turn \\d+\\)$`));
      assert.equal(other.actual, first.base);
    }
  });

  it('on different files all land', async () => {
    const paths = Array.from({ length: 12 }, (_, index) => fresh(`one ${index}\n`));
    const bases = (await read(...paths)).map(({ header }) => String(header.base));
    const results = await Promise.all(paths.map((path, index) => replace(path, bases[index] ?? '', 'one', 'two')));
    assert.deepEqual(
      results.map(({ path, status, base }) => [path, status, base]),
      paths.map((path, index) => [path, 'applied', sha256(`two ${index}\n`)]),
    );
    assert.equal(new Set(results.map(({ edit: number }) => number)).size, 12);
    assert.deepEqual(
      paths.map(textOf),
      paths.map((_, index) => `two ${index}\n`),
    );
  });

  it('over the same files in opposite order come to an end, each as its mode says, and no file is lost', async () => {
    const random = randomFrom(67);
    const below = (limit: number) => Math.floor(random() * limit);
    const folder = dirname(fresh('', 'nothing'));
    rmSync(pathOf(`${folder}/nothing`));
    const names = Array.from({ length: 20 }, (_, index) => `${folder}/f${index}.txt`);
    const ids = names.slice(0, 15).map((_, index) => `id ${index}`);
    for (const [index, id] of ids.entries()) {
      writes(names[index] ?? '', `${id}\nturn none\n`);
    }
    let turn = 0;
    const seen = new Set<string>();
    for (let round = 0; round < 5; round += 1) {
      const there = readdirSync(pathOf(folder)).map((name) => `${folder}/${name}`);
      const parts = await read(...there);
      const bases = new Map(parts.map(({ header }) => [header.path, String(header.base)]));
      const texts = new Map(there.map((path) => [path, textOf(path)]));
      const calls = Array.from({ length: 10 }, (_, number) => {
        const free = [...names];
        const pick = (from: readonly string[]) => {
          const [name = ''] = free.splice(free.indexOf(from[below(from.length)] ?? ''), 1);
          return name;
        };
        const files = Array.from({ length: 2 + below(3) }, (): Entry => {
          const path = pick(free.filter((name) => bases.has(name)));
          const [, old = ''] = texts.get(path)?.split('\n') ?? [];
          const edited = entry(path, bases.get(path) ?? '', old, `turn ${turn}`);
          turn += 1;
          const isRenamed = number > 0 && below(2) === 0;
          return isRenamed ? { ...edited, rename_to: pick(free) } : edited;
        });
        return { files, on_conflict: MODES[number === 0 ? 2 : below(MODES.length)] ?? '' };
      });
      const answers = await Promise.all(calls.map((call) => edit(call)));
      const landed = new Map<string, string>();
      for (const [index, { files, on_conflict: mode }] of calls.entries()) {
        const { results } = answers[index] as Answer;
        const statuses = results.map(({ status }) => status);
        const what = JSON.stringify(results);
        assert.equal(results.length, files.length);
        for (const [
          at,
          {
            path,
            rename_to: target,
            edits: [wish],
          },
        ] of files.entries()) {
          const status = statuses[at] ?? '';
          seen.add(`${mode} ${status}`);
          assert.ok([path, target].includes(results[at]?.path), what);
          if (status === 'applied') {
            assert.equal(landed.has(path), false, `${path} was edited twice on one base`);
            landed.set(path, wish.new_string);
            seen.add(target === undefined ? 'edited' : 'renamed');
          }
        }
        const first = statuses.findIndex((status) => status !== 'applied');
        if (mode === 'stop' && first !== -1) {
          assert.ok(
            statuses.slice(first + 1).every((status) => status === 'skipped'),
            what,
          );
        }
        assert.ok(mode !== 'atomic' || first === -1 || !statuses.includes('applied'), what);
      }
      const now = readdirSync(pathOf(folder)).map((name) => textOf(`${folder}/${name}`));
      assert.deepEqual(now.map((text) => text.split('\n')[0]).sort(), ids.toSorted());
      const expected = [...texts].map(([path, text]) => {
        const [id, old] = text.split('\n');
        return `${id}\n${landed.get(path) ?? old}\n`;
      });
      assert.deepEqual(now.sort(), expected.sort());
      assert.ok(landed.size > 0);
    }
    for (const outcome of [
      'continue stale_base',
      'stop skipped',
      'atomic applied',
      'atomic skipped',
      'edited',
      'renamed',
    ]) {
      assert.ok(seen.has(outcome), `never ${outcome}: ${[...seen].join(', ')}`);
    }
  });
});

describe('Cancelling', function () {
  this.timeout(90_000);

  /** Sends a call that the editor gives up as soon as it is cancelled: the caller then hears nothing more. */
  function send(call: object): { readonly source: vscode.CancellationTokenSource; readonly done: Promise<unknown> } {
    const source = new vscode.CancellationTokenSource();
    const done = invoke('arbiter_edit', call, source.token).then(
      ([text]) => JSON.parse(text ?? ''),
      (error: Error) => error,
    );
    return { source, done };
  }

  /** Runs `act` once, in the turn in which the editor tells that the document's text has become `text`. */
  function whenTextIs(path: string, text: string, act: () => void): void {
    const subscription = vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.uri.toString() === uriOf(path).toString() && document.getText() === text) {
        subscription.dispose();
        act();
      }
    });
  }

  it('before the compare leaves no trace: not on disk, not in the buffer, not in its undo history', async () => {
    const [path, other] = [fresh('one\ntwo\n'), fresh('one\n')];
    const settings = vscode.workspace.getConfiguration('editArbiter', uriOf('.'));
    const flag = `${pathOf(path)}.flag`;
    const wait = `const fs = require('fs'); fs.writeFileSync(${JSON.stringify(flag)}, ''); const timer = setInterval(() => { if (!fs.existsSync(${JSON.stringify(flag)})) { clearInterval(timer); } }, 5);`;
    const hook = { name: 'waiting', files: path, command: [process.execPath, '-e', wait], timeout: 60_000 };
    await settings.update('hooks', [hook], vscode.ConfigurationTarget.Workspace);
    try {
      await engineer.opens(path);
      const [base, second] = await Promise.all([baseOf(path), baseOf(other)]);
      const first = replace(path, base, 'one', '1');
      await until(() => existsSync(flag));
      const { version } = documentOf(path);
      // While the first holds the file, the others wait for it.
      const files = [entry(path, sha256('1\ntwo\n'), 'two', '2'), entry(other, second, 'one', '1')];
      const waiting = [
        send({ files: files.slice(0, 1) }),
        send({ files, on_conflict: 'atomic' }),
        send({ files, on_conflict: 'stop' }),
      ];
      const last = replace(path, base, 'two', 'II');
      for (const { source } of waiting) {
        source.cancel();
      }
      await Promise.all(waiting.map(({ done }) => done));
      rmSync(flag);
      const landed = await first;
      assert.equal(landed.status, 'applied', JSON.stringify(landed));
      const stale = await last;
      assert.equal(stale.status, 'stale_base', JSON.stringify(stale));
      assert.equal(stale.changed_by?.length, 1, JSON.stringify(stale));
      assert.deepEqual([textOf(path), textOf(other)], ['1\ntwo\n', 'one\n']);
      assert.deepEqual([documentOf(path).version, documentOf(path).isDirty], [version, false]);
      assert.equal(isOpen(other), false);
      await engineer.undoes(path);
      assert.equal(documentOf(path).getText(), 'one\ntwo\n');
    } finally {
      rmSync(flag, { force: true });
      await settings.update('hooks', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('after the apply completes the file, and whoever comes next is told of the edit', async () => {
    const path = fresh('one\ntwo\n');
    const base = await baseOf(path);
    const call = send({ files: [entry(path, base, 'one', '1')] });
    whenTextIs(path, '1\ntwo\n', () => call.source.cancel());
    await call.done;
    const stale = await replace(path, base, 'two', '2');
    assert.equal(stale.status, 'stale_base', JSON.stringify(stale));
    assert.match(String(stale.changed_by), /^edit #\d+ \(session unknown, turn \d+\)$/);
    assert.deepEqual([textOf(path), stale.actual], ['1\ntwo\n', sha256('1\ntwo\n')]);
    assert.equal(documentOf(path).isDirty, false);
  });

  it('in the middle of a batch: with `stop` the files after it stay as they are, an atomic one completes', async () => {
    for (const mode of ['stop', 'atomic']) {
      const paths = Array.from({ length: 3 }, () => fresh('one\n'));
      const bases = (await read(...paths)).map(({ header }) => String(header.base));
      const files = paths.map((path, index) => entry(path, bases[index] ?? '', 'one', '1'));
      const call = send({ files, on_conflict: mode });
      whenTextIs(paths[0] ?? '', '1\n', () => call.source.cancel());
      await call.done;
      const results = await Promise.all(paths.map((path, index) => replace(path, bases[index] ?? '', 'one', '2')));
      const isLeft = (index: number) => mode === 'stop' && index > 0;
      assert.deepEqual(
        results.map(({ status }) => status),
        paths.map((_, index) => (isLeft(index) ? 'applied' : 'stale_base')),
        JSON.stringify(results),
      );
      assert.deepEqual(
        paths.map(textOf),
        paths.map((_, index) => (isLeft(index) ? '2\n' : '1\n')),
      );
    }
  });
});
