import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseRecord, printRecord } from '../../src/core/applyRecord.ts';
import { Conflicts } from '../../src/core/conflict.ts';
import { parseConflicts, printConflicts } from '../../src/core/conflictStore.ts';
import { parseJournal, printEntry, printHeader } from '../../src/core/journal.ts';
import { parsePassage } from '../../src/core/otherWindows.ts';
import { parsePatch, placePatch } from '../../src/core/patch.ts';
import { parseTallies, printTally } from '../../src/core/statistics.ts';
import { parseText, splice } from '../../src/core/text.ts';
import { parseSnapshot, printSnapshot } from '../../src/core/texts.ts';
import { assertStatus, Story } from './support/story.ts';

/** How many inputs each of these tests tries: more with `npm run fuzz -- N`. */
const numRuns = Number(process.env['EDIT_ARBITER_FUZZ_RUNS'] ?? 300);

/** Names that are hostile to a shell, a page, a prompt, a path or a line. */
const names = fc.constantFrom(
  'f',
  'g',
  './f',
  'sub/../f',
  '../f',
  '/etc/passwd',
  'C:\\f',
  '\\\\host\\share',
  'file:///f',
  'vscode-remote://x/f',
  'con',
  'NUL',
  '<img src=x onerror=alert(1)>',
  '$(id)',
  '`id`',
  'a\nb',
  'a\u202eb',
  '\u0000',
  '',
  ' ',
  '__proto__',
  'constructor',
  'f\u0301',
  '.git/config',
  '.vscode/settings.json',
  'x'.repeat(5_000),
);

const texts = fc.constantFrom(
  'one',
  'two',
  'one\ntwo\n',
  '',
  '\r',
  '\r\n',
  '\ud83d',
  '😀',
  '\u0000',
  '$&',
  '\ufeff',
  'three',
);

/** An input as a model might send it: mostly of the right shape, wrong somewhere. */
function calls(bases: readonly string[]): fc.Arbitrary<unknown> {
  const odd = fc.oneof({ weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) }, { weight: 4, arbitrary: texts });
  const base = fc.oneof(fc.constantFrom(...bases), fc.string(), odd);
  const edit = fc.record(
    { old_string: odd, new_string: odd, line: fc.oneof(fc.integer(), odd), replace_all: fc.oneof(fc.boolean(), odd) },
    { requiredKeys: [] },
  );
  const file = fc.record(
    {
      path: fc.oneof(names, odd),
      base,
      edits: fc.oneof(fc.array(edit, { maxLength: 3 }), odd),
      patch: fc.oneof(patches(), odd),
      content: odd,
      delete: fc.oneof(fc.boolean(), odd),
      rename_to: fc.oneof(names, odd),
      symbol: odd,
      still_needed: odd,
      start_line: fc.oneof(fc.integer(), odd),
      end_line: fc.oneof(fc.integer(), odd),
      extra: odd,
    },
    { requiredKeys: [] },
  );
  return fc.oneof(
    { weight: 1, arbitrary: fc.jsonValue() },
    {
      weight: 6,
      arbitrary: fc.record(
        {
          files: fc.oneof({ weight: 6, arbitrary: fc.array(file, { maxLength: 4 }) }, { weight: 1, arbitrary: odd }),
          on_conflict: fc.oneof(fc.constantFrom('continue', 'stop', 'atomic'), odd),
          explanation: odd,
        },
        { requiredKeys: [] },
      ),
    },
  );
}

function patches(): fc.Arbitrary<string> {
  const line = fc.constantFrom(
    '--- a/f',
    '+++ b/f',
    '--- /dev/null',
    '@@ -1,2 +1,2 @@',
    '@@ -1 +1 @@',
    '@@ -0,0 +1 @@',
    '@@ -2,1 +99999999999,1 @@',
    '@@ -a +b @@',
    ' one',
    '-one',
    '+1',
    ' two',
    '-two',
    '\\ No newline at end of file',
    'diff --git a/f b/g',
    'rename from f',
    'GIT binary patch',
    '',
    '\r',
  );
  return fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));
}

/** A text with some of its characters changed, dropped, or doubled. */
function damaged(text: string): fc.Arbitrary<string> {
  const damage = fc.tuple(fc.nat(text.length), fc.nat(12), fc.oneof(fc.string({ maxLength: 4 }), fc.constant('\n')));
  return fc
    .array(damage, { minLength: 1, maxLength: 4 })
    .map((damages) =>
      damages.reduce((left, [at, length, put]) => left.slice(0, at) + put + left.slice(at + length), text),
    );
}

describe('Whatever a model sends', () => {
  it('is answered, and touches nothing unless the answer says so', async () => {
    const before: Record<string, string> = { f: 'one\ntwo\n', g: 'one\r\ntwo\r\n', '.git/config': '[core]\n' };
    const probe = new Story(before);
    const bases = ['absent', ...Object.keys(before).map((path) => probe.base(path)), `sha256:${'0'.repeat(64)}`];
    await fc.assert(
      fc.asyncProperty(calls(bases), async (input) => {
        const story = new Story(before);
        const caller = { session: 's', isCancelled: () => false, isChat: true };
        const { results } = await story.arbiter.edit(input, caller);
        await story.arbiter.read(input, caller, async () => 1_000);
        await story.arbiter.check(input, caller);
        await story.arbiter.preview(input);
        assert.deepEqual(story.faults, []);
        const landed = results.filter(({ status }) => status === 'applied');
        for (const [path, content] of Object.entries(before)) {
          const isNamed = landed.some((result) => result.path === path || result['renamed_from'] === path);
          assert.equal(isNamed || story.disk.text(path) === content, true, `${path} was touched`);
        }
        assert.equal(story.disk.text('.git/config'), '[core]\n', 'nobody said yes');
        JSON.stringify(results);
      }),
      { numRuns },
    );
  });

  it('lands as the patch says, or not at all', () => {
    const text = parseText('one\ntwo\nthree\n');
    fc.assert(
      fc.property(patches(), (patch) => {
        const parsed = parsePatch(patch);
        if (parsed.status === 'malformed') {
          assert.ok(parsed.patchLine >= 1 && parsed.message !== '');
          return;
        }
        const placed = placePatch(text, parsed.patch.hunks);
        if (placed.status === 'located') {
          const removed = patch.split('\n').filter((line) => /^-(?!--)/.test(line));
          const taken = placed.spans.map(({ start, end }) => text.content.slice(start, end)).join('');
          assert.ok(removed.every((line) => taken.includes(line.slice(1))));
          splice(text.content, placed.spans);
        }
      }),
      { numRuns: numRuns * 10 },
    );
  });
});

describe('Whatever has become of stored files', () => {
  const digest = 'a'.repeat(64);
  const conflicts = new Conflicts();
  before(async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const agent = story.agent('s');
    await agent.reads('f');
    story.disk.writes('f', 'one\nTWO\n');
    assertStatus(await agent.edits('f', { one: '1' }), 'stale_base');
    conflicts.restore(story.arbiter.conflicts.open);
  });

  for (const [name, print, read] of [
    [
      'ledger',
      () => printHeader() + printEntry({ key: '/w/f', transition: { time: 1, to: { disk: digest } } }),
      parseJournal,
    ],
    ['conflicts', () => printConflicts(conflicts.open), parseConflicts],
    [
      'statistics',
      () => printTally({ time: 1, session: 's', status: 'applied', causes: ['external writer'] }),
      parseTallies,
    ],
    [
      'text',
      () => printSnapshot({ text: parseText('a\r\nb\n'), format: { encoding: 'utf8', bom: false } }),
      parseSnapshot,
    ],
    [
      'record of an apply',
      () =>
        printRecord({
          time: 1,
          pid: 2,
          session: undefined,
          turn: 3,
          files: [{ key: '/w/f', path: 'f', before: digest, after: 'absent', length: 4 }],
        }),
      parseRecord,
    ],
    ['passage', () => '{"version":1}', parsePassage],
  ] as const) {
    it(`reads a damaged ${name} without an error`, () => {
      fc.assert(
        fc.property(fc.oneof(damaged(print()), fc.string(), fc.json()), (stored) => {
          read(stored);
        }),
        { numRuns: numRuns * 5 },
      );
    });
  }

  it('reads back what was printed', () => {
    assert.equal(parseConflicts(printConflicts(conflicts.open)).length, 1);
  });
});
