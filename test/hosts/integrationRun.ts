// `npm run test:integration [-- --grep PATTERN]`: test/integration/ in a real VS Code that comes from npm.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { variables } from '../histories/variables.ts';
import { buildForTesting } from './buildForTesting.ts';
import { integrationSuite, repositoryRoot } from './paths.ts';
import { runSuiteInServer } from './serverRun.ts';
import { summary } from './suiteReport.ts';

const { values } = parseArgs({ options: { grep: { type: 'string' } } });

await buildForTesting();
const outcome = await runSuiteInServer({
  extension: repositoryRoot,
  suite: integrationSuite,
  grep: values.grep,
  name: 'integration',
  // A copy without its history plays a generated one only.
  env: existsSync(join(repositoryRoot, '.git')) ? { [variables.repository]: repositoryRoot } : {},
  print: (text) => process.stdout.write(text),
});

for (const path of outcome.screenshots) console.log(`Picture: ${path}`);
console.log(
  outcome.results === undefined
    ? '\nThe suite did not come to its end; the logs above say why.'
    : summary(outcome.results),
);
process.exitCode = outcome.exitCode;
