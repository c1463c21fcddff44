import * as vscode from 'vscode';
import type { Question } from '../core/memory.ts';
import type { Protection } from '../core/protected.ts';
import { SECTION, SETTINGS } from '../names.ts';

/** How much of a diff a dialogue can show, in UTF-16 units. */
const MAX_DETAIL = 1_500;

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
      ? `An agent wants to change the protected file ${path}.`
      : `An agent wants to read ${path}, which may hold secrets.`;
  const shown =
    diff.length > MAX_DETAIL
      ? `${diff.slice(0, MAX_DETAIL)}\n… cut: ${diff.length - MAX_DETAIL} more characters`
      : diff;
  const why = explanation === undefined ? [] : [`It says: ${explanation}`];
  const detail = [...why, ...(shown === '' ? [] : [shown])].join('\n\n');
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, yes)) === yes;
}

function globsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((glob) => typeof glob === 'string' && glob !== '') : [];
}
