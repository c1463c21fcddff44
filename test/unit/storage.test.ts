import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import type { Base } from '../../src/core/base.ts';
import { Ledger } from '../../src/core/ledger.ts';
import { Storage } from '../../src/host/storage.ts';

const A: Base = { disk: 'a'.repeat(64) };
const B: Base = { disk: 'b'.repeat(64) };

describe('The stored ledger', function () {
  this.timeout(20_000);
  let folder: string;
  let lines: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'edit-arbiter-storage-'));
    lines = [];
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A window that opens on the folder. */
  function window(at = folder): { readonly ledger: Ledger; readonly storage: Storage } {
    const ledger = new Ledger();
    const say = (message: string) => lines.push(message);
    const log = { info: say, warn: say, error: say } as unknown as vscode.LogOutputChannel;
    const storage = new Storage(
      at,
      ledger,
      () => 1_500,
      () => {},
      log,
    );
    storage.load();
    return { ledger, storage };
  }

  const journal = () => join(folder, 'ledger.jsonl');

  it('is there again in the next window, with the number of the last edit', () => {
    const { ledger } = window();
    ledger.seen('f', A, 1);
    ledger.moved('f', { kind: 'edit', number: 41, session: 'a', turn: 1 }, 2, B);
    const next = window();
    assert.deepEqual(next.ledger.transitions('f'), ledger.transitions('f'));
    assert.equal(next.storage.lastEdit, 41);
    assert.deepEqual(lines, []);
  });

  it('drops a line that a crash tore, says so, and goes on behind it', () => {
    window().ledger.seen('f', A, 1);
    appendFileSync(journal(), '{"key":"f","time":2,"ca');
    const next = window();
    next.ledger.seen('g', B, 3);
    assert.deepEqual(window().ledger.transitions('g'), [{ to: B, time: 3 }]);
    assert.match(lines[0] ?? '', /1 lines of the stored ledger could not be read/);
  });

  it('of a newer version is left as it is, and edits go on without it', () => {
    const newer = '{"version":99}\n{"anything":1}\n';
    writeFileSync(journal(), newer);
    const { ledger } = window();
    ledger.seen('f', A, 1);
    ledger.seen('f', B, 2);
    assert.equal(readFileSync(journal(), 'utf8'), newer);
    assert.equal(ledger.transitions('f').length, 2);
    assert.match(lines.join(), /version 99, newer than this extension: it is left alone/);
  });

  it('says once that the disk is full, and edits go on without it', function () {
    if (process.platform !== 'linux') {
      this.skip(); // Only Linux has a device that is always full.
    }
    const { ledger } = window();
    rmSync(journal());
    symlinkSync('/dev/full', journal());
    ledger.seen('f', A, 1);
    ledger.seen('f', B, 2);
    assert.equal(ledger.transitions('f').length, 2);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /^The ledger in .* could not be written\. Edits go on/);
  });

  it('says once of each part that its folder cannot be used, and edits go on without it', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { ledger, storage } = window(join(file, 'below'));
    ledger.seen('f', A, 1);
    storage.keepTally({ time: 1, session: 'a', status: 'applied', causes: [] });
    storage.keepText('a'.repeat(64), {
      text: { content: 'x', endings: [] },
      format: { encoding: 'utf8', bom: false },
    });
    assert.deepEqual(storage.readTallies(), []);
    while (lines.length < 3) {
      await new Promise(setImmediate);
    }
    ledger.seen('f', B, 2);
    assert.deepEqual(lines.map((line) => /^The (\w+) in .* could not be .* Edits go on/.exec(line)?.[1]).sort(), [
      'ledger',
      'statistics',
      'texts',
    ]);
  });

  it('loses no line to one that a crash tore, and no part to another that cannot be read', () => {
    writeFileSync(join(folder, 'statistics.jsonl'), '{"time":1,"sta');
    const { ledger, storage } = window();
    storage.keepTally({ time: 2, session: 'a', status: 'applied', causes: [] });
    assert.deepEqual(
      storage.readTallies().map(({ time }) => time),
      [2],
    );
    rmSync(join(folder, 'statistics.jsonl'));
    mkdirSync(join(folder, 'statistics.jsonl'));
    storage.keepTally({ time: 3, session: 'a', status: 'applied', causes: [] });
    ledger.seen('f', A, 1);
    assert.deepEqual(window().ledger.transitions('f'), [{ to: A, time: 1 }]);
  });

  it('is bounded: what is too large is written anew with the newest transitions', () => {
    window();
    const entry = (time: number) => `${JSON.stringify({ key: 'f'.repeat(400), time, to: `sha256:${A.disk}` })}\n`;
    appendFileSync(journal(), Array.from({ length: 12_000 }, (_, time) => entry(time)).join(''));
    window();
    const kept = readFileSync(journal(), 'utf8').split('\n');
    assert.equal(kept.length, 10_000 + 2);
    assert.match(kept.at(-2) ?? '', /"time":11999/);
  });

  it('bounds the statistics, too: the older half goes', () => {
    const line = (time: number) =>
      `${JSON.stringify({ time, session: 's'.repeat(900), status: 'applied', causes: [] })}\n`;
    writeFileSync(join(folder, 'statistics.jsonl'), Array.from({ length: 10_000 }, (_, time) => line(time)).join(''));
    const tallies = window().storage.readTallies();
    assert.deepEqual([tallies.length, tallies[0]?.time, tallies.at(-1)?.time], [5_000, 5_000, 9_999]);
  });

  it('keeps texts within the limit, the oldest out', async () => {
    const { storage } = window();
    const snapshot = (content: string) => ({
      text: { content, endings: [] },
      format: { encoding: 'utf8', bom: false },
    });
    for (const digit of ['1', '2', '3']) {
      storage.keepText(digit.repeat(64), snapshot(digit.repeat(1_000)));
    }
    const names = () => readdirSync(join(folder, 'texts')).filter((name) => name.length === 64);
    while (names().length < 3) {
      await new Promise(setImmediate);
    }
    await storage.prune();
    assert.equal(names().length, 1);
    assert.equal(storage.findText('9'.repeat(64)), undefined);
  });
});
