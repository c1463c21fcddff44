import assert from 'node:assert/strict';
import { attribute, hasOtherWriter } from '../../src/core/attribution.ts';
import type { Base } from '../../src/core/base.ts';
import { type Cause, Ledger } from '../../src/core/ledger.ts';

const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((digit): Base => ({ disk: digit.repeat(64) })) as [
  Base,
  Base,
  Base,
  Base,
];

function dirty(base: Base, digit: string): Base {
  return { ...base, dirty: digit.repeat(64) };
}

/** A step of a story: a cause with the state that followed, where that was looked at, or a sighting alone. */
type Step = { readonly cause?: Cause; readonly to?: Base };

function texts(ledger: Ledger, expected: Base, actual: Base, session: string | undefined): string[] {
  return attribute(ledger.transitions('f'), expected, actual, session).map(({ text }) => text);
}

/** What session `a` is told about the way from `expected` to `actual`. */
function changedBy(steps: readonly Step[], expected: Base, actual: Base): string[] {
  const ledger = new Ledger();
  for (const [time, { cause, to }] of steps.entries()) {
    if (cause) {
      ledger.moved('f', cause, time, to);
    } else if (to) {
      ledger.seen('f', to, time);
    }
  }
  return texts(ledger, expected, actual, 'a');
}

function edit(number: number, session: string | undefined, turn: number): Cause {
  return { kind: 'edit', number, session, turn };
}

const typed: Cause = { kind: 'typed', count: 1 };
const save: Cause = { kind: 'save' };

describe('attribute', () => {
  it('names our own edits with number, session and turn', () => {
    const told = (session: string | undefined) => changedBy([{ to: A }, { cause: edit(3, session, 6), to: B }], A, B);
    assert.deepEqual(told('a'), ['edit #3 (this session, turn 6)']);
    assert.deepEqual(told('b'), ['edit #3 (another session, turn 6)']);
    assert.deepEqual(told(undefined), ['edit #3 (session unknown, turn 6)']);
  });

  it('calls an edit of no known session unknown also to a session that is not known', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    ledger.moved('f', edit(3, undefined, 6), 2, B);
    assert.deepEqual(texts(ledger, A, B, undefined), ['edit #3 (session unknown, turn 6)']);
  });

  it('names every other cause in the words of the contract', () => {
    const named: [Cause, string][] = [
      [{ kind: 'hook', name: 'ruff format' }, 'post-write hook: ruff format'],
      [{ kind: 'hook', name: 'format on save' }, 'post-write hook: format on save'],
      [typed, 'engineer: typed in the editor (1 edit, unsaved)'],
      [{ kind: 'typed', count: 3 }, 'engineer: typed in the editor (3 edits, unsaved)'],
      [{ kind: 'undo', edit: 3 }, 'engineer: undo of edit #3'],
      [{ kind: 'redo', edit: 3 }, 'engineer: redo of edit #3'],
      [{ kind: 'format' }, 'engineer: format on save'],
      [{ kind: 'not_typed' }, 'changed in the editor, not typed'],
      [{ kind: 'external', deleted: false }, 'external writer'],
      [{ kind: 'external', deleted: true }, 'deleted on disk'],
    ];
    for (const [cause, words] of named) {
      assert.deepEqual(changedBy([{ to: A }, { cause, to: B }], A, B), [words]);
    }
  });

  it('says whether what was typed is saved', () => {
    const steps = [{ to: A }, { cause: typed }, { cause: typed }];
    const unsaved = dirty(A, 'e');
    assert.deepEqual(changedBy(steps, A, unsaved), ['engineer: typed in the editor (2 edits, unsaved)']);
    assert.deepEqual(changedBy([...steps, { cause: save, to: B }], A, B), [
      'engineer: typed in the editor (2 edits, saved)',
    ]);
    assert.deepEqual(changedBy([...steps, { cause: save, to: B }, { cause: typed }], A, dirty(B, 'e')), [
      'engineer: typed in the editor (2 edits, saved)',
      'engineer: typed in the editor (1 edit, unsaved)',
    ]);
  });

  it('does not call a save a cause of its own', () => {
    assert.deepEqual(changedBy([{ to: A }, { cause: { kind: 'format' } }, { cause: save, to: B }], A, B), [
      'engineer: format on save',
    ]);
  });

  it('names several causes in order, oldest first', () => {
    const steps = [
      { to: A },
      { cause: edit(1, 'a', 2) },
      { cause: { kind: 'hook', name: 'format on save' } as const, to: B },
      { cause: typed },
      { cause: save, to: C },
      { to: D },
    ];
    assert.deepEqual(changedBy(steps, A, D), [
      'edit #1 (this session, turn 2)',
      'post-write hook: format on save',
      'engineer: typed in the editor (1 edit, saved)',
      'external writer',
    ]);
    assert.deepEqual(changedBy(steps, B, D), ['engineer: typed in the editor (1 edit, saved)', 'external writer']);
  });

  it('makes one of adjacent equal causes, with the count of change events, and keeps apart what is not adjacent', () => {
    assert.deepEqual(changedBy([{ to: A }, { to: B }, { to: C }], A, C), ['external writer']);
    assert.deepEqual(changedBy([{ to: A }, { cause: typed, to: dirty(A, 'e') }, { cause: typed }], A, dirty(A, 'f')), [
      'engineer: typed in the editor (2 edits, unsaved)',
    ]);
    const steps = [{ to: A }, { to: B }, { cause: edit(1, 'a', 2), to: C }, { to: D }];
    assert.deepEqual(changedBy(steps, A, D), ['external writer', 'edit #1 (this session, turn 2)', 'external writer']);
  });

  it('starts at the last time the file was in the expected state', () => {
    const steps = [{ to: A }, { cause: edit(1, 'a', 2), to: B }, { to: A }, { cause: edit(2, 'b', 1), to: C }];
    assert.deepEqual(changedBy(steps, A, C), ['edit #2 (another session, turn 1)']);
  });

  it('starts there also where the base is abbreviated, or was dirty and then merely saved', () => {
    const steps = [{ to: A }, { cause: typed, to: dirty(A, 'b') }, { cause: save, to: B }, { to: C }];
    assert.deepEqual(changedBy(steps, { disk: B.disk.slice(0, 12) }, C), ['external writer']);
    assert.deepEqual(changedBy(steps, dirty(A, 'b'), C), ['external writer']);
  });

  it('says where the base is older than what was seen, and what is known of the rest of the way', () => {
    assert.deepEqual(changedBy([], D, A), ['before this window opened']);
    assert.deepEqual(changedBy([{ to: A }, { cause: edit(1, 'a', 2), to: B }], D, B), [
      'before this window opened',
      'edit #1 (this session, turn 2)',
    ]);
  });

  it('names a gap instead of papering over it', () => {
    assert.deepEqual(changedBy([{ to: A }], A, B), ['external writer']);
    assert.deepEqual(changedBy([{ to: A }], A, { disk: 'absent' }), ['deleted on disk']);
    assert.deepEqual(changedBy([{ to: A }], A, dirty(A, 'e')), ['changed in the editor, not typed']);
    assert.deepEqual(changedBy([{ to: A }, { cause: edit(1, 'a', 2), to: B }], A, C), [
      'edit #1 (this session, turn 2)',
      'external writer',
    ]);
    assert.deepEqual(changedBy([{ to: A }, { cause: edit(1, 'a', 2), to: B }], A, { disk: 'absent' }), [
      'edit #1 (this session, turn 2)',
      'deleted on disk',
    ]);
  });

  it('names a gap also behind typing and behind our own edit', () => {
    assert.deepEqual(changedBy([{ to: A }, { cause: typed }], A, B), [
      'engineer: typed in the editor (1 edit, unsaved)',
      'external writer',
    ]);
    assert.deepEqual(changedBy([{ to: A }, { cause: edit(1, 'a', 2), to: B }], A, dirty(B, 'e')), [
      'edit #1 (this session, turn 2)',
      'changed in the editor, not typed',
    ]);
    assert.deepEqual(changedBy([{ to: A }, { to: B }], A, C), ['external writer']);
    assert.deepEqual(changedBy([{ to: A }, { cause: edit(1, 'a', 2), to: B }, { cause: typed }], A, dirty(B, 'e')), [
      'edit #1 (this session, turn 2)',
      'engineer: typed in the editor (1 edit, unsaved)',
    ]);
  });

  it('ends where the file was last seen in the actual state: what came later is no part of the way', () => {
    const steps = [{ to: A }, { cause: typed }, { to: dirty(A, 'e') }, { cause: save, to: B }, { to: C }];
    assert.deepEqual(changedBy(steps, A, dirty(A, 'e')), ['engineer: typed in the editor (1 edit, unsaved)']);
    assert.deepEqual(changedBy([...steps, { to: A }], A, dirty(A, 'e')), [
      'engineer: typed in the editor (1 edit, unsaved)',
    ]);
  });

  it('names what was typed before it where a save alone moved the file', () => {
    const unseen = [{ to: dirty(A, 'e') }, { cause: save, to: dirty(B, 'e') }];
    const seen = [{ to: A }, { cause: typed }, { cause: typed }, ...unseen];
    assert.deepEqual(changedBy(seen, dirty(A, 'e'), dirty(B, 'e')), ['engineer: typed in the editor (2 edits, saved)']);
    assert.deepEqual(changedBy(unseen, dirty(A, 'e'), dirty(B, 'e')), [
      'engineer: typed in the editor (1 edit, saved)',
    ]);
  });

  it('leaves out a transition whose cause is not known yet', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    ledger.pending('f', 2);
    ledger.moved('f', edit(1, 'a', 2), 3, B);
    assert.deepEqual(texts(ledger, A, B, 'a'), ['edit #1 (this session, turn 2)']);
  });
});

describe('What speaks for a cause', () => {
  it('is what was recorded with it, else what its kind says', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    ledger.seen('f', B, 2, () => [
      { cause: { kind: 'external', deleted: false }, to: C },
      { cause: { kind: 'generator', command: 'make', via: 'task' }, evidence: 'written 0.1 s after it began' },
    ]);
    assert.deepEqual(attribute(ledger.transitions('f'), A, B, 'a'), [
      {
        text: 'external writer',
        evidence: 'the file was written, and nothing that this window knows of did it',
      },
      { text: 'code generator: make (task)', evidence: 'written 0.1 s after it began' },
    ]);
    assert.deepEqual(
      ledger.transitions('f').map(({ to }) => to),
      [A, C, B],
    );
  });
});

describe('hasOtherWriter', () => {
  it('holds for engineers and other programs, and not for agents and their hooks', () => {
    assert.equal(hasOtherWriter(['edit #1 (another session, turn 2)', 'post-write hook: ruff format']), false);
    assert.equal(hasOtherWriter(['edit #1 (this session, turn 2)', 'external writer']), true);
    assert.equal(hasOtherWriter(['engineer: undo of edit #3']), true);
    assert.equal(hasOtherWriter(['deleted on disk']), true);
    assert.equal(hasOtherWriter([]), false);
  });
});
