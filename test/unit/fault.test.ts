import assert from 'node:assert/strict';
import type { Language } from '../../src/host/syntax/languages.ts';
import { grammars } from './support/grammars.ts';

/** What the parser says of a text, with the 1-based line in front. */
async function faultIn(language: Language, content: string): Promise<string> {
  await grammars.load(language);
  const soundness = grammars.soundness(language, content);
  return soundness.kind === 'broken'
    ? `${content.slice(0, soundness.fault.offset).split('\n').length}: ${soundness.fault.message}`
    : soundness.kind;
}

const CASES: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  python: {
    'def f(a):\n    return a\n': 'sound',
    '': 'sound',
    'def f(:\n    pass\n': '1: missing `)` for the `(` in line 1',
    'def f():\n    x = (1\n    return x\n': '2: missing `)` for this `(`',
    'def f():\n    return {"a": 1\n\ndef g():\n    pass\n': '2: missing `}` for this `{`',
    'x = [1, 2))\n': '1: unexpected `)`',
    'a = 1\n)\nb = 2\n': '2: unexpected `)`',
    'x = = 3\n': '1: unexpected `=`',
    'print("a\n': '1: missing `)` for this `(`',
    's = "a\n': '1: the text that starts with `"` has no end',
    'class A\n    pass\n': '1: the parser can make nothing of `class A…`',
  },
  typescript: {
    'const a: number = (1);\n': 'sound',
    'function f() {\n  if (a) {\n    b();\n}\nfunction g() {}\n': '5: missing `}` for the `{` in line 1',
    'f();\n}\n': '2: unexpected `}`',
    'const a = (1;\n': '1: missing `)` for the `(` in line 1',
    'const s = `abc\n': '1: the text that starts with "`" has no end',
    'class A { foo( { } }\n': '1: missing `)` for this `(`',
    'foo(1, 2\nbar()\n': '1: missing `)` for this `(`',
    'const = 3;': '1: the parser can make nothing of `const =`',
    'x => {': '1: missing `}` for this `{`',
  },
  tsx: {
    'const a = <div>{b}</div>;\n': 'sound',
    'const a = <div>{b</div>;\n': '1: missing `}` for this `{`',
  },
  javascript: {
    'const a = () => {};\n': 'sound',
    'const a = () => {;\n': '1: missing `}` for the `{` in line 1',
    'foo(': '1: missing `)` for this `(`',
  },
  go: {
    'package a\n\nfunc f() {}\n': 'sound',
    'package a\nfunc f( {\n}\n': '2: missing `)` for the `(` in line 2',
    'package a\nfunc f() {\n': '2: missing `}` for this `{`',
  },
  java: {
    'class A { void f() { int x = 1; } }': 'sound',
    'class A { void f() { int x = 1 } }': '1: missing `;`',
    'class A { void f() { } } }': '1: unexpected `}`',
    'class A {\n  void f() {\n}\n': '3: missing `}` for the `{` in line 1',
  },
  rust: {
    'fn f() { g(1); }': 'sound',
    'fn f() { g(1; }': '1: missing `)` for the `(` in line 1',
    'fn f() { let x = 1 }': '1: missing `;`',
    'fn f() {\n  let a = 1;\n': '1: missing `}` for this `{`',
  },
};

describe('What a parser says', () => {
  for (const [language, texts] of Object.entries(CASES)) {
    it(`of ${language} is exact and short`, async function () {
      this.timeout(30_000);
      const said: Record<string, string> = {};
      for (const text of Object.keys(texts)) {
        said[text] = await faultIn(language as Language, text);
      }
      assert.deepEqual(said, texts);
    });
  }

  it('counts lines as they are, whatever characters come before them', async () => {
    assert.equal(await faultIn('python', '# 😀 漢字\ns = "👩‍👩‍👧"\nx = (1\n'), '3: missing `)` for this `(`');
  });
});
