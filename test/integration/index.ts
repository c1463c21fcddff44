import { variables as bench } from '../bench/variables.ts';
import { runSuite } from '../hosts/mochaSuite.ts';
import { closeEverything } from './support/engineer.ts';
import { forgetMoments } from './support/moments.ts';

/** What VS Code calls: under `extensionTestsPath` here and in the desktop build. */
export function run(): Promise<void> {
  return runSuite(() => {
    afterEach(forgetMoments);
    afterEach(closeEverything);
    require('./gate.test.ts');
    require('./api.test.ts');
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
    require('./budget.test.ts');
    require('./limits.test.ts');
    require('./symbols.test.ts');
    if (process.env[bench.rounds] !== undefined) {
      require('../bench/editor.test.ts'); // `npm run bench` only.
    }
    require('../replay/replay.test.ts');
    require('../histories/histories.test.ts');
    require('./faults.test.ts');
    require('./mixedEndings.test.ts');
    require('../hammer/hammer.test.ts');
    require('../stress/editor.test.ts');
    require('./views.test.ts');
    require('./cases.writers.test.ts');
    require('./cases.staleness.test.ts');
    require('./cases.encodings.test.ts');
    require('./cases.lines.test.ts');
    require('./cases.text.test.ts');
    require('./cases.matching.test.ts');
    require('./cases.batches.test.ts');
    require('./cases.size.test.ts');
    require('./cases.paths.test.ts');
    require('./cases.lifecycle.test.ts');
    require('./cases.editor.test.ts');
  });
}
