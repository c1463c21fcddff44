import assert from 'node:assert/strict';
import { baseOf, edit, only, read, replace } from './support/agent.ts';
import { bytesOf, fresh, sha256, textOf, writes } from './support/disk.ts';
import { documentOf, engineer, isOpen } from './support/engineer.ts';

describe('The gate', () => {
  it('gives a base that sha256sum prints, and opens nothing to read', async () => {
    const path = fresh('one\ntwo\n');
    const [part] = await read(path);
    assert.deepEqual(part?.header, {
      path,
      status: 'ok',
      base: sha256('one\ntwo\n'),
      lines: '1-2 of 2',
      chars: 8,
      eol: 'lf',
      encoding: 'utf8',
    });
    assert.equal(part.content, 'one\ntwo\n');
    assert.equal(isOpen(path), false);
  });

  it('applies an edit at a fresh base, saves it, and returns the base for the next one', async () => {
    const path = fresh('one\ntwo\n');
    const first = await replace(path, await baseOf(path), 'two', '2');
    assert.equal(first.status, 'applied', JSON.stringify(first));
    assert.equal(first.saved, true);
    assert.equal(textOf(path), 'one\n2\n');
    assert.equal(first.base, sha256('one\n2\n'));
    assert.deepEqual(first.changed_lines, [[2, 2]]);
    assert.equal(documentOf(path).isDirty, false);
    const second = await replace(path, String(first.base), 'one', '1');
    assert.equal(second.status, 'applied');
    assert.equal(textOf(path), '1\n2\n');
  });

  it('refuses an edit whose file another program has rewritten, with cause and diff, and touches nothing', async () => {
    const path = fresh('one\ntwo\n');
    const base = await baseOf(path);
    writes(path, 'one\nTWO\n');
    const result = await replace(path, base, 'one', '1');
    assert.equal(result.status, 'stale_base');
    assert.deepEqual(result.changed_by, ['external writer']);
    assert.equal(result.diff_since_read, '@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n');
    assert.equal(result.expected, base);
    assert.equal(result.actual, sha256('one\nTWO\n'));
    assert.equal(textOf(path), 'one\nTWO\n');
  });

  it('takes a save of what the agent had read for no change', async () => {
    const path = fresh('one\ntwo\n');
    await engineer.types(path, '!', { line: 0, character: 3 });
    const base = await baseOf(path);
    await engineer.saves(path);
    const result = await replace(path, base, 'two', '2');
    assert.equal(result.status, 'applied', JSON.stringify(result));
    assert.equal(textOf(path), 'one!\n2\n');
  });

  it('keeps CRLF, BOM, a missing final newline, and lands dollar signs and backslashes as sent', async () => {
    const path = fresh('\uFEFFset A=1\r\nset B=2\r\necho');
    const result = await replace(path, await baseOf(path), 'set A=1\nset B=2', 'set A=$$1\nset B=$&\\n\nset C=3');
    assert.equal(result.status, 'applied', JSON.stringify(result));
    assert.equal(bytesOf(path).toString(), '\uFEFFset A=$$1\r\nset B=$&\\n\r\nset C=3\r\necho');
  });

  it('creates a file only where nothing is', async () => {
    const path = fresh('x\n');
    const created = only(await edit({ files: [{ path: `${path}.new/deep.txt`, base: 'absent', content: 'new\n' }] }));
    assert.equal(created.status, 'applied');
    assert.equal(textOf(`${path}.new/deep.txt`), 'new\n');
    const again = only(await edit({ files: [{ path, base: 'absent', content: 'mine\n' }] }));
    assert.equal(again.status, 'stale_base');
    assert.equal(textOf(path), 'x\n');
  });
});
