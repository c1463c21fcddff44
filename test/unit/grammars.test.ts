import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { Grammars } from '../../src/host/syntax/grammars.ts';
import { type Language, languageIdOf, languageOf, queriesOf } from '../../src/host/syntax/languages.ts';
import { packagedFiles } from './support/grammars.ts';

const LANGUAGES: readonly Language[] = ['python', 'typescript', 'tsx', 'javascript', 'go', 'java', 'rust'];

function refusesFaults(error: unknown, what: string): never {
  throw new Error(what, { cause: error });
}

describe('The grammars', () => {
  before(function () {
    this.timeout(30_000);
  });

  it('load once each, when they are asked for; their sizes and times are printed', async function () {
    this.timeout(30_000);
    const grammars = new Grammars(packagedFiles, refusesFaults);
    const files = ['tree-sitter.js', ...['tree-sitter', ...LANGUAGES.map((name) => `tree-sitter-${name}`)].map(wasm)];
    const bytes = files.map((file) => readFileSync(join(packagedFiles.folder, file)));
    const raw = bytes.reduce((sum, { length }) => sum + length, 0);
    const packed = bytes.reduce((sum, file) => sum + deflateRawSync(file).length, 0);
    console.log(`      runtime and grammars: ${kilobytes(raw)}, packed ${kilobytes(packed)}`);
    assert.ok(packed < 1_000_000, kilobytes(packed));
    for (const language of LANGUAGES) {
      assert.equal(grammars.soundness(language, '').kind, 'unknown', 'nothing is loaded before it is asked for');
      const start = performance.now();
      await Promise.all([grammars.load(language), grammars.load(language)]);
      const loaded = performance.now();
      await grammars.loadSymbols(language);
      const ready = performance.now();
      console.log(
        `      ${language}: loaded in ${(loaded - start).toFixed(0)} ms, symbols after ${(ready - loaded).toFixed(0)} ms more`,
      );
      assert.deepEqual(grammars.soundness(language, ''), { kind: 'sound' });
      assert.deepEqual(grammars.outline(language, ''), { kind: 'known', symbols: [] });
    }
  });

  it('give up on a text that takes too long, and are right about the next one', async () => {
    const grammars = new Grammars(packagedFiles, refusesFaults, 1);
    await grammars.loadSymbols('python');
    const long = 'x = [1, 2, 3]\n'.repeat(100_000);
    const start = performance.now();
    const reason = 'the file takes too long to be parsed here';
    assert.deepEqual(grammars.soundness('python', long), { kind: 'unknown', reason });
    assert.deepEqual(grammars.outline('python', long), { kind: 'unknown', reason });
    assert.ok(performance.now() - start < 1_000, 'and do not try again at once');
    assert.deepEqual(grammars.soundness('python', 'y = 1\n'), { kind: 'sound' });
    assert.equal(grammars.soundness('python', 'y = (\n').kind, 'broken');
    const huge = grammars.soundness('python', 'x'.repeat(3_000_000));
    assert.deepEqual(huge, { kind: 'unknown', reason: 'the file is too long to be parsed here' });
  });

  it('remember few texts, and tell languages apart', async () => {
    const grammars = new Grammars(packagedFiles, refusesFaults);
    await Promise.all([grammars.load('python'), grammars.load('go')]);
    for (let round = 0; round < 3; round += 1) {
      for (let index = 0; index < 10; index += 1) {
        assert.equal(grammars.soundness('python', `x = ${index} if y else 1\n`).kind, 'sound');
        assert.equal(grammars.soundness('go', `x = ${index} if y else 1\n`).kind, 'broken');
      }
    }
  });

  it('say why where one will not load, and tell the log', async () => {
    const told: string[] = [];
    const grammars = new Grammars({ ...packagedFiles, folder: '/nowhere' }, (_, what) => told.push(what));
    await grammars.loadSymbols('python');
    const soundness = grammars.soundness('python', '');
    assert.equal(soundness.kind, 'unknown');
    assert.match(soundness.reason ?? '', /^the grammar for python could not be loaded: /);
    assert.deepEqual(told, ['loading the grammar for python']);
  });

  it('are found by the names of files', () => {
    assert.deepEqual(
      ['a.py', 'a/b.d.ts', 'A.TSX', 'a.mjs', 'a.jsx', 'a.go', 'A.java', 'a.rs', 'a.txt', 'py', 'a.constructor'].map(
        languageOf,
      ),
      [
        'python',
        'typescript',
        'tsx',
        'javascript',
        'javascript',
        'go',
        'java',
        'rust',
        undefined,
        undefined,
        undefined,
      ],
    );
    assert.deepEqual(['a.tsx', 'a.jsx', 'a.js', 'a.py', 'a.md'].map(languageIdOf), [
      'typescriptreact',
      'javascriptreact',
      'javascript',
      'python',
      undefined,
    ]);
    assert.deepEqual(queriesOf('tsx'), ['ecmascript', 'typescript']);
  });
});

function wasm(name: string): string {
  return `${name}.wasm`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(0)} kB`;
}
