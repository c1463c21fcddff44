import assert from 'node:assert/strict';
import { type Entry, editAll, type OpenEntry } from '../../src/core/batch.ts';
import type { OnConflict } from '../../src/core/input.ts';
import type { Report } from '../../src/core/report.ts';

function open(path: string): OpenEntry {
  return {
    kind: 'open',
    request: { path, base: { disk: 'absent' }, wish: { kind: 'content', content: '' }, signature: path, parts: [path] },
    file: { key: `/${path}`, path },
  };
}

const PROTECTED: Entry = { kind: 'answered', report: { status: 'protected', path: 'p' } };

/** Edits entries of which those with an upper-case path are refused, and logs when each edit begins and ends. */
async function run(
  entries: readonly Entry[],
  onConflict: Exclude<OnConflict, 'atomic'>,
): Promise<{ reports: Report[]; log: string }> {
  const log: string[] = [];
  const reports = await editAll(entries, onConflict, async ({ file: { path } }) => {
    log.push(`${path} begins`);
    await null;
    log.push(`${path} ends`);
    return { status: path === path.toLowerCase() ? 'applied' : 'stale_base', path };
  });
  return { reports, log: log.join(', ') };
}

function inWords(reports: readonly Report[]): string {
  return reports.map(({ path, status }) => `${path} ${status}`).join(', ');
}

describe('editAll', () => {
  it('begins all entries at once, in their order, where it is to continue', async () => {
    const { reports, log } = await run([open('a'), PROTECTED, open('B'), open('c')], 'continue');
    assert.equal(inWords(reports), 'a applied, p protected, B stale_base, c applied');
    assert.equal(log, 'a begins, B begins, c begins, a ends, B ends, c ends');
  });

  it('edits one after the other, and skips those after the first refused one, where it is to stop', async () => {
    const { reports, log } = await run([open('a'), open('B'), open('c'), PROTECTED], 'stop');
    assert.equal(inWords(reports), 'a applied, B stale_base, c skipped, p skipped');
    assert.equal(log, 'a begins, a ends, B begins, B ends');
    assert.equal(reports[2]?.['reason'], 'B before it was refused (stale_base), and the call says to stop');
  });

  it('stops at an entry that was answered before, and not at one that had landed before', async () => {
    assert.equal(inWords((await run([PROTECTED, open('a')], 'stop')).reports), 'p protected, a skipped');
    const landed: Entry = { kind: 'answered', report: { status: 'already_applied', path: 'l' } };
    assert.equal(inWords((await run([landed, open('a')], 'stop')).reports), 'l already_applied, a applied');
  });

  it('names a refused entry that has no path', async () => {
    const nameless: Entry = { kind: 'answered', report: { status: 'invalid_input' } };
    const { reports } = await run([nameless, open('a')], 'stop');
    assert.match(String(reports[1]?.['reason']), /^an entry before it was refused/);
  });

  it('edits a single entry, whatever is to happen to the others', async () => {
    for (const onConflict of ['continue', 'stop'] as const) {
      assert.equal(inWords((await run([open('a')], onConflict)).reports), 'a applied');
    }
    assert.deepEqual((await run([], 'stop')).reports, []);
  });
});
