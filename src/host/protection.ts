import * as vscode from 'vscode';
import type { Question } from '../core/memory.ts';
import type { Protection } from '../core/protected.ts';
import { SECTION, SETTINGS } from '../names.ts';

/** How much of a diff a dialogue can show, in UTF-16 units. */
const MAX_DETAIL = 1_500;
/** How much of what an agent wrote for one line. */
const MAX_LINE = 300;

/** Anybody may lengthen the list; only the user's own settings shorten it, never those of a workspace. */
export function readProtection(): Protection {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const more = settings.inspect<unknown>(SETTINGS.protect);
  const less = settings.inspect<unknown>(SETTINGS.unprotect);
  return {
    more: [more?.globalValue, more?.workspaceValue, more?.workspaceFolderValue].flatMap(globsIn),
    less: globsIn(less?.globalValue),
  };
}

/** Asks in a dialogue of our own: the chat's confirmation may be switched off. */
export async function askHuman({ path, kind, diff, explanation }: Question): Promise<boolean> {
  const yes = kind === 'edit' ? 'Apply Edit' : 'Let It Read';
  const message =
    kind === 'edit'
      ? `An agent wants to change the protected file ${onOneLine(path)}.`
      : `An agent wants to read ${onOneLine(path)}, which may hold secrets.`;
  const shown =
    diff.length > MAX_DETAIL
      ? `${diff.slice(0, MAX_DETAIL)}\n… cut: ${diff.length - MAX_DETAIL} more characters`
      : diff;
  // What the agent says comes last, on one line: it must not pass for the diff, nor push it out of sight.
  const why = explanation === undefined ? [] : [`The agent says: ${onOneLine(explanation)}`];
  const detail = [...(shown === '' ? [] : [shown]), ...why].join('\n\n');
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, yes)) === yes;
}

/** Without line breaks, and without marks that turn the direction of text around. */
function onOneLine(text: string): string {
  const line = text.replaceAll(/[\s\u2028\u2029]+/g, ' ').replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE)}…`;
}

function globsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((glob) => typeof glob === 'string' && glob !== '') : [];
}
