import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { baseOf, type Result, replace } from './support/agent.ts';
import { bytesOf, fresh, pathOf, sha256, textOf, uriOf, writes } from './support/disk.ts';
import { closeEverything, engineer } from './support/engineer.ts';

const BEFORE = 'one\ntwo\n';
const AFTER = 'one and more\ntwo\n';
const OUTSIDE = 'outside\n';

type Moment = 'after the apply' | 'as the save begins' | 'after the save';
const MOMENTS: readonly Moment[] = ['after the apply', 'as the save begins', 'after the save'];

/** What befalls the file. @returns the bytes that somebody has put in its place, if any. */
const FAULTS: Readonly<Record<string, (path: string) => string | undefined>> = {
  'is deleted': (path) => {
    rmSync(path);
    return undefined;
  },
  'is deleted with its folder': (path) => {
    rmSync(dirname(path), { recursive: true });
    return undefined;
  },
  'is replaced by a folder': (path) => {
    rmSync(path);
    mkdirSync(path);
    return undefined;
  },
  'is renamed': (path) => {
    renameSync(path, `${path}.moved`);
    return undefined;
  },
  'is written anew': (path) => {
    writeFileSync(path, 'by another program\n');
    return 'by another program\n';
  },
  'is replaced by another file': (path) => {
    writeFileSync(`${path}.new`, 'another\n');
    renameSync(`${path}.new`, path);
    return 'another\n';
  },
  'loses its permission to be written': (path) => {
    chmodSync(path, 0o444);
    return undefined;
  },
};

describe('A fault in the middle of an edit', function () {
  this.timeout(60_000);
  const subscriptions: vscode.Disposable[] = [];
  let path = '';
  const outside = mkdtempSync(join(tmpdir(), 'edit-arbiter-outside-'));

  afterEach(async () => {
    // The editor cannot let go of a document whose file is a folder.
    if (existsSync(path) && statSync(path).isDirectory()) {
      rmSync(path, { recursive: true });
    }
    if (path !== '') {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, BEFORE);
    }
    for (const subscription of subscriptions.splice(0)) {
      subscription.dispose();
    }
    await closeEverything();
  });

  after(() => rmSync(outside, { recursive: true, force: true }));

  function prepare(): string {
    const name = fresh(BEFORE, 'deep/file.txt');
    path = pathOf(name);
    return name;
  }

  /** Lets something happen once, in the very turn in which the editor tells of the moment. */
  function at(moment: Moment, path: string, act: () => void): void {
    let isDone = false;
    const happen = ({ document }: { readonly document: vscode.TextDocument }) => {
      if (document.uri.toString() === uriOf(path).toString() && document.isDirty !== (moment === 'after the save')) {
        if (!isDone) {
          isDone = true;
          act();
        }
      }
    };
    subscriptions.push(
      moment === 'after the apply'
        ? vscode.workspace.onDidChangeTextDocument(happen)
        : moment === 'as the save begins'
          ? vscode.workspace.onWillSaveTextDocument(happen)
          : vscode.workspace.onDidSaveTextDocument((document) => happen({ document })),
    );
  }

  /** Whatever is said is true, and nobody's bytes are gone. */
  function assertTrue(path: string, result: Result, theirs: string | undefined): void {
    const isFile = existsSync(pathOf(path)) && statSync(pathOf(path)).isFile();
    const now = isFile ? textOf(path) : undefined;
    const told = JSON.stringify(result);
    if (result.base !== undefined) {
      assert.equal(result.base, now === undefined ? 'absent' : sha256(now), told);
    }
    if (theirs !== undefined) {
      assert.equal(now, theirs, `what was written is gone: ${told}`);
    } else if (now !== undefined) {
      assert.ok([BEFORE, AFTER].includes(now), now);
    }
    if (result.status !== 'applied') {
      assert.ok(String(result.next ?? '') !== '', told);
    }
  }

  for (const isLeftToEditor of [false, true]) {
    const way = isLeftToEditor ? 'saved by the editor alone' : 'written in the turn of the compare';
    describe(`of a file that is ${way}`, () => {
      before(() => formatOnSave(isLeftToEditor));
      after(() => formatOnSave(undefined));

      for (const [fault, act] of Object.entries(FAULTS)) {
        for (const moment of MOMENTS) {
          it(`${fault} ${moment}`, async () => {
            const path = prepare();
            await engineer.opens(path);
            const base = await baseOf(path);
            let theirs: string | undefined;
            at(moment, path, () => {
              theirs = act(pathOf(path));
            });
            const result = await replace(path, base, 'one', 'one and more');
            assertTrue(path, result, theirs);
            if (fault === 'is renamed' && moment === 'after the apply') {
              assert.equal(readFileSync(`${pathOf(path)}.moved`, 'utf8'), BEFORE);
            }
          });
        }
      }
    });
  }

  for (const [what, put] of [
    [
      'a link that leads out',
      (path: string) => {
        rmSync(path);
        symlinkSync(join(outside, 'file.txt'), path);
      },
    ],
    [
      'a folder above it that leads out',
      (path: string) => {
        renameSync(dirname(path), `${dirname(path)}.old`);
        symlinkSync(outside, dirname(path));
      },
    ],
  ] as const) {
    for (const content of [OUTSIDE, BEFORE]) {
      it(`does not follow ${what}, put there after the apply, to ${content === BEFORE ? 'the same' : 'other'} bytes`, async () => {
        writeFileSync(join(outside, 'file.txt'), content);
        const path = prepare();
        await engineer.opens(path);
        const base = await baseOf(path);
        at('after the apply', path, () => put(pathOf(path)));
        const result = await replace(path, base, 'one', 'one and more');
        assert.notEqual(result.status, 'applied', JSON.stringify(result));
        assert.equal(readFileSync(join(outside, 'file.txt'), 'utf8'), content);
      });
    }
  }

  it('is no reason to take one’s own write for another’s, nor to blame anybody, when the clock jumps', async () => {
    const path = fresh(BEFORE);
    const base = await baseOf(path);
    const { now } = Date;
    try {
      Date.now = () => now() - 24 * 60 * 60 * 1_000;
      const first = await replace(path, base, 'one', '1');
      assert.equal(first.status, 'applied', JSON.stringify(first));
      Date.now = () => now() + 24 * 60 * 60 * 1_000;
      const second = await replace(path, String(first.base), 'two', '2');
      assert.equal(second.status, 'applied', JSON.stringify(second));
      Date.now = () => now() - 60_000;
      writes(path, '1\n2\n3\n');
      const third = await replace(path, String(first.base), '1', 'one');
      assert.equal(third.status, 'stale_base');
      assert.deepEqual(third.changed_by, [
        `edit #${second.edit} (session unknown, turn ${turnOf(third)})`,
        'external writer',
      ]);
    } finally {
      Date.now = now;
    }
    assert.equal(bytesOf(path).toString(), '1\n2\n3\n');
  });
});

function turnOf({ changed_by }: Result): string {
  return /turn (\d+)/.exec(changed_by?.[0] ?? '')?.[1] ?? '';
}

async function formatOnSave(isOn: boolean | undefined): Promise<void> {
  const editor = vscode.workspace.getConfiguration('editor', uriOf('.'));
  await editor.update('formatOnSave', isOn, vscode.ConfigurationTarget.Workspace);
}
