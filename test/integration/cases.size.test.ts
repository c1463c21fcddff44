import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { baseOf, check, edit, only, type Result, read, replace } from './support/agent.ts';
import { fresh, textOf, writes } from './support/disk.ts';

/** Digits by chance, the same in every run. */
function randomLines(count: number, seed: number): string[] {
  let state = BigInt(seed);
  return Array.from({ length: count }, () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n;
    return String(10n ** 19n + state).slice(0, 20);
  });
}

/** How many lines a diff says were removed and added: those it shows, and those that it says are left. */
function countsIn(diff: string): { readonly removed: number; readonly added: number } {
  const lines = diff.split('\n');
  const left = /([\d,]+) lines? removed, ([\d,]+) added/.exec(diff);
  const count = (sign: string, rest: string | undefined) =>
    lines.filter((line) => line.startsWith(sign)).length + Number(rest?.replaceAll(',', '') ?? Number.NaN);
  return { removed: count('-', left?.[1]), added: count('+', left?.[2]) };
}

/**
 * Runs a call and looks how long it takes, and how long the extension host is deaf meanwhile, in milliseconds. The aims are a
 * second for the call and a tenth of it for the host; the bounds are for a machine that does other things, too.
 */
async function quickly(call: () => Promise<Result>): Promise<Result> {
  let [last, deaf] = [performance.now(), 0];
  const timer = setInterval(() => {
    deaf = Math.max(deaf, performance.now() - last);
    last = performance.now();
  }, 5);
  const start = performance.now();
  const result = await call();
  const time = performance.now() - start;
  clearInterval(timer);
  assert.ok(time < 6_000, `${time.toFixed(0)} ms`);
  assert.ok(deaf < 2_000, `deaf for ${deaf.toFixed(0)} ms`);
  return result;
}

describe('Known failures of size', function () {
  this.timeout(60_000);

  describe('A large change is refused within a second, with a diff or with counts', () => {
    const lines = randomLines(25_000, 1);
    const text = (of: readonly string[]) => `${of.join('\n')}\n`;
    for (const [what, after, removed, added] of [
      ['cut to its first lines', lines.slice(0, 500), 24_500, 0],
      ['cut to its last lines', lines.slice(-500), 24_500, 0],
      ['emptied but for one line', lines.slice(0, 1), 24_999, 0],
      ['all of it other text', randomLines(25_000, 2), 25_000, 25_000],
      ['in reverse', lines.toReversed(), 25_000, 25_000],
      ['every second line gone', lines.filter((_, index) => index % 2 === 0), 12_500, 0],
      ['every line a little longer', lines.map((line) => `${line};`), 25_000, 25_000],
      ['twice as long', [...lines, ...lines], 0, 25_000],
      ['all on one line', [lines.join(' ')], 25_000, 1],
    ] as const) {
      it(what, async () => {
        const path = fresh(text(lines), 'big.txt');
        const base = await baseOf(path);
        writes(path, text(after));
        const result = await quickly(() => replace(path, base, lines[9] ?? '', 'x'));
        assert.equal(result.status, 'stale_base', JSON.stringify(result).slice(0, 500));
        const diff = String(result.diff_since_read);
        assert.ok(diff.length <= 4_000, String(diff.length));
        const counts = countsIn(diff);
        // Where the time does not suffice, it is the most that it can be; the difference is right all the same.
        assert.equal(counts.removed - counts.added, removed - added, diff.slice(-300));
        assert.ok(counts.removed >= removed && counts.removed <= lines.length, diff.slice(-300));
        assert.match(String(result.next), /re-read/);
        assert.doesNotMatch(String(result.next), /on this diff/, 'the diff does not show all');
        const [checked] = await check({ files: [{ path, base }] });
        assert.equal(checked?.status, 'stale_base');
        assert.equal(textOf(path), text(after));
      });
    }

    it('unless it is cancelled', async () => {
      const path = fresh(text(lines), 'big.txt');
      const base = await baseOf(path);
      writes(path, text(lines.slice(0, 500)));
      const source = new vscode.CancellationTokenSource();
      const edits = [{ old_string: lines[9], new_string: 'x' }];
      const calling = edit({ files: [{ path, base, edits }] }, source.token).then(
        (answer) => only(answer).status,
        (error: Error) => error.message,
      );
      source.cancel();
      // The editor may end a cancelled call by itself; else it is answered.
      assert.match(await calling, /cancel/i);
      assert.equal(textOf(path), text(lines.slice(0, 500)));
    });
  });

  describe('A text that is not there is looked for in bounded time, and the reply says what was not looked at', () => {
    const zeros = `x=[${'0,'.repeat(1_000_000)}0]`;
    const wide = Array.from(
      { length: 4_000 },
      (_, index) => `const value${index} = compute(${index}, "${'ab'.repeat(20)}");`,
    );
    for (const [what, content, sought] of [
      ['20 kB of a line of 2 MB, but for the last character', zeros, `${zeros.slice(0, 20_000)}1`],
      ['a little less, which is compared', zeros, `${zeros.slice(0, 15_000)}1`],
      ['200 kB of it, but for the last character', zeros, `${zeros.slice(0, 200_000)}!`],
      ['one letter many times', 'a'.repeat(2_000_000), `${'a'.repeat(10_000)}b`],
      ['one letter many times, on lines', 'aaaa\n'.repeat(400_000), `${'aaaa\n'.repeat(2_000)}b`],
      ['blank lines', '\n'.repeat(2_000_000), `${'\n'.repeat(10_000)}b`],
      ['blanks', ' '.repeat(2_000_000), `${' \t'.repeat(5_000)}b`],
      ['backslashes', '\\'.repeat(1_000_000), `${'\\'.repeat(9_999)}n`],
      ['half entities', '&amp'.repeat(500_000), '&amp;'.repeat(4_000)],
      ['most of a file of 4,000 lines', wide.join('\n'), wide.slice(0, 300).join('\n').replace('value299', 'other')],
      ['a line of a file of 4,000 lines', wide.join('\n'), 'const value9999 = compute();'],
    ] as const) {
      it(what, async () => {
        const path = fresh(content, 'min.js');
        const [part] = await read({ path, start_line: 1, end_line: 1 });
        const result = await quickly(() => replace(path, String(part?.header.base), sought, 'x'));
        assert.equal(result.status, 'not_found', JSON.stringify(result).slice(0, 500));
        const nearest = result['nearest'] as { skipped?: string; line?: number; text?: string } | undefined;
        if (content === zeros || sought.length > 20_000) {
          assert.ok(nearest?.skipped, JSON.stringify(nearest));
        }
        assert.ok((nearest?.text ?? '').length < 500);
      });
    }

    it('also for a thousand edits at once', async () => {
      const path = fresh(wide.join('\n'), 'wide.js');
      const edits = wide.slice(0, 999).map((line) => ({ old_string: line, new_string: `${line} // seen` }));
      const files = [{ path, base: await baseOf(path), edits: [...edits, { old_string: 'nowhere', new_string: 'x' }] }];
      const result = await quickly(async () => only(await edit({ files })));
      assert.deepEqual([result.status, result['edit_index']], ['not_found', 999], JSON.stringify(result));
    });
  });
});
