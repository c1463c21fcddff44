import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as vscode from 'vscode';
import { write } from '../hosts/mochaSuite.ts';
import { type Answer, edit, only, read } from '../integration/support/agent.ts';
import { fresh, pathOf, sha256, textOf, uriOf, writes } from '../integration/support/disk.ts';
import { closeEverything, engineer } from '../integration/support/engineer.ts';
import { line, median, ms, sideBySide, timeOf, times } from './measure.ts';
import { variables } from './variables.ts';

const { [variables.rounds]: asked } = process.env;
const ROUNDS = Number(asked);

/** Text of about so many characters, a number in each line. */
function textOfSize(chars: number): string {
  const lines = Array.from({ length: Math.ceil(chars / 40) }, (_, index) => `const value${index} = compute(${index});`);
  return `${lines.map((one) => one.padEnd(39)).join('\n')}\n`;
}

/** The time inside `invoke` of the calls that `body` makes, in milliseconds: the editor's own way to a tool is not in it. */
async function timeInside(body: () => Promise<unknown>): Promise<number> {
  let inside = 0;
  const calls = channel('edit-arbiter.call');
  const add = (call: unknown) => {
    inside += (call as { readonly milliseconds: number }).milliseconds;
  };
  calls.subscribe(add);
  try {
    await body();
  } finally {
    calls.unsubscribe(add);
  }
  return inside;
}

/** What changes in a text in a round: so many of its lines, each for a longer or for an equally long one. */
function changesOf(text: string, round: number, count: number, isLonger: boolean): readonly [string, string][] {
  const lines = text.split('\n');
  const step = Math.floor((lines.length - 2) / count);
  return Array.from({ length: count }, (_, index) => {
    const old = lines[(index * step + round) % (lines.length - 1)] ?? '';
    return [old, isLonger ? `${old} // ${round}` : old.replace('const', `c${String(round).padStart(4, '0')}`)];
  });
}

async function bareChange(edits: vscode.WorkspaceEdit, path: string, changes: readonly [string, string][]) {
  const document = await vscode.workspace.openTextDocument(uriOf(path));
  const text = document.getText();
  for (const [from, to] of changes) {
    const at = text.indexOf(from);
    const range = new vscode.Range(document.positionAt(at), document.positionAt(at + from.length));
    edits.replace(document.uri, range, to);
  }
  return document;
}

async function bare(path: string, changes: readonly [string, string][]): Promise<void> {
  const edits = new vscode.WorkspaceEdit();
  const document = await bareChange(edits, path, changes);
  assert.ok(await vscode.workspace.applyEdit(edits));
  assert.ok(await document.save());
}

function entry(path: string, text: string, changes: readonly [string, string][]): object {
  const edits = changes.map(([old_string, new_string]) => ({ old_string, new_string }));
  return { path, base: sha256(text), edits };
}

function isApplied({ results }: Answer, count: number): void {
  assert.equal(results.filter(({ status }) => status === 'applied').length, count, JSON.stringify(results[0]));
}

describe('Measured beside the bare editor', function () {
  this.timeout(1_800_000);
  beforeEach(closeEverything);

  for (const [how, open] of [
    ['in a tab', async (path: string) => engineer.opens(path)],
    ['open in no tab', async (path: string) => engineer.holds(path)],
    ['not open', async () => {}],
  ] as const) {
    for (const isLonger of [true, false]) {
      it(`one edit of a 40 kB file, ${how}, ${isLonger ? 'that makes it longer' : 'of the same length'}`, async () => {
        const text = textOfSize(40_000);
        const prepare = async () => {
          const path = fresh(text, 'bench.txt');
          await open(path);
          return path;
        };
        let whole: number[] = [];
        const { bare: plain, gated } = await sideBySide(ROUNDS, {
          bare: async (round) => {
            const path = await prepare();
            return timeOf(() => bare(path, changesOf(text, round, 1, isLonger)));
          },
          gated: async (round) => {
            const path = await prepare();
            return timeInside(async () => {
              const file = entry(path, text, changesOf(text, round, 1, isLonger));
              whole.push(await timeOf(async () => isApplied(await edit({ files: [file] }), 1)));
            });
          },
        });
        whole = whole.slice(1);
        write(
          line(
            `gated edit, ${how}, ${isLonger ? 'longer' : 'same length'}, beside applyEdit and save`,
            `${times(gated / plain)} (${ms(gated)} and ${ms(plain)}; with the editor's way to a tool ${ms(median(whole))})`,
            'at most 1.10 times',
          ),
        );
      });
    }
  }

  for (const mode of ['continue', 'atomic'] as const) {
    it(`a batch of 50 files, 10 edits each: ${mode}`, async () => {
      const text = textOfSize(8_000);
      const prepare = () => Array.from({ length: 50 }, (_, index) => fresh(text, `batch${index}.txt`));
      const rounds = Math.max(3, Math.ceil(ROUNDS / 4));
      const { together, batch, oneByOne } = await sideBySide(rounds, {
        together: async (round) => {
          const paths = prepare();
          return timeOf(async () => {
            const joint = new vscode.WorkspaceEdit();
            const edits = paths.map(() => (mode === 'atomic' ? joint : new vscode.WorkspaceEdit()));
            const documents = await Promise.all(
              paths.map((path, index) => bareChange(edits[index] ?? joint, path, changesOf(text, round, 10, true))),
            );
            await Promise.all([...new Set(edits)].map((one) => vscode.workspace.applyEdit(one)));
            await Promise.all(documents.map((document) => document.save()));
          });
        },
        batch: async (round) => {
          const files = prepare().map((path) => entry(path, text, changesOf(text, round, 10, true)));
          return timeInside(async () => isApplied(await edit({ files, on_conflict: mode }), 50));
        },
        oneByOne: async (round) => {
          const files = prepare().map((path) => entry(path, text, changesOf(text, round, 10, true)));
          return timeInside(async () => {
            for (const file of files) {
              isApplied(await edit({ files: [file] }), 1);
            }
          });
        },
      });
      write(
        line(
          `batch of 50 files, ${mode}, beside bare edits and saves together`,
          `${times(batch / together)} (${ms(batch)} and ${ms(together)})`,
          'at most 1.15 times',
        ),
      );
      write(line('… beside 50 calls one after the other', `${times(oneByOne / batch)} faster`, 'at least 4 times'));
    });
  }

  for (const [count, size] of [
    [1, 4_000],
    [1, 2_000_000],
    [50, 4_000],
    [50, 40_000],
    [1_000, 4_000],
  ] as const) {
    it(`a read of ${count} files of ${size / 1_000} kB that are not open`, async () => {
      const rounds = count > 50 ? 3 : ROUNDS;
      const folder = fresh('', 'first.txt').replace(/[^/]*$/, '');
      const text = textOfSize(size);
      const paths = Array.from({ length: count }, (_, index) => `${folder}read${index}.txt`);
      for (const path of paths) {
        writes(path, text);
      }
      const { plain, gated } = await sideBySide(rounds, {
        plain: () =>
          timeOf(() =>
            Promise.all(
              paths.map(async (path) =>
                createHash('sha256')
                  .update(await readFile(pathOf(path)))
                  .digest('hex'),
              ),
            ),
          ),
        gated: () =>
          timeInside(async () => {
            for (let at = 0; at < count; at += 50) {
              const parts = await read(...paths.slice(at, at + 50));
              assert.equal(parts[0]?.header.base, sha256(text));
            }
          }),
      });
      const opening = await timeOf(() =>
        Promise.all(paths.slice(0, 200).map((path) => vscode.workspace.openTextDocument(uriOf(path)))),
      );
      const perFile = opening / Math.min(200, count);
      write(
        line(
          `read of ${count} × ${size / 1_000} kB beside readFile and SHA-256`,
          `${times(gated / plain)} (${ms(gated)} and ${ms(plain)})`,
          'at most 1.5 times',
        ),
      );
      write(line('… beside opening documents', `${times((perFile * count) / gated)} faster`, 'at least 10 times'));
    });
  }

  for (const [what, before, after, aim] of [
    ['of a 40 kB file with 4 changed lines', textOfSize(40_000), undefined, 10],
    ['of a 2 MB file that was rewritten', textOfSize(2_000_000), textOfSize(2_000_000).replaceAll('value', 'w'), 250],
    ['of 25,000 lines cut to 500', textOfSize(1_000_000), textOfSize(20_000).replaceAll('value', 'w'), 250],
  ] as const) {
    it(`a refusal ${what}`, async () => {
      const now = after ?? changesOf(before, 3, 4, true).reduce((text, [from, to]) => text.replace(from, to), before);
      const refusals: number[] = [];
      const stretches: number[] = [];
      for (let round = 0; round <= Math.ceil(ROUNDS / 2); round += 1) {
        const path = fresh(before, 'refused.txt');
        await read(path);
        writes(path, now);
        let longest = 0;
        let last = performance.now();
        const timer = setInterval(() => {
          longest = Math.max(longest, performance.now() - last);
          last = performance.now();
        }, 1);
        refusals.push(
          await timeInside(async () => {
            const answer = only(await edit({ files: [entry(path, before, [['const value1 ', 'const other1 ']])] }));
            assert.equal(answer.status, 'stale_base');
          }),
        );
        clearInterval(timer);
        stretches.push(longest);
      }
      write(line(`refusal ${what}`, ms(median(refusals.slice(1))), `${aim} ms`));
      write(line('… and the extension host was blocked for', ms(median(stretches.slice(1))), 'at most 50 ms'));
    });
  }

  it('memory over 10,000 reads and 1,000 edits', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heap = () => {
      collect();
      return process.memoryUsage().heapUsed / 1e6;
    };
    const folder = fresh('', 'first.txt').replace(/[^/]*$/, '');
    const paths = Array.from({ length: 200 }, (_, index) => `${folder}m${index}.txt`);
    for (const path of paths) {
      writes(path, textOfSize(4_000));
    }
    const seen: number[] = [heap()];
    for (let step = 0; step < 10; step += 1) {
      for (let at = 0; at < 1_000; at += 50) {
        await read(...paths.slice(at % 200, (at % 200) + 50));
      }
      for (let count = 0; count < 100; count += 1) {
        const path = paths[count] ?? '';
        const text = textOf(path);
        isApplied(
          await edit({ files: [entry(path, text, [[text.slice(0, 20), `${step} ${count} ${text.slice(0, 20)}`]])] }),
          1,
        );
      }
      seen.push(heap());
    }
    const shown = seen.map((size) => size.toFixed(0)).join(', ');
    write(line('heap of the extension host after each 1,000 reads and 100 edits, in MB', shown, 'flat after warm-up'));
  });
});
