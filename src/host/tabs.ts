import * as vscode from 'vscode';

/** Closes the clean tabs of a file that is gone. */
export async function closeTabs(uri: vscode.Uri): Promise<void> {
  const tabs = tabsOf(uri).filter(({ isDirty }) => !isDirty);
  if (tabs.length > 0) {
    await vscode.window.tabGroups.close(tabs, true);
  }
}

/** Opens a renamed file in the place of each tab that showed it under its old name. What was in front stays in front. */
export async function moveTabs(from: vscode.Uri, to: vscode.Uri): Promise<void> {
  const tabs = tabsOf(from).filter(({ isDirty }) => !isDirty);
  if (tabs.length === 0) {
    return;
  }
  const active = vscode.window.activeTextEditor;
  for (const tab of tabs) {
    const editor = vscode.window.visibleTextEditors.find(
      ({ document, viewColumn }) => document.uri.toString() === from.toString() && viewColumn === tab.group.viewColumn,
    );
    const front = tab.group.activeTab;
    await vscode.window.showTextDocument(to, {
      viewColumn: tab.group.viewColumn,
      preserveFocus: true,
      preview: tab.isPreview,
      ...(editor ? { selection: editor.selection } : {}),
    });
    if (front && front !== tab && front.input instanceof vscode.TabInputText) {
      await vscode.window.showTextDocument(front.input.uri, { viewColumn: tab.group.viewColumn, preserveFocus: true });
    }
  }
  await closeTabs(from);
  if (active && active.document.uri.toString() !== from.toString() && !active.document.isClosed) {
    const { viewColumn } = active;
    await vscode.window.showTextDocument(active.document, {
      preserveFocus: true,
      ...(viewColumn === undefined ? {} : { viewColumn }),
    });
  }
}

function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) =>
    tabs.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString()),
  );
}
