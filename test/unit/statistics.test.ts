import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  classOf,
  computeStatistics,
  parseTallies,
  printCsv,
  printTally,
  type Tally,
} from '../../src/core/statistics.ts';
import { Story } from './support/story.ts';

const dayOf = (time: number) => `day ${time}`;

function tally(status: string, more: Partial<Tally> = {}): Tally {
  return { time: 1, session: 'a', status, causes: [], ...more };
}

describe('The statistics', () => {
  it('count applies, the stale ones among them, refusals and causes', () => {
    const statistics = computeStatistics(
      [
        tally('applied'),
        tally('applied', { time: 2, session: 'b' }),
        tally('applied', { session: undefined }),
        tally('stale_base', {
          causes: ['edit #1 (this session, turn 6)', 'post-write hook: ruff', 'post-write hook: isort'],
        }),
        tally('disk_changed_during_save', { time: 2, causes: ['external writer (while make ran)'] }),
        tally('not_found'),
        tally('already_applied'),
      ],
      dayOf,
    );
    assert.deepEqual([statistics.applies, statistics.stale, statistics.staleRate], [5, 2, 0.4]);
    assert.deepEqual(
      statistics.causes.map(({ name, count }) => [name, count]),
      [
        ['external writer', 1],
        ['hook', 1],
        ['own edit', 1],
      ],
    );
    assert.deepEqual(
      statistics.refusals.map(({ name, count }) => `${name} ${count}`),
      ['disk_changed_during_save 1', 'not_found 1', 'stale_base 1'],
    );
    assert.deepEqual(statistics.days, [
      { name: 'day 1', applies: 3, stale: 1 },
      { name: 'day 2', applies: 2, stale: 1 },
    ]);
    assert.deepEqual(
      statistics.sessions.map(({ name, applies }) => [name, applies]),
      [
        ['session 1', 3],
        ['session 2', 1],
        ['session unknown', 1],
      ],
    );
  });

  it('are told apart by model, where the chat tells it', () => {
    const tallies = [tally('applied', { model: 'm1' }), tally('stale_base', { model: 'm1' }), tally('applied')];
    const { models } = computeStatistics(parseTallies(tallies.map(printTally).join('')), dayOf);
    assert.deepEqual(models, [
      { name: 'm1', applies: 2, stale: 1 },
      { name: 'model unknown', applies: 1, stale: 0 },
    ]);
  });

  it('know the class of every cause, and say so where there is nothing yet', () => {
    const classes = [
      'edit #2 (another session, turn 1)',
      'edit #2 (session unknown, turn 1)',
      'code generator: make (task)',
      'git: pull',
      'engineer: undo of edit #1',
      'changed in the editor, not typed',
      'deleted on disk',
      'before this window opened',
    ].map(classOf);
    assert.deepEqual(classes, [
      'other session',
      'own edit',
      'code generator',
      'git',
      'engineer',
      'other extension',
      'external writer',
      'unknown',
    ]);
  });

  it('read back what was stored, and leave damaged lines out', () => {
    const tallies = [tally('applied'), tally('stale_base', { session: undefined, causes: ['a "b"'] })];
    assert.deepEqual(parseTallies(`${tallies.map(printTally).join('')}{"time":`), tallies);
    fc.assert(fc.property(fc.string(), (text) => void parseTallies(text)));
  });

  it('go into a spreadsheet without becoming a formula', () => {
    assert.equal(
      printCsv([tally('stale_base', { time: 0, causes: ['=1+1 "x"'] })], (time) => `t${time}`),
      'time,session,model,status,causes\r\n"t0","a","","stale_base","\'=1+1 ""x"""\r\n',
    );
  });

  it('are told of every entry of a call', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.disk.writes('f', 'ONE\n');
    await a.edits('f', { one: '1' });
    assert.deepEqual(
      story.tallies.map(({ status, session, causes }) => [status, session, causes]),
      [['stale_base', 'a', ['external writer']]],
    );
  });
});
