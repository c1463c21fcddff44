import assert from 'node:assert/strict';
import { existsSync, truncateSync } from 'node:fs';
import { baseOf, edit, only, type Result, read, replace } from './support/agent.ts';
import { fresh, pathOf, textOf } from './support/disk.ts';

const MB = 1024 * 1024;

async function sends(entry: object): Promise<Result> {
  return only(await edit({ files: [entry] }));
}

/** Tests of the other limits: 50 files of a call in batch.test.ts, bounded diffs and hints in cases.size.test.ts. */
describe('A limit', function () {
  this.timeout(60_000);

  it('of 50 MB for a file is told by name, and such a file is neither read nor written', async () => {
    const path = fresh('', 'large.txt');
    truncateSync(pathOf(path), 50 * MB);
    assert.equal((await read(path))[0]?.header.status, 'binary', '50 MB are looked at');
    truncateSync(pathOf(path), 50 * MB + 1);
    const [part] = await read(path);
    assert.equal(part?.header.status, 'too_large');
    assert.match(String(part?.header.reason), /52428801 bytes; at most 52428800/);
    for (const wish of [{ content: 'x\n' }, { edits: [{ old_string: 'a', new_string: 'b' }] }, { delete: true }]) {
      const result = await sends({ path, base: `sha256:${'0'.repeat(64)}`, ...wish });
      assert.equal(result.status, 'too_large', JSON.stringify(result));
    }
  });

  it('of 1,000 edits for a file is met by 1,000 of them', async () => {
    const words = Array.from({ length: 1_000 }, (_, index) => `word${index};`);
    const path = fresh(`${words.join('\n')}\n`);
    const edits = words.map((word) => ({ old_string: word, new_string: word.toUpperCase() }));
    const base = await baseOf(path);
    const tooMany = await sends({ path, base, edits: [...edits, { old_string: 'x', new_string: 'y' }] });
    assert.equal(tooMany.status, 'invalid_input');
    assert.match(String(tooMany.reason), /1001 edits of one file; at most 1000/);
    const result = await sends({ path, base, edits });
    assert.equal(result.status, 'applied', JSON.stringify(result).slice(0, 500));
    assert.equal(textOf(path), `${words.join('\n').toUpperCase()}\n`);
  });

  it('of 20 places listed does not bound the count, nor what `replace_all` replaces', async () => {
    const path = fresh('one\n'.repeat(12_000));
    const base = await baseOf(path);
    const refused = await replace(path, base, 'one', '1');
    assert.equal(refused.status, 'ambiguous', JSON.stringify(refused));
    assert.deepEqual([refused['count'], (refused['lines'] as number[]).length], [12_000, 20]);
    const result = await sends({ path, base, edits: [{ old_string: 'one', new_string: '1', replace_all: true }] });
    assert.equal(result.status, 'applied');
    assert.equal(textOf(path), '1\n'.repeat(12_000));
  });

  it('of none is set for a single line: one of 4 MB is read in part, and edited to the byte', async () => {
    const line = 'lorem ipsum '.repeat(170_000);
    const path = fresh(`${line}needle${line}\n`);
    const [part] = await read({ path, start_line: 1, end_line: 1 });
    assert.ok(part);
    assert.ok(part.content.length < line.length, 'a part of the line is shown');
    const result = await replace(path, String(part.header.base), 'needle', 'thread');
    assert.equal(result.status, 'applied', JSON.stringify(result).slice(0, 500));
    assert.ok(textOf(path) === `${line}thread${line}\n`);
  });

  it('of the system for names and depth is told by name, and what it allows works', async () => {
    const folder = fresh('x\n').replace(/[^/]*$/, '');
    for (const path of [`${folder}${'n'.repeat(300)}.txt`, `${folder}${'d/'.repeat(3_000)}f.txt`]) {
      const statuses = [
        (await read(path))[0]?.header.status,
        (await sends({ path, base: 'absent', content: 'x\n' })).status,
        (await sends({ path: `${folder}file.txt`, base: 'absent', content: 'x\n', rename_to: path })).status,
      ];
      assert.deepEqual(statuses, ['invalid_input', 'invalid_input', 'invalid_input']);
    }
    const deep = `${folder}${'deep/'.repeat(300)}${'n'.repeat(200)}.txt`;
    const created = await sends({ path: deep, base: 'absent', content: 'x\n' });
    assert.equal(created.status, 'applied', JSON.stringify(created));
    assert.equal((await replace(deep, String(created.base), 'x', 'y')).status, 'applied');
    assert.equal(textOf(deep), 'y\n');
    assert.ok(existsSync(pathOf(deep)));
  });
});
