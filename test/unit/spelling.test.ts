import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DISK, type Folders, Spelling } from '../../src/host/spelling.ts';

/** A disk whose folders below `/win` take names in any letter case, and how often it was asked. */
function diskOf(paths: readonly string[]) {
  const asked = { identityOf: 0, namesIn: 0 };
  let version = 1;
  const all = new Set(
    paths.flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))),
  );
  const folded = (path: string) => (path.startsWith('/win/') ? `/win/${path.slice(5).toLowerCase()}` : path);
  const folders: Folders = {
    identityOf: (path) => {
      asked.identityOf += 1;
      return [...all].map(folded).find((one) => one === folded(path));
    },
    versionOf: () => String(version),
    namesIn: (folder) => {
      asked.namesIn += 1;
      return [...all].flatMap((path) => {
        const rest = folded(path).startsWith(`${folded(folder)}/`) ? path.slice(folder.length + 1) : '';
        return rest === '' || rest.includes('/') ? [] : [rest];
      });
    },
  };
  const add = (path: string) => {
    all.add(path);
    version += 1;
  };
  return { folders, asked, add };
}

describe('Spelling', () => {
  it('gives the one path that the folders give, where they take any letter case', () => {
    const { folders } = diskOf(['/win/Repo/src/App.ts']);
    const spelling = new Spelling(folders);
    for (const path of ['/win/Repo/src/App.ts', '/win/repo/SRC/app.ts', '/win/REPO/Src/APP.TS']) {
      assert.equal(spelling.of(path), '/win/Repo/src/App.ts');
    }
  });

  it('leaves every path alone where letter case counts', () => {
    const { folders } = diskOf(['/home/a/App.ts', '/home/a/app.ts', '/home/A/x']);
    const spelling = new Spelling(folders);
    for (const path of ['/home/a/App.ts', '/home/a/app.ts', '/home/A/x', '/']) {
      assert.equal(spelling.of(path), path);
    }
  });

  it('asks once for each folder, and reads its names again when they have moved', () => {
    const { folders, asked, add } = diskOf(['/win/a/one.txt', '/home/x/y']);
    const spelling = new Spelling(folders);
    spelling.of('/win/A/ONE.txt');
    spelling.of('/home/x/y');
    const { identityOf, namesIn } = asked;
    for (let count = 0; count < 10; count += 1) {
      assert.equal(spelling.of('/win/A/ONE.txt'), '/win/a/one.txt');
      assert.equal(spelling.of('/home/x/y'), '/home/x/y');
    }
    assert.deepEqual(asked, { identityOf, namesIn });
    add('/win/a/Two.txt');
    assert.equal(spelling.of('/win/a/two.TXT'), '/win/a/Two.txt');
    assert.ok(asked.namesIn > namesIn);
  });

  it('does not judge a folder by a name without letters, nor by one that is gone', () => {
    const { folders } = diskOf(['/win/1/App.ts']);
    const spelling = new Spelling(folders);
    assert.equal(spelling.of('/win/1/gone.ts'), '/win/1/gone.ts');
    assert.equal(spelling.of('/win/1/app.ts'), '/win/1/App.ts');
  });

  it('agrees with the disk of this machine', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'Edit-Arbiter-spelling-')));
    try {
      mkdirSync(join(folder, 'Sub'));
      const path = join(folder, 'Sub', 'File.txt');
      writeFileSync(path, 'x');
      assert.equal(new Spelling(DISK).of(path), path);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
