import assert from 'node:assert/strict';
import type { Base } from '../../src/core/base.ts';
import { digest, printBase } from '../../src/core/base.ts';
import { spansBetween } from '../../src/core/compare.ts';
import type { Diff } from '../../src/core/diff.ts';
import type { Candidate, State } from '../../src/core/documents.ts';
import { type Applied, gatherLandedFacts, type LandedFacts } from '../../src/core/landedFacts.ts';
import { parseText } from '../../src/core/text.ts';
import { ABSENT, stateOf } from './support/states.ts';

const HOOK = { hooks: [{ name: 'format on save' }] };

/** The file `before` was asked to become `asked`, and holds `state` now. */
function gather(before: State, asked: string, state: State, more: Partial<Applied> = {}, complete = true): LandedFacts {
  const content = before.kind === 'text' ? before.text.content : '';
  const candidate: Candidate = { spans: spansBetween(content, asked), text: parseText(asked) };
  const landed: Base = { disk: digest(Buffer.from(asked)) };
  const outcome: Applied = {
    kind: 'applied',
    state,
    landed,
    saved: true,
    hooks: [],
    foreign: false,
    isSavedTogether: false,
    onDidNumber: () => {},
    ...more,
  };
  return gatherLandedFacts(before, candidate, outcome, (from, to): Diff => {
    assert.notEqual(from, to);
    return { text: `${from}=>${to}`, complete, added: 0, removed: 0 };
  });
}

describe('gatherLandedFacts', () => {
  const before = stateOf('a\nb\nc\n');

  it('vouches for a file that holds what was asked for, and no more', () => {
    const after = stateOf('a\nx\ny\nc\n');
    assert.deepEqual(gather(before, 'a\nx\ny\nc\n', after), {
      token: printBase(after.base),
      vouched: true,
      saved: true,
      changedLines: [[2, 3]],
      lineShifts: [[3, 1]],
      hooks: [],
    });
  });

  it('counts every line of a created file as changed', () => {
    assert.deepEqual(gather(ABSENT, 'a\nb\n', stateOf('a\nb\n')).changedLines, [[1, 2]]);
  });

  it('shows what a hook changed, and gives the lines of the text after it', () => {
    const facts = gather(before, 'a\nx\nc\n', stateOf('#\na\nx\nc\n'), HOOK);
    assert.deepEqual([facts.vouched, facts.hooks], [true, ['format on save']]);
    assert.equal(facts.diffByHooks, 'a\nx\nc\n=>#\na\nx\nc\n');
    assert.deepEqual(facts.changedLines, [
      [1, 1],
      [3, 3],
    ]);
    assert.deepEqual(facts.lineShifts, [[1, 1]]);
  });

  it('does not vouch for a hook whose diff is not complete, and gives the lines of what was asked for', () => {
    const facts = gather(before, 'a\nx\nc\n', stateOf('#\na\nx\nc\n'), HOOK, false);
    assert.deepEqual([facts.vouched, facts.changedLines, facts.lineShifts], [false, [[2, 2]], []]);
    assert.notEqual(facts.diffByHooks, undefined);
  });

  it('does not vouch for a hook that changed bytes and no text', () => {
    const marked: State = { ...stateOf('a\n'), base: { disk: digest(Buffer.from('\ufeffa\n')) } };
    const facts = gather(before, 'a\n', marked, HOOK);
    assert.deepEqual([facts.vouched, facts.diffByHooks], [false, undefined]);
    assert.equal(gather(before, 'a\n', marked).vouched, false);
  });

  it("neither vouches for text of somebody else nor shows it as the hook's", () => {
    for (const more of [{}, HOOK]) {
      const facts = gather(before, 'a\n', stateOf('a\ntheirs\n'), { ...more, foreign: true });
      assert.deepEqual([facts.vouched, facts.diffByHooks, facts.changedLines], [false, undefined, [[1, 1]]]);
    }
    assert.equal(gather(before, 'a\n', stateOf('a\n'), { foreign: true }).vouched, false);
  });

  it('has no token, and vouches for nothing, where the file cannot be read any more', () => {
    const problem = { status: 'denied', reason: 'no access', next: 'ask' } as const;
    const facts = gather(before, 'a\n', { kind: 'unreadable', problem }, HOOK);
    assert.deepEqual([facts.token, facts.vouched, facts.diffByHooks], [undefined, false, undefined]);
  });
});
