import * as vscode from 'vscode';
import { uriOf } from './disk.ts';

const watches: vscode.Disposable[] = [];

/** Runs `act` once, in the very turn in which the editor tells that the document's text has become `text`. */
export function whenTextIs(path: string, text: string, act: () => unknown): void {
  const subscription = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    if (document.uri.toString() === uriOf(path).toString() && document.getText() === text) {
      subscription.dispose();
      act();
    }
  });
  watches.push(subscription);
}

/** Runs `act` as a participant of the next save of the document. The editor waits 1.5 seconds for it at most. */
export function duringSave(path: string, act: (document: vscode.TextDocument) => Promise<unknown>): void {
  const subscription = vscode.workspace.onWillSaveTextDocument((event) => {
    if (event.document.uri.toString() === uriOf(path).toString()) {
      subscription.dispose();
      event.waitUntil(act(event.document));
    }
  });
  watches.push(subscription);
}

/** Something to wait for, and what ends the wait. */
export function latch(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Forgets moments that never came, after each test. */
export function forgetMoments(): void {
  for (const watch of watches.splice(0)) {
    watch.dispose();
  }
}
