import assert from 'node:assert/strict';
import fs, { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { overwriteExactly } from '../../src/host/fileOperations.ts';

describe('Writing over exactly what was read', () => {
  let folder = '';
  let path = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'overwrite-'));
    path = join(folder, 'f.txt');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Lets another program write right after the compare has read the file. */
  function afterCompare(write: () => void): () => void {
    const { readFileSync } = fs;
    const read = (...given: Parameters<typeof readFileSync>) => {
      const bytes = readFileSync(...given);
      write();
      return bytes;
    };
    Object.assign(fs, { readFileSync: read });
    syncBuiltinESMExports();
    return () => {
      Object.assign(fs, { readFileSync });
      syncBuiltinESMExports();
    };
  }

  it('writes what is asked for, whatever differs, and nothing over other bytes', function () {
    this.timeout(20_000);
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 });
    fc.assert(
      fc.property(text, text, text, (before, after, other) => {
        fs.writeFileSync(path, before);
        assert.deepEqual(overwriteExactly(path, Buffer.from(before), Buffer.from(after)), { kind: 'done' });
        assert.equal(fs.readFileSync(path, 'utf8'), after);
        fs.writeFileSync(path, other);
        const isSame = other === before;
        const { kind } = overwriteExactly(path, Buffer.from(before), Buffer.from(after));
        assert.deepEqual([kind, fs.readFileSync(path, 'utf8')], isSame ? ['done', after] : ['moved', other]);
      }),
      { seed: 3, numRuns: 150 },
    );
  });

  for (const [what, before, after, place, then] of [
    ['before it', 'count 1\nagent 1\nend\n', 'count 1\nagent 22\nend\n', 6, 'count 2\nagent 22\nend\n'],
    ['before it, of one length', 'count 1\nagent 1\nend\n', 'count 1\nagent 2\nend\n', 6, 'count 2\nagent 2\nend\n'],
    ['behind it, of one length', 'agent 1\ncount 1\n', 'agent 2\ncount 1\n', 14, 'agent 2\ncount 2\n'],
  ] as const) {
    it(`leaves what another program writes ${what} between the compare and the write`, () => {
      fs.writeFileSync(path, before);
      const restore = afterCompare(() => {
        const descriptor = fs.openSync(path, 'r+');
        fs.writeSync(descriptor, '2', place);
        fs.closeSync(descriptor);
      });
      try {
        assert.deepEqual(overwriteExactly(path, Buffer.from(before), Buffer.from(after)), { kind: 'done' });
      } finally {
        restore();
      }
      assert.equal(fs.readFileSync(path, 'utf8'), then);
    });
  }
});
