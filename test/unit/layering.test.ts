import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path/posix';

const SRC = new URL('../../src/', import.meta.url);

type Layer = 'extension' | 'host' | 'core' | 'panel' | 'names';

/** Which layers each layer may import from, itself included. */
const ARROWS: Readonly<Record<Layer, readonly Layer[]>> = {
  extension: ['host', 'core', 'names'],
  host: ['host', 'core', 'panel', 'names'],
  core: ['core'],
  panel: ['panel'],
  names: [],
};

/** What a file of the core may import from outside; for all others, nothing. */
const OUTSIDE: Readonly<Record<string, string>> = { 'core/base.ts': 'node:crypto', 'core/pairs.ts': 'diff' };

/** What the core must take from its caller: the clock, chance, and anything of the process. */
const IMPURE =
  /\b(?:Date\.now|new Date|performance\.now|Math\.random|randomUUID|setTimeout|setInterval|setImmediate|process\.\w+|fetch\(|console\.\w+)/g;

/** Every form in which a module can be named; the specifier is the last group. */
const FORMS = [
  /\b(?:import|export)\b[^'"`;]*?\bfrom\s*(['"])(.*?)\1/g,
  /(?:^|[;{}])\s*import\s*(['"])(.*?)\1/gm,
  /\b(?:import|require|getBuiltinModule)\s*\(\s*(['"`]?)(.*?)\1\s*[),]/g,
  /^\/\/\/\s*<reference\s+\w+\s*=\s*(['"])(.*?)\1/gm,
];

function specifiersIn(source: string): string[] {
  return FORMS.flatMap((form) => [...source.matchAll(form)].map((match) => match[2] ?? ''));
}

function layerOf(path: string): Layer | undefined {
  const [first = ''] = path.split('/');
  const name = first.replace(/\.ts$/, '');
  return name in ARROWS ? (name as Layer) : undefined;
}

/** Whether a file of `src` may name a module. Paths are relative to `src`. */
function mayImport(path: string, specifier: string): boolean {
  const layer = layerOf(path);
  assert.ok(layer, `${path} is in no layer`);
  if (!specifier.startsWith('.')) {
    switch (layer) {
      case 'core':
        return specifier === OUTSIDE[path];
      case 'host':
        return (
          specifier === 'vscode' ||
          specifier.startsWith('node:') ||
          specifier === 'diff' ||
          // Its types only: the script itself is loaded from disk when it is first needed.
          (specifier === '@vscode/tree-sitter-wasm' && path.startsWith('host/syntax/'))
        );
      case 'extension':
        return specifier === 'vscode';
      default:
        return false;
    }
  }
  // What other extensions are promised: declarations, and nothing that runs.
  if (normalize(join(path, '..', specifier)) === '../api.d.ts') {
    return path === 'extension.ts' || path === 'host/api.ts';
  }
  // The page's own modules run in a browser: all that both sides share is what they say to each other.
  if (layer !== 'panel' && /(?:^|\/)panel\//.test(specifier) && !specifier.endsWith('/panel/protocol.ts')) {
    return false;
  }
  if (layer === 'core' && !/^\.\/\w+\.ts$/.test(specifier)) {
    return false;
  }
  const target = normalize(join(path, '..', specifier));
  const other = layerOf(target);
  const areApart = /^host\/tools\//.test(path)
    ? /^host\/views\//
    : /^host\/views\//.test(path)
      ? /^host\/tools\//
      : /^$/;
  return other !== undefined && ARROWS[layer].includes(other) && !areApart.test(target);
}

function violations(path: string, source: string): string[] {
  return specifiersIn(source)
    .filter((specifier) => !mayImport(path, specifier))
    .map((specifier) => `${path} imports ${specifier}`);
}

function filesOf(folder = ''): { path: string; source: string }[] {
  return readdirSync(new URL(folder, SRC), { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    if (entry.isDirectory()) {
      return filesOf(`${path}/`);
    }
    return path.endsWith('.ts') ? [{ path, source: readFileSync(new URL(path, SRC), 'utf8') }] : [];
  });
}

describe('The layers of src', () => {
  const files = filesOf();

  it('hold: extension → host → core, and the core imports nothing but itself, diff and one hash', () => {
    assert.deepEqual(
      files.flatMap(({ path, source }) => violations(path, source)),
      [],
    );
  });

  it('are really looked at', () => {
    const count = (path: string) => specifiersIn(files.find((file) => file.path === path)?.source ?? '').length;
    assert.ok(count('core/arbiter.ts') >= 10, String(count('core/arbiter.ts')));
    assert.ok(count('extension.ts') >= 10);
    assert.ok(files.filter(({ path }) => path.startsWith('core/')).length >= 25);
    const seen = files.flatMap(({ path, source }) => specifiersIn(source).map((specifier) => `${path} ${specifier}`));
    assert.ok(seen.includes('core/base.ts node:crypto'));
    assert.ok(seen.includes('core/pairs.ts diff'));
  });

  it('keep clock, chance and process out of the core', () => {
    const impure = files
      .filter(({ path }) => path.startsWith('core/'))
      .flatMap(({ path, source }) => [...source.matchAll(IMPURE)].map(([name]) => `${path} uses ${name}`));
    assert.deepEqual(impure, []);
    assert.equal('Date.now() Math.random() new Date() performance.now() process.env'.match(IMPURE)?.length, 5);
  });
});

describe('The guard of the layers', () => {
  const forms = {
    'a default import': (name: string) => `import x from '${name}';`,
    'a namespace import': (name: string) => `import * as x from "${name}";`,
    'a named import': (name: string) => `import { x } from '${name}';`,
    'an import over several lines': (name: string) => `import {\n  x,\n  y,\n} from '${name}';`,
    'an import behind another': (name: string) => `import { a } from './text.ts';\nimport { x } from '${name}';`,
    'an import on the line of another': (name: string) => `import './text.ts'; import '${name}';`,
    'a named import on the line of another': (name: string) => `import './text.ts'; import { x } from '${name}';`,
    'a type import': (name: string) => `import type { X } from '${name}';`,
    'an inline type import': (name: string) => `import { type X } from '${name}';`,
    'a side effect': (name: string) => `import '${name}';`,
    'a dynamic import': (name: string) => `const x = await import('${name}');`,
    'a dynamic import of a template': (name: string) => `const x = await import(\`${name}\`);`,
    'a dynamic import over several lines': (name: string) => `await import(\n  '${name}',\n);`,
    'an import in a type': (name: string) => `let x: import('${name}').X;`,
    'a require': (name: string) => `const x = require('${name}');`,
    'an import by require': (name: string) => `import x = require('${name}');`,
    'a built-in by its name': (name: string) => `process.getBuiltinModule('${name}');`,
    'an export of all': (name: string) => `export * from '${name}';`,
    'a named export': (name: string) => `export { x } from '${name}';`,
    'a type export': (name: string) => `export type { X } from '${name}';`,
    'a reference': (name: string) => `/// <reference types="${name}" />`,
  };

  for (const [form, write] of Object.entries(forms)) {
    it(`catches ${form}`, () => {
      for (const name of [
        'vscode',
        'node:fs',
        'fs',
        'node:crypto',
        'diff',
        'diff/lib/index.js',
        '../host/documents.ts',
        './../host/documents.ts',
        '../extension.ts',
        '../names.ts',
        '..',
        '/etc/passwd',
      ]) {
        assert.ok(
          violations('core/text.ts', write(name)).includes(`core/text.ts imports ${name}`),
          `${write(name)} is let through`,
        );
      }
    });

    it(`lets ${form} pass where it is allowed`, () => {
      assert.deepEqual(violations('core/text.ts', write('./search.ts')), []);
      assert.deepEqual(violations('core/pairs.ts', write('diff')), []);
      assert.deepEqual(violations('core/base.ts', write('node:crypto')), []);
    });
  }

  it('catches a dynamic import of something computed', () => {
    assert.equal(violations('core/text.ts', 'await import(name);').length, 1);
  });

  it('catches arrows against the order, and between tools and views', () => {
    const caught = (path: string, name: string) => violations(path, `import { x } from '${name}';`).length === 1;
    assert.equal(caught('host/documents.ts', '../extension.ts'), true);
    assert.equal(caught('host/documents.ts', 'mocha'), true);
    assert.equal(caught('host/tools/edit.ts', '../views/conflictTree.ts'), true);
    assert.equal(caught('host/views/conflictTree.ts', '../tools/edit.ts'), true);
    assert.equal(caught('names.ts', './core/base.ts'), true);
    assert.equal(caught('extension.ts', 'node:fs'), true);
    assert.equal(caught('host/views/conflictsView.ts', '../../panel/dom.ts'), true);
    assert.equal(caught('host/views/conflictsView.ts', '../../panel/protocol.ts'), false);
    assert.equal(caught('panel/main.ts', '../core/base.ts'), true);
    assert.equal(caught('panel/main.ts', 'node:fs'), true);
    assert.equal(caught('extension.ts', '../test/unit/support/story.ts'), true);
    assert.equal(caught('host/tools/edit.ts', '../../core/arbiter.ts'), false);
    assert.equal(caught('host/tools/edit.ts', './caller.ts'), false);
    assert.equal(caught('host/documents.ts', '../names.ts'), false);
    assert.equal(caught('extension.ts', './host/observer.ts'), false);
  });
});
