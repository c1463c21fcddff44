import * as vscode from 'vscode';

/** Whether a save may change the text. Other extensions' participants cannot be known before. */
export function hasSaveParticipants(document: vscode.TextDocument): boolean {
  const files = vscode.workspace.getConfiguration('files', document);
  const editor = vscode.workspace.getConfiguration('editor', document);
  const actions = editor.get<Record<string, unknown> | readonly string[]>('codeActionsOnSave', {});
  return (
    ['trimTrailingWhitespace', 'insertFinalNewline', 'trimFinalNewlines'].some((name) =>
      files.get<boolean>(name, false),
    ) ||
    editor.get<boolean>('formatOnSave', false) ||
    (Array.isArray(actions) ? actions : Object.values(actions).filter((when) => when !== false && when !== 'never'))
      .length > 0
  );
}
