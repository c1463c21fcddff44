// `npm run stress [-- --schedules N] [--editor M] [--seed S]`: seeded interleavings of agents, an engineer, formatters and other
// programs, on the core with an editor in memory and in a real VS Code.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildForTesting } from '../hosts/buildForTesting.ts';
import { integrationSuite, repositoryRoot } from '../hosts/paths.ts';
import { runSuiteInServer } from '../hosts/serverRun.ts';
import { printFailure, runCore, shorten } from './coreRun.ts';
import { addNumbers, type Numbers, noNumbers, printNumbers } from './numbers.ts';
import { variables } from './variables.ts';

/** How many broken stories are shortened and told. */
const TOLD = 3;
/** How many schedules are played in one window. */
const PER_WINDOW = 40;

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '5000' },
    editor: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed);

await playOnCore(Number(values.schedules));
await playInEditor(Number(values.editor));

async function playOnCore(count: number): Promise<void> {
  const { numbers, failed } = await runCore(seed, count, Number.POSITIVE_INFINITY);
  for (const own of failed.slice(0, TOLD)) {
    console.log(`\n${printFailure(own, await shorten(own))}`);
  }
  if (failed.length > 0) {
    process.exitCode = 1;
  }
  print('core', numbers);
}

async function playInEditor(count: number): Promise<void> {
  if (count === 0) {
    return;
  }
  await buildForTesting();
  const numbers = noNumbers();
  for (let played = 0; played < count; played += PER_WINDOW) {
    addNumbers(numbers, await playInWindow(seed + played, Math.min(PER_WINDOW, count - played)));
  }
  print('real editor', numbers);
}

async function playInWindow(from: number, count: number): Promise<Numbers> {
  const folder = mkdtempSync(join(tmpdir(), 'edit-arbiter-stress-'));
  const results = join(folder, 'numbers.json');
  try {
    const { exitCode } = await runSuiteInServer({
      extension: repositoryRoot,
      suite: integrationSuite,
      grep: 'Interleavings in the real editor',
      name: 'stress',
      env: {
        [variables.seed]: String(from),
        [variables.schedules]: String(count),
        [variables.results]: results,
      },
      print: (text) => process.stdout.write(text),
    });
    process.exitCode ||= exitCode;
    return existsSync(results) ? (JSON.parse(readFileSync(results, 'utf8')) as Numbers) : noNumbers();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function print(where: string, numbers: Numbers): void {
  console.log(`\n${where}, seeds from ${seed}: ${printNumbers(numbers)}`);
}
