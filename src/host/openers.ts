import { statSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Arbiter } from '../core/arbiter.ts';
import { parseBase } from '../core/base.ts';
import { blocksBetween } from '../core/compare.ts';
import type { Conflict } from '../core/conflict.ts';
import { wishSides } from '../core/intended.ts';
import type { Subject } from './subjects.ts';
import type { BaseContent } from './views/baseContent.ts';

/** Opens files and diffs in the editor's own views. */
export class Openers {
  readonly #arbiter: Arbiter;
  readonly #content: BaseContent;
  readonly #uriOf: (key: string) => vscode.Uri;

  constructor(arbiter: Arbiter, content: BaseContent, uriOf: (key: string) => vscode.Uri) {
    this.#arbiter = arbiter;
    this.#content = content;
    this.#uriOf = uriOf;
  }

  /** The text at the agent's read ↔ the file now, at the first line that differs. */
  async showChanges(subject: Subject): Promise<void> {
    const { key, path, base } = placeOf(subject);
    const then = this.#textAt(base);
    if (then === undefined) {
      forgotten(path);
      return;
    }
    const file = this.#uriOf(key);
    const now = await contentNow(file);
    const line = firstDifference(then, now ?? '');
    await this.#diff(
      this.#content.uriAt(file, base),
      now === undefined ? this.#content.uriAt(file, 'absent') : file,
      `${nameOf(path)} (at the agent's read ↔ now)`,
      line,
    );
  }

  /** Beside each other: what the agent had read ↔ what it wanted, and the file now ↔ what it wanted. */
  async showIntended(conflict: Conflict): Promise<void> {
    const { key, path } = conflict;
    const file = this.#uriOf(key);
    const name = nameOf(path);
    const intended = this.#arbiter.intendedAt(conflict);
    if (intended === undefined) {
      const { before, after } = wishSides(conflict.request.wish);
      const [left, right] = [this.#content.uriOfText(file, before), this.#content.uriOfText(file, after)];
      await this.#diff(left, right, `${name} (what the edit looked for ↔ what it wanted)`, 0);
      return;
    }
    const wanted = this.#content.uriOfText(file, intended);
    const then = this.#textAt(conflict.since);
    const now = await contentNow(file);
    if (then !== undefined) {
      const title = `${name} (at the agent's read ↔ what it wanted)`;
      await this.#diff(this.#content.uriAt(file, conflict.since), wanted, title, firstDifference(then, intended));
    }
    await this.#diff(
      now === undefined ? this.#content.uriAt(file, 'absent') : file,
      wanted,
      `${name} (now ↔ what it wanted)`,
      firstDifference(now ?? '', intended),
      then === undefined ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside,
    );
  }

  /** The file, at the first line that moved since the agent's read. */
  async openFile(subject: Subject): Promise<void> {
    const { key, path, base } = placeOf(subject);
    const file = this.#uriOf(key);
    const now = await contentNow(file);
    if (now === undefined) {
      void vscode.window.showInformationMessage(`There is no file ${plain(path)} any more.`);
      return;
    }
    const then = this.#textAt(base);
    const line = then === undefined ? 0 : firstDifference(then, now);
    await vscode.window.showTextDocument(file, { selection: new vscode.Range(line, 0, line, 0) });
  }

  /** What moved since the agent's read, as a unified diff; `undefined` where the text at the base is not remembered, or secret. */
  async diffOf(subject: Subject): Promise<string | undefined> {
    const { key, path, base } = placeOf(subject);
    const then = this.#arbiter.isSecret({ key, path }) ? undefined : this.#textAt(base);
    return then === undefined ? undefined : this.#arbiter.diff(then, (await contentNow(this.#uriOf(key))) ?? '').text;
  }

  /** What a refused edit wanted, as a unified diff against the text that it was planned on. */
  wantedDiffOf(conflict: Conflict): string | undefined {
    const intended = this.#arbiter.intendedAt(conflict);
    const then = this.#textAt(conflict.since);
    if (intended !== undefined && (then !== undefined || conflict.since === 'absent')) {
      return this.#arbiter.diff(then ?? '', intended).text;
    }
    const { before, after } = wishSides(conflict.request.wish);
    return before === after ? undefined : this.#arbiter.diff(before, after).text;
  }

  #textAt(token: string): string | undefined {
    const base = parseBase(token);
    return base && this.#arbiter.contentAt(base);
  }

  async #diff(
    left: vscode.Uri,
    right: vscode.Uri,
    title: string,
    line: number,
    viewColumn?: vscode.ViewColumn,
  ): Promise<void> {
    await vscode.commands.executeCommand('vscode.diff', left, right, title, {
      selection: new vscode.Range(line, 0, line, 0),
      ...(viewColumn === undefined ? {} : { viewColumn }),
    } satisfies vscode.TextDocumentShowOptions);
  }
}

function placeOf(subject: Subject): { readonly key: string; readonly path: string; readonly base: string } {
  return subject.kind === 'stale'
    ? { key: subject.stale.key, path: subject.stale.path, base: subject.stale.base }
    : { key: subject.conflict.key, path: subject.conflict.path, base: subject.conflict.since };
}

/** @returns `undefined` where there is no such file any more. */
async function contentNow(file: vscode.Uri): Promise<string | undefined> {
  if (statSync(file.fsPath, { throwIfNoEntry: false })?.isFile() !== true) {
    return undefined;
  }
  return (await vscode.workspace.openTextDocument(file)).getText().replaceAll('\r\n', '\n');
}

function firstDifference(before: string, after: string): number {
  return blocksBetween(before, after)[0]?.newStart ?? 0;
}

function nameOf(path: string): string {
  return path.split('/').at(-1) ?? path;
}

/** Messages make links of brackets. */
export function plain(path: string): string {
  return path.replaceAll(/[[\]]/g, ' ');
}

function forgotten(path: string): void {
  void vscode.window.showWarningMessage(`The text of ${plain(path)} at that base is no longer remembered.`);
}
