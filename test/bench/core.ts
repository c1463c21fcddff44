import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attribute } from '../../src/core/attribution.ts';
import { type Base, digest } from '../../src/core/base.ts';
import { decode, encode } from '../../src/core/codec.ts';
import type { Format } from '../../src/core/documents.ts';
import { judge } from '../../src/core/gate.ts';
import { Ledger } from '../../src/core/ledger.ts';
import { locate } from '../../src/core/match.ts';
import { parseText, renderText } from '../../src/core/text.ts';
import { outputFolder } from '../hosts/paths.ts';
import { Story } from '../unit/support/story.ts';
import { line, median, ms, times } from './measure.ts';
import { type Point, plot, slopeOf } from './plot.ts';

const FORMAT: Format = { encoding: 'utf8', bom: false };
const BUDGET = { maxMs: 50, now: () => performance.now() };

/** The median of some runs, in milliseconds. */
function timed(runs: number, body: () => void): number {
  const all: number[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const start = performance.now();
    body();
    all.push(performance.now() - start);
  }
  return median(all.slice(1));
}

function source(chars: number): string {
  const lines = Array.from({ length: Math.max(2, Math.ceil(chars / 40)) }, (_, index) =>
    `const value${index} = compute(${index});`.padEnd(39),
  );
  return `${lines.join('\n')}\n`;
}

/** The work of one gated edit that is not the editor's: bytes to text, hash, gate, new text, bytes and hash. */
function gate(bytes: Buffer, edits: number): void {
  const text = decode(bytes, FORMAT);
  assert.equal(typeof text, 'string');
  const state = { kind: 'text', base: { disk: digest(bytes) }, text: parseText(String(text)), format: FORMAT } as const;
  const lines = state.text.content.split('\n');
  const step = Math.max(1, Math.floor((lines.length - 1) / edits));
  const replacements = Array.from({ length: edits }, (_, index) => ({
    oldText: lines[index * step] ?? '',
    newText: `let other${index} = 0;`,
    replaceAll: false,
  }));
  const wish = { kind: 'edits', replacements } as const;
  const request = { path: 'f.ts', base: state.base, wish, signature: '', parts: [] };
  const verdict = judge(request, 'f.ts', state, '\n', BUDGET);
  assert.ok(verdict.kind === 'accepted', JSON.stringify(verdict).slice(0, 200));
  digest(encode(renderText(verdict.candidate.text), FORMAT));
}

async function growthOfBases(): Promise<Point[]> {
  const points: Point[] = [];
  for (const count of [1, 10, 100, 1_000, 10_000]) {
    const files = Object.fromEntries(
      Array.from({ length: count + 1 }, (_, index) => [`f${index}.txt`, `one ${index}\n`]),
    );
    const story = new Story(files);
    const agent = story.agent('a');
    for (let index = 0; index <= count; index += 1) {
      await agent.reads(`f${index}.txt`);
    }
    const all: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const start = performance.now();
      await agent.edits('f0.txt', { one: 'two' });
      all.push(performance.now() - start);
      await agent.writes('f0.txt', 'one 0\n');
    }
    points.push([count, median(all.slice(2))]);
  }
  return points;
}

function growthOfLedger(): Point[] {
  const base = (index: number): Base => ({ disk: String(index).padStart(64, '0') });
  return [10, 100, 1_000, 10_000, 100_000].map((count): Point => {
    const ledger = new Ledger();
    for (let index = 0; index < count; index += 1) {
      ledger.moved('f', { kind: 'save' }, index, base(index));
    }
    return [count, timed(20, () => attribute(ledger.transitions('f'), base(0), base(count - 1), 'a'))];
  });
}

/** What needs no editor. Plots go to `out/bench/`. @param print gets one line for each result. */
export async function measureCore(print: (text: string) => void): Promise<void> {
  const folder = join(outputFolder, 'bench');
  mkdirSync(folder, { recursive: true });
  print('  Measured on plain Node');
  const large = source(2_000_000);
  const text = parseText(large);
  const lines = large.split('\n');
  const wanted = Array.from({ length: 100 }, (_, index) => lines[index * 499] ?? '');
  const edits = wanted.map((oldText) => ({ oldText, newText: 'x', replaceAll: false }));
  const scan = timed(10, () => {
    for (const one of wanted) {
      for (let at = large.indexOf(one); at !== -1; at = large.indexOf(one, at + 1)) {}
    }
  });
  const found = timed(10, () => assert.equal(locate(text, edits).status, 'located'));
  print(
    line(
      'matching 100 edits in 2 MB beside a plain scan for each',
      `${times(found / scan)} (${ms(found)})`,
      'at most 2 times',
    ),
  );
  const one = parseText('a'.repeat(2_000_000));
  const needle = 'a'.repeat(20_000);
  for (const [where, oldText] of [
    ['first', `b${needle.slice(1)}`],
    ['middle', `${needle.slice(0, 10_000)}b${needle.slice(10_001)}`],
    ['last', `${needle.slice(1)}b`],
  ] as const) {
    const time = timed(5, () =>
      assert.equal(locate(one, [{ oldText, newText: 'x', replaceAll: false }]).status, 'not_found'),
    );
    print(line(`one line of 2 MB, 20 kB that differ in the ${where} character`, ms(time), 'at most 50 ms'));
  }
  const sizes = [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 50_000_000];
  const growths: readonly [name: string, title: string, unit: string, points: readonly Point[]][] = [
    [
      'file-size',
      'One gated edit, without the editor, by the size of its file',
      'bytes',
      sizes.map((size): Point => {
        const bytes = Buffer.from(source(size));
        return [size, timed(size > 5_000_000 ? 3 : 15, () => gate(bytes, 1))];
      }),
    ],
    [
      'edits',
      'One call by its number of edits, in a file of 200 kB',
      'edits',
      [1, 10, 100, 1_000].map((count): Point => {
        const bytes = Buffer.from(source(200_000));
        return [count, timed(10, () => gate(bytes, count))];
      }),
    ],
    ['bases', 'One edit by the number of bases that the agent holds', 'bases', await growthOfBases()],
    ['ledger', 'Naming who changed a file, by the number of records of it', 'records', growthOfLedger()],
  ];
  for (const [name, title, unit, points] of growths) {
    writeFileSync(join(folder, `cost-by-${name}.svg`), plot(title, unit, points));
    const steps = points.map(([x, y]) => `${x.toLocaleString('en')} ${ms(y)}`).join(', ');
    print(line(title, `${steps}; slope ${slopeOf(points).toFixed(2)}`, 'at most 1, linear'));
  }
}
