import assert from 'node:assert/strict';
import type { Base } from '../../src/core/base.ts';
import { type Cause, Ledger } from '../../src/core/ledger.ts';

const A: Base = { disk: 'a'.repeat(64) };
const B: Base = { disk: 'b'.repeat(64) };
const DIRTY: Base = { ...A, dirty: 'd'.repeat(64) };

function causes(ledger: Ledger, key = 'f'): (Cause | undefined)[] {
  return ledger.transitions(key).map(({ cause }) => cause);
}

describe('Ledger', () => {
  it('knows only files of which something was recorded', () => {
    const ledger = new Ledger();
    assert.equal(ledger.knows('f'), false);
    ledger.seen('f', A, 1);
    assert.equal(ledger.knows('f'), true);
    assert.equal(ledger.knows('g'), false);
    assert.deepEqual(ledger.transitions('g'), []);
  });

  it('records a first sighting without a cause, and a second of the same state not at all', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    ledger.seen('f', A, 2);
    assert.deepEqual(ledger.transitions('f'), [{ to: A, time: 1 }]);
  });

  it('names an external writer where the disk moved and nothing recorded explains it', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    ledger.seen('f', B, 2);
    ledger.seen('f', { disk: 'absent' }, 3);
    assert.deepEqual(causes(ledger), [
      undefined,
      { kind: 'external', deleted: false },
      { kind: 'external', deleted: true },
    ]);
  });

  it('names a change that nobody typed where only the buffer moved and nothing recorded explains it', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    ledger.seen('f', DIRTY, 2);
    assert.deepEqual(causes(ledger), [undefined, { kind: 'not_typed' }]);
  });

  it('takes a change of the buffer for explained where a cause stands since the last sighting', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    ledger.moved('f', { kind: 'typed', count: 1 }, 2);
    ledger.seen('f', DIRTY, 3);
    assert.deepEqual(ledger.transitions('f'), [
      { to: A, time: 1 },
      { time: 2, cause: { kind: 'typed', count: 1 } },
      { to: DIRTY, time: 3 },
    ]);
  });

  it('records that the file is back in a state after what happened meanwhile', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    ledger.moved('f', { kind: 'typed', count: 1 }, 2);
    ledger.seen('f', A, 3);
    assert.deepEqual(ledger.transitions('f').at(-1), { to: A, time: 3 });
  });

  it('names an external writer for the disk also where somebody typed meanwhile', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    ledger.moved('f', { kind: 'typed', count: 1 }, 2);
    ledger.seen('f', { ...B, dirty: 'd'.repeat(64) }, 3);
    assert.deepEqual(causes(ledger), [undefined, { kind: 'typed', count: 1 }, { kind: 'external', deleted: false }]);
  });

  it('counts keystrokes in one line, as long as no state was looked at in between', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    ledger.moved('f', { kind: 'typed', count: 1 }, 2);
    ledger.moved('f', { kind: 'typed', count: 1 }, 3);
    ledger.moved('f', { kind: 'typed', count: 1 }, 4, DIRTY);
    ledger.moved('f', { kind: 'typed', count: 1 }, 5);
    assert.deepEqual(ledger.transitions('f'), [
      { to: A, time: 1 },
      { time: 4, cause: { kind: 'typed', count: 3 }, to: DIRTY },
      { time: 5, cause: { kind: 'typed', count: 1 } },
    ]);
  });

  it('keeps the place of a transition whose cause is told later', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    const pending = ledger.pending('f', 2);
    ledger.moved('f', { kind: 'format' }, 3);
    pending.become({ kind: 'typed', count: 1 });
    assert.deepEqual(causes(ledger), [undefined, { kind: 'typed', count: 1 }, { kind: 'format' }]);
  });

  it('takes back a transition that turned out to be none', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    const pending = ledger.pending('f', 2);
    ledger.moved('f', { kind: 'format' }, 3);
    pending.withdraw();
    pending.withdraw();
    assert.deepEqual(causes(ledger), [undefined, { kind: 'format' }]);
  });

  it('completes an abbreviated base of the file itself, and leaves others as they were given', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    const short: Base = { disk: 'a'.repeat(12) };
    assert.deepEqual(ledger.complete('f', short), A);
    assert.deepEqual(ledger.complete('g', short), short);
    assert.deepEqual(ledger.complete('f', { disk: 'c'.repeat(12) }), { disk: 'c'.repeat(12) });
  });

  it('finds the other file that a base belongs to', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    ledger.seen('g', B, 2);
    assert.equal(ledger.ownerOf(A, 'g'), 'f');
    assert.equal(ledger.ownerOf(A, 'f'), undefined);
    assert.equal(ledger.ownerOf(DIRTY, 'g'), undefined);
  });

  it('remembers a thousand transitions of a file, the newest', () => {
    const ledger = new Ledger();
    for (let time = 0; time < 1_010; time++) {
      ledger.moved('f', { kind: 'format' }, time);
    }
    const transitions = ledger.transitions('f');
    assert.deepEqual([transitions.length, transitions[0]?.time, transitions.at(-1)?.time], [1_000, 10, 1_009]);
  });
});

describe('A landing in the ledger', () => {
  it('takes the states that are seen until it ends for its own, and nobody else for their author', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    const landing = ledger.landing('f', 2);
    ledger.seen('f', DIRTY, 3);
    ledger.seen('f', B, 4);
    ledger.seen('g', A, 4);
    landing.end([{ cause: { kind: 'edit', number: 1, session: 'a', turn: 1 }, to: B }]);
    ledger.seen('f', B, 5);
    assert.deepEqual(causes(ledger), [undefined, { kind: 'edit', number: 1, session: 'a', turn: 1 }]);
    assert.deepEqual(ledger.transitions('g'), [{ to: A, time: 4 }]);
    ledger.seen('f', A, 6);
    assert.deepEqual(causes(ledger).at(-1), { kind: 'external', deleted: false });
  });

  it('leaves nothing behind where it is withdrawn, and lets sightings be recorded again', () => {
    const ledger = new Ledger();
    ledger.seen('f', A, 1);
    const landing = ledger.landing('f', 2);
    ledger.seen('f', DIRTY, 3);
    landing.withdraw();
    ledger.seen('f', B, 4);
    assert.deepEqual(ledger.transitions('f'), [
      { to: A, time: 1 },
      { to: B, time: 4, cause: { kind: 'external', deleted: false } },
    ]);
  });

  it('counts one key after the other as it counts changes', () => {
    const [one, other] = [new Ledger(), new Ledger()];
    for (const [time, to] of [undefined, undefined, B, undefined, undefined].entries()) {
      if (to) {
        one.seen('f', to, time);
        other.seen('f', to, time);
      } else {
        one.typed('f', time);
        other.moved('f', { kind: 'typed', count: 1 }, time);
      }
    }
    assert.deepEqual(one.transitions('f'), other.transitions('f'));
  });

  it('holds back from its scribe what is only supposed, until that is decided, and what follows it too', () => {
    const ledger = new Ledger();
    const told: (Cause | undefined)[] = [];
    ledger.scribe = (_, { cause }) => told.push(cause);
    ledger.seen('f', A, 1);
    const change = ledger.pending('f', 2);
    change.suppose({ kind: 'not_typed' });
    ledger.moved('f', { kind: 'save' }, 3, B);
    assert.deepEqual(told, [undefined]);
    assert.deepEqual(causes(ledger), [undefined, { kind: 'not_typed' }, { kind: 'save' }]);
    change.become({ kind: 'chat' });
    assert.deepEqual(told, [undefined, { kind: 'chat' }, { kind: 'save' }]);
    change.become({ kind: 'format' });
    assert.deepEqual(causes(ledger), [undefined, { kind: 'chat' }, { kind: 'save' }]);
  });

  it('tells its scribe at once of what landed, with all that came before', () => {
    const ledger = new Ledger();
    const told: (string | undefined)[] = [];
    ledger.scribe = (_, { cause }) => told.push(cause?.kind);
    ledger.seen('f', A, 1);
    ledger.pending('f', 2).suppose({ kind: 'not_typed' });
    ledger.landing('f', 3).end([{ cause: { kind: 'edit', number: 1, session: 'a', turn: 1 }, to: B }]);
    assert.deepEqual(told, [undefined, 'not_typed', 'edit']);
  });
});
