import assert from 'node:assert/strict';
import type { Language } from '../../src/host/syntax/languages.ts';
import { symbolsIn } from './support/grammars.ts';

/** Each symbol as its name, and the first and last line of what belongs to it. */
async function outlineOf(language: Language, content: string): Promise<Record<string, string>> {
  const outline: Record<string, string> = {};
  for (const { name, parameters, start, end } of await symbolsIn(language, content)) {
    const lines = content.slice(start, end).split('\n');
    const key = name in outline ? `${name}(${parameters ?? ''})` : name;
    outline[key] = lines.length === 1 ? (lines[0] ?? '') : `${lines[0]} … ${lines.at(-1)?.trim()}`;
  }
  return outline;
}

describe('Symbols', () => {
  before(function () {
    this.timeout(30_000);
  });

  it('of Python: nested functions, decorators, comments above, properties, constants', async () => {
    const content = `import os

LIMIT = 3  # the limit


# A header.

# About orders.
@dataclass
class Order:
    rate: int = 3

    @property
    def total(self):
        # inside
        def inner(x): return x
        return inner(1)

    # above the setter
    @total.setter

    def total(self, value):
        self.x = value  # behind

    async def load(self): ...

x = 1  # not about f
def f(a, b=(1, 2)):
    return a

double = lambda n: n * 2
if x:
    def g(): pass
`;
    assert.deepEqual(await outlineOf('python', content), {
      LIMIT: 'LIMIT = 3',
      Order: '# About orders. … async def load(self): ...',
      'Order.rate': 'rate: int = 3',
      'Order.total': '@property … return inner(1)',
      'Order.total.inner': '# inside … def inner(x): return x',
      'Order.total(self, value)': '# above the setter … self.x = value  # behind',
      'Order.load': 'async def load(self): ...',
      x: 'x = 1',
      f: 'def f(a, b=(1, 2)): … return a',
      double: 'double = lambda n: n * 2',
      g: 'def g(): pass',
    });
  });

  it('of TypeScript: overloads, generics, accessors, decorators, arrow functions, namespaces, signatures', async () => {
    const content = `// A header.

/** Doc of f. */
export function f(a: string): void;
export function f(a: number): void;
export function f(a: unknown) {}
/** Doc of arrow. */
export const arrow = <T,>(a: T): T => {
  const inner = () => 1;
  return a;
};
const one = 1, two = () => 2;
@decorated()
export class Order<T> extends Base {
  static #count = 0;
  handler = () => {};
  /** The total. */
  @memo()
  get total(): number { return 1; }
  set total(v: number) {}
  constructor(private a: number) { super(); }
  async *[Symbol.iterator]() {}
  #secret() {}
}
export abstract class Shape { abstract area(): number; }
namespace A.B {
  export function deep() {}
}
interface I { m(a: string): void; p: number }
type T = { a: 1 };
enum E { A, B = 2 }
declare module 'foo' { function q(): void; }
const api = { get() { return 1; }, post: () => 2, 'put-it': function () {} };
exports.thing = function () {};
export default () => { function inside() {} };
`;
    assert.deepEqual(await outlineOf('typescript', content), {
      f: '/** Doc of f. */ … export function f(a: string): void;',
      'f(a: number)': 'export function f(a: number): void;',
      'f(a: unknown)': 'export function f(a: unknown) {}',
      arrow: '/** Doc of arrow. */ … };',
      'arrow.inner': 'const inner = () => 1;',
      one: 'one = 1,',
      two: 'two = () => 2;',
      Order: '@decorated() … }',
      'Order.#count': 'static #count = 0;',
      'Order.handler': 'handler = () => {};',
      'Order.total': '/** The total. */ … get total(): number { return 1; }',
      'Order.total(v: number)': 'set total(v: number) {}',
      'Order.constructor': 'constructor(private a: number) { super(); }',
      'Order.[Symbol.iterator]': 'async *[Symbol.iterator]() {}',
      'Order.#secret': '#secret() {}',
      Shape: 'export abstract class Shape { abstract area(): number; }',
      'Shape.area': 'abstract area(): number;',
      'A.B': 'namespace A.B { … }',
      'A.B.deep': 'export function deep() {}',
      I: 'interface I { m(a: string): void; p: number }',
      'I.m': 'm(a: string): void;',
      'I.p': 'p: number',
      T: 'type T = { a: 1 };',
      'T.a': 'a: 1',
      E: 'enum E { A, B = 2 }',
      'E.A': 'A,',
      'E.B': 'B = 2',
      foo: "declare module 'foo' { function q(): void; }",
      'foo.q': 'function q(): void;',
      api: "const api = { get() { return 1; }, post: () => 2, 'put-it': function () {} };",
      'api.get': 'get() { return 1; },',
      'api.post': 'post: () => 2,',
      'api.put-it': "'put-it': function () {}",
      'exports.thing': 'exports.thing = function () {};',
      default: 'export default () => { function inside() {} };',
      'default.inside': 'function inside() {}',
    });
  });

  it('of TSX: components and their handlers', async () => {
    const content = `/** App. */
export function App({ a }: Props) {
  const onClick = () => {};
  return <div onClick={onClick}>{a}</div>;
}
export const Item = memo(() => <li/>);
`;
    assert.deepEqual(await outlineOf('tsx', content), {
      App: '/** App. */ … }',
      'App.onClick': 'const onClick = () => {};',
      Item: 'export const Item = memo(() => <li/>);',
    });
  });

  it('of JavaScript: classes, generators, functions of objects and prototypes', async () => {
    const content = `class A { @dec m() {} x = 1; y = () => 2; static s() {} get v() { return 1; } }
function* gen() {}
module.exports = { f() {}, g: async () => {} };
A.prototype.k = function (a) {};
var old = function () {};
`;
    assert.deepEqual(await outlineOf('javascript', content), {
      A: 'class A { @dec m() {} x = 1; y = () => 2; static s() {} get v() { return 1; } }',
      'A.m': '@dec m() {}',
      'A.x': 'x = 1;',
      'A.y': 'y = () => 2;',
      'A.s': 'static s() {}',
      'A.v': 'get v() { return 1; }',
      gen: 'function* gen() {}',
      f: 'f() {},',
      g: 'g: async () => {}',
      'A.prototype.k': 'A.prototype.k = function (a) {};',
      old: 'var old = function () {};',
    });
  });

  it('of Go: methods by their receiver, generic receivers, grouped types, fields', async () => {
    const content = `package main

// T is a thing.
type T struct {
	A int
}

type (
	U interface { M(a int) string }
	V = T
)

// m does.
// It does.
func (t *T) m(a int) {}
func (T) n() {}
func (g *G[K]) o() {}

// Limit limits.
const Limit = 3
var (
	// x is.
	x = 1
	y = func() {}
)

func Map[K any](k K) {
	f := func(a int) int { return a }
	f(1)
}
`;
    assert.deepEqual(await outlineOf('go', content), {
      T: '// T is a thing. … }',
      'T.A': 'A int',
      U: 'U interface { M(a int) string }',
      'U.M': 'M(a int) string',
      V: 'V = T',
      'T.m': '// m does. … func (t *T) m(a int) {}',
      'T.n': 'func (T) n() {}',
      'G.o': 'func (g *G[K]) o() {}',
      Limit: '// Limit limits. … const Limit = 3',
      x: '// x is. … x = 1',
      y: 'y = func() {}',
      Map: 'func Map[K any](k K) { … }',
      'Map.f': 'f := func(a int) int { return a }',
    });
  });

  it('of Java: overloads, annotations, inner and anonymous classes, records, constructors', async () => {
    const content = `package a;

/** Doc. */
@Entity
public class Order<T> {
    /** The rate. */
    private int rate = 3;
    int one, two;
    enum Kind { A, B; void k() {} }
    // ctor
    public Order(int rate) {}

    /** total */
    @Override
    public int total() { return 1; }
    public <K> int total(int a, List<K> b) { return 1; }

    static class Inner { void total() { new Runnable() { public void run() {} }; } }
    record P(int x, int y) { P { } }
    interface S { int q(); int C = 1; }
    @interface N { int v() default 1; }
}
`;
    assert.deepEqual(await outlineOf('java', content), {
      Order: '/** Doc. */ … }',
      'Order.rate': '/** The rate. */ … private int rate = 3;',
      'Order.one': 'one,',
      'Order.two': 'two;',
      'Order.Kind': 'enum Kind { A, B; void k() {} }',
      'Order.Kind.A': 'A,',
      'Order.Kind.B': 'B;',
      'Order.Kind.k': 'void k() {}',
      'Order.Order': '// ctor … public Order(int rate) {}',
      'Order.total': '/** total */ … public int total() { return 1; }',
      'Order.total(int a, List<K> b)': 'public <K> int total(int a, List<K> b) { return 1; }',
      'Order.Inner': 'static class Inner { void total() { new Runnable() { public void run() {} }; } }',
      'Order.Inner.total': 'void total() { new Runnable() { public void run() {} }; }',
      'Order.Inner.total.run': 'public void run() {}',
      'Order.P': 'record P(int x, int y) { P { } }',
      'Order.P.P': 'P { }',
      'Order.S': 'interface S { int q(); int C = 1; }',
      'Order.S.q': 'int q();',
      'Order.S.C': 'int C = 1;',
      'Order.N': '@interface N { int v() default 1; }',
      'Order.N.v': 'int v() default 1;',
    });
  });

  it('of Rust: methods by their type, traits, attributes, doc comments, modules', async () => {
    const content = `//! Crate.
use std::fmt;

/// A T.
#[derive(Debug)]
pub struct T<K> { pub b: K }

impl<K> T<K> {
    /// m doc
    #[inline]

    pub fn m(&self, n: u8) -> u8 { fn inner() {} n }
}
impl<K> fmt::Display for T<K> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}
mod tests { use super::*; #[test] fn works() {} }
trait Area { const X: u8; fn area(&self) -> u8; fn twice(&self) -> u8 { 2 } }
enum E { A, B(u8) }
macro_rules! hey { () => {} }
fn main() { let c = |x: u8| x + 1; }
`;
    assert.deepEqual(await outlineOf('rust', content), {
      T: '/// A T. … pub struct T<K> { pub b: K }',
      'T.b': 'pub b: K',
      'impl T<K>': 'impl<K> T<K> { … }',
      'T.m': '/// m doc … pub fn m(&self, n: u8) -> u8 { fn inner() {} n }',
      'T.m.inner': 'fn inner() {}',
      'impl fmt::Display for T<K>': 'impl<K> fmt::Display for T<K> { … }',
      'T.fmt': 'fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }',
      tests: 'mod tests { use super::*; #[test] fn works() {} }',
      'tests.works': '#[test] fn works() {}',
      Area: 'trait Area { const X: u8; fn area(&self) -> u8; fn twice(&self) -> u8 { 2 } }',
      'Area.X': 'const X: u8;',
      'Area.area': 'fn area(&self) -> u8;',
      'Area.twice': 'fn twice(&self) -> u8 { 2 }',
      E: 'enum E { A, B(u8) }',
      'E.A': 'A,',
      'E.B': 'B(u8)',
      hey: 'macro_rules! hey { () => {} }',
      main: 'fn main() { let c = |x: u8| x + 1; }',
      'main.c': 'let c = |x: u8| x + 1;',
    });
  });

  it('stand at UTF-16 offsets, whatever characters come before them', async () => {
    const content = '# 😀 漢字 é\ns = "👩‍👩‍👧 漢"\n\n\ndef größe(x): return "😀"\n';
    const symbols = await symbolsIn('python', content);
    assert.deepEqual(
      symbols.map(({ name, start, end }) => [name, content.slice(start, end)]),
      [
        ['s', '# 😀 漢字 é\ns = "👩‍👩‍👧 漢"'],
        ['größe', 'def größe(x): return "😀"'],
      ],
    );
  });

  it('are not sure where the text around them does not parse', async () => {
    const content = 'def whole():\n    return 1\n\ndef torn():\n    x = (1\n    return x\n';
    const symbols = await symbolsIn('python', content);
    assert.deepEqual(
      symbols.map(({ name, isBroken }) => [name, isBroken]),
      [
        ['whole', false],
        ['torn', true],
      ],
    );
  });
});
