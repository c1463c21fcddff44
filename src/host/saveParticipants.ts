import * as vscode from 'vscode';

/** Whether a save may change the text. Other extensions' participants cannot be known before. */
export function hasSaveParticipants(document: vscode.TextDocument): boolean {
  const files = vscode.workspace.getConfiguration('files', document);
  return (
    ['trimTrailingWhitespace', 'insertFinalNewline', 'trimFinalNewlines'].some((name) =>
      files.get<boolean>(name, false),
    ) || hasFormatters(document)
  );
}

function hasFormatters(document: vscode.TextDocument): boolean {
  const editor = vscode.workspace.getConfiguration('editor', document);
  const actions = editor.get<Record<string, unknown> | readonly string[]>('codeActionsOnSave', {});
  return (
    editor.get<boolean>('formatOnSave', false) ||
    (Array.isArray(actions) ? actions : Object.values(actions).filter((when) => when !== false && when !== 'never'))
      .length > 0
  );
}

/** As {@link hasSaveParticipants}, for the text as it is: trimming and final newlines change only what they find. */
export function mayChangeOnSave(document: vscode.TextDocument): boolean {
  const files = vscode.workspace.getConfiguration('files', document);
  const text = document.getText();
  return (
    hasFormatters(document) ||
    (files.get<boolean>('trimTrailingWhitespace', false) && /[ \t]$/m.test(text)) ||
    (files.get<boolean>('insertFinalNewline', false) && text !== '' && !text.endsWith('\n')) ||
    (files.get<boolean>('trimFinalNewlines', false) && /\n\r?\n$/.test(text))
  );
}
