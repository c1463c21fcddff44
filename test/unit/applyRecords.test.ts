import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { describeInterruption, fatesOf, progressOf } from '../../src/core/applyRecord.ts';
import { digest } from '../../src/core/base.ts';
import { ApplyRecords } from '../../src/host/applyRecords.ts';

const AUTHOR = { session: 's', turn: 3 };
const ONE = Buffer.from('one\r\n\0');
const TWO = Buffer.from('two');

describe('The record of an apply', () => {
  let storage = '';
  let errors: string[] = [];
  const log = { error: (text: string) => errors.push(text), warn: () => {} } as unknown as vscode.LogOutputChannel;
  const fileOf = (path: string) => ({ key: `/w/${path}`, path });
  const intent = (path: string, before: Buffer | undefined, after?: string) => ({ file: fileOf(path), before, after });
  const folder = () => join(storage, 'applies');

  beforeEach(() => {
    storage = mkdtempSync(join(tmpdir(), 'edit-arbiter-records-'));
    errors = [];
  });
  afterEach(() => rmSync(storage, { recursive: true, force: true }));

  it('is there while the apply runs, for nobody else to read, and gone when it is over', () => {
    const records = new ApplyRecords(storage, log);
    const recording = records.begin(AUTHOR, [intent('a', ONE, digest(TWO))]);
    const [name = ''] = readdirSync(folder());
    assert.equal(statSync(join(folder(), name)).mode & 0o777, 0o600);
    assert.deepEqual(records.leftBehind().records, [], 'its own are no ones that were left behind');
    recording.end();
    assert.deepEqual(readdirSync(folder()), []);
  });

  it('gives back, byte for byte, what an ended process has left', () => {
    new ApplyRecords(storage, log).begin(AUTHOR, [
      intent('a', ONE, digest(TWO)),
      intent('b', undefined, digest(TWO)),
      intent('c', TWO, 'absent'),
      intent('d', TWO),
    ]);
    const { records, areOthersAtWork } = new ApplyRecords(storage, log).leftBehind();
    assert.equal(areOthersAtWork, false);
    assert.deepEqual(records[0]?.before, [ONE, undefined, TWO, TWO]);
    const { record } = records[0];
    assert.deepEqual([record.session, record.turn, record.files.length], ['s', 3, 4]);
    const words = (...now: readonly string[]) => {
      const fates = fatesOf(record, now);
      return [progressOf(fates), describeInterruption(record, fates)];
    };
    assert.equal(words(digest(ONE), 'absent', digest(TWO), digest(TWO))[0], 'not begun');
    assert.deepEqual(words(digest(TWO), digest(TWO), 'absent', digest(ONE)), [
      'torn',
      'an edit of 4 files was cut off: a: edited; b: created; c: gone; d: neither as before nor as it was to become',
    ]);
  });

  it('waits for a process that is still at work, unless it is too old to be one', () => {
    new ApplyRecords(storage, log).begin(AUTHOR, [intent('a', ONE)]);
    const path = join(folder(), readdirSync(folder())[0] ?? '');
    const text = readFileSync(path, 'latin1').replace(`"pid":${process.pid}`, `"pid":${process.ppid}`);
    writeFileSync(path, text, 'latin1');
    assert.deepEqual(new ApplyRecords(storage, log).leftBehind(), { records: [], areOthersAtWork: true });
    writeFileSync(path, text.replace(/"time":\d+/, '"time":1'), 'latin1');
    assert.equal(new ApplyRecords(storage, log).leftBehind().records.length, 1);
  });

  it('is left alone where a later version made it', () => {
    mkdirSync(folder());
    writeFileSync(join(folder(), 'later'), '{"version":2,"files":[]}\n');
    assert.deepEqual(new ApplyRecords(storage, log).leftBehind().records, []);
    assert.deepEqual(readdirSync(folder()), ['later']);
  });

  it('whose writing was cut off is dropped once nobody can be writing it any more', () => {
    mkdirSync(folder());
    for (const [name, age] of [
      ['old.new', 3_600],
      ['young.new', 0],
    ] as const) {
      writeFileSync(join(folder(), name), 'half');
      const time = Date.now() / 1_000 - age;
      utimesSync(join(folder(), name), time, time);
    }
    new ApplyRecords(storage, log).leftBehind();
    assert.deepEqual(readdirSync(folder()), ['young.new']);
  });

  it('that is damaged is left out, and removed', () => {
    new ApplyRecords(storage, log).begin(AUTHOR, [intent('a', ONE)]);
    const path = join(folder(), readdirSync(folder())[0] ?? '');
    truncateSync(path, statSync(path).size - 1);
    assert.deepEqual(new ApplyRecords(storage, log).leftBehind().records, []);
    assert.deepEqual(readdirSync(folder()), []);
  });

  it('of a part of another apply is that one’s; what is left stays, and is told when it is over', () => {
    const records = new ApplyRecords(storage, log);
    let left = 0;
    records.onDidLeave = () => {
      left += 1;
    };
    const whole = records.begin(AUTHOR, [intent('a', ONE), intent('b', TWO)]);
    const part = records.begin(AUTHOR, [intent('b', TWO)]);
    assert.equal(readdirSync(folder()).length, 1);
    part.leave();
    part.end();
    assert.equal(left, 0);
    whole.end();
    assert.equal(left, 1);
    assert.equal(records.leftBehind().records.length, 1);
    records.forget(readdirSync(folder())[0] ?? '');
    assert.deepEqual(readdirSync(folder()), []);
  });

  it('keeps what was found of it first, whatever happens to the files later', () => {
    const records = new ApplyRecords(storage, log);
    records.begin(AUTHOR, [intent('a', ONE)]);
    const [id = ''] = readdirSync(folder());
    const later = new ApplyRecords(storage, log);
    assert.equal(later.found(id), undefined);
    later.keepFound(id, { edit: 7, now: [digest(TWO), null] });
    assert.deepEqual(new ApplyRecords(storage, log).found(id), { edit: 7, now: [digest(TWO), null] });
    assert.equal(later.leftBehind().records.length, 1);
    later.forget(id);
    assert.deepEqual(readdirSync(folder()), []);
  });

  it('that cannot be stored is said once, and holds up nothing', () => {
    writeFileSync(folder(), 'a file in its place');
    const records = new ApplyRecords(storage, log);
    records.begin(AUTHOR, [intent('a', ONE)]).end();
    records.begin(AUTHOR, [intent('a', ONE)]).end();
    assert.equal(errors.length, 1, errors.join('\n'));
    new ApplyRecords(undefined, log).begin(AUTHOR, [intent('a', ONE)]).end();
  });
});
