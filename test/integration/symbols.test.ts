import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { write } from '../hosts/mochaSuite.ts';
import { baseOf, replace } from './support/agent.ts';
import { bytesOf, fresh, textOf, writes } from './support/disk.ts';
import { documentOf, engineer } from './support/engineer.ts';

const TSX = `/** App. */
export function App({ a }: Props) {
  const onClick = () => save(a);
  return <button onClick={onClick}>{a}</button>;
}

export function Other() {
  return <i>other</i>;
}
`;

/** Runs with a setting of the user's. */
async function withGate(gate: string, action: () => Promise<void>): Promise<void> {
  const settings = vscode.workspace.getConfiguration('editArbiter');
  await settings.update('syntaxGate', gate, vscode.ConfigurationTarget.Global);
  try {
    await action();
  } finally {
    await settings.update('syntaxGate', undefined, vscode.ConfigurationTarget.Global);
  }
}

describe('Symbols and syntax', function () {
  this.timeout(60_000);

  it('are there also where the editor has left an AMD loader behind, as it does for a legacy encoding', async () => {
    await vscode.workspace.decode(Uint8Array.of(0xe9), { encoding: 'iso88591' });
    const folder = vscode.extensions.getExtension('edit-arbiter.edit-arbiter')?.extensionPath ?? '';
    const runtime = join(folder, 'dist/syntax/tree-sitter.cjs');
    const load = createRequire(runtime);
    const { [runtime]: loaded } = load.cache;
    delete load.cache[runtime];
    try {
      assert.equal(typeof load(runtime).Parser, 'function');
    } finally {
      delete load.cache[runtime];
      if (loaded) {
        load.cache[runtime] = loaded;
      }
    }
  });

  it('lands an edit inside its symbol, and refuses one that lands elsewhere', async () => {
    const path = fresh(TSX, 'app.tsx');
    const base = await baseOf(path);
    const start = performance.now();
    const refused = await replace(path, base, 'other', 'another', { symbol: 'App' });
    write(`    first call with a symbol: ${(performance.now() - start).toFixed(0)} ms`);
    assert.equal(refused.status, 'symbol_mismatch', JSON.stringify(refused));
    assert.deepEqual([refused['symbol_lines'], refused['edit_lines']], [[1, 5], [[8, 8]]]);
    assert.equal(textOf(path), TSX);
    const warm = performance.now();
    const applied = await replace(path, base, 'save(a)', 'save(a, 1)', { symbol: 'App.onClick' });
    write(`    second: ${(performance.now() - warm).toFixed(0)} ms`);
    assert.equal(applied.status, 'applied', JSON.stringify(applied));
    assert.equal(textOf(path), TSX.replace('save(a)', 'save(a, 1)'));
    assert.equal(applied['syntax_warning'], undefined);
  });

  it('resolves against unsaved text, in a file with CRLF, a BOM and wide characters', async () => {
    const path = fresh(
      '\uFEFF# 😀 漢字\r\ndef one():\r\n    return "😀"\r\n\r\ndef two():\r\n    return 2\r\n',
      'f.py',
    );
    await engineer.types(path, '#', { line: 0, character: 0 });
    const base = await baseOf(path);
    const refused = await replace(path, base, 'return 2', 'return 3', { symbol: 'one' });
    assert.equal(refused.status, 'symbol_mismatch', JSON.stringify(refused));
    const applied = await replace(path, base, 'return 2', 'return 3', { symbol: 'two' });
    assert.equal(applied.status, 'applied', JSON.stringify(applied));
    assert.equal(applied.saved, false);
    assert.match(documentOf(path).getText(), /^## 😀 漢字\r\n[\s\S]*return 3\r\n$/);
    assert.match(bytesOf(path).toString(), /return 2/);
  });

  it('asks the extensions of the editor where there is no grammar', async () => {
    const text = '{\n  "first": { "a": 1 },\n  "second": { "a": 1 }\n}\n';
    const path = fresh(text, 'data.json');
    const base = await baseOf(path);
    const more = (symbol: string) => ({ symbol, edits: [{ old_string: '"a": 1', new_string: '"a": 2', line: 3 }] });
    const refused = await replace(path, base, '', '', more('first'));
    assert.equal(refused.status, 'symbol_mismatch', JSON.stringify(refused));
    const applied = await replace(path, base, '', '', more('second'));
    assert.equal(applied.status, 'applied', JSON.stringify(applied));
    assert.equal(textOf(path), text.replace('"second": { "a": 1 }', '"second": { "a": 2 }'));
    const next = await baseOf(path);
    const missing = await replace(path, next, '2', '3', { symbol: 'third' });
    assert.equal(missing.status, 'symbol_not_found');
    assert.ok((missing['known_symbols'] as string[]).includes('first'), JSON.stringify(missing));
  });

  it('says that nobody can tell where neither knows', async () => {
    const path = fresh('one\ntwo\n', 'notes.txt');
    const result = await replace(path, await baseOf(path), 'one', '1', { symbol: 'one' });
    assert.equal(result.status, 'symbol_not_found', JSON.stringify(result));
    assert.match(String(result.reason), /no grammar here and no extension of the editor/);
    assert.equal(textOf(path), 'one\ntwo\n');
  });

  it('warns of a broken file, and refuses to break it where the engineer has set that', async () => {
    const path = fresh(TSX, 'app.tsx');
    await replace(path, await baseOf(path), 'save(a)', 'save(a, 2)', { symbol: 'App' });
    await withGate('refuse', async () => {
      const result = await replace(path, await baseOf(path), '<i>other</i>', '(<i>other</i>');
      assert.equal(result.status, 'syntax_broken', JSON.stringify(result));
      assert.equal(result['line'], 8);
      assert.equal(result['message'], 'missing `)` for the `(` in line 8');
    });
    const result = await replace(path, await baseOf(path), '<i>other</i>', '(<i>other</i>');
    assert.equal(result.status, 'applied', JSON.stringify(result));
    assert.deepEqual(result['syntax_warning'], { line: 8, message: 'missing `)` for the `(` in line 8' });
    assert.match(textOf(path), /\(<i>other/);
  });

  it('can be set for one language', async () => {
    const settings = vscode.workspace.getConfiguration('editArbiter', { languageId: 'go' });
    await settings.update('syntaxGate', 'refuse', vscode.ConfigurationTarget.Global, true);
    try {
      const path = fresh('package a\n', 'a.go');
      const result = await replace(path, await baseOf(path), 'package a', 'package a\n\nfunc f( {}');
      assert.equal(result.status, 'syntax_broken', JSON.stringify(result));
    } finally {
      await settings.update('syntaxGate', undefined, vscode.ConfigurationTarget.Global, true);
    }
  });

  it('tells that a change in the same symbol is next to the edit', async () => {
    const body = Array.from({ length: 20 }, (_, index) => `    step(${index})\n`).join('');
    const path = fresh(`def one():\n${body}`, 'long.py');
    await replace(path, await baseOf(path), 'step(3)', 'step(33)', { symbol: 'one' });
    const base = await baseOf(path);
    writes(path, textOf(path).replace('step(19)', 'step(99)'));
    const result = await replace(path, base, 'def one():', 'def one(a):');
    assert.equal(result.status, 'stale_base', JSON.stringify(result));
    assert.equal(result.your_edit, 'next to the change');
  });
});
