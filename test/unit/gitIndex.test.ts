import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseIndex } from '../../src/core/gitIndex.ts';

describe('The index of a real git repository', () => {
  let folder: string;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  const index = () => readFileSync(join(folder, '.git', 'index'));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'edit-arbiter-git-'));
    git('init', '-q');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('says what git has left of each file, whatever the length of its path', () => {
    mkdirSync(join(folder, 'sub'));
    const paths = [
      'a',
      'ab',
      'abc',
      'sub/a somewhat longer name.txt',
      'ünï.txt',
      ...Array.from('12345678', (n) => 'x'.repeat(Number(n))),
    ];
    for (const [at, path] of paths.entries()) {
      writeFileSync(join(folder, path), 'z'.repeat(at));
    }
    git('add', '.');
    for (const [at, path] of paths.entries()) {
      const entry = parseIndex(index())?.get(path);
      const seconds = Math.floor(statSync(join(folder, path)).mtimeMs / 1_000);
      assert.deepEqual([entry?.size, entry?.seconds], [at, seconds], path);
    }
    assert.equal(parseIndex(index())?.has('none'), false);
  });

  it('of another version, or torn, tells nothing', () => {
    writeFileSync(join(folder, 'a'), 'a');
    git('add', '.');
    assert.equal(parseIndex(index().subarray(0, 40)), undefined);
    assert.equal(parseIndex(Buffer.from('nonsense')), undefined);
    git('update-index', '--index-version', '4');
    assert.equal(parseIndex(index()), undefined);
  });
});
