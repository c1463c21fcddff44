import * as vscode from 'vscode';
import type { Arbiter } from '../../core/arbiter.ts';
import { COMMANDS, CONTEXTS } from '../../names.ts';
import type { LiveBases } from '../liveBases.ts';
import type { Subjects } from '../subjects.ts';
import type { TallyBook } from '../tallyBook.ts';

/** Edits that landed in this window and bases that are stale, in the status bar; and what menus need to know of them. */
export class StatusBar implements vscode.Disposable {
  readonly #arbiter: Arbiter;
  readonly #live: LiveBases;
  readonly #subjects: Subjects;
  readonly #tallies: TallyBook;
  readonly #item = vscode.window.createStatusBarItem('editArbiter.status', vscode.StatusBarAlignment.Left, 40);
  readonly #contexts = new Map<string, boolean>();
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(arbiter: Arbiter, live: LiveBases, subjects: Subjects, tallies: TallyBook) {
    this.#subjects = subjects;
    this.#arbiter = arbiter;
    this.#live = live;
    this.#tallies = tallies;
    this.#item.name = 'Edit Arbiter';
    this.#item.command = COMMANDS.showConflicts;
    this.#subscriptions = [
      this.#item,
      live.onDidChange(() => this.#draw()),
      tallies.onDidChange(() => this.#draw()),
      new vscode.Disposable(arbiter.conflicts.onDidChange(() => this.#draw())),
      new vscode.Disposable(arbiter.held.onDidChange(() => this.#draw())),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  #draw(): void {
    const { applied } = this.#tallies;
    const stale = this.#subjects.stale.length;
    const open = this.#arbiter.conflicts.open.length;
    this.#setContext(CONTEXTS.hasConflicts, open > 0);
    this.#setContext(CONTEXTS.hasStale, stale > 0);
    const interrupted = this.#arbiter.conflicts.open.filter(({ interruption }) => interruption !== undefined).length;
    this.#setContext(CONTEXTS.hasInterrupted, interrupted > 0);
    this.#setContext(CONTEXTS.hasResolved, this.#arbiter.conflicts.resolved.length > 0);
    // Nothing stands there before an agent has come.
    if (applied + stale + open + this.#live.watched.files === 0) {
      this.#item.hide();
      return;
    }
    this.#item.text = [`$(law) ${applied}`, ...(stale > 0 ? [`$(history) ${stale} stale`] : [])].join('  ');
    const words = [
      `${plural(applied, 'edit')} applied in this window`,
      `${plural(stale, 'base')} of ${plural(this.#live.watched.files, 'held file')} stale now`,
      `${plural(open - interrupted, 'edit')} refused and not settled`,
      ...(interrupted > 0 ? [`${plural(interrupted, 'file')} left by an edit that was cut off`] : []),
    ];
    this.#item.tooltip = `Edit Arbiter\n${words.join('\n')}`;
    this.#item.accessibilityInformation = { label: `Edit Arbiter: ${words.join(', ')}`, role: 'button' };
    this.#item.show();
  }

  #setContext(key: string, value: boolean): void {
    if (this.#contexts.get(key) !== value) {
      this.#contexts.set(key, value);
      void vscode.commands.executeCommand('setContext', key, value);
    }
  }
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
