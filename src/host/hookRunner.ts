import * as vscode from 'vscode';
import { printBase } from '../core/base.ts';
import type { FileRef, Outcome, State } from '../core/documents.ts';
import type { BufferChanges, Origin } from './bufferChanges.ts';
import { hooksFor, runHook } from './hooks.ts';
import type { Looks } from './looks.ts';
import type { Runs } from './runs.ts';

type Applied = Extract<Outcome, { kind: 'applied' }>;

/** Runs the configured hooks on files that an edit of ours was saved to. */
export class HookRunner {
  readonly #looks: Looks;
  readonly #changes: BufferChanges;
  readonly #runs: Runs;
  readonly #log: vscode.LogOutputChannel;

  constructor(looks: Looks, changes: BufferChanges, runs: Runs, log: vscode.LogOutputChannel) {
    this.#looks = looks;
    this.#changes = changes;
    this.#runs = runs;
    this.#log = log;
  }

  /** The configured hooks, once, in order, after our own save. What they leave is looked at after each. */
  async run(file: FileRef, document: vscode.TextDocument, outcome: Applied): Promise<Outcome> {
    const commands = vscode.workspace.isTrusted ? hooksFor(document, this.#log) : [];
    if (commands.length === 0) {
      return outcome;
    }
    const hooks = [...outcome.hooks];
    const hookFailures = [...(outcome.hookFailures ?? [])];
    let { state } = outcome;
    const others = new Others(document, this.#changes);
    let isMoved = false;
    try {
      for (const command of commands) {
        const before = (await this.#looks.look(file)).state;
        isMoved ||=
          before.base === undefined || state.base === undefined || printBase(before.base) !== printBase(state.base);
        const reason = await this.#runs.during(command.name, () => runHook(command, document));
        if (reason !== undefined) {
          hookFailures.push({ name: command.name, reason });
          this.#log.warn(`${file.path}: the hook ${command.name} failed: ${reason}`);
        }
        const after = (await this.#looks.look(file)).state;
        // Whoever saved meanwhile wrote what their editor holds: then that is no hook's doing.
        const isSaved = others.hasSaved && after.base?.dirty === undefined && this.#isShown(after, document);
        if (after.base?.disk !== before.base?.disk && !isSaved) {
          hooks.push({ name: command.name, ...(after.base ? { to: after.base } : {}) });
        }
        state = after;
      }
      await this.#changes.decided(document);
      const foreign = isMoved || (await others.haveActed()) || state.kind !== 'text' || state.base.dirty !== undefined;
      return { ...outcome, hooks, hookFailures, state, foreign };
    } finally {
      others.dispose();
    }
  }

  /** Whether the editor's text is what the state holds. */
  #isShown(state: State, document: vscode.TextDocument): boolean {
    return state.kind === 'text' && state.text.content === document.getText().replaceAll('\r\n', '\n');
  }
}

/** Whether anybody changes or saves a document while hooks run: a reload of what a hook wrote is nobody's doing. */
class Others implements vscode.Disposable {
  readonly #origins: Promise<Origin>[] = [];
  hasSaved = false;
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(document: vscode.TextDocument, changes: BufferChanges) {
    this.#subscriptions = [
      changes.onDidChange((event) => {
        if (event.document === document) {
          this.#origins.push(event.change.origin);
        }
      }),
      vscode.workspace.onDidSaveTextDocument((saved) => {
        this.hasSaved ||= saved === document;
      }),
    ];
  }

  async haveActed(): Promise<boolean> {
    const origins = await Promise.all(this.#origins);
    return this.hasSaved || origins.some((origin) => origin !== 'reloaded');
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }
}
