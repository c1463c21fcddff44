// `npm run stress [-- --schedules N] [--editor M] [--seed S]`: seeded interleavings of agents, an engineer, formatters and other
// programs, on the core with an editor in memory and in a real VS Code.

import { parseArgs } from 'node:util';
import { printFailure, runCore, shorten } from './coreRun.ts';
import { printNumbers } from './numbers.ts';

/** How many broken stories are shortened and told. */
const TOLD = 3;

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '5000' },
    editor: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed);

const { numbers, failed } = await runCore(seed, Number(values.schedules), Number.POSITIVE_INFINITY);
for (const own of failed.slice(0, TOLD)) {
  console.log(`\n${printFailure(own, await shorten(own))}`);
}
console.log(`\nseeds from ${seed}`);
console.log(printNumbers('core', numbers));
process.exitCode = failed.length > 0 ? 1 : 0;
