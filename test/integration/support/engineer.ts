import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { uriOf } from './disk.ts';

/** A place on a line, zero-based, and what is selected from there. */
export interface Place {
  readonly line: number;
  readonly character: number;
  readonly length?: number;
}

/** What an engineer does in the editor. Every method returns when the editor has told of it. */
export const engineer = {
  async opens(path: string): Promise<vscode.TextEditor> {
    return vscode.window.showTextDocument(uriOf(path), { preview: false });
  },

  /** Lets the editor hold a file in no tab, as it does after a search or beside another file. Quicker than a tab. */
  async holds(path: string): Promise<vscode.TextDocument> {
    return vscode.workspace.openTextDocument(uriOf(path));
  },

  /** Types through the editor's own `type` command, at a place of the active editor's text, over `length` characters. */
  async types(path: string, text: string, { line, character, length = 0 }: Place): Promise<void> {
    const editor = await this.opens(path);
    editor.selection = new vscode.Selection(line, character, line, character + length);
    for (const character of text) {
      const { version } = editor.document;
      await vscode.commands.executeCommand('type', { text: character });
      await until(() => editor.document.version > version);
    }
  },

  async undoes(path: string): Promise<void> {
    const editor = await this.opens(path);
    const { version } = editor.document;
    await vscode.commands.executeCommand('undo');
    await until(() => editor.document.version > version);
  },

  async redoes(path: string): Promise<void> {
    const editor = await this.opens(path);
    const { version } = editor.document;
    await vscode.commands.executeCommand('redo');
    await until(() => editor.document.version > version);
  },

  async saves(path: string): Promise<void> {
    const { document } = await this.opens(path);
    assert.equal(await document.save(), true, `${path} was not saved`);
  },
};

/** The open document of a path. */
export function documentOf(path: string): vscode.TextDocument {
  const uri = uriOf(path).toString();
  const document = vscode.workspace.textDocuments.find((candidate) => candidate.uri.toString() === uri);
  assert.ok(document, `${path} is not open`);
  return document;
}

export function isOpen(path: string): boolean {
  const uri = uriOf(path).toString();
  return vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri);
}

/** Waits until the editor has come to some state; the test's own time limit ends the wait. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Leaves no tab and no unsaved text behind, so that tests do not see each other. */
export async function closeEverything(): Promise<void> {
  for (const tab of vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs)) {
    if (tab.isDirty && tab.input instanceof vscode.TabInputText) {
      await vscode.window.showTextDocument(tab.input.uri);
      await vscode.commands.executeCommand('workbench.action.files.revert');
    }
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}
