import assert from 'node:assert/strict';
import fc from 'fast-check';
import { judge } from '../../src/core/gate.ts';
import { isInvalid, parseEditCall } from '../../src/core/input.ts';
import { guardSymbol, type SymbolRefusal } from '../../src/core/symbolGuard.ts';
import type { Outliner } from '../../src/core/syntax.ts';
import { applySpans, parseText, type Span, type Text } from '../../src/core/text.ts';
import type { Language } from '../../src/host/syntax/languages.ts';
import { grammars } from './support/grammars.ts';
import { stateOf } from './support/states.ts';

/** What the guard says of replacements in a raw text. */
async function guarded(
  language: Language,
  symbol: string,
  raw: string,
  replacements: Readonly<Record<string, string>> | object,
  outlineOf?: Outliner,
): Promise<SymbolRefusal | undefined> {
  await grammars.loadSymbols(language);
  const wish = !['edits', 'patch', 'content'].some((key) => key in replacements)
    ? { edits: Object.entries(replacements).map(([old_string, new_string]) => ({ old_string, new_string })) }
    : replacements;
  const state = stateOf(raw);
  const call = parseEditCall({ files: [{ path: 'f', base: `sha256:${state.base?.disk}`, symbol, ...wish }] });
  assert.ok('entries' in call, JSON.stringify(call));
  const [request] = call.entries;
  assert.ok(request && !isInvalid(request), JSON.stringify(request));
  const verdict = judge(request, 'f', state, '\n', { maxMs: 50, now: () => 0 });
  assert.equal(verdict.kind, 'accepted', JSON.stringify(verdict));
  const { content }: Text = parseText(raw);
  return guardSymbol(symbol, content, verdict.candidate, outlineOf ?? ((text) => grammars.outline(language, text)));
}

const PYTHON = `import os

# About one.
@cached
def one(a):
    """Doc."""
    return a

def two(b):
    x = b
    return x


class Order:
    rate = 3

    def total(self):
        return 1

class Cart:
    def total(self):
        return 2
`;

const SCRIPT = `/** One. */
export function one(a) {
  return a;
}

function two(b) {
  return b;
}
`;

async function assertInside(...args: Parameters<typeof guarded>): Promise<void> {
  assert.equal(await guarded(...args), undefined);
}

async function assertOutside(
  ...args: Parameters<typeof guarded>
): Promise<Extract<SymbolRefusal, { status: 'symbol_mismatch' }>> {
  const refusal = await guarded(...args);
  assert.equal(refusal?.status, 'symbol_mismatch', JSON.stringify(refusal));
  return refusal;
}

describe('The symbol guard', () => {
  before(function () {
    this.timeout(30_000);
  });

  it('lets an edit pass that lands in the body, the signature, a decorator or a comment of its symbol', async () => {
    for (const replacements of [
      { 'return a': 'return a + 1' },
      { 'def one(a)': 'def one(a, c=1)' },
      { '@cached': '@cached(1)' },
      { '# About one.': '# About the first one.' },
      { '"""Doc."""': '"""More doc."""' },
      { 'return a': 'return a + 1', '# About one.\n@cached\n': '' },
    ]) {
      await assertInside('python', 'one', PYTHON, replacements);
    }
    await assertInside('python', 'Order.total', PYTHON, {
      edits: [{ old_string: 'return 1', new_string: 'return 3' }],
    });
  });

  it('refuses an edit that lands elsewhere, with the lines of both and what is there', async () => {
    assert.deepEqual(await guarded('python', 'one', PYTHON, { 'x = b': 'x = b + 1' }), {
      status: 'symbol_mismatch',
      symbol: 'one',
      symbolLines: [3, 7],
      editLines: [[10, 10]],
      reason: 'line 10 is not part of one; it is part of two',
    });
    const both = await assertOutside('python', 'one', PYTHON, { 'return a': 'return 0', 'import os': 'import sys' });
    assert.deepEqual(both.editLines, [
      [1, 1],
      [7, 7],
    ]);
    assert.equal(both.reason, 'line 1 is not part of one');
  });

  it('refuses a replacement of every occurrence where one stands elsewhere', async () => {
    const edits = [{ old_string: 'return', new_string: 'yield', replace_all: true }];
    assert.equal((await assertOutside('python', 'one', PYTHON, { edits })).editLines.length, 4);
  });

  it('counts only what an edit changes, not what it quotes', async () => {
    await assertInside('python', 'two', PYTHON, {
      '    return a\n\ndef two(b):\n    x = b\n': '    return a\n\ndef two(b):\n    x = c\n',
    });
  });

  it('holds patches and whole contents to it, too', async () => {
    await assertInside('python', 'two', PYTHON, { content: PYTHON.replace('x = b', 'x = c') });
    await assertOutside('python', 'one', PYTHON, { content: PYTHON.replace('x = b', 'x = c') });
    const patch = '@@ -9,3 +9,3 @@\n def two(b):\n-    x = b\n+    x = c\n     return x\n';
    await assertInside('python', 'two', PYTHON, { patch });
    await assertOutside('python', 'one', PYTHON, { patch });
  });

  it('takes text at an edge for inside where it becomes part of the symbol', async () => {
    await assertInside('python', 'one', PYTHON, { '    return a\n': '    log(a)\n    return a\n    more()\n' });
    await assertInside('python', 'two', PYTHON, { 'def two(b)': '@timed\ndef two(b)' });
    await assertInside('python', 'two', PYTHON, { 'def two(b)': '# About two.\ndef two(b)' });
    await assertInside('python', 'Cart', PYTHON, {
      '        return 2\n': '        return 2\n\n    def more(self): pass\n',
    });
    await assertInside('javascript', 'two', SCRIPT, { 'function two': '/** Two. */\nfunction two' });
    await assertInside('javascript', 'one', SCRIPT, { 'export function one': 'export async function one' });
  });

  it('takes text at an edge for outside where it becomes something else', async () => {
    const refusal = await assertOutside('python', 'one', PYTHON, {
      '    return a\n': '    return a\n\ndef extra():\n    pass\n',
    });
    assert.equal(refusal.reason, 'the new text at line 8 would not be part of one');
    await assertOutside('python', 'two', PYTHON, { 'def two(b)': 'def extra(): pass\n\ndef two(b)' });
    await assertOutside('python', 'two', PYTHON, { 'def two(b)': '# Detached.\n\ndef two(b)' });
    await assertOutside('python', 'Cart.total', PYTHON, { '        return 2\n': '        return 2\n    x = 1\n' });
    await assertOutside('javascript', 'one', SCRIPT, { '  return a;\n}': '  return a;\n}\nfunction extra() {}' });
    await assertOutside('javascript', 'one', SCRIPT, { '  return a;\n': '  return a;\n}\nfunction extra() {\n' });
  });

  it('lets blanks around a symbol come and go', async () => {
    await assertInside('python', 'two', PYTHON, { '    return x\n\n\n': '    return x\n\n' });
    await assertInside('python', 'two', PYTHON, { 'def two(b)': '\n\ndef two(b)' });
    await assertInside('python', 'two', PYTHON, { 'def two(b):\n    x = b\n    return x\n\n\n': '' });
  });

  it('does not let the indentation of what follows a symbol be changed for its sake', async () => {
    const source = 'class Cart:\n    def total(self):\n        return 2\n\n    def next(self):\n        return 3\n';
    await assertOutside('python', 'Cart.total', source, { '\n    def next': '\ndef next' });
  });

  it('lets a symbol be renamed or replaced as a whole', async () => {
    await assertInside('python', 'two', PYTHON, { 'def two(b)': 'def deux(b)' });
    await assertInside('python', 'two', PYTHON, { 'def two(b):\n    x = b\n    return x\n': 'def two(c): return c\n' });
  });

  it('goes by the text before alone where the text after does not parse', async () => {
    await assertInside('python', 'two', PYTHON, { 'x = b': 'x = (b' });
    await assertOutside('python', 'one', PYTHON, { 'x = b': 'x = (b' });
  });

  it('tells symbols of one name apart, and refuses a name that several have, with the lines of each', async () => {
    assert.deepEqual(await guarded('python', 'total', PYTHON, { 'return 1': 'return 3' }), {
      status: 'symbol_not_found',
      symbol: 'total',
      reason: '2 symbols go by "total"',
      candidates: [
        { symbol: 'Order.total@17', lines: [17, 18] },
        { symbol: 'Cart.total@21', lines: [21, 22] },
      ],
    });
    await assertInside('python', 'Order.total@17', PYTHON, { 'return 1': 'return 3' });
    await assertInside('python', 'Order.total', PYTHON, { 'return 1': 'return 3' });
    await assertOutside('python', 'Cart.total', PYTHON, { 'return 1': 'return 3' });
  });

  it('tells overloads apart', async () => {
    const java = 'class A {\n  int f(int a) { return 1; }\n  int f(String a) { return 2; }\n}\n';
    await assertInside('java', 'A.f(int)', java, { 'return 1': 'return 3' });
    await assertOutside('java', 'A.f(String)', java, { 'return 1': 'return 3' });
    await assertOutside('java', 'f@3', java, { 'return 1': 'return 3' });
    assert.equal((await guarded('java', 'A.f', java, { 'return 1': 'return 3' }))?.status, 'symbol_not_found');
    // The edited one stays the same one when another is put before it.
    await assertInside('java', 'A.f(int)', java, { 'int a) { return 1': 'int a, int b) { return 3' });
  });

  it('knows methods by their type in Go and Rust, and members of namespaces in TypeScript', async () => {
    await assertInside('go', 'T.m', 'package a\n\nfunc (t *T) m() {\n\tx()\n}\n', { 'x()': 'y()' });
    await assertInside('go', '(*T).m', 'package a\n\nfunc (t *T) m() {\n\tx()\n}\n', { 'x()': 'y()' });
    await assertInside('rust', 'T::m', 'impl T {\n    fn m() { x() }\n}\n', { 'x()': 'y()' });
    await assertInside('typescript', 'A.f', 'namespace A {\n  export const f = () => 1;\n}\n', { '=> 1': '=> 2' });
    await assertInside(
      'tsx',
      'App.onClick',
      'const App = () => {\n  const onClick = () => a();\n  return <b/>;\n};\n',
      {
        'a()': 'b()',
      },
    );
  });

  it('lists the symbols there are, the most similar first', async () => {
    const refusal = await guarded('python', 'Order.totals', PYTHON, { 'return 1': 'return 3' });
    assert.equal(refusal?.status, 'symbol_not_found');
    assert.deepEqual(refusal.known?.slice(0, 2), ['Order.total', 'Cart.total']);
    assert.equal(refusal.reason, 'no symbol of the file goes by "Order.totals"');
  });

  it('does not guess where the text does not parse', async () => {
    const torn = 'def whole():\n    return 1\n\ndef torn():\n    x = (1\n    return x\n';
    await assertInside('python', 'whole', torn, { 'return 1': 'return 2' });
    const refusal = await guarded('python', 'torn', torn, { 'x = (1': 'x = (1)' });
    assert.equal(refusal?.status, 'symbol_not_found');
    assert.match(refusal.reason, /does not parse in or around torn/);
    assert.match((await guarded('python', 'nothing', torn, { 'return 1': 'return 2' }))?.reason ?? '', /do not parse/);
  });

  it('does not guess where nobody can tell', async () => {
    const refusal = await guarded('python', 'one', PYTHON, { 'return a': 'return 0' }, () => ({
      kind: 'unknown',
      reason: 'it takes too long',
    }));
    assert.deepEqual(refusal, { status: 'symbol_not_found', symbol: 'one', reason: 'it takes too long' });
  });

  it('refuses text at the very edge where only the text before is known', async () => {
    const before = await grammars.loadSymbols('python').then(() => grammars.outline('python', PYTHON));
    const once: Outliner = (text) => (text === PYTHON ? before : { kind: 'unknown', reason: 'another text' });
    await assertInside('python', 'one', PYTHON, { 'return a': 'return 0' }, once);
    await assertInside('python', 'one', PYTHON, { '    return a': '    log()\n    return a' }, once);
    const refusal = await assertOutside('python', 'one', PYTHON, { 'return a': 'return a + 1' }, once);
    assert.match(refusal.reason, /at the very edge of one, and nobody can tell/);
  });

  it('lets nothing outside of a symbol change but blanks, whatever the edits are', async () => {
    const symbols = await grammars.loadSymbols('python').then(() => grammars.outline('python', PYTHON));
    assert.equal(symbols.kind, 'known');
    const names = symbols.symbols.map(({ name }) => name);
    const piece = fc.constantFrom(
      '',
      ' ',
      '\n',
      'x',
      'x = 1\n',
      '    y()\n',
      'def z(): pass\n',
      '@d\n',
      '# c\n',
      '(',
      '\n\n',
    );
    const span = fc.tuple(fc.nat(PYTHON.length), fc.nat(30), fc.array(piece, { maxLength: 3 }));
    let passed = 0;
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.array(span, { minLength: 1, maxLength: 3 }), (name, raw) => {
        const spans: Span[] = [];
        let from = 0;
        for (const [at, length, text] of raw.toSorted(([one], [other]) => one - other)) {
          const start = Math.max(at, from);
          const end = Math.min(start + length, PYTHON.length);
          if (start <= end) {
            spans.push({ start, end, text: text.join('') });
            from = end + 1;
          }
        }
        const text = applySpans(parseText(PYTHON), spans, '\n');
        const refusal = guardSymbol(name, PYTHON, { spans, text }, (content) => grammars.outline('python', content));
        const symbol = symbols.symbols.find((one) => one.name === name);
        if (refusal === undefined && symbol) {
          passed += 1;
          assert.ok(text.content.startsWith(PYTHON.slice(0, symbol.start).trimEnd()), JSON.stringify(spans));
          assert.ok(text.content.endsWith(PYTHON.slice(symbol.end).trimStart()), JSON.stringify(spans));
        }
      }),
      { numRuns: 2_000 },
    );
    assert.ok(passed > 20, `only ${passed} edits passed`);
  }).timeout(30_000);

  it('is right with CRLF, and characters of any width and of none', async () => {
    const raw =
      '# \uFEFF 😀 漢字\r\nimport os\r\n\r\n# 👩‍👩‍👧 about\r\ndef größe(x):\r\n    y = "😀"\r\n    return y\r\n\r\ndef zwei():\r\n    return "漢"\r\n';
    await assertInside('python', 'größe', raw, { 'y = "😀"': 'y = "😀😀"', '# 👩‍👩‍👧 about': '# about' });
    await assertInside('python', 'größe', raw, { '    return y\n': '    return y\n    # 漢\n    more()\n' });
    const refusal = await assertOutside('python', 'größe', raw, { 'return "漢"': 'return "字"' });
    assert.deepEqual([refusal.symbolLines, refusal.editLines], [[4, 7], [[10, 10]]]);
  });
});
