import assert from 'node:assert/strict';
import { Session, Sessions } from '../../src/core/sessions.ts';

const DAY = 24 * 60 * 60 * 1_000;
const A = { disk: 'a'.repeat(64) };
const B = { disk: 'b'.repeat(64) };

function file(key: string) {
  return { key, path: key };
}

describe('Session', () => {
  it('counts a turn for each call', () => {
    const session = new Session('a');
    const turns = [1, 2, 3].map((time) => {
      const turn = session.begin(time);
      session.end();
      return turn;
    });
    assert.deepEqual(turns, [1, 2, 3]);
    assert.equal(session.lastCall, 3);
  });

  it('gives a call the turn of the one that is still running', () => {
    const session = new Session('a');
    const first = session.begin(1);
    const second = session.begin(2);
    session.end();
    const third = session.begin(3);
    session.end();
    assert.equal(session.isRunning, true);
    session.end();
    assert.equal(session.isRunning, false);
    assert.deepEqual([first, second, third, session.begin(4)], [1, 1, 1, 2]);
  });

  it('holds the newest base of a file, given by a read', () => {
    const session = new Session('a');
    session.read({ file: file('f'), base: A, turn: 1 });
    session.read({ file: file('f'), base: B, turn: 2 });
    session.read({ file: file('g'), base: A, turn: 2 });
    assert.deepEqual(
      [...session.held.values()].map(({ base, turn }) => [base, turn]),
      [
        [B, 2],
        [A, 2],
      ],
    );
  });

  it('remembers each refused edit of a file once, until the file is read', () => {
    const session = new Session('a');
    session.refuse('f', { parts: ['x'], base: A });
    session.refuse('f', { parts: ['y'], base: A });
    session.refuse('f', { parts: ['x'], base: B });
    session.refuse('g', { parts: ['x'], base: A });
    assert.deepEqual(session.refused.get('f'), [
      { parts: ['x'], base: A },
      { parts: ['y'], base: A },
    ]);
    session.read({ file: file('f'), base: B, turn: 2 });
    assert.equal(session.refused.get('f'), undefined);
    assert.equal(session.refused.get('g')?.length, 1);
  });

  it('forgets a refused edit that landed after all, and no other', () => {
    const session = new Session('a');
    session.refuse('f', { parts: ['x'], base: A });
    session.refuse('f', { parts: ['y'], base: A });
    session.landed('f', ['x']);
    assert.deepEqual(session.refused.get('f'), [{ parts: ['y'], base: A }]);
  });

  it('counts edited regions anew after a read', () => {
    const session = new Session('a');
    session.regions.set('f', [{ start: 0, end: 1, edits: 2 }]);
    session.read({ file: file('f'), base: A, turn: 1 });
    assert.equal(session.regions.has('f'), false);
  });

  it('gives each file that was read in an earlier turn once, unless it was refused since', () => {
    const session = new Session('a');
    session.read({ file: file('f'), base: A, turn: 1 });
    session.read({ file: file('g'), base: A, turn: 1 });
    session.read({ file: file('h'), base: A, turn: 2 });
    session.refuse('g', { parts: ['x'], base: A });
    assert.deepEqual(session.takeReread(1), []);
    assert.deepEqual(session.takeReread(2), ['f']);
    assert.deepEqual(session.takeReread(2), []);
    assert.deepEqual(session.takeReread(3), ['h']);
  });
});

describe('Sessions', () => {
  it('tells sessions apart, and takes all that are not known for one', () => {
    const sessions = new Sessions();
    assert.equal(sessions.of('a'), sessions.of('a'));
    assert.notEqual(sessions.of('a'), sessions.of('b'));
    assert.equal(sessions.of(undefined), sessions.of(undefined));
    assert.equal(sessions.of(undefined).id, undefined);
    assert.notEqual(sessions.of(undefined), sessions.of('a'));
  });

  it('forgets a session a day after its last call, and not before', () => {
    const sessions = new Sessions();
    const session = sessions.of('a');
    session.begin(0);
    session.end();
    sessions.dropIdle(DAY);
    assert.equal(sessions.of('a'), session);
    sessions.dropIdle(DAY + 1);
    assert.notEqual(sessions.of('a'), session);
  });

  it('keeps a session while a call of it runs, however long', () => {
    const sessions = new Sessions();
    const session = sessions.of('a');
    session.begin(0);
    sessions.dropIdle(3 * DAY);
    assert.equal(sessions.of('a'), session);
  });
});
