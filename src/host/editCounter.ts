import type * as vscode from 'vscode';

const KEY = 'editArbiter.edits';

/** Counts the applied edits of a workspace, from 1, and goes on after a reload of the window. */
export function countEdits(state: vscode.Memento, log: vscode.LogOutputChannel): () => number {
  let count = state.get<number>(KEY, 0);
  return () => {
    count += 1;
    state.update(KEY, count).then(undefined, (error: unknown) => {
      log.error('The number of the last edit could not be stored', error instanceof Error ? error : String(error));
    });
    return count;
  };
}
