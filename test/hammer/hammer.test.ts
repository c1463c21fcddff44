import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { write } from '../hosts/mochaSuite.ts';
import { baseOf, replace } from '../integration/support/agent.ts';
import { fresh, pathOf, textOf, uriOf } from '../integration/support/disk.ts';
import { engineer } from '../integration/support/engineer.ts';
import { variables } from './variables.ts';
import { Writer, type Written } from './writer.ts';

const { [variables.seconds]: seconds = '4' } = process.env;
const TEXT = `count 000000000\n${'a line\n'.repeat(200)}agent 000000\nend\n`;

interface Hammered extends Written {
  readonly tried: number;
  readonly landed: number;
}

/** Goes on until an edit has landed, and `mayEnd`. @param edit makes one edit of the agent's line. @returns whether it says that the edit landed. */
async function hammer(
  edit: (path: string, number: string) => Promise<boolean>,
  mayEnd: (written: Written) => boolean,
): Promise<Hammered> {
  const path = fresh(TEXT, 'hammered.txt');
  await engineer.opens(path);
  const writer = new Writer(pathOf(path));
  const end = performance.now() + Number(seconds) * 1_000;
  let tried = 0;
  let landed = 0;
  while (performance.now() < end || landed === 0 || !mayEnd(writer.written)) {
    tried += 1;
    landed += (await edit(path, String(tried).padStart(6, '0'))) ? 1 : 0;
  }
  const written = await writer.stop();
  await vscode.commands.executeCommand('workbench.action.files.revert');
  return { ...written, tried, landed };
}

async function bare(path: string, number: string): Promise<boolean> {
  const document = await vscode.workspace.openTextDocument(uriOf(path));
  const line = document.lineCount - 3;
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, document.lineAt(line).range, `agent ${number}`);
  return (await vscode.workspace.applyEdit(edit)) && (await document.save());
}

async function gated(path: string, number: string): Promise<boolean> {
  const [old = ''] = /^agent \d+$/m.exec(textOf(path)) ?? [];
  const { status } = await replace(path, await baseOf(path), old, `agent ${number}`);
  return status === 'applied';
}

function print(name: string, { writes, lost, tried, landed }: Hammered): void {
  write(`    ${name}: ${writes} writes of the program, ${lost} of them lost; ${tried} edits tried, ${landed} landed`);
}

describe('A program that hammers a file', function () {
  this.timeout(60_000 + 3_000 * Number(seconds));

  it('loses writes to a bare applyEdit and save', async () => {
    const hammered = await hammer(bare, ({ lost }) => lost > 0);
    print('bare applyEdit and save', hammered);
    assert.ok(hammered.lost > 0, 'the measurement shows nothing');
  });

  for (const [size, word] of [
    // Here the editor itself writes.
    ['the same size', (number: string) => number],
    ['another size', (number: string) => '1'.repeat((Number(number) % 7) + 1) + number],
  ] as const) {
    it(`loses hardly one to edits of the arbiter that leave ${size}`, async () => {
      const hammered = await hammer(
        (path, number) => gated(path, word(number)),
        ({ writes }) => writes > 5,
      );
      print(`Edit Arbiter, ${size}`, hammered);
      // On a busy machine the system may tell too late what was written in the moment of the save.
      assert.ok(hammered.lost <= 0.1 * Math.max(10, hammered.writes), `${hammered.lost} lost`);
    });
  }
});
