import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type JournalEntry, parseJournal, printEntry, printHeader } from '../../src/core/journal.ts';
import { type Cause, Ledger } from '../../src/core/ledger.ts';
import { parseSnapshot, printSnapshot, type Snapshot } from '../../src/core/texts.ts';

const A = { disk: 'a'.repeat(64) };
const B = { disk: 'b'.repeat(64), dirty: 'c'.repeat(64) };

const CAUSES: readonly Cause[] = [
  { kind: 'edit', number: 3, session: 'vscode-chat:x', turn: 6 },
  { kind: 'edit', number: 4, session: undefined, turn: 1 },
  { kind: 'hook', name: 'ruff format' },
  { kind: 'typed', count: 12 },
  { kind: 'undo', edit: 3 },
  { kind: 'redo', edit: 3 },
  { kind: 'format' },
  { kind: 'chat' },
  { kind: 'not_typed' },
  { kind: 'renamed', to: 'api/b.py' },
  { kind: 'generator', command: 'make "x"\nall', via: 'task' },
  { kind: 'git', action: 'checkout feature' },
  { kind: 'external', deleted: true },
  { kind: 'external', deleted: false, during: 'npm run dev' },
  { kind: 'save' },
];

function entriesOf(text: string): readonly JournalEntry[] {
  const journal = parseJournal(text);
  assert.equal(journal.kind, 'read');
  return journal.kind === 'read' ? journal.entries : [];
}

describe('The journal', () => {
  it('reads back what was printed, for every kind of cause', () => {
    const entries = CAUSES.map((cause, index) => ({
      key: `/w/${index}\n"`,
      transition: { cause, time: index, to: index % 2 ? A : B },
    }));
    const sighting = { key: '/w/s', transition: { time: 9, to: A } };
    const text = printHeader() + [...entries, sighting].map(printEntry).join('');
    assert.deepEqual(JSON.parse(JSON.stringify(entriesOf(text))), JSON.parse(JSON.stringify([...entries, sighting])));
  });

  it('drops a torn last line, and damaged ones, and counts them', () => {
    const line = printEntry({ key: '/w/f', transition: { time: 1, to: A } });
    const journal = parseJournal(
      `${printHeader()}${line}{"key":"/w/f","time":2,"to":"sha256:12"}\n${line.slice(0, 40)}`,
    );
    assert.equal(journal.kind === 'read' && journal.entries.length, 1);
    assert.equal(journal.kind === 'read' && journal.dropped, 2);
  });

  it('does not take an unknown cause for a known one, and leaves a newer version alone', () => {
    const journal = parseJournal(
      `${printHeader()}{"key":"f","time":1,"cause":{"kind":"telepathy"}}\n{"key":"f","time":1,"cause":{"kind":"hook"}}\n`,
    );
    assert.equal(journal.kind === 'read' && journal.dropped, 2);
    assert.deepEqual(parseJournal('{"version":99}\n{"key":"f","time":1}\n'), { kind: 'newer', version: 99 });
  });

  it('has an answer for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.array(fc.json()).map((lines) => lines.join('\n')),
        ),
        (text) => {
          parseJournal(text);
          parseJournal(printHeader() + text);
          parseSnapshot(text);
        },
      ),
    );
  });
});

describe('A stored text', () => {
  it('reads back, whatever its content and its line endings', () => {
    const snapshots: readonly Snapshot[] = [
      { text: { content: '', endings: [] }, format: { encoding: 'utf8', bom: false } },
      { text: { content: 'a\nb\n', endings: '\r\n' }, format: { encoding: 'utf16le', bom: true } },
      { text: { content: '{"x":1}\n\n', endings: ['\r', '\n'] }, format: { encoding: 'windows1252', bom: false } },
    ];
    for (const snapshot of snapshots) {
      assert.deepEqual(parseSnapshot(printSnapshot(snapshot)), snapshot);
    }
    assert.equal(parseSnapshot('{"endings":"x","format":{"encoding":"utf8","bom":false},"length":1}\na'), undefined);
    const whole = printSnapshot({
      text: { content: 'one\ntwo\n', endings: '\n' },
      format: { encoding: 'utf8', bom: false },
    });
    assert.equal(parseSnapshot(whole.slice(0, -2)), undefined, 'torn');
  });
});

describe('The ledger and its scribe', () => {
  function scribed() {
    const ledger = new Ledger();
    const told: string[] = [];
    ledger.scribe = (key, { cause, to }) =>
      told.push(`${key} ${cause?.kind ?? 'seen'}${cause?.kind === 'typed' ? cause.count : ''}${to ? ' to' : ''}`);
    return { ledger, told };
  }

  it('tells each transition once, in order, when it is final', () => {
    const { ledger, told } = scribed();
    ledger.seen('f', A, 1);
    const first = ledger.pending('f', 2);
    ledger.seen('f', B, 3);
    assert.deepEqual(told, ['f seen to'], 'what comes after an open one waits for it');
    first.become({ kind: 'not_typed' });
    assert.deepEqual(told, ['f seen to', 'f not_typed', 'f external to']);
  });

  it('holds typing back while it may go on', () => {
    const { ledger, told } = scribed();
    ledger.seen('f', A, 1);
    for (let key = 0; key < 5; key += 1) {
      ledger.moved('f', { kind: 'typed', count: 1 }, 2);
    }
    assert.deepEqual(told, ['f seen to']);
    ledger.settle();
    assert.deepEqual(told, ['f seen to', 'f typed5']);
    ledger.moved('f', { kind: 'typed', count: 1 }, 3);
    ledger.moved('f', { kind: 'save' }, 4, B);
    assert.deepEqual(told.slice(2), ['f typed1', 'f save to'], 'what was told is not changed any more');
  });

  it('goes on where another one has ended', () => {
    const one = new Ledger();
    const entries: JournalEntry[] = [];
    one.scribe = (key, transition) => entries.push({ key, transition });
    one.seen('f', A, 1);
    one.landing('f', 2).end([{ cause: { kind: 'edit', number: 1, session: 'a', turn: 1 }, to: B }]);
    const text = printHeader() + entries.map(printEntry).join('');
    const two = new Ledger();
    for (const { key, transition } of entriesOf(text)) {
      two.restore(key, transition);
    }
    assert.deepEqual(
      JSON.parse(JSON.stringify(two.transitions('f'))),
      JSON.parse(JSON.stringify(one.transitions('f'))),
    );
  });
});
