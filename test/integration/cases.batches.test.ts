import assert from 'node:assert/strict';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Answer, baseOf, edit, only, replaceAll } from './support/agent.ts';
import { fresh, pathOf, sha256, textOf, writes } from './support/disk.ts';
import { documentOf, engineer, isOpen } from './support/engineer.ts';

/** Every order of some things. */
function ordersOf<T>(things: readonly T[]): T[][] {
  return things.length <= 1
    ? [[...things]]
    : things.flatMap((thing, index) => ordersOf(things.toSpliced(index, 1)).map((rest) => [thing, ...rest]));
}

function statuses({ results }: Answer): string[] {
  return results.map(({ status }) => status);
}

describe('Known failures of batches', function () {
  this.timeout(60_000);

  describe('Edits of one call are found in the text of the base, whatever their order', () => {
    const before = 'type K = u8;\nstruct S { k: K }\nfn f() { let t = old(); }\n';
    const after = 'type K = u8;\nstruct S {\n    k: K,\n    n: u32,\n}\nfn f() { let t = much_longer_name(); }\n';
    const grow = { old_string: 'struct S { k: K }', new_string: 'struct S {\n    k: K,\n    n: u32,\n}' };
    const rename = { old_string: 'old()', new_string: 'much_longer_name()' };
    for (const isShown of [false, true]) {
      it(isShown ? 'in the active editor' : 'in a file that is not open', async () => {
        for (const edits of ordersOf([grow, rename])) {
          const path = fresh(before, 'a.rs');
          if (isShown) {
            await engineer.opens(path);
          }
          const result = await replaceAll(path, await baseOf(path), edits);
          assert.equal(result.status, 'applied', JSON.stringify(result));
          assert.equal(textOf(path), after);
          assert.deepEqual(result.changed_lines, [[2, 6]]);
          assert.deepEqual(result.line_shifts, [[3, 3]]);
        }
      });
    }

    it('as one patch of two hunks', async () => {
      const path = fresh(before, 'a.rs');
      const patch =
        '@@ -2,1 +2,4 @@\n-struct S { k: K }\n+struct S {\n+    k: K,\n+    n: u32,\n+}\n@@ -3,1 +6,1 @@\n-fn f() { let t = old(); }\n+fn f() { let t = much_longer_name(); }\n';
      const result = only(await edit({ files: [{ path, base: await baseOf(path), patch }] }));
      assert.equal(result.status, 'applied', JSON.stringify(result));
      assert.equal(textOf(path), after);
    });

    it('with edits that grow, shrink, insert and delete, side by side', async () => {
      const edits = [
        { old_string: 'a\n', new_string: '' },
        { old_string: 'b', new_string: 'bbb\nbbb' },
        { old_string: 'c', new_string: 'c' },
        { old_string: 'd\ne\n', new_string: 'D' },
      ];
      for (const order of ordersOf(edits)) {
        const path = fresh('a\nbc\nd\ne\nf', 'a.txt');
        const result = await replaceAll(path, await baseOf(path), order);
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.equal(textOf(path), 'bbb\nbbbc\nDf');
      }
    });

    it('so that two names can change places, and nothing matches what another edit brings in', async () => {
      const path = fresh('left right\n', 'a.txt');
      const swap = [
        { old_string: 'left', new_string: 'right' },
        { old_string: 'right', new_string: 'left' },
      ];
      for (const order of ordersOf(swap)) {
        const result = await replaceAll(path, await baseOf(path), order);
        assert.equal(result.status, 'applied', JSON.stringify(result));
      }
      assert.equal(textOf(path), 'left right\n');
      const brought = [
        { old_string: 'left', new_string: 'middle' },
        { old_string: 'middle', new_string: 'x' },
      ];
      for (const order of ordersOf(brought)) {
        const result = await replaceAll(path, await baseOf(path), order);
        assert.deepEqual([result.status, result['edit_index']], ['not_found', order.indexOf(brought[1] ?? grow)]);
      }
      assert.equal(textOf(path), 'left right\n');
    });

    it('and those that meet are refused together, with both named', async () => {
      const path = fresh('abcd\n', 'a.txt');
      const base = await baseOf(path);
      for (const [one, other] of [
        ['abc', 'bcd'],
        ['abcd', 'bc'],
        ['abc', 'abcd'],
      ] as const) {
        const edits = [
          { old_string: one, new_string: 'x' },
          { old_string: other, new_string: 'y' },
        ];
        for (const order of ordersOf(edits)) {
          const result = await replaceAll(path, base, order);
          assert.deepEqual([result.status, result['edit_indexes']], ['overlap', [0, 1]], JSON.stringify(result));
        }
      }
      assert.equal(textOf(path), 'abcd\n');
      assert.equal(isOpen(path), false);
    });
  });

  describe('The reply says of each file of a call what became of it', () => {
    const files = async () => {
      const folder = dirname(fresh('old\n', 'ok.txt'));
      const at = (name: string) => `${folder}/${name}`;
      writes(at('bad.txt'), 'other\n');
      writes(at('gone.txt'), 'old\n');
      const bases = await Promise.all(['ok.txt', 'bad.txt', 'gone.txt'].map((name) => baseOf(at(name))));
      rmSync(pathOf(at('gone.txt')));
      const edits = (text: string) => [{ old_string: text, new_string: 'new' }];
      const entries = {
        fine: { path: at('ok.txt'), base: bases[0], edits: edits('old') },
        missing: { path: at('bad.txt'), base: bases[1], edits: edits('missing') },
        create: { path: at('n1.txt'), base: 'absent', content: 'n1\n' },
        gone: { path: at('gone.txt'), base: bases[2], delete: true },
      };
      const disk = () =>
        ['ok.txt', 'bad.txt', 'n1.txt', 'gone.txt'].map((name) =>
          existsSync(pathOf(at(name))) ? textOf(at(name)) : null,
        );
      return { entries, disk, at };
    };

    for (const [mode, twoFiles, threeFiles, written] of [
      ['continue', ['applied', 'not_found'], ['applied', 'applied', 'stale_base'], true],
      ['stop', ['applied', 'not_found'], ['applied', 'applied', 'stale_base'], true],
      ['atomic', ['skipped', 'not_found'], ['skipped', 'skipped', 'stale_base'], false],
    ] as const) {
      it(`${mode}: two edits, of which one matches nothing`, async () => {
        const { entries, disk, at } = await files();
        const answer = await edit({ files: [entries.fine, entries.missing], on_conflict: mode });
        assert.deepEqual(statuses(answer), twoFiles, JSON.stringify(answer));
        assert.deepEqual(disk(), [written ? 'new\n' : 'old\n', 'other\n', null, null]);
        assert.ok(answer.results.every(({ status, next }) => status === 'applied' || next !== undefined));
        assert.equal(answer.results[0]?.base, written ? sha256('new\n') : undefined);
        assert.ok(written || !isOpen(at('ok.txt')) || !documentOf(at('ok.txt')).isDirty);
      });

      it(`${mode}: a new file, an edit, and a delete of what is gone already`, async () => {
        const { entries, disk } = await files();
        const answer = await edit({ files: [entries.create, entries.fine, entries.gone], on_conflict: mode });
        assert.deepEqual(statuses(answer), threeFiles, JSON.stringify(answer));
        assert.deepEqual(disk(), written ? ['new\n', 'other\n', 'n1\n', null] : ['old\n', 'other\n', null, null]);
        assert.deepEqual(answer.results[2]?.changed_by, ['deleted on disk']);
        assert.equal(answer.summary, written ? '2 applied, 1 stale_base' : '2 skipped, 1 stale_base');
      });
    }

    it('stop: nothing after the first refusal, everything before it', async () => {
      const { entries, disk } = await files();
      const answer = await edit({
        files: [entries.create, entries.gone, entries.fine, entries.missing],
        on_conflict: 'stop',
      });
      assert.deepEqual(statuses(answer), ['applied', 'stale_base', 'skipped', 'skipped'], JSON.stringify(answer));
      assert.deepEqual(disk(), ['old\n', 'other\n', 'n1\n', null]);
    });

    it('atomic: nothing is even tried where a file to delete, or to rename, is read only', async () => {
      for (const wish of ['delete', 'rename']) {
        const { entries, disk, at } = await files();
        chmodSync(pathOf(at('bad.txt')), 0o444);
        await engineer.holds(at('ok.txt'));
        const { version } = documentOf(at('ok.txt'));
        const { path, base } = entries.missing;
        const leaving = { path, base, ...(wish === 'delete' ? { delete: true } : { rename_to: at('n2.txt') }) };
        const answer = await edit({ files: [entries.fine, leaving], on_conflict: 'atomic' });
        assert.deepEqual(statuses(answer), ['skipped', 'read_only'], JSON.stringify(answer));
        assert.deepEqual(disk(), ['old\n', 'other\n', null, null]);
        assert.equal(documentOf(at('ok.txt')).version, version);
      }
    });

    it('and of an entry that makes no sense, in every mode', async () => {
      for (const [mode, expected] of [
        ['continue', ['applied', 'invalid_input']],
        ['stop', ['applied', 'invalid_input']],
        ['atomic', ['skipped', 'invalid_input']],
      ] as const) {
        const { entries, disk } = await files();
        const answer = await edit({ files: [entries.fine, { ...entries.missing, edits: [] }], on_conflict: mode });
        assert.deepEqual(statuses(answer), expected, JSON.stringify(answer));
        assert.deepEqual(disk()[0], mode === 'atomic' ? 'old\n' : 'new\n');
      }
    });
  });
});
