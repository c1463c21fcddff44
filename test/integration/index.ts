import { runSuite } from '../hosts/mochaSuite.ts';
import { closeEverything } from './support/engineer.ts';

/** What VS Code calls: under `extensionTestsPath` here and in the desktop build. */
export function run(): Promise<void> {
  return runSuite(() => {
    afterEach(closeEverything);
    require('./gate.test.ts');
    require('./input.test.ts');
    require('./causes.test.ts');
    require('./hooks.test.ts');
    require('./intruders.test.ts');
    require('./races.test.ts');
    require('./keystrokes.test.ts');
    require('./atomic.test.ts');
    require('./fullDisk.test.ts');
    require('./batch.test.ts');
    require('./parallel.test.ts');
    require('./lifecycle.test.ts');
    require('./symbols.test.ts');
    require('../replay/replay.test.ts');
    require('../histories/histories.test.ts');
    require('./views.test.ts');
  });
}
