import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { pathOf, uriOf } from '../integration/support/disk.ts';
import { installFormatter, offerFormatter, run } from './formatter.ts';
import type { WeekResult } from './result.ts';
import { makeSchedule, randomFrom, SHORT_WEEK, WEEK } from './schedule.ts';
import { arbiter, findAndReplace } from './tools.ts';
import { variables } from './variables.ts';
import { Week, type WeekOptions } from './week.ts';

const { [variables.seed]: seed = '1', [variables.isWhole]: isWhole, [variables.results]: results } = process.env;
const mix = isWhole === undefined ? SHORT_WEEK : WEEK;
const stale = Object.values(mix.moved).reduce((sum, count) => sum + count, 0);

/** Every week plays the same episodes, on files of its own. */
async function play(name: string, options: Omit<WeekOptions, 'random' | 'folder'>): Promise<WeekResult> {
  const episodes = makeSchedule(mix, Week.files, randomFrom(Number(seed)));
  const week = new Week({ ...options, folder: name, random: randomFrom(Number(seed) + 1) });
  const result = await week.play(episodes);
  played[name] = result;
  return result;
}

const played: Record<string, WeekResult> = {};

describe(`A replayed week, seed ${seed}`, function () {
  this.timeout(isWhole === undefined ? 180_000 : 900_000);

  after(() => {
    if (results !== undefined) {
      writeFileSync(results, JSON.stringify(played));
    }
  });

  it('as it was measured: every stale base is caught, and its cause named', async () => {
    const formatter = offerFormatter(installFormatter(), 'measured');
    const editor = vscode.workspace.getConfiguration('editor', uriOf('measured'));
    await editor.update('formatOnSave', true, vscode.ConfigurationTarget.Workspace);
    try {
      const result = await play('measured', { tool: arbiter, isChained: false, hookName: 'format on save' });
      const { applies, caught, landedUnread, falseAlarms } = result;
      const wrong = result.named.filter(({ as }) => as.length !== 1);
      assert.deepEqual(
        { applies, stale: result.stale, caught, landedUnread, falseAlarms },
        { applies: mix.applies, stale, caught: stale, landedUnread: 0, falseAlarms: 0 },
      );
      assert.equal(result.namedRight, stale, JSON.stringify(wrong, undefined, 2));
    } finally {
      await editor.update('formatOnSave', undefined, vscode.ConfigurationTarget.Workspace);
      formatter.dispose();
    }
  });

  it('with hooks owned and bases chained: what is left are other writers', async () => {
    const hook = { name: 'format', files: 'chained/**/*.py', command: [...installFormatter(), '\x24{file}'] };
    const settings = vscode.workspace.getConfiguration('editArbiter', uriOf('chained'));
    await settings.update('hooks', [hook], vscode.ConfigurationTarget.Workspace);
    try {
      const result = await play('chained', { tool: arbiter, isChained: true, hookName: 'format' });
      const others = mix.moved.generator + mix.moved.engineer;
      const { applies, caught, landedUnread, falseAlarms, namedRight } = result;
      assert.deepEqual(
        { applies, stale: result.stale, caught, landedUnread, falseAlarms, namedRight },
        { applies: mix.applies, stale: others, caught: others, landedUnread: 0, falseAlarms: 0, namedRight: others },
      );
    } finally {
      await settings.update('hooks', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('with a plain find-and-replace tool: edits land on versions that nobody had read', async () => {
    const [program, ...args] = installFormatter();
    const tool = findAndReplace(async (path) => {
      await run([program, ...args, pathOf(path)]);
    });
    const result = await play('plain', { tool, isChained: false, hookName: 'format' });
    assert.equal(result.applies, mix.applies);
    assert.equal(result.landedUnread + result.misplaced, stale);
    assert.ok(result.landedWrong > 0);
  });
});
