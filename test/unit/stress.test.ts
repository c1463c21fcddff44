import assert from 'node:assert/strict';
import { firstToBreak, printFailure, runCore, shorten } from '../stress/coreRun.ts';
import { MUTANTS } from '../stress/mutants.ts';

describe('Agents, an engineer, formatters and other programs in any order', function () {
  this.timeout(120_000);

  it('break no rule', async () => {
    const { numbers, failed } = await runCore(1, 200, 1);
    for (const seed of failed) {
      assert.fail(printFailure(seed, await shorten(seed)));
    }
    // So that the rules were put to the test at all.
    assert.ok((numbers.entries['applied'] ?? 0) > 300, JSON.stringify(numbers));
    for (const status of ['stale_base', 'already_applied', 'rolled_back', 'disk_changed_during_save', 'save_failed']) {
      assert.ok((numbers.entries[status] ?? 0) > 0, `${status}: ${JSON.stringify(numbers)}`);
    }
    for (const author of ['arbiter', 'engineer', 'extension', 'save participant', 'hook', 'editor', 'program']) {
      assert.ok((numbers.moves[author] ?? 0) > 0, `${author}: ${JSON.stringify(numbers)}`);
    }
  });

  it('play the same story for the same seed', async () => {
    const [one, other] = [await runCore(7, 3, 1), await runCore(7, 3, 1)];
    assert.deepEqual(one, other);
  });

  for (const { name, breaks, seed, mutant } of MUTANTS) {
    it(`are caught by the rules where the port ${name}`, async () => {
      assert.notEqual(await firstToBreak(breaks, seed, 300, mutant), undefined, 'no story breaks a rule');
    });
  }

  it('are told as a short story where a rule is broken, with the seed that plays it again', async () => {
    const broken = MUTANTS.find(({ name }) => name.startsWith('lets others in'));
    assert.ok(broken);
    const seed = await firstToBreak(broken.breaks, broken.seed, 300, broken.mutant);
    assert.ok(seed !== undefined);
    const played = await shorten(seed, broken.mutant, 120);
    const told = printFailure(seed, played);
    assert.ok(told.startsWith(`seed ${seed}: npm run stress -- --schedules 1 --editor 0 --seed ${seed}\n`), told);
    assert.match(told, /\n {2}unread: \w\.txt: lands on /);
    assert.match(told, /^agent \w reads /m);
    assert.match(told, /^(another program|the generator|the engineer) /m);
    assert.ok(played.story.length < 60, told);
  });
});
