import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from './engineer.ts';

/** Runs a task of the workspace to its end. */
export async function runs(commandLine: string, isBackground = false): Promise<vscode.TaskExecution> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder);
  const task = new vscode.Task(
    { type: 'test', commandLine },
    folder,
    `task ${commandLine.slice(0, 20)}`,
    'test',
    new vscode.ShellExecution(commandLine),
  );
  task.isBackground = isBackground;
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Never };
  let started = false;
  let ended = false;
  const subscriptions = [
    vscode.tasks.onDidStartTaskProcess((event) => (started ||= event.execution.task.name === task.name)),
    vscode.tasks.onDidEndTaskProcess((event) => (ended ||= event.execution.task.name === task.name)),
  ];
  const execution = await vscode.tasks.executeTask(task);
  await until(() => (isBackground ? started : ended));
  for (const subscription of subscriptions) {
    subscription.dispose();
  }
  return execution;
}
