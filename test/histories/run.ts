// `npm run histories -- FOLDER [--commits N]`: plays the history of a git repository through the extension in a real VS Code.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildForTesting } from '../hosts/buildForTesting.ts';
import { integrationSuite, repositoryRoot } from '../hosts/paths.ts';
import { runSuiteInServer } from '../hosts/serverRun.ts';
import type { Played } from './play.ts';
import { variables } from './variables.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { commits: { type: 'string', default: '100' } },
});
const folder = mkdtempSync(join(tmpdir(), 'edit-arbiter-histories-'));
const results = join(folder, 'played.json');
try {
  await buildForTesting();
  const outcome = await runSuiteInServer({
    extension: repositoryRoot,
    suite: integrationSuite,
    grep: 'A replayed history of a real repository',
    name: 'histories',
    env: {
      [variables.repository]: resolve(positionals[0] ?? repositoryRoot),
      [variables.commits]: values.commits,
      [variables.results]: results,
    },
    print: (text) => process.stdout.write(text),
  });
  const { commits, files, refused, mismatches, milliseconds } = JSON.parse(readFileSync(results, 'utf8')) as Played;
  console.log(`\n${commits} commits, ${files} files, ${(milliseconds / Math.max(1, files)).toFixed(1)} ms a file`);
  console.log(`refused: ${JSON.stringify(refused)}`);
  console.log(`mismatches: ${mismatches.length}`);
  process.exitCode = outcome.exitCode;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
