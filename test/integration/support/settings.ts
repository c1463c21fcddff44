import * as vscode from 'vscode';
import { uriOf } from './disk.ts';

/** Sets settings of a section for the workspace while `body` runs. */
export async function withSettings(
  section: string,
  values: Readonly<Record<string, unknown>>,
  body: () => Promise<void>,
): Promise<void> {
  const settings = vscode.workspace.getConfiguration(section, uriOf('.'));
  for (const [name, value] of Object.entries(values)) {
    await settings.update(name, value, vscode.ConfigurationTarget.Workspace);
  }
  try {
    await body();
  } finally {
    for (const name of Object.keys(values)) {
      await settings.update(name, undefined, vscode.ConfigurationTarget.Workspace);
    }
  }
}
