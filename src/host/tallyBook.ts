import * as vscode from 'vscode';
import type { Tally } from '../core/statistics.ts';

/** How every edit of the workspace ended: what was stored before, read when first asked for, and what has come since. */
export class TallyBook implements vscode.Disposable {
  readonly #stored: (() => readonly Tally[]) | undefined;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#onDidChange.event;
  #all: Tally[] | undefined;
  #applied = 0;

  /** @param stored reads what is stored, {@link add}ed ones included; left out where nothing is. */
  constructor(stored: (() => readonly Tally[]) | undefined) {
    this.#stored = stored;
    this.#all = stored ? undefined : [];
  }

  get all(): readonly Tally[] {
    this.#all ??= [...(this.#stored?.() ?? [])];
    return this.#all;
  }

  /** How many edits have landed since this window was opened. */
  get applied(): number {
    return this.#applied;
  }

  /** To be called when the tally has been stored. */
  add(tally: Tally): void {
    this.#all?.push(tally);
    this.#applied += tally.status === 'applied' ? 1 : 0;
    this.#onDidChange.fire();
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }
}
