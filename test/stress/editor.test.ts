import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import * as vscode from 'vscode';
import { write } from '../hosts/mochaSuite.ts';
import { HOOK } from './causes.ts';
import { type EditorPlayed, HOOKED, playInEditor } from './editorWorld.ts';
import { addNumbers, noNumbers } from './numbers.ts';
import { type Schedule, schedules } from './steps.ts';
import { variables } from './variables.ts';

const { [variables.seed]: seed = '1', [variables.schedules]: many = '5', [variables.results]: results } = process.env;

/** Most steps of one schedule. */
const LENGTH = 60;

/** How many more times a story that breaks a rule is played to shorten it. */
const PLAYS = 20;

/** The hook, as a program of its own. */
const TIDY = `const fs = require('fs'); const [file] = process.argv.slice(1); const text = fs.readFileSync(file, 'utf8'); const tidy = text.replaceAll('~~', '~'); if (tidy !== text) fs.writeFileSync(file, tidy);`;

/** The shortest story that a few plays find. The order of events is the editor's own, so what is broken may not come again. */
async function shortest(schedule: Schedule, played: EditorPlayed, name: string): Promise<EditorPlayed> {
  let [steps, shortest] = [schedule.steps, played];
  let plays = 0;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < steps.length && plays < PLAYS; plays += 1) {
      const fewer = steps.toSpliced(at, size);
      const again = await playInEditor({ ...schedule, steps: fewer }, `${name}-${plays}`);
      if (again.violations.length > 0) {
        [steps, shortest] = [fewer, again];
      } else {
        at += size;
      }
    }
  }
  return shortest;
}

/** Sets settings of the workspace. @returns what takes them back. */
async function sets(values: Readonly<Record<string, unknown>>): Promise<() => Promise<void>> {
  const settings = vscode.workspace.getConfiguration();
  const update = async (valueFor: (name: string) => unknown) => {
    for (const name of Object.keys(values)) {
      await settings.update(name, valueFor(name), vscode.ConfigurationTarget.Workspace);
    }
  };
  await update((name) => values[name]);
  return () => update(() => undefined);
}

function printFailure(own: number, { violations, story }: EditorPlayed): string {
  const rules = violations.map(({ rule, what }) => `  ${rule}: ${what}`);
  const again = `seed ${own}: npm run stress -- --schedules 0 --editor 1 --seed ${own}`;
  return [again, ...rules, '', ...story].join('\n');
}

describe(`Interleavings in the real editor, seeds from ${seed}`, function () {
  this.timeout(1_000_000);

  it('break no rule', async () => {
    const hook = { name: HOOK, files: HOOKED, command: [process.execPath, '-e', TIDY, '--', '\x24{file}'] };
    const forget = await sets({
      'editArbiter.hooks': [hook],
      // What the engineer types is typed as it is.
      'editor.autoClosingBrackets': 'never',
      'editor.autoSurround': 'never',
      'editor.autoIndent': 'none',
    });
    const numbers = noNumbers();
    const failed: number[] = [];
    try {
      for (let own = Number(seed); own < Number(seed) + Number(many); own += 1) {
        const [schedule] = fc.sample(schedules(LENGTH), { seed: own, numRuns: 1 });
        assert.ok(schedule);
        const played = await playInEditor(schedule, String(own));
        addNumbers(numbers, played.numbers);
        if (played.violations.length > 0) {
          failed.push(own);
          write(printFailure(own, results === undefined ? played : await shortest(schedule, played, String(own))));
        }
      }
    } finally {
      await forget();
    }
    if (results !== undefined) {
      writeFileSync(results, JSON.stringify(numbers));
    }
    assert.ok((numbers.entries['applied'] ?? 0) > 0, JSON.stringify(numbers));
    assert.deepEqual(failed, [], 'seeds, with their stories above');
  });
});
