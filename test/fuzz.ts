// `npm run fuzz [-- --runs N]`: test/unit/fuzz.test.ts with N inputs for each of its tests, 20,000 unless said otherwise.

import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '20000' } } });
const { status } = spawnSync('mocha', ['--timeout', '600000', 'test/unit/fuzz.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, EDIT_ARBITER_FUZZ_RUNS: values.runs },
});
process.exitCode = status ?? 1;
