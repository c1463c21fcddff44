// `npm test`: everything that must hold, the quick checks first. Ends with a line `N passed, N failed`.

import { spawn } from 'node:child_process';

interface Step {
  readonly name: string;
  readonly script: string;
}

const STEPS: readonly Step[] = [
  { name: 'formatter and linter', script: 'test:style' },
  { name: 'types', script: 'test:types' },
  { name: 'unit tests', script: 'test:unit' },
  { name: 'package', script: 'test:package' },
  { name: 'test harness', script: 'test:harness' },
  { name: 'integration in a real VS Code', script: 'test:integration' },
  { name: 'real agent mode', script: 'test:agent' },
];

let passed = 0;
let failed = 0;
for (const step of STEPS) {
  const start = Date.now();
  console.log(`\n▶ ${step.name} (npm run ${step.script})`);
  const { code, output } = await run(step.script);
  const counts = countsIn(output);
  passed += counts?.passed ?? (code === 0 ? 1 : 0);
  // A step that fails without a failing test has failed itself: it crashed, or it ran no test.
  failed += code === 0 ? 0 : Math.max(1, counts?.failed ?? 1);
  console.log(`${code === 0 ? '✔' : '✘'} ${step.name}, ${((Date.now() - start) / 1_000).toFixed(0)} s`);
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function run(script: string): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      shell: process.platform === 'win32',
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      process.stdout.write(chunk);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** What mocha says at its end, `12 passing (1s)` and `1 failing`. @returns `undefined` for steps that are no tests. */
function countsIn(output: string): { readonly passed: number; readonly failed: number } | undefined {
  const passing = output.match(/^\s*(\d+) passing\b/gm)?.at(-1);
  const failing = output.match(/^\s*(\d+) failing\b/gm)?.at(-1);
  return passing === undefined
    ? undefined
    : { passed: Number.parseInt(passing.trim(), 10), failed: Number.parseInt(failing?.trim() ?? '0', 10) };
}
