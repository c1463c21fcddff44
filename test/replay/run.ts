// `npm run replay [-- --seed N]`: a week of 761 applies through the extension in a real VS Code, and what came of it.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildForTesting } from '../hosts/buildForTesting.ts';
import { integrationSuite, repositoryRoot } from '../hosts/paths.ts';
import { runSuiteInServer } from '../hosts/serverRun.ts';
import { printConfusion, printWeeks, type WeekResult } from './result.ts';
import { variables } from './variables.ts';

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } });
const folder = mkdtempSync(join(tmpdir(), 'edit-arbiter-replay-'));
const results = join(folder, 'weeks.json');
try {
  await buildForTesting();
  const outcome = await runSuiteInServer({
    extension: repositoryRoot,
    suite: integrationSuite,
    grep: 'A replayed week',
    name: 'replay',
    env: { [variables.seed]: values.seed, [variables.isWhole]: 'yes', [variables.results]: results },
    print: (text) => process.stdout.write(text),
  });
  const weeks = JSON.parse(readFileSync(results, 'utf8')) as Record<'measured' | 'chained' | 'plain', WeekResult>;
  const { measured, chained, plain } = weeks;
  console.log(`\nSeed ${values.seed}\n`);
  console.log(
    printWeeks([
      { name: 'find and replace', result: plain },
      { name: 'Edit Arbiter, agent as measured', result: measured },
      { name: 'Edit Arbiter, bases chained, hooks owned', result: chained },
    ]),
  );
  console.log(`\n${printConfusion(measured)}`);
  process.exitCode = outcome.exitCode;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
