// `npm run hammer [-- --seconds N]`: a program writes a file all the time while an agent edits it in a real VS Code, with a
// bare applyEdit and save, and through the extension; how many of the program's writes each of them loses.

import { parseArgs } from 'node:util';
import { buildForTesting } from '../hosts/buildForTesting.ts';
import { integrationSuite, repositoryRoot } from '../hosts/paths.ts';
import { runSuiteInServer } from '../hosts/serverRun.ts';
import { variables } from './variables.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } });
await buildForTesting();
const outcome = await runSuiteInServer({
  extension: repositoryRoot,
  suite: integrationSuite,
  grep: 'A program that hammers a file',
  name: 'hammer',
  env: { [variables.seconds]: values.seconds },
  print: (text) => process.stdout.write(text),
});
process.exitCode = outcome.exitCode;
