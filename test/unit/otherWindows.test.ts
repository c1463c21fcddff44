import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Base } from '../../src/core/base.ts';
import type { Cause } from '../../src/core/ledger.ts';
import { OtherWindows, type Passage, Passages, parsePassage, printPassage } from '../../src/core/otherWindows.ts';

const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((digit): Base => ({ disk: digit.repeat(64) })) as [
  Base,
  Base,
  Base,
  Base,
];
const EDIT: Cause = { kind: 'edit', number: 7, session: 'other', turn: 2 };
const HOOK: Cause = { kind: 'hook', name: 'ruff' };

function passage(from: Base, to: Base, ...causes: Cause[]): Passage {
  return { window: 'w', workspace: 'shop', key: 'f', from, to, causes, time: 10 };
}

function others(...passages: Passage[]): OtherWindows {
  const windows = new OtherWindows();
  for (const one of passages) {
    windows.add(one);
  }
  return windows;
}

describe('What a window tells others', () => {
  it('is how a file came from one state on disk to the next, with all causes in between', () => {
    const passages = new Passages('w', 'shop');
    assert.equal(passages.add('f', { to: A, time: 1 }), undefined);
    assert.deepEqual(passages.add('f', { cause: EDIT, to: B, time: 10 }), passage(A, B, EDIT));
    assert.equal(passages.add('f', { cause: { kind: 'typed', count: 2 }, time: 3 }), undefined);
    assert.equal(passages.add('f', { to: { ...B, dirty: 'e'.repeat(64) }, time: 4 }), undefined);
    assert.deepEqual(
      passages.add('f', { cause: { kind: 'save' }, to: C, time: 10 }),
      passage(B, C, { kind: 'typed', count: 2 }, { kind: 'save' }),
    );
  });

  it('leaves out what was typed and not saved when another program wrote', () => {
    const passages = new Passages('w', 'shop');
    passages.add('f', { to: A, time: 1 });
    passages.add('f', { cause: { kind: 'typed', count: 2 }, time: 2 });
    const told = passages.add('f', { cause: { kind: 'external', deleted: false }, to: B, time: 10 });
    assert.deepEqual(told, passage(A, B, { kind: 'external', deleted: false }));
  });

  it('is nothing where a file was only looked at, or came back to where it was', () => {
    const passages = new Passages('w', 'shop');
    passages.add('f', { to: A, time: 1 });
    assert.equal(passages.add('f', { cause: { kind: 'save' }, to: A, time: 2 }), undefined);
    assert.equal(passages.add('f', { to: B, time: 3 }), undefined);
    assert.equal(passages.add('g', { cause: EDIT, to: C, time: 4 }), undefined);
  });

  it('reads back as it was printed, and any other line is left out', () => {
    assert.deepEqual(parsePassage(printPassage(passage(A, B, EDIT, HOOK))), passage(A, B, EDIT, HOOK));
    assert.equal(parsePassage(printPassage(passage(A, B))), undefined);
    assert.equal(parsePassage(printPassage(passage(A, B, EDIT)).replace('edit', 'telepathy')), undefined);
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (line) => parsePassage(line) === undefined));
  });
});

describe('What other windows know', () => {
  it('is followed back from a state to the one that this window knew', () => {
    const moves = others(passage(A, B, EDIT), passage(B, C, HOOK)).wayFrom('f', 5, A, C);
    assert.deepEqual(
      moves.map(({ cause, to }) => [cause, to]),
      [
        [EDIT, B],
        [HOOK, C],
      ],
    );
  });

  it('is named after a gap where they do not know all of the way, and is nothing where they know none of it', () => {
    const windows = others(passage(B, C, EDIT));
    assert.deepEqual(
      windows.wayFrom('f', 5, A, C).map(({ cause, to }) => [cause.kind, to]),
      [
        ['external', B],
        ['edit', C],
      ],
    );
    assert.deepEqual(windows.wayFrom('f', 5, A, D), []);
    assert.deepEqual(windows.wayFrom('g', 5, A, C), []);
  });

  it('leads on from the state that this window knew, where the end of the way is nobody’s', () => {
    const moves = others(passage(A, B, EDIT), passage(B, C, HOOK)).wayFrom('f', 5, A, D);
    assert.deepEqual(
      moves.map(({ cause, to }) => [cause, to]),
      [
        [EDIT, B],
        [HOOK, C],
      ],
    );
  });

  it('is only what happened since: an old way says nothing of a new write', () => {
    const windows = others(passage(A, B, EDIT), passage(B, A, HOOK));
    assert.deepEqual(windows.wayFrom('f', 5_000, A, B), []);
  });

  it('goes the last way where a file came to one state more than once', () => {
    const windows = others(passage(A, B, EDIT), passage(B, A, HOOK), passage(A, B, { ...EDIT, number: 9 }));
    assert.deepEqual(
      windows.wayFrom('f', 5, A, B).map(({ cause }) => cause),
      [{ ...EDIT, number: 9 }],
    );
    assert.equal(windows.lastEditIn('shop'), 9);
    assert.equal(windows.lastEditIn('elsewhere'), 0);
  });
});
