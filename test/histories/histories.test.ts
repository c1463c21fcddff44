import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { write } from '../hosts/mochaSuite.ts';
import { generateRepository } from './generated.ts';
import { type Played, playHistory } from './play.ts';
import { Repository } from './repository.ts';
import { variables } from './variables.ts';

const { [variables.repository]: given, [variables.commits]: commits = '5', [variables.results]: results } = process.env;

function say({ commits: played, files, refused, milliseconds }: Played): void {
  const reasons = Object.entries(refused).map(([status, count]) => `${count} ${status}`);
  write(
    `      ${played} commits, ${files} files, ${(milliseconds / Math.max(1, files)).toFixed(0)} ms a file; refused: ${reasons.join(', ') || 'none'}`,
  );
}

describe('A replayed history', function () {
  this.timeout(600_000);

  it('of a generated repository ends in git’s own bytes, file after file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'edit-arbiter-history-'));
    try {
      generateRepository(folder, 20, 7);
      const played = await playHistory(new Repository(folder), 'generated', 20);
      say(played);
      assert.deepEqual(played.mismatches, []);
      assert.ok(played.files > 80, `only ${played.files} files`);
      const known = ['another encoding or line ending', 'mixed_line_endings', 'undecodable', 'binary', 'unencodable'];
      assert.deepEqual(
        Object.keys(played.refused).filter((status) => !known.includes(status)),
        [],
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('of a real repository ends in git’s own bytes, file after file', async function () {
    if (given === undefined) {
      this.skip(); // The runners name one.
    }
    const played = await playHistory(new Repository(given), 'real', Number(commits));
    say(played);
    if (results !== undefined) {
      writeFileSync(results, JSON.stringify(played));
    }
    assert.deepEqual(played.mismatches, []);
  });
});
