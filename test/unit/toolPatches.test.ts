import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { printBase } from '../../src/core/base.ts';
import { judge } from '../../src/core/gate.ts';
import { isInvalid, parseEditCall } from '../../src/core/input.ts';
import { renderText } from '../../src/core/text.ts';
import { stateOf } from './support/states.ts';

/** A file before and after a change, with the same line ending; where there is none yet, the settings say that one. */
interface Pair {
  readonly before: string;
  readonly after: string;
  readonly ending: '\n' | '\r\n';
}

const line = fc.constantFrom('a', 'b', 'c', 'd', '', '-', '+ x', '\\ No', '@@ -1 +1 @@', '--- a', '\f', '😀 $&', '}');
const lines = (maxLength: number) => fc.array(line, { maxLength });

/** Texts that have nothing to do with each other, and texts of which one was made from the other by a few changes. */
const sides = fc.oneof(
  fc.tuple(lines(8), lines(8)),
  fc.tuple(fc.constant<string[]>([]), lines(5)),
  fc.tuple(lines(5), fc.constant<string[]>([])),
  fc
    .tuple(
      fc.array(line, { minLength: 12, maxLength: 40, size: 'max' }),
      fc.array(fc.tuple(fc.nat(), fc.nat(2), lines(2)), { minLength: 1, maxLength: 4 }),
    )
    .map(([before, changes]) => {
      const after = [...before];
      for (const [at, removed, added] of changes) {
        after.splice(at % (after.length + 1), removed, ...added);
      }
      return [before, after] as [string[], string[]];
    }),
);

const pair = fc
  .tuple(sides, fc.constantFrom('\n' as const, '\r\n' as const), fc.boolean(), fc.boolean())
  .map(([[before, after], ending, isEnded, staysEnded]): Pair => {
    const raw = (all: readonly string[], ended: boolean) => all.join(ending) + (ended && all.length > 0 ? ending : '');
    return { before: raw(before, isEnded), after: raw(after, staysEnded), ending };
  })
  .filter(({ before, after }) => before !== after);

const PAIRS = fc.sample(pair, { seed: 65, numRuns: 60 });

/** A line and whether a newline follows it. */
interface Row {
  readonly text: string;
  readonly isEnded: boolean;
}

/** A line of a hunk; `at` is the line of the old file that it is, or stands before. Zero-based. */
interface PatchRow extends Row {
  readonly kind: string;
  readonly at: number;
}

/** A simple reading of a patch, for the reference. Content lines always begin with a blank, `-` or `+`. */
function rowsOfPatch(patch: string): PatchRow[] {
  const rows: PatchRow[] = [];
  let at = 0;
  for (const row of patch.split(/\r?\n/).slice(0, -1)) {
    const [, start, count] = /^@@ -(\d+)(?:,(\d+))? /.exec(row) ?? [];
    if (start !== undefined) {
      at = count === '0' ? Number(start) : Number(start) - 1;
    } else if (row.startsWith('\\')) {
      const last = rows.pop();
      assert.ok(last);
      rows.push({ ...last, isEnded: false });
    } else if (!/^(?:diff |index |--- [ab]\/|\+\+\+ [ab]\/)/.test(row)) {
      rows.push({ kind: row[0] ?? '', at, text: row.slice(1), isEnded: true });
      at += row.startsWith('+') ? 0 : 1;
    }
  }
  return rows;
}

function rowsOf(raw: string): Row[] {
  const parts = raw.replaceAll('\r\n', '\n').split('\n');
  const last = parts.pop();
  const rows = parts.map((text) => ({ text, isEnded: true }));
  return last === undefined || last === '' ? rows : [...rows, { text: last, isEnded: false }];
}

/** @returns what the patch makes of a text, `undefined` where a line that it states is another. */
function applied(raw: string, patch: readonly PatchRow[], ending: string): string | undefined {
  const rows = rowsOf(raw);
  const after: Row[] = [];
  let from = 0;
  for (const { kind, at, text, isEnded } of patch) {
    if (at > rows.length) {
      return undefined;
    }
    after.push(...rows.slice(from, at));
    from = Math.max(from, at);
    if (kind === '+') {
      after.push({ text, isEnded });
      continue;
    }
    const row = rows[at];
    if (row?.text !== text || row.isEnded !== isEnded) {
      return undefined;
    }
    from = at + 1;
    after.push(...(kind === ' ' ? [row] : []));
  }
  after.push(...rows.slice(from));
  return after.slice(0, -1).some((row) => !row.isEnded)
    ? undefined
    : after.map(({ text, isEnded }) => text + (isEnded ? ending : '')).join('');
}

/** Texts beside `raw`: each line changed, and taken away or doubled or swapped; a line on top; the final newline there or not. */
function others(raw: string, ending: string): string[] {
  const rows = rowsOf(raw);
  const join = (all: readonly Row[]) =>
    all.map(({ text, isEnded }, index) => text + (isEnded || index < all.length - 1 ? ending : '')).join('');
  const found = rows.flatMap((row, index) => [
    join(rows.with(index, { ...row, text: index % 2 === 0 ? `${row.text}!` : `${row.text} ` })),
    join(
      index % 3 === 0
        ? rows.toSpliced(index, 1)
        : index % 3 === 1
          ? rows.toSpliced(index, 0, row)
          : rows.toSpliced(index, 2, ...rows.slice(index, index + 2).toReversed()),
    ),
  ]);
  const flipped = rows.at(-1)?.isEnded ? raw.slice(0, -ending.length) : raw + ending;
  return [...found, join([{ text: 'top', isEnded: true }, ...rows]), flipped].filter((other) => other !== raw);
}

/** What the gate makes of a patch that carries a base: the bytes that it leads to, or why it is refused. */
function judged(path: string, patch: string, base: string, now: string, ending: '\n' | '\r\n'): string {
  const parsed = parseEditCall({ files: [{ path, base, patch }] });
  assert.ok('entries' in parsed);
  const [request] = parsed.entries;
  assert.ok(request && !isInvalid(request), JSON.stringify(request));
  const verdict = judge(request, path, stateOf(now), ending, { maxMs: 50, now: () => 0 });
  switch (verdict.kind) {
    case 'accepted':
      return `accepted ${renderText(verdict.candidate.text)}`;
    case 'misplaced':
      return verdict.misplaced.status;
    case 'problem':
      return `${verdict.problem.status}: ${verdict.problem.reason}`;
    default:
      return verdict.kind;
  }
}

function baseOf(raw: string): string {
  return printBase(stateOf(raw).base);
}

/** Checks the patch of each pair, by the name of its file. */
function check(patches: ReadonlyMap<string, string>): void {
  const counts = { refused: 0, applied: 0, hunks: 0 };
  for (const [index, { before, after, ending }] of PAIRS.entries()) {
    const path = `f${index}.txt`;
    const patch = patches.get(path);
    assert.ok(patch, path);
    const reading = rowsOfPatch(patch);
    counts.hunks += patch.match(/^@@ /gm)?.length ?? 0;
    assert.equal(applied(before, reading, ending), after, `the reference is wrong\n${patch}`);
    assert.equal(judged(path, patch, baseOf(before), before, ending), `accepted ${after}`, patch);
    for (const other of others(before, ending)) {
      assert.equal(judged(path, patch, baseOf(before), other, ending), 'stale');
      const expected = applied(other, reading, ending);
      const wish =
        expected === undefined ? 'patch_mismatch' : expected === other ? 'no_change' : `accepted ${expected}`;
      assert.equal(judged(path, patch, baseOf(other), other, ending), wish, JSON.stringify({ other, patch }));
      counts[expected === undefined ? 'refused' : 'applied'] += 1;
    }
  }
  assert.ok(counts.hunks > PAIRS.length && counts.refused > 500 && counts.applied > 50, JSON.stringify(counts));
}

/** The patches in the output of a tool, by the name of their file. */
function byName(output: string): Map<string, string> {
  const sections = output.split(/^(?=diff )/m).filter((section) => section !== '');
  return new Map(sections.map((section) => [/^\+\+\+ b\/(\S+)/m.exec(section)?.[1] ?? '', section]));
}

describe('The patch of a tool is applied to its own base with exactly the new bytes, and to no text in which a stated line differs', function () {
  this.timeout(30_000);
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'patches-'));
  });

  after(() => rmSync(folder, { recursive: true }));

  it('whatever line endings there are, at the end, too', () => {
    const shapes = PAIRS.map(({ before, after, ending }) =>
      [ending, ...[before, after].map((raw) => (raw === '' ? 'empty' : raw.endsWith('\n') ? 'ended' : 'unended'))].join(
        ' ',
      ),
    );
    for (const ending of ['\n', '\r\n']) {
      for (const one of ['empty', 'ended', 'unended']) {
        for (const other of ['empty', 'ended', 'unended'].filter((side) => side !== 'empty' || one !== 'empty')) {
          assert.ok(shapes.includes(`${ending} ${one} ${other}`), `${JSON.stringify(ending)} ${one} ${other}`);
        }
      }
    }
  });

  function writes(under: string, side: 'before' | 'after'): void {
    mkdirSync(join(folder, under), { recursive: true });
    for (const [index, one] of PAIRS.entries()) {
      writeFileSync(join(folder, under, `f${index}.txt`), one[side]);
    }
  }

  it('git diff', () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'core.autocrlf=false', '-c', 'core.safecrlf=false', ...args], {
        cwd: join(folder, 'repository'),
        encoding: 'utf8',
        stdio: 'pipe',
        env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
      });
    writes('repository', 'before');
    git('init', '-q');
    git('add', '.');
    writes('repository', 'after');
    for (const context of ['-U0', '-U1', '-U3']) {
      check(byName(git('diff', '--no-color', '--no-ext-diff', '--text', context)));
    }
  });

  it('GNU diff', function () {
    if (!spawnSync('diff', ['--version'], { encoding: 'utf8' }).stdout?.includes('GNU')) {
      this.skip();
    }
    writes('a', 'before');
    writes('b', 'after');
    for (const context of ['-U0', '-U1', '-u']) {
      const { stdout, status } = spawnSync('diff', ['-r', '--text', context, 'a', 'b'], {
        cwd: folder,
        encoding: 'utf8',
      });
      assert.equal(status, 1, 'there are differences');
      check(byName(stdout));
    }
  });
});
