// `npm run bench [-- --rounds N --grep PATTERN]`: what the gate costs beside the bare editor, measured side by side in one run
// in a real VS Code, and beside plain Node. Ratios count; times differ from machine to machine.

import { parseArgs } from 'node:util';
import { buildForTesting } from '../hosts/buildForTesting.ts';
import { integrationSuite, repositoryRoot } from '../hosts/paths.ts';
import { runSuiteInServer } from '../hosts/serverRun.ts';
import { measureCore } from './core.ts';
import { variables } from './variables.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, grep: { type: 'string', default: '' } },
});
if (values.grep === '') {
  await measureCore(console.log);
}
await buildForTesting();
const outcome = await runSuiteInServer({
  extension: repositoryRoot,
  suite: integrationSuite,
  grep: `Measured beside the bare editor.*${values.grep}`,
  name: 'bench',
  env: { [variables.rounds]: values.rounds },
  print: (text) => process.stdout.write(text),
});
process.exitCode = outcome.exitCode;
