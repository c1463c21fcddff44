import assert from 'node:assert/strict';
import type { SyntaxGate } from '../../src/core/syntax.ts';
import { PlainSyntax } from './support/plainSyntax.ts';
import { assertStatus, Story } from './support/story.ts';

const PYTHON = 'def one():\n    return 1\n\ndef two():\n    return 2\n';

/** A story whose grammars are real. */
function storyWith(
  files: Readonly<Record<string, string>>,
  gate: SyntaxGate = 'warn',
  syntax = new PlainSyntax(),
): { story: Story; syntax: PlainSyntax } {
  syntax.gate = gate;
  return { story: new Story(files, {}, { syntax }), syntax };
}

describe('An entry with a symbol', () => {
  before(function () {
    this.timeout(30_000);
  });

  it('lands inside it', async () => {
    const { story } = storyWith({ 'f.py': PYTHON });
    const a = story.agent('a');
    await a.reads('f.py');
    assertStatus(await a.edits('f.py', { 'return 2': 'return 3' }, { symbol: 'two' }), 'applied');
    assert.equal(story.disk.text('f.py'), PYTHON.replace('return 2', 'return 3'));
  });

  it('is refused with the lines of both where it lands elsewhere, and nothing is touched', async () => {
    const { story } = storyWith({ 'f.py': PYTHON });
    const a = story.agent('a');
    await a.reads('f.py');
    const result = await a.edits('f.py', { 'return 1': 'return 3' }, { symbol: 'two' });
    assert.deepEqual(result, {
      status: 'symbol_mismatch',
      path: 'f.py',
      symbol: 'two',
      symbol_lines: [4, 5],
      edit_lines: [[2, 2]],
      reason: 'line 2 is not part of two; it is part of one',
      next: result['next'],
    });
    assert.match(String(result.next), /nothing was touched; .*leave `symbol` out/);
    assert.equal(story.disk.text('f.py'), PYTHON);
    assert.equal(story.documents.undoSteps('f.py'), 0);
    const [conflict] = story.arbiter.conflicts.open;
    assert.equal(conflict?.status, 'symbol_mismatch');
    assert.equal(conflict.reason, result.reason);
  });

  it('is refused with the known names where there is no such symbol, the most similar first', async () => {
    const { story } = storyWith({ 'f.py': PYTHON });
    const a = story.agent('a');
    await a.reads('f.py');
    const result = await a.edits('f.py', { 'return 1': 'return 3' }, { symbol: 'tow' });
    assertStatus(result, 'symbol_not_found');
    assert.deepEqual(result['known_symbols'], ['two', 'one']);
    assert.match(String(result.next), /name one of `known_symbols`/);
  });

  it('is refused with all that have its name where there are several', async () => {
    const { story } = storyWith({ 'f.js': 'class A { f() {} }\nclass B { f() {} }\n' });
    const a = story.agent('a');
    await a.reads('f.js');
    const edit = { edits: [{ old_string: 'f() {}', new_string: 'f() { x(); }', line: 2 }] };
    const result = await a.edits('f.js', {}, { ...edit, symbol: 'f' });
    assertStatus(result, 'symbol_not_found');
    assert.deepEqual(result['candidates'], [
      { symbol: 'A.f@1', lines: [1, 1] },
      { symbol: 'B.f@2', lines: [2, 2] },
    ]);
    assertStatus(await a.edits('f.js', {}, { ...edit, symbol: 'B.f@2' }), 'applied');
  });

  it('is stale first, and sent again by reflex next, whatever its symbol is', async () => {
    const { story } = storyWith({ 'f.py': PYTHON });
    const a = story.agent('a');
    await a.reads('f.py');
    story.disk.writes('f.py', `${PYTHON}\nx = 1\n`);
    const stale = await a.edits('f.py', { 'return 1': 'return 3' }, { symbol: 'two' });
    assertStatus(stale, 'stale_base');
    const again = await a.edits('f.py', { 'return 1': 'return 3' }, { base: stale.actual, symbol: 'two' });
    assertStatus(again, 'unconsidered_retry');
  });

  it('goes by what the editor tells of the very text where there is no grammar', async () => {
    const { story, syntax } = storyWith({ 'a.css': '.a { x: 1 }\n.b { x: 2 }\n' });
    const text = '.a { x: 1 }\n.b { x: 2 }\n';
    const common = { rank: 'code', isBroken: false } as const;
    syntax.editorSymbols = (content) =>
      content === text
        ? {
            kind: 'known',
            symbols: [
              { ...common, name: '.a', start: 0, end: 11, nameStart: 0 },
              { ...common, name: '.b', start: 12, end: 23, nameStart: 12 },
            ],
          }
        : { kind: 'unknown', reason: 'the editor has symbols of another text' };
    const a = story.agent('a');
    await a.reads('a.css');
    assertStatus(await a.edits('a.css', { 'x: 1': 'x: 9' }, { symbol: '.b' }), 'symbol_mismatch');
    assertStatus(await a.edits('a.css', { 'x: 2': 'x: 3' }, { symbol: '.b' }), 'applied');
    const result = await a.edits('a.css', { 'x: 3': 'x: 4' }, { symbol: '.b' });
    assertStatus(result, 'symbol_not_found');
    assert.equal(result.reason, 'the editor has symbols of another text');
    assert.match(String(result.next), /without `symbol`/);
  });

  it('is refused with the reason where nobody can tell, and where there is no file yet', async () => {
    const { story } = storyWith({ 'f.txt': 'one\n' });
    const a = story.agent('a');
    await a.reads('f.txt');
    const result = await a.edits('f.txt', { one: '1' }, { symbol: 'one' });
    assertStatus(result, 'symbol_not_found');
    assert.match(String(result.reason), /no grammar/);
    const [created] = (await a.sends([{ path: 'g.py', base: 'absent', content: 'x = 1\n', symbol: 'x' }])).results;
    assertStatus(created, 'symbol_not_found');
    assert.equal(story.disk.text('g.py'), undefined);
    const plain = new Story({ 'f.py': PYTHON });
    const b = plain.agent('b');
    await b.reads('f.py');
    assertStatus(await b.edits('f.py', { 'return 1': 'return 3' }, { symbol: 'one' }), 'symbol_not_found');
  });

  it('is refused with the reason where its file takes too long, or its grammar will not load', async () => {
    const slow = storyWith({ 'f.py': 'x = (1, 2, 3)\n'.repeat(20_000) }, 'warn', new PlainSyntax(undefined, 0));
    const a = slow.story.agent('a');
    await a.reads('f.py');
    const content = `y = 1\n${'x = (1, 2, 3)\n'.repeat(20_000)}`;
    const [late] = (await a.sends([{ path: 'f.py', base: a.baseOf('f.py'), content, symbol: 'x' }])).results;
    assertStatus(late, 'symbol_not_found');
    assert.match(String(late.reason), /takes too long/);
    const missing = new PlainSyntax({ runtime: '/nowhere/tree-sitter.js', folder: '/nowhere', queries: '/nowhere' });
    const { story } = storyWith({ 'f.py': PYTHON }, 'refuse', missing);
    const b = story.agent('b');
    await b.reads('f.py');
    const result = await b.edits('f.py', { 'return 1': 'return 3' }, { symbol: 'one' });
    assertStatus(result, 'symbol_not_found');
    assert.match(String(result.reason), /grammar for python could not be loaded/);
    assert.ok(missing.faults.length > 0);
    const landed = await b.edits('f.py', { 'return 1': 'return (' });
    assertStatus(landed, 'applied');
    assert.match(String(landed.note), /nobody could tell whether the edit breaks the syntax/);
  });

  it('holds a rename with edits, and a call that is all or nothing, to it', async () => {
    const { story } = storyWith({ 'f.py': PYTHON, 'g.py': PYTHON });
    const a = story.agent('a');
    await a.reads('f.py');
    await a.reads('g.py');
    const renamed = await a.edits('f.py', { 'return 1': 'return 3' }, { symbol: 'two', rename_to: 'h.py' });
    assertStatus(renamed, 'symbol_mismatch');
    const entries = [
      a.plans('f.py', { 'return 1': 'return 3' }, { symbol: 'one' }),
      a.plans('g.py', { 'return 1': 'return 3' }, { symbol: 'two' }),
    ];
    const { summary } = await a.sends(entries, { on_conflict: 'atomic' });
    assert.equal(summary, '1 skipped, 1 symbol_mismatch');
    assert.deepEqual([story.disk.text('f.py'), story.disk.text('g.py')], [PYTHON, PYTHON]);
    const moved = await a.edits('f.py', { 'return 1': 'return 3' }, { symbol: 'one', rename_to: 'h.py' });
    assertStatus(moved, 'applied');
    assert.equal(story.disk.text('h.py'), PYTHON.replace('return 1', 'return 3'));
  });

  it('tells nothing of what stands in a secret', async () => {
    const { story } = storyWith({ '.env.py': 'PASSWORD = "x"\ndef hunter2(): pass\n' }, 'refuse');
    story.answer = () => true;
    const a = story.agent('a');
    const base = story.base('.env.py');
    for (const more of [{ symbol: 'nothing' }, { symbol: 'PASSWORD' }, {}]) {
      const result = await a.edits('.env.py', { '): pass': '(: pass' }, { base, ...more });
      assert.match(result.status, /^(symbol|syntax)_/);
      assert.doesNotMatch(JSON.stringify(result), /hunter2|PASSWORD|`/);
    }
  });

  it('must have edits and a name', async () => {
    const { story } = storyWith({ 'f.py': PYTHON });
    const a = story.agent('a');
    await a.reads('f.py');
    assertStatus(await a.edits('f.py', { 'return 1': 'return 3' }, { symbol: ' ' }), 'invalid_input');
    const [deleted] = (await a.sends([{ path: 'f.py', base: a.baseOf('f.py'), delete: true, symbol: 'one' }])).results;
    assertStatus(deleted, 'invalid_input');
  });
});

describe('The syntax gate', () => {
  before(function () {
    this.timeout(30_000);
  });

  it('lands an edit that breaks the syntax, and says what it broke and where', async () => {
    const { story, syntax } = storyWith({ 'f.py': PYTHON });
    await syntax.grammars.load('python');
    const a = story.agent('a');
    await a.reads('f.py');
    const result = await a.edits('f.py', { 'return 2': 'return (2' });
    assertStatus(result, 'applied');
    assert.deepEqual(result['syntax_warning'], { line: 5, message: 'missing `)` for this `(`' });
    assert.ok(result.base);
    // What is broken by now is not held against the next edit.
    const next = await a.edits('f.py', { 'return 1': 'return [1' });
    assertStatus(next, 'applied');
    assert.equal(next['syntax_warning'], undefined);
    const mended = await a.edits('f.py', { 'return [1': 'return 1', 'return (2': 'return 2' });
    assert.equal(mended['syntax_warning'], undefined);
  });

  it('refuses it where the engineer has set that, and touches nothing', async () => {
    const { story } = storyWith({ 'f.ts': 'function f() {\n  return 1;\n}\n' }, 'refuse');
    const a = story.agent('a');
    await a.reads('f.ts');
    const result = await a.edits('f.ts', { '  return 1;\n}': '  return 1;\n}\n}' });
    assert.deepEqual(result, {
      status: 'syntax_broken',
      path: 'f.ts',
      line: 4,
      message: 'unexpected `}`',
      reason: result.reason,
      next: result['next'],
    });
    assert.match(String(result.reason), /parses now, and would not with this edit/);
    assert.equal(story.disk.text('f.ts'), 'function f() {\n  return 1;\n}\n');
    assert.equal(story.documents.undoSteps('f.ts'), 0);
    assert.equal(story.arbiter.conflicts.open[0]?.status, 'syntax_broken');
    assertStatus(await a.edits('f.ts', { 'return 1': 'return 2' }), 'applied');
  });

  it('holds nothing against an edit of a file that did not parse before, nor of one that it creates', async () => {
    const { story } = storyWith({ 'f.py': 'x = (1\ny = 2\n' }, 'refuse');
    const a = story.agent('a');
    await a.reads('f.py');
    assertStatus(await a.edits('f.py', { 'y = 2': 'y = (2' }), 'applied');
    const created = await a.writes('g.py', 'x = (\n', 'absent');
    assertStatus(created, 'applied');
    assert.equal(created['syntax_warning'], undefined);
  });

  it('looks at nothing where it is off, and at no file without a grammar', async () => {
    const { story } = storyWith({ 'f.py': PYTHON }, 'off');
    const a = story.agent('a');
    await a.reads('f.py');
    const result = await a.edits('f.py', { 'return 2': 'return (2' });
    assertStatus(result, 'applied');
    assert.equal(result['syntax_warning'], undefined);
    const other = storyWith({ 'f.txt': 'one\n' }, 'refuse').story.agent('b');
    await other.reads('f.txt');
    const plain = await other.edits('f.txt', { one: '(' });
    assertStatus(plain, 'applied');
    assert.equal(plain.note, 'use this base for further edits to this file');
  });

  it('waits for no grammar where it only warns: one that is not there in time says nothing', async () => {
    const { story, syntax } = storyWith({ 'f.py': PYTHON });
    let load = (): void => {};
    syntax.untilLoaded = new Promise((resolve) => {
      load = resolve;
    });
    const a = story.agent('a');
    await a.reads('f.py');
    const result = await a.edits('f.py', { 'return 2': 'return (2' });
    assertStatus(result, 'applied');
    assert.equal(result['syntax_warning'], undefined);
    load();
  });

  it('looks after the landing where the grammar came while the edit landed', async () => {
    const { story, syntax } = storyWith({ 'f.py': PYTHON });
    const a = story.agent('a');
    await a.reads('f.py');
    let isLoaded = false;
    const soundness = syntax.soundness.bind(syntax);
    await syntax.grammars.load('python');
    syntax.soundness = (file, content) =>
      isLoaded ? soundness(file, content) : { kind: 'unknown', reason: 'not yet' };
    story.at('during save', () => {
      isLoaded = true;
    });
    const result = await a.edits('f.py', { 'return 2': 'return (2' });
    assert.deepEqual(result['syntax_warning'], { line: 5, message: 'missing `)` for this `(`' });
  });

  it('waits for the grammar where it refuses', async () => {
    const { story } = storyWith({ 'f.go': 'package a\n' }, 'refuse');
    const a = story.agent('a');
    await a.reads('f.go');
    assertStatus(await a.edits('f.go', { 'package a': 'package a\n\nfunc f( {}' }), 'syntax_broken');
  });

  it('says nothing of what a hook has mended, and names the line in the final text', async () => {
    const { story, syntax } = storyWith({ 'f.py': PYTHON });
    await syntax.grammars.load('python');
    story.documents.saveParticipants = (raw) => raw.replace('(2\n', '(2)\n');
    const a = story.agent('a');
    await a.reads('f.py');
    const mended = await a.edits('f.py', { 'return 2': 'return (2' });
    assert.deepEqual(mended.hooks, ['format on save']);
    assert.equal(mended['syntax_warning'], undefined);
    story.documents.saveParticipants = (raw) => `# checked\n${raw}`;
    const moved = await a.edits('f.py', { 'return (2)': 'return (2' });
    assertStatus(moved, 'applied');
    assert.deepEqual((moved['syntax_warning'] as { line: number }).line, 6);
  });

  it('is not asked where a human is asked first: the guards speak after the yes', async () => {
    const { story } = storyWith({ '.husky/f.py': PYTHON }, 'refuse');
    story.answer = () => true;
    const a = story.agent('a');
    await a.reads('.husky/f.py');
    assertStatus(await a.edits('.husky/f.py', { 'return 2': 'return (2' }), 'syntax_broken');
    assert.equal(story.questions.length, 1);
  });
});

describe('A refused edit', () => {
  const long = `def one():\n${'    x()\n'.repeat(20)}\ndef two():\n    return 2\n`;

  it('stands next to a change in the same symbol, however far, where the symbols can be told', async () => {
    const { story, syntax } = storyWith({ 'f.py': long });
    await syntax.grammars.loadSymbols('python');
    const a = story.agent('a');
    await a.reads('f.py');
    story.disk.writes('f.py', long.replace('x()\n\n', 'y()\n\n'));
    const near = await a.edits('f.py', { 'def one():': 'def one(a):' });
    assertStatus(near, 'stale_base');
    assert.equal(near.your_edit, 'next to the change');
  });

  it('is untouched by a change in another symbol, or where nobody can tell symbols', async () => {
    const { story } = storyWith({ 'f.py': long });
    const a = story.agent('a');
    await a.reads('f.py');
    story.disk.writes('f.py', long.replace('x()\n\n', 'y()\n\n'));
    assert.equal((await a.edits('f.py', { 'def one():': 'def one(a):' })).your_edit, 'untouched');
    const other = storyWith({ 'f.py': `${long}\n\n\ndef three():\n    return 3\n` });
    await other.syntax.grammars.loadSymbols('python');
    const b = other.story.agent('b');
    await b.reads('f.py');
    other.story.disk.writes('f.py', `${long}\n\n\ndef three():\n    return 4\n`);
    assert.equal((await b.edits('f.py', { 'def two()': 'def two(a)' })).your_edit, 'untouched');
  });
});
