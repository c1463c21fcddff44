import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { write } from '../hosts/mochaSuite.ts';
import { type Answer, edit, read } from './support/agent.ts';
import { fresh, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { documentOf, isOpen } from './support/engineer.ts';

const COUNT = 50;
const BEFORE = 'one\ntwo\nthree\n';
const AFTER = 'one\n2\nthree\n';

/** Files that no editor has seen, and an entry for each. */
async function prepare(
  count = COUNT,
): Promise<{ paths: string[]; files: { path: string; base: string; edits: object[] }[] }> {
  const paths = Array.from({ length: count }, (_, index) => fresh(BEFORE, `f${index}.txt`));
  const files = paths.map((path) => ({
    path,
    base: sha256(BEFORE),
    edits: [{ old_string: 'two', new_string: '2' }],
  }));
  const parts = await read(...paths.slice(0, COUNT));
  assert.ok(parts.every(({ header }) => header.base === sha256(BEFORE)));
  return { paths, files };
}

/** Which of the files are saved while `body` runs, in order. */
async function saves(paths: readonly string[], body: () => Promise<void>): Promise<string[]> {
  const names = new Map(paths.map((path) => [uriOf(path).toString(), path]));
  const saved: string[] = [];
  const subscription = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
    const path = names.get(uri.toString());
    if (path !== undefined) {
      saved.push(path);
    }
  });
  try {
    await body();
  } finally {
    subscription.dispose();
  }
  return saved;
}

/** Every entry has its own result, in the order of the call, and each file holds what its result says. */
function assertEach(answer: Answer, paths: readonly string[], statusOf: (index: number) => string): void {
  assert.deepEqual(
    answer.results.map(({ path, status }) => `${path} ${status}`),
    paths.map((path, index) => `${path} ${statusOf(index)}`),
  );
  for (const [index, path] of paths.entries()) {
    const { base, saved } = answer.results[index] ?? {};
    if (statusOf(index) === 'applied') {
      assert.deepEqual([textOf(path), base, saved], [AFTER, sha256(AFTER), true]);
      assert.equal(documentOf(path).getText(), AFTER);
      assert.equal(documentOf(path).isDirty, false);
    } else {
      assert.equal(textOf(path), statusOf(index) === 'stale_base' ? 'theirs\n' : BEFORE);
      assert.equal(isOpen(path), false, `${path} was ${statusOf(index)}, and nobody has to open it`);
    }
  }
}

describe('A batch of fifty files', function () {
  this.timeout(180_000);

  it('with `continue` lands but for those that moved; only those that land are opened, and saved once', async () => {
    const { paths, files } = await prepare();
    const isMoved = (index: number) => index % 7 === 3;
    for (const path of paths.filter((_, index) => isMoved(index))) {
      writes(path, 'theirs\n');
    }
    const saved = await saves(paths, async () => {
      const answer = await edit({ files });
      assert.equal(answer.summary, '43 applied, 7 stale_base');
      assertEach(answer, paths, (index) => (isMoved(index) ? 'stale_base' : 'applied'));
      assert.deepEqual(new Set(answer.results.flatMap(({ edit: number }) => number ?? [])).size, 43);
    });
    assert.deepEqual(saved.sort(), paths.filter((_, index) => !isMoved(index)).sort());
  });

  it('with `stop` lands up to the first that moved, in the order of the call', async () => {
    const { paths, files } = await prepare();
    writes(paths[20] ?? '', 'theirs\n');
    const saved = await saves(paths, async () => {
      const answer = await edit({ files, on_conflict: 'stop' });
      assert.equal(answer.summary, '20 applied, 1 stale_base, 29 skipped');
      assertEach(answer, paths, (index) => (index < 20 ? 'applied' : index === 20 ? 'stale_base' : 'skipped'));
      const numbers = answer.results.flatMap(({ edit: number }) => number ?? []);
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => (numbers[0] ?? 0) + index),
      );
    });
    assert.deepEqual(saved, paths.slice(0, 20));
  });

  it('with `atomic` lands as a whole, or opens nothing', async () => {
    for (const isMoved of [true, false]) {
      const { paths, files } = await prepare();
      if (isMoved) {
        writes(paths[20] ?? '', 'theirs\n');
      }
      const saved = await saves(paths, async () => {
        const answer = await edit({ files, on_conflict: 'atomic' });
        assert.equal(answer.summary, isMoved ? '49 skipped, 1 stale_base' : '50 applied');
        assertEach(answer, paths, (index) => (!isMoved ? 'applied' : index === 20 ? 'stale_base' : 'skipped'));
      });
      assert.deepEqual(saved.sort(), isMoved ? [] : paths.toSorted());
    }
  });

  it('is the most: fifty-one are refused by name, in every mode, and nothing is opened', async () => {
    const { paths, files } = await prepare(COUNT + 1);
    for (const mode of ['continue', 'stop', 'atomic']) {
      const answer = await edit({ files, on_conflict: mode });
      assert.deepEqual([answer.summary, answer.results], ['invalid_input', []]);
      assert.match(String(answer.next), /51 files.*at most 50/);
    }
    assert.ok(paths.every((path) => textOf(path) === BEFORE && !isOpen(path)));
  });

  it('takes less time than fifty calls one after the other', async () => {
    const modes = ['continue', 'stop', 'atomic'];
    const times = new Map<string, number>();
    const measure = async (name: string, body: (files: readonly object[]) => Promise<void>) => {
      const { paths, files } = await prepare();
      const start = performance.now();
      await body(files);
      times.set(name, performance.now() - start);
      assert.ok(paths.every((path) => textOf(path) === AFTER));
    };
    for (const mode of modes) {
      await measure(mode, async (files) => {
        await edit({ files, on_conflict: mode });
      });
    }
    await measure('one after the other', async (files) => {
      for (const file of files) {
        await edit({ files: [file] });
      }
    });
    const alone = times.get('one after the other') ?? 0;
    for (const mode of modes) {
      const time = times.get(mode) ?? 0;
      write(
        `    fifty files in one call, ${mode}: ${time.toFixed(0)} ms; in fifty calls: ${alone.toFixed(0)} ms; ratio 1 : ${(alone / time).toFixed(1)}`,
      );
    }
    assert.ok((times.get('continue') ?? Number.POSITIVE_INFINITY) < alone);
  });
});
