import assert from 'node:assert/strict';
import { write } from '../hosts/mochaSuite.ts';
import { baseOf, edit, only, read, replace } from './support/agent.ts';
import { fresh, textOf, writes } from './support/disk.ts';
import { engineer } from './support/engineer.ts';
import { type Work, workOn } from './support/work.ts';

const textFor = (what: string) => `${what}\n${'some text of a file\n'.repeat(2_000)}one\n`;

/**
 * Counted, so that a busy machine cannot hide a regression. An edit reads its file when it decides, once more once a file that was
 * not open is open, before it writes, and after the save; one read more each time the system tells of a write meanwhile, and one
 * when the panel looks at the bases that are held. It hashes what was there, and what it writes.
 */
describe('The work of a call', function () {
  this.timeout(60_000);

  for (const [what, prepare, call, budget] of [
    ['a read', async () => {}, async (path: string) => read(path), { reads: 1, writes: 0, hashes: 1 }],
    [
      'an edit of an open file',
      async (path: string) => engineer.opens(path),
      async (path: string, base: string) => replace(path, base, 'one', 'three'),
      { reads: 5, writes: 1, hashes: 2 },
    ],
    [
      'an edit of a file that is not open',
      async () => {},
      async (path: string, base: string) => replace(path, base, 'one', 'three'),
      { reads: 6, writes: 1, hashes: 2 },
    ],
    [
      'a refusal',
      async (path: string) => writes(path, textFor('written by somebody else')),
      async (path: string, base: string) => only(await edit({ files: [{ path, base, content: 'x\n' }] })),
      { reads: 2, writes: 0, hashes: 1 },
    ],
  ] as const) {
    it(`is bounded: ${what}`, async () => {
      const path = fresh(textFor(what), 'budget.txt');
      const base = await baseOf(path);
      await prepare(path);
      const work: Work = await workOn(path, () => call(path, base));
      write(`    ${what}: ${JSON.stringify(work)}`);
      for (const [kind, most] of Object.entries(budget)) {
        assert.ok(work[kind as keyof Work] <= most, `${kind}: ${JSON.stringify(work)}`);
      }
      assert.ok(textOf(path) !== '');
    });
  }
});
