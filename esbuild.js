// Bundles the extension. `--production` drops source maps and minifies.
import { readFileSync, writeFileSync } from 'node:fs';
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

// What is bundled keeps its licence.
const notices = ['diff'].map((name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8')}`);
writeFileSync('dist/ThirdPartyNotices.txt', notices.join('\n---\n\n'));
