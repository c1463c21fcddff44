import assert from 'node:assert/strict';
import { type CodeSymbol, MAX_NAMES, resolveSymbol } from '../../src/core/symbols.ts';

/** One symbol for each line, as `name`, `name(parameters)` or `name = value` for a value. */
function symbolsOf(...lines: readonly string[]): { content: string; symbols: CodeSymbol[] } {
  const content = lines.join('\n');
  let start = 0;
  const symbols = lines.map((line): CodeSymbol => {
    const { name = line, parameters } =
      /^(?<name>[^(=]*?)(?:\((?<parameters>.*)\))?(?: = .*)?$/.exec(line)?.groups ?? {};
    const symbol: CodeSymbol = {
      name,
      ...(parameters === undefined ? {} : { parameters }),
      rank: line.includes(' = ') ? 'data' : 'code',
      start,
      end: start + line.length,
      nameStart: start,
      isBroken: false,
    };
    start += line.length + 1;
    return symbol;
  });
  return { content, symbols };
}

/** What a name leads to: the line of the symbol, or all of them, or the nearest names. */
function resolved(wanted: string, ...lines: readonly string[]): string | readonly string[] {
  const { content, symbols } = symbolsOf(...lines);
  const resolution = resolveSymbol(content, symbols, wanted);
  const lineOf = ({ start, end }: CodeSymbol) => content.slice(start, end);
  switch (resolution.kind) {
    case 'found':
      return lineOf(resolution.symbol);
    case 'ambiguous':
      return resolution.symbols.map(lineOf);
    case 'absent':
      return ['absent', ...resolution.nearest];
  }
}

describe('A name of a symbol', () => {
  it('is its qualified name, or the end of one that only one symbol has', () => {
    const lines = ['Order', 'Order.total()', 'Cart.total()', 'Cart.sum()'];
    assert.equal(resolved('Order.total', ...lines), 'Order.total()');
    assert.equal(resolved('sum', ...lines), 'Cart.sum()');
    assert.deepEqual(resolved('total', ...lines), ['Order.total()', 'Cart.total()']);
    assert.equal(resolved('a.Order.total', 'x.a.Order.total()', 'b.Order.total()'), 'x.a.Order.total()');
  });

  it('leads to the symbol that has exactly that name before one that ends with it', () => {
    assert.equal(resolved('Order', 'Order', 'Order.Order(int rate)'), 'Order');
    assert.equal(resolved('Order.Order', 'Order', 'Order.Order(int rate)'), 'Order.Order(int rate)');
    assert.equal(resolved('total', 'total()', 'Order.total()'), 'total()');
  });

  it('leads to functions and classes before values', () => {
    assert.equal(resolved('handler', 'handler(x)', 'handler = wrap(handler)'), 'handler(x)');
    assert.equal(resolved('LIMIT', 'LIMIT = 3'), 'LIMIT = 3');
  });

  it('is not cut inside a word', () => {
    assert.deepEqual(resolved('otal', 'total()'), ['absent', 'total']);
    assert.deepEqual(resolved('', 'total()'), ['absent', 'total']);
  });

  it('tells overloads apart by their parameters, types or names', () => {
    const lines = ['A.f()', 'A.f(int a)', 'A.f(String a, List<Map<String, Integer>> b)', 'A.f(a: number)'];
    assert.equal(resolved('A.f(int)', ...lines), 'A.f(int a)');
    assert.equal(resolved('f(String, List< Map<String,Integer> >)', ...lines), lines[2]);
    assert.equal(resolved('f()', ...lines), 'A.f()');
    assert.equal(resolved('f(number)', ...lines), 'A.f(a: number)');
    assert.deepEqual(resolved('f(a)', ...lines), ['A.f(int a)', 'A.f(a: number)']);
    assert.deepEqual(resolved('f(char)', ...lines), lines);
    assert.equal(resolved('f(x)', 'f(self, x)', 'f(self)'), 'f(self, x)');
    assert.equal(resolved('m(u8)', "T.m(&'a mut self, n: u8)", 'T.m(&self)'), "T.m(&'a mut self, n: u8)");
    assert.equal(resolved('g((x) => void, n)', 'g(a: (x) => void, n)', 'g(n)'), 'g(a: (x) => void, n)');
  });

  it('may have empty brackets where it has no overloads', () => {
    assert.equal(resolved('apply_discount()', 'apply_discount(price, rate)'), 'apply_discount(price, rate)');
    assert.deepEqual(resolved('apply(a)', 'apply(price, rate)'), ['apply(price, rate)']);
  });

  it('tells any others apart by one of their lines', () => {
    assert.equal(resolved('f@2', 'f()', 'f(x)'), 'f(x)');
    assert.deepEqual(resolved('f@7', 'f()', 'f(x)'), ['f()', 'f(x)']);
    assert.equal(resolved('Order.total@1', 'Order.total()', 'Order.total()'), 'Order.total()');
  });

  it('takes the spellings of Rust and Go', () => {
    assert.equal(resolved('a::T::m', 'a.T.m()'), 'a.T.m()');
    assert.equal(resolved('(*T).m', 'T.m()', 'U.m()'), 'T.m()');
    assert.equal(resolved('(T).m(int)', 'T.m(int)', 'U.m()'), 'T.m(int)');
  });

  it('may hold anything that an extension of the editor calls a symbol', () => {
    assert.equal(resolved('1.2 Setup', 'Guide', 'Guide.1.2 Setup'), 'Guide.1.2 Setup');
    assert.equal(resolved('.a > .b', '.a > .b', '.b'), '.a > .b');
  });

  it('that nothing has leads to the most similar ones, few and each once', () => {
    assert.deepEqual(resolved('Order.totals', 'Order', 'Cart.sum()', 'Order.total()', 'Order.total(x)').slice(0, 2), [
      'absent',
      'Order.total',
    ]);
    const many = Array.from({ length: 100 }, (_, index) => `f${index}()`);
    assert.equal(resolved('nothing', ...many).length, 1 + MAX_NAMES);
  });
});
