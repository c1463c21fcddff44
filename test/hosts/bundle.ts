import { type BuildOptions, build } from 'esbuild';

/** Everything that runs inside an extension host: CommonJS, `vscode` given by the editor. */
const extensionHost: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode', 'mocha'], // The extension host's own Node loads mocha from node_modules: stacks stay readable.
  sourcemap: 'inline',
  logLevel: 'warning',
};

/** Bundles a TypeScript module into one file that an extension host can load. */
export async function bundle(entry: string, outfile: string): Promise<void> {
  await build({ ...extensionHost, entryPoints: [entry], outfile });
}
