import type * as vscode from 'vscode';

const KEY = 'editArbiter.edits';

/** Counts the applied edits of a workspace, from 1, and goes on after a reload of the window. */
export function countEdits(
  state: vscode.Memento,
  storedEdit: () => number,
  log: vscode.LogOutputChannel,
): () => number {
  let count = state.get<number>(KEY, 0);
  return () => {
    // The ledger is stored at once, the state some time later: after a kill, the ledger knows more. So do other windows.
    count = Math.max(count, storedEdit()) + 1;
    state.update(KEY, count).then(undefined, (error: unknown) => {
      log.error('The number of the last edit could not be stored', error instanceof Error ? error : String(error));
    });
    return count;
  };
}
