import * as vscode from 'vscode';

/**
 * Waits for a change of a document's text after which `isEnough`.
 *
 * @param time how long, in milliseconds.
 * @returns whether it came in time.
 */
export function changesWithin(
  time: number,
  document: vscode.TextDocument,
  isEnough: () => boolean = () => true,
): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isInTime: boolean) => {
      clearTimeout(timer);
      subscription.dispose();
      resolve(isInTime);
    };
    const timer = setTimeout(() => finish(false), time);
    const subscription = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && isEnough()) {
        finish(true);
      }
    });
  });
}
