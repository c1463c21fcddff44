// Bundles the extension. `--production` drops source maps and minifies.
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
