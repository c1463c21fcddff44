import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Wish } from '../../src/core/input.ts';
import type { Replacement } from '../../src/core/match.ts';
import { parsePatch } from '../../src/core/patch.ts';
import { type Relation, relate, relatePatch, relateWhole, relateWish } from '../../src/core/relation.ts';
import type { CodeSymbol } from '../../src/core/symbols.ts';

function edit(oldText: string, newText: string, more: Partial<Replacement> = {}): Replacement {
  return { oldText, newText, replaceAll: false, ...more };
}

function relateHunks(base: string | undefined, now: string, patch: string): Relation {
  const parsed = parsePatch(patch);
  assert.ok(parsed.status === 'parsed', JSON.stringify(parsed));
  return relatePatch(base, now, parsed.patch.hunks);
}

const pricing = [
  'from decimal import Decimal',
  '',
  'def apply_discount(price, tier):',
  '    """Apply the discount."""',
  '    rate = Decimal("0.20")',
  '    return price * (1 - rate)',
  '',
].join('\n');
const moved = pricing.replace('Decimal("0.20")', 'tier.discount_rate');

describe('relate', () => {
  it('finds an edit of the line above the change next to it', () => {
    const docstring = '    """Apply the discount."""\n';
    assert.equal(relate(pricing, moved, [edit(docstring, `${docstring}    config = load()\n`)]), 'next to the change');
    const bare = docstring.trim();
    assert.equal(relate(pricing, moved, [edit(bare, `${bare}\n    config = load()`)]), 'next to the change');
  });

  it('finds what the edit would write already present', () => {
    const rate = edit('rate = Decimal("0.20")', 'rate = tier.discount_rate');
    assert.equal(relate(pricing, moved, [rate]), 'already present');
    assert.equal(relate(undefined, moved, [rate]), 'already present');
    const insertion = edit('import Decimal\n', 'import Decimal\nimport os\n');
    const inserted = pricing.replace('import Decimal\n', 'import Decimal\nimport os\n');
    assert.equal(relate(pricing, inserted, [insertion]), 'already present');
  });

  it('finds nothing present that the base had as often, that is blank, or that only some edits would write', () => {
    assert.equal(relate('x\na\nb\n', 'x!\na\nb\n', [edit('b', 'a')]), 'next to the change');
    assert.equal(relate('a\nb\n', 'a\n', [edit('b', '')]), 'no longer applicable');
    assert.equal(relate('a\nb\n', 'a\n\n', [edit('b', '\n')]), 'no longer applicable');
    const rate = edit('rate = Decimal("0.20")', 'rate = tier.discount_rate');
    assert.equal(relate(pricing, moved, [rate, edit('price * (1', 'price * (2')]), 'no longer applicable');
  });

  it('finds an edit no longer applicable whose text is gone or occurs more often', () => {
    assert.equal(relate(pricing, moved, [edit('rate = Decimal("0.20")', 'rate = 0')]), 'no longer applicable');
    assert.equal(relate('a\nb\n', 'a\nb\nb\n', [edit('b', 'c')]), 'no longer applicable');
    assert.equal(relate(undefined, 'a\nb\nb\n', [edit('b', 'c')]), 'no longer applicable');
    assert.equal(relate('a\nb\n', 'a\nb\nb\n', [edit('b', 'c', { replaceAll: true })]), 'next to the change');
    assert.equal(relate('-\n-\n', '-\n-\n-\n', [edit('-\n-\n', 'x')]), 'no longer applicable');
  });

  it('lets a line move with the lines above it', () => {
    const base = 'x\n1\n2\n3\n4\n5\n6\nx\n';
    assert.equal(relate(base, `new\n${base}`, [edit('x', 'y', { line: 8 })]), 'untouched');
    assert.equal(relate(base, `new\n${base}`, [edit('x', 'y', { line: 1 })]), 'next to the change');
    assert.equal(relate(base, base.replace(/x\n$/, 'z\n'), [edit('x', 'y', { line: 8 })]), 'overlaps the change');
    assert.equal(relate(undefined, `new\n${base}`, [edit('x', 'y', { line: 2 })]), 'untouched');
    assert.equal(relate(undefined, `new\n${base}`, [edit('x', 'y', { line: 1 })]), 'no longer applicable');
  });

  it('finds an overlap where the lines of the old text were touched', () => {
    assert.equal(relate('f(a, b)\n', 'f(a, c)\n', [edit('f(a', 'g(a')]), 'overlaps the change');
    assert.equal(relate('a\nb\n', 'a\nb\nold\n', [edit('old', 'new')]), 'overlaps the change');
  });

  it('counts three lines as next to the change', () => {
    const base = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';
    const changed = base.replace('5\n', 'five\n');
    assert.deepEqual(
      ['1', '2', '4', '6', '8', '9'].map((line) => relate(base, changed, [edit(line, 'x')])),
      [
        'untouched',
        'next to the change',
        'next to the change',
        'next to the change',
        'next to the change',
        'untouched',
      ],
    );
    const inserted = base.replace('5\n', '5\nnew\n');
    assert.deepEqual(
      ['2', '3', '5', '6', '8', '9'].map((line) => relate(base, inserted, [edit(line, 'x')])),
      [
        'untouched',
        'next to the change',
        'next to the change',
        'next to the change',
        'next to the change',
        'untouched',
      ],
    );
    assert.equal(relate(base, changed, [edit('9', 'x'), edit('4', 'x')]), 'next to the change');
  });

  it('tells without the base only what the text now tells', () => {
    assert.equal(relate(undefined, moved, [edit('import Decimal', 'import *')]), 'untouched');
    assert.equal(relate(undefined, '', [edit('a', 'b')]), 'no longer applicable');
  });

  it('finds every edit untouched where nothing differs', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a\n', 'b\n', 'c d\n', '\n'), { maxLength: 9 }), (lines) => {
        const base = `${lines.join('')}only\n`;
        assert.equal(relate(base, base, [edit('only', 'x')]), 'untouched');
        assert.equal(relate(base, `${base}x\n`, [edit('only', 'y')]), 'next to the change');
        assert.equal(relate(base, base.replace('only', 'gone'), [edit('only', 'y')]), 'no longer applicable');
      }),
      { seed: 19, numRuns: 100 },
    );
  });
});

describe('relatePatch', () => {
  const base = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n';
  const hunk = '@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n';

  it('takes the context of a hunk as part of its text', () => {
    assert.equal(relateHunks(base, base.replace('c', 'C'), hunk), 'already present');
    assert.equal(relateHunks(base, base.replace('b', 'B'), hunk), 'no longer applicable');
    assert.equal(relateHunks(base, base.replace('f', 'F'), hunk), 'next to the change');
    assert.equal(relateHunks(base, base.replace('j', 'J'), hunk), 'untouched');
    assert.equal(relateHunks(undefined, base.replace('j', 'J'), hunk), 'untouched');
  });

  it('places a hunk without old lines by its line', () => {
    const insertion = '@@ -4,0 +5 @@\n+new\n';
    assert.equal(relateHunks(base, base.replace('e', 'E'), insertion), 'next to the change');
    assert.equal(relateHunks(base, base.replace('d\ne', 'x'), insertion), 'overlaps the change');
    assert.equal(relateHunks(base, base.replace('j', 'J'), insertion), 'untouched');
    assert.equal(relateHunks(base, base.replace('d\n', 'd\nnew\n'), insertion), 'already present');
  });
});

describe('relateWhole', () => {
  it('overlaps every change', () => {
    assert.equal(relateWhole('a\n', 'b\n', 'b\r\n'), 'already present');
    assert.equal(relateWhole('a\n', 'b\n', 'c\n'), 'overlaps the change');
    assert.equal(relateWhole(undefined, 'b\n', 'c\n'), 'overlaps the change');
    assert.equal(relateWhole('a\n', 'b\n', undefined), 'overlaps the change');
    assert.equal(relateWhole('a\n', 'a\n', 'c\n'), 'untouched');
  });
});

describe('relateWish', () => {
  it('relates each kind of wish in its own way', () => {
    const wishes = {
      edits: { kind: 'edits', replacements: [edit('a', 'x')] },
      patch: { kind: 'patch', patch: '@@ -1 +1 @@\n-a\n+x\n' },
      malformed: { kind: 'patch', patch: 'nonsense' },
      content: { kind: 'content', content: 'x\nb\nc\nd\ne\nf\n' },
      delete: { kind: 'delete' },
      nothing: { kind: 'nothing' },
    } as const;
    const related = (now: string) => Object.values(wishes).map((wish) => relateWish('a\nb\nc\nd\ne\nf\n', now, wish));
    assert.deepEqual(related('a\nb\nc\nd\ne\nF\n'), [
      'untouched',
      'untouched',
      'no longer applicable',
      'overlaps the change',
      'overlaps the change',
      'overlaps the change',
    ]);
    assert.deepEqual(related('x\nb\nc\nd\ne\nf\n').slice(0, 4), [
      'already present',
      'already present',
      'no longer applicable',
      'already present',
    ]);
  });

  it('finds a change in the innermost symbol around the edit next to it, however far away it is', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    const base = `${lines.join('\n')}\n`;
    const at = (line: number) => base.indexOf(`line ${line}\n`);
    const symbol = (name: string, first: number, last: number): CodeSymbol => ({
      name,
      rank: 'code',
      start: at(first),
      end: at(last + 1) - 1,
      nameStart: at(first),
      isBroken: false,
    });
    const symbols = [symbol('C', 0, 30), symbol('C.a', 2, 12), symbol('C.b', 15, 25)];
    const related = (line: number, changed: string, wish?: Wish) =>
      relateWish(
        base,
        base.replace(`line ${changed}`, 'changed'),
        wish ?? { kind: 'edits', replacements: [edit(`line ${line}\n`, 'new\n')] },
        () => ({ kind: 'known', symbols }),
      );
    assert.equal(related(3, '12\n'), 'next to the change');
    assert.equal(related(3, '13\n'), 'untouched', 'the innermost symbol of the edit is C.a');
    assert.equal(related(3, '20\n'), 'untouched', 'both are in C, but in different methods');
    assert.equal(related(29, '20\n'), 'next to the change', 'the edit is in C, and in no method');
    assert.equal(related(35, '20\n'), 'untouched', 'the edit is in no symbol');
    const patch = '@@ -4 +4 @@\n-line 3\n+new\n';
    assert.equal(related(3, '12\n', { kind: 'patch', patch }), 'next to the change');
    assert.equal(
      relateWish(base, base.replace('line 12\n', ''), { kind: 'patch', patch }, () => undefined),
      'untouched',
    );
  });
});
