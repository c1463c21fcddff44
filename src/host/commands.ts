import { statSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Arbiter } from '../core/arbiter.ts';
import { parseBase } from '../core/base.ts';
import { blocksBetween } from '../core/compare.ts';
import type { Conflict } from '../core/conflict.ts';
import { replanPrompt } from '../core/replan.ts';
import type { Tally } from '../core/statistics.ts';
import { COMMANDS, VIEWS } from '../names.ts';
import { exportStatistics, showStatistics } from './statistics.ts';
import type { BaseContent } from './views/baseContent.ts';

/** What the commands work with. */
export interface CommandTools {
  readonly arbiter: Arbiter;
  readonly content: BaseContent;
  readonly uriOf: (key: string) => vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  /** How every edit of the workspace has ended so far. */
  readonly tallies: () => readonly Tally[];
}

/** Registers every command of the palette and the views. */
export function registerCommands(tools: CommandTools): vscode.Disposable[] {
  const { arbiter, log } = tools;
  const handlers: Record<(typeof COMMANDS)[keyof typeof COMMANDS], (argument?: unknown) => unknown> = {
    [COMMANDS.replan]: (argument) => replan(tools, argument),
    [COMMANDS.copyPrompt]: (argument) => copyPrompt(tools, argument),
    [COMMANDS.showConflicts]: () => vscode.commands.executeCommand(`${VIEWS.conflicts}.focus`),
    [COMMANDS.showChanges]: (argument) => showChanges(tools, argument),
    [COMMANDS.dismiss]: (argument) => dismiss(tools, argument),
    [COMMANDS.clearResolved]: () => arbiter.conflicts.clearResolved(),
    [COMMANDS.showStatistics]: () => showStatistics(tools.tallies()),
    [COMMANDS.exportStatistics]: () => exportStatistics(tools.tallies()),
    [COMMANDS.showLog]: () => log.show(),
  };
  return Object.entries(handlers).map(([id, handler]) => vscode.commands.registerCommand(id, handler));
}

async function replan(tools: CommandTools, argument: unknown): Promise<void> {
  const conflicts = await choose(tools, argument, 'Re-plan which edits?', true);
  if (conflicts.length === 0) {
    return;
  }
  const prompt = replanPrompt(conflicts);
  try {
    await vscode.commands.executeCommand('workbench.action.chat.open', {
      query: prompt,
      isPartialQuery: true,
      mode: 'agent',
    });
  } catch (error) {
    tools.log.warn('The chat could not be opened', error instanceof Error ? error : String(error));
    await vscode.env.clipboard.writeText(prompt);
    void vscode.window.showInformationMessage(
      'No chat could be opened here. The re-plan prompt is on the clipboard, for any agent.',
    );
  }
}

async function copyPrompt(tools: CommandTools, argument: unknown): Promise<void> {
  const conflicts = await choose(tools, argument, 'Copy a prompt for which edits?', true);
  if (conflicts.length > 0) {
    await vscode.env.clipboard.writeText(replanPrompt(conflicts));
    void vscode.window.showInformationMessage('The re-plan prompt is on the clipboard.');
  }
}

async function showChanges(tools: CommandTools, argument: unknown): Promise<void> {
  const [conflict] = await choose(tools, argument, 'Show the changes of which file?', false);
  if (!conflict) {
    return;
  }
  const base = parseBase(conflict.since);
  const then = base && tools.arbiter.contentAt(base);
  if (then === undefined) {
    void vscode.window.showWarningMessage(`The text of ${conflict.path} at that base is no longer remembered.`);
    return;
  }
  const file = tools.uriOf(conflict.key);
  const name = conflict.path.split('/').at(-1) ?? conflict.path;
  const title = `${name} (at the agent's read ↔ now)`;
  const now = await contentNow(file);
  const line = blocksBetween(then, now ?? '')[0]?.newStart ?? 0;
  const right = now === undefined ? tools.content.uriAt(file, 'absent') : file;
  await vscode.commands.executeCommand('vscode.diff', tools.content.uriAt(file, conflict.since), right, title, {
    selection: new vscode.Range(line, 0, line, 0),
  } satisfies vscode.TextDocumentShowOptions);
}

/** @returns `undefined` where there is no such file any more, or the editor cannot show it. */
async function contentNow(file: vscode.Uri): Promise<string | undefined> {
  if (statSync(file.fsPath, { throwIfNoEntry: false })?.isFile() !== true) {
    return undefined;
  }
  return (await vscode.workspace.openTextDocument(file)).getText().replaceAll('\r\n', '\n');
}

async function dismiss(tools: CommandTools, argument: unknown): Promise<void> {
  for (const { id } of await choose(tools, argument, 'Dismiss which conflicts?', true)) {
    tools.arbiter.dismiss(id);
  }
}

/** The conflict that a view hands over, else what the engineer picks among the open ones. */
async function choose(
  { arbiter }: CommandTools,
  argument: unknown,
  title: string,
  isMany: boolean,
): Promise<readonly Conflict[]> {
  const { open } = arbiter.conflicts;
  if (typeof argument === 'object' && argument !== null && 'conflict' in argument) {
    return open.filter((conflict) => conflict === argument.conflict);
  }
  if (open.length === 0) {
    void vscode.window.showInformationMessage('There are no open conflicts: no refused edit waits for an answer.');
    return [];
  }
  const items = open.map((conflict) => ({
    label: conflict.path,
    description: [conflict.status, conflict.changedBy.at(-1)].filter(Boolean).join(' · '),
    detail: [conflict.explanation, `${ageOf(conflict)} ago`].filter(Boolean).join(' · '),
    conflict,
  }));
  if (isMany) {
    const picked = await vscode.window.showQuickPick(items, { title, canPickMany: true, matchOnDescription: true });
    return picked?.map(({ conflict }) => conflict) ?? [];
  }
  const picked = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  return picked ? [picked.conflict] : [];
}

function ageOf({ time }: Conflict): string {
  const seconds = Math.max(0, Math.round((Date.now() - time) / 1_000));
  return seconds < 60
    ? `${seconds} s`
    : seconds < 3_600
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3_600)} h`;
}
