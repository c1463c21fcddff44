import assert from 'node:assert/strict';
import fc from 'fast-check';
import { locate, type Replacement } from '../../src/core/match.ts';
import type { Nearest } from '../../src/core/nearest.ts';
import { parseText } from '../../src/core/text.ts';

const plenty = { maxMs: 1_000, now: () => 0 };

function edit(oldText: string, newText: string, more: Partial<Replacement> = {}): Replacement {
  return { oldText, newText, replaceAll: false, ...more };
}

function nearest(before: string, oldText: string): Nearest {
  const location = locate(parseText(before), [edit(oldText, 'x')], plenty);
  assert.ok(
    location.status === 'not_found' && location.nearest && 'line' in location.nearest,
    JSON.stringify(location),
  );
  return location.nearest;
}

describe('the nearest place', () => {
  const source =
    'def f(x):\n\tif x:\n\t\treturn “it’s”   \n\n    rate = Decimal("0.20")\n    if a &lt; b: pass\ncafé\u00a0– done\n';

  it('names tabs, indentation and other blanks', () => {
    assert.deepEqual(nearest(source, '    if x:\n        return'), {
      line: 2,
      text: '\tif x:\n\t\treturn',
      differs: ['tabs against spaces'],
    });
    assert.deepEqual(nearest(source, '\n  rate = Decimal("0.20")\n').differs, ['indentation']);
    assert.deepEqual(nearest(source, '“it’s”\n\n').differs, ['trailing blanks']);
    assert.deepEqual(nearest(source, 'rate=Decimal("0.20")').differs, ['blanks inside a line']);
    assert.deepEqual(nearest(source, '“it’s”   \n    rate').differs, ['blank lines']);
    assert.deepEqual(nearest(source, 'if a &lt; b:\n    pass').differs, ['line breaks']);
  });

  it('names characters with their code points', () => {
    assert.deepEqual(nearest(source, 'return "it’s"').differs, ['quotes (“ U+201C there, " U+0022 in old_string)']);
    assert.deepEqual(nearest(source, 'Rate =').differs, ['letter case (r U+0072 there, R U+0052 in old_string)']);
    assert.deepEqual(nearest(source, 'café\u00a0- done').differs, ['dashes (– U+2013 there, - U+002D in old_string)']);
    assert.deepEqual(nearest(source, 'café – done').differs, ['kinds of blanks (U+00A0 there, U+0020 in old_string)']);
    assert.deepEqual(nearest('a\u200bb\n', 'ab').differs, [
      'invisible characters (U+200B there, b U+0062 in old_string)',
    ]);
    assert.deepEqual(nearest(source, 'cafe\u0301').differs, ['Unicode normalisation']);
    assert.deepEqual(nearest('say e\u0301\n', 'é'), { line: 1, text: 'e\u0301', differs: ['Unicode normalisation'] });
  });

  it('names what models escape or copy along', () => {
    assert.deepEqual(nearest(source, 'if a < b: pass').differs, ['HTML entities']);
    assert.deepEqual(nearest('say &#39;a&#39; &quot;b&quot;\n', `say 'a' "b"`).differs, ['HTML entities']);
    assert.deepEqual(nearest('if a &lt;b\n', 'a <'), { line: 1, text: 'a &lt;', differs: ['HTML entities'] });
    assert.deepEqual(nearest(source, 'Decimal(\\"0.20\\")').differs, ['backslashes']);
    assert.deepEqual(nearest('a\nb\n', 'a\\nb').differs, ['backslashes', 'line breaks']);
    assert.deepEqual(nearest(source, '1\tdef f(x):\n2\t\tif x:').differs, ['line numbers in old_string']);
    assert.deepEqual(nearest('a\nb\n', 'a\rb'), { line: 1, text: 'a\nb', differs: ['line ending'] });
  });

  it('is the most similar place where something else differs', () => {
    assert.deepEqual(nearest(source, 'rate = Decimal("0.25")'), {
      line: 5,
      text: '    rate = Decimal("0.20")',
      differs: ['similar'],
    });
    assert.equal(nearest('a = 1\nb = 2\nfoo()\nbar()\n\nfoo()\nqux()\n', 'foo()\nbar(1)\n\nfoo()').line, 3);
  });

  it('is the occurrence that does not count, where there is one', () => {
    assert.deepEqual(nearest('a\n😀b', '\ude00b'), { line: 2, text: '😀b', differs: ['splits a character'] });
    const elsewhere = locate(parseText('a\nx\n'), [edit('x', 'y', { line: 1 })]);
    assert.ok(elsewhere.status === 'not_found');
    assert.deepEqual(elsewhere.nearest, { line: 2, text: 'x', differs: ['line number'] });
  });

  it('is not looked for without a budget', () => {
    assert.deepEqual(locate(parseText(source), [edit('Rate =', 'x')]), { status: 'not_found', editIndex: 0 });
  });

  it('is left out where nothing is like it', () => {
    const location = locate(parseText(source), [edit('nothing of the kind', 'x')], plenty);
    assert.deepEqual(location, { status: 'not_found', editIndex: 0 });
    assert.deepEqual(locate(parseText(''), [edit('a', 'x')], plenty), { status: 'not_found', editIndex: 0 });
    assert.deepEqual(locate(parseText('a\n'), [edit('\n\n', 'x')], plenty), { status: 'not_found', editIndex: 0 });
  });

  it('is skipped, and says so, for huge lines, huge texts and when time is up', () => {
    const skipped = (before: string, oldText: string, now = () => 0): string => {
      const location = locate(parseText(before), [edit(oldText, 'x')], { maxMs: 50, now });
      assert.ok(location.status === 'not_found' && location.nearest && 'skipped' in location.nearest);
      return location.nearest.skipped;
    };
    assert.match(skipped(`x=[${'0,'.repeat(20_000)}]`, '0,O,'), /lines of more than 5000/);
    assert.match(skipped(`x=[${'0,'.repeat(20_000)}1]`, '0, 1'), /lines of more than 5000/);
    assert.match(skipped('a\n', 'b'.repeat(30_000)), /30000/);
    let time = 0;
    assert.match(
      skipped('abcdef\n'.repeat(100_000), 'nothing', () => (time += 30)),
      /time/,
    );
  });

  it('gives a text of bounded length', () => {
    const before = `${'x'.repeat(4_000)} Y\n`;
    assert.ok(nearest(before, `${'x'.repeat(4_000)} y`).text.length <= 401);
  });

  it('never moves an edit', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), fc.string({ maxLength: 30 }), (oldText, before) => {
        const location = locate({ content: before, endings: '\n' }, [edit(oldText, '')], plenty);
        assert.ok(location.status !== 'located' || before.includes(oldText));
      }),
      { seed: 5, numRuns: 200 },
    );
  });
});
