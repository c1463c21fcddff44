import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Conflict, EditArbiter } from '../../api.d.ts';
import { baseOf, replace } from './support/agent.ts';
import { fresh, sha256, textOf, uriOf, writes } from './support/disk.ts';

describe('The API for other extensions', () => {
  let arbiter: EditArbiter;
  const conflicts: Conflict[] = [];
  let listening: vscode.Disposable;

  before(async () => {
    const extension = vscode.extensions.getExtension<EditArbiter>('edit-arbiter.edit-arbiter');
    assert.ok(extension);
    arbiter = await extension.activate();
    assert.equal(extension.exports, arbiter);
    listening = arbiter.onDidConflict((conflict) => conflicts.push(conflict));
  });

  beforeEach(() => {
    conflicts.length = 0;
  });

  after(() => listening.dispose());

  const one = (path: string, base: string, old: string, replacement: string) => ({
    files: [{ path, base, edits: [{ old_string: old, new_string: replacement }] }],
  });

  it('is of version 1, and nobody can change it for others', () => {
    assert.equal(arbiter.version, 1);
    assert.ok(Object.isFrozen(arbiter));
  });

  it('reads with a base, edits at it, and chains', async () => {
    const path = fresh('one\ntwo\n');
    const [part] = await arbiter.read({ files: [{ path, start_line: 2 }] });
    assert.deepEqual([part?.header.base, part?.content], [sha256('one\ntwo\n'), 'two\n']);
    const first = await arbiter.edit(one(path, String(part?.header.base), 'two', '2'));
    assert.equal(first.summary, '1 applied');
    const second = await arbiter.edit(one(path, String(first.results[0]?.base), 'one', '1'));
    assert.equal(second.summary, '1 applied');
    assert.equal(textOf(path), '1\n2\n');
  });

  it('refuses what has moved, tells of it whoever sent it, and lists it when asked', async () => {
    const path = fresh('one\n');
    const session = 'a run';
    const [part] = await arbiter.read({ files: [{ path }] }, { session });
    const base = String(part?.header.base);
    writes(path, 'ONE\n');
    const stale = await arbiter.edit(one(path, base, 'one', '1'), { session });
    const [result] = stale.results;
    assert.equal(result?.status, 'stale_base');
    assert.deepEqual(result.changed_by, ['external writer']);
    assert.match(String(result.diff_since_read), /^\+ONE$/m);
    const { results } = await arbiter.check(undefined, { session });
    assert.deepEqual(
      results.map((checked) => [checked.path, checked.status]),
      [[path, 'stale_base']],
    );
    await replace(path, base, 'one', '2');
    assert.deepEqual(
      conflicts.map(({ uri, ...told }) => [uri.toString(), told.path, told.status, told.expected, told.actual]),
      Array.from({ length: 2 }, () => [uriOf(path).toString(), path, 'stale_base', base, sha256('ONE\n')]),
    );
    assert.deepEqual(conflicts[0]?.changedBy, ['external writer']);
    assert.equal(textOf(path), 'ONE\n');
  });

  it('tells the edits of one run from those of another, and from those of the tools', async () => {
    const path = fresh('one\ntwo\nthree\n');
    const [part] = await arbiter.read({ files: [{ path }] }, { session: 'mine' });
    const base = String(part?.header.base);
    const own = await arbiter.edit(one(path, base, 'one', '1'), { session: 'mine' });
    const other = await arbiter.edit(one(path, String(own.results[0]?.base), 'two', '2'), { session: 'theirs' });
    await replace(path, String(other.results[0]?.base), 'three', '3');
    const stale = await arbiter.edit(one(path, base, 'three', 'III'), { session: 'mine' });
    assert.deepEqual(
      stale.results[0]?.changed_by?.map((cause) => cause.replace(/#\d+/, '#').replace(/turn \d+/, 'turn')),
      ['edit # (this session, turn)', 'edit # (another session, turn)', 'edit # (session unknown, turn)'],
    );
  });

  it('asks nobody: protected files are refused; and a cancelled call writes nothing', async () => {
    const settings = fresh('{}\n', '.env');
    const [secret] = await arbiter.read({ files: [{ path: settings }] });
    assert.equal(secret?.header.status, 'protected');
    const path = fresh('one\n');
    const source = new vscode.CancellationTokenSource();
    source.cancel();
    const { results } = await arbiter.edit(one(path, await baseOf(path), 'one', '1'), { token: source.token });
    assert.equal(results[0]?.status, 'cancelled');
    assert.equal(textOf(path), 'one\n');
  });

  it('answers what makes no sense with a status, as the tools do', async () => {
    const nonsense = { files: 'all' } as unknown as Parameters<EditArbiter['edit']>[0];
    assert.equal((await arbiter.edit(nonsense)).summary, 'invalid_input');
    const [header] = await arbiter.read(nonsense as never);
    assert.equal(header?.header.status, 'invalid_input');
  });
});
