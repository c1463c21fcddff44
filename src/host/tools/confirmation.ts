import * as vscode from 'vscode';
import type { EditPreview } from '../../core/arbiter.ts';
import { inlineCode } from './progress.ts';

/** How many files are shown with their diff, and how much of each, in UTF-16 units. */
const MAX_FILES = 4;
const MAX_DIFF = 1_500;

/** The chat's question before edits are sent to the gate: paths, what would change, and the agent's own sentence. */
export function confirmationOf(
  previews: readonly EditPreview[],
  others: readonly string[],
  explanation: string | undefined,
): vscode.LanguageModelToolConfirmationMessages {
  const [first] = previews;
  const count = previews.length + others.length;
  const what = count === 1 ? (first?.path ?? others[0]) : `${count} files`;
  const message = new vscode.MarkdownString();
  if (explanation !== undefined) {
    message.appendText(`“${explanation}”`).appendMarkdown('\n\n');
  }
  for (const { path, added, removed, diff } of previews.slice(0, MAX_FILES)) {
    message.appendMarkdown(`${inlineCode(path)} +${added} −${removed}\n\n`);
    message.appendCodeblock(diff.length > MAX_DIFF ? `${diff.slice(0, MAX_DIFF)}\n… cut` : diff, 'diff');
  }
  for (const { path, added, removed } of previews.slice(MAX_FILES)) {
    message.appendMarkdown(`- ${inlineCode(path)} +${added} −${removed}\n`);
  }
  for (const path of others) {
    message.appendMarkdown(`- ${inlineCode(path)} would be refused as it stands now\n`);
  }
  return { title: `Apply the edit of ${what}?`, message };
}
