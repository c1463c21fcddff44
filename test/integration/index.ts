import { runSuite } from '../hosts/mochaSuite.ts';

/** What VS Code calls: under `extensionTestsPath` here and in the desktop build. */
export function run(): Promise<void> {
  return runSuite(() => {
    require('./gate.test.ts');
  });
}
