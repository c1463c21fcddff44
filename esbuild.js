// Bundles the extension. `--production` drops source maps and minifies.
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const production = process.argv.includes('--production');

/** Everything that runs inside an extension host: CommonJS, `vscode` given by the editor. */
const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode'],
  sourcemap: production ? false : 'linked',
  minify: production,
  logLevel: 'warning',
};

await build({ ...common, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.cjs' });

/** What runs inside the pages of views: the browser's own modules, one script and one style sheet per page. */
await build({
  ...common,
  platform: 'browser',
  target: 'chrome128',
  format: 'iife',
  external: [],
  entryPoints: [
    { in: 'src/panel/main.ts', out: 'panel' },
    { in: 'src/panel/panel.css', out: 'panel' },
    { in: 'src/panel/statistics.css', out: 'statistics' },
  ],
  outdir: 'dist',
});

// The parser and its grammars stay files of their own: they are loaded when they are first needed.
const parsers = 'node_modules/@vscode/tree-sitter-wasm/wasm';
const grammars = ['python', 'typescript', 'tsx', 'javascript', 'go', 'java', 'rust'].map(
  (name) => `tree-sitter-${name}`,
);
await build({
  ...common,
  bundle: false,
  external: undefined,
  format: undefined,
  sourcemap: false,
  // The editor leaves an AMD loader behind once it has converted a legacy encoding; the parser would go there, and not to us.
  define: { define: 'undefined' },
  entryPoints: [`${parsers}/tree-sitter.js`],
  outfile: 'dist/syntax/tree-sitter.cjs',
});
for (const name of ['tree-sitter', ...grammars]) {
  copyFileSync(`${parsers}/${name}.wasm`, `dist/syntax/${name}.wasm`);
}
cpSync('src/host/syntax/queries', 'dist/syntax', { recursive: true });

// What is shipped keeps its licence.
const notices = ['diff', '@vscode/tree-sitter-wasm'].map(
  (name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8')}`,
);
notices.push(`The files of @vscode/tree-sitter-wasm are built from these, all under the MIT licence as above:

tree-sitter             Copyright (c) 2018 Max Brunsfeld
tree-sitter-python      Copyright (c) 2016 Max Brunsfeld
tree-sitter-typescript  Copyright (c) 2017 Max Brunsfeld
tree-sitter-javascript  Copyright (c) 2014 Max Brunsfeld
tree-sitter-go          Copyright (c) 2014 Max Brunsfeld
tree-sitter-java        Copyright (c) 2017 Ayman Nadeem
tree-sitter-rust        Copyright (c) 2017 Maxim Sokolov
`);
writeFileSync('dist/ThirdPartyNotices.txt', notices.join('\n---\n\n'));

// The package has room for one picture.
const shipped = 'docs/pictures/apply.png';
const readme = readFileSync('README.md', 'utf8').replaceAll(/^!\[[^\]]*\]\(([^)]+)\)\n\n/gm, (picture, path) =>
  path === shipped ? picture : '',
);
writeFileSync('dist/README.md', readme);
