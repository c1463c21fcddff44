import * as vscode from 'vscode';
import type { Arbiter } from '../../core/arbiter.ts';
import { COMMANDS, VIEWS } from '../../names.ts';
import { type Action, type FromPanel, type Offer, parseFromPanel, type ToPanel } from '../../panel/protocol.ts';
import { describe } from '../errors.ts';
import type { LiveBases } from '../liveBases.ts';
import type { Openers } from '../openers.ts';
import type { Subject, Subjects } from '../subjects.ts';
import type { TallyBook } from '../tallyBook.ts';
import { pageOf, pageOptions } from './page.ts';
import { refusedRow, staleRow, totalsOf } from './panelRows.ts';

/** What the panel shows and what shows it. */
export interface PanelTools {
  readonly extension: vscode.Uri;
  readonly arbiter: Arbiter;
  readonly live: LiveBases;
  readonly tallies: TallyBook;
  readonly subjects: Subjects;
  readonly openers: Openers;
  readonly log: vscode.LogOutputChannel;
}

type Part = 'stale' | 'refused' | 'totals';

const PARTS: readonly Part[] = ['totals', 'stale', 'refused'];

const COMMAND_OF: Readonly<Record<Action | Offer, string>> = {
  replan: COMMANDS.replan,
  showChanges: COMMANDS.showChanges,
  showIntended: COMMANDS.showIntended,
  copyPrompt: COMMANDS.copyPrompt,
  openFile: COMMANDS.openFile,
  dismiss: COMMANDS.dismiss,
  restore: COMMANDS.restore,
  tryStory: COMMANDS.tryStory,
  getStarted: COMMANDS.getStarted,
  showStatistics: COMMANDS.showStatistics,
};

/** The conflict panel: tells its page what has changed, while somebody can see it, and does what is asked there. */
export class ConflictsView implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #tools: PanelTools;
  readonly #subscriptions: readonly vscode.Disposable[];
  readonly #changed = new Set<Part>();
  #view: vscode.WebviewView | undefined;
  #isReady = false;
  #immediate: NodeJS.Immediate | undefined;

  constructor(tools: PanelTools) {
    this.#tools = tools;
    this.#subscriptions = [
      vscode.window.registerWebviewViewProvider(VIEWS.conflicts, this),
      tools.live.onDidChange(() => this.#change('stale')),
      tools.tallies.onDidChange(() => this.#change('totals')),
      new vscode.Disposable(
        tools.arbiter.conflicts.onDidChange(() => {
          this.#change('refused');
          this.#change('stale');
        }),
      ),
      new vscode.Disposable(() => clearImmediate(this.#immediate)),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { extension, log } = this.#tools;
    this.#view = view;
    view.webview.options = { ...pageOptions(extension), enableScripts: true };
    view.webview.onDidReceiveMessage((value) => {
      const message = parseFromPanel(value);
      if (message) {
        this.#hear(message).catch((error: unknown) =>
          log.error(`The panel's ${message.type} failed: ${describe(error)}`),
        );
      } else {
        log.warn('The panel said something that is not understood');
      }
    });
    // A hidden page is gone; what it is shown again says that it is ready.
    view.onDidChangeVisibility(() => {
      this.#isReady &&= view.visible;
    });
    view.onDidDispose(() => {
      this.#view = undefined;
      this.#isReady = false;
    });
    view.webview.html = pageOf(view.webview, extension, {
      title: 'Edit Arbiter',
      style: 'panel.css',
      script: 'panel.js',
    });
    this.#count();
  }

  async #hear(message: FromPanel): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        for (const part of PARTS) {
          this.#post(this.#messageOf(part));
        }
        return;
      case 'details':
        return this.#sendDetails(message.id);
      case 'act':
        await vscode.commands.executeCommand(COMMAND_OF[message.action], { row: message.id });
        return;
      case 'offer':
        await vscode.commands.executeCommand(COMMAND_OF[message.offer]);
        return;
      default:
        return message satisfies never;
    }
  }

  async #sendDetails(id: string): Promise<void> {
    const subject = this.#tools.subjects.find(id);
    if (subject && subject.kind !== 'stale') {
      const wanted = this.#tools.openers.wantedDiffOf(subject.conflict);
      const since = await this.#changesOf(subject);
      this.#post({
        type: 'details',
        details: {
          id,
          ...(since === undefined ? {} : { since }),
          ...(wanted === undefined ? {} : { wanted }),
        },
      });
    }
  }

  /** What changed until now, where that can be told; else until the refusal. */
  async #changesOf(subject: Exclude<Subject, { kind: 'stale' }>): Promise<string | undefined> {
    try {
      return (await this.#tools.openers.diffOf(subject)) ?? subject.conflict.diffSinceRead ?? undefined;
    } catch (error) {
      this.#tools.log.debug(`${subject.conflict.path} cannot be opened: ${describe(error)}`);
      return subject.conflict.diffSinceRead ?? undefined;
    }
  }

  #change(part: Part): void {
    this.#changed.add(part);
    this.#immediate ??= setImmediate(() => {
      this.#immediate = undefined;
      this.#count();
      const parts = [...this.#changed];
      this.#changed.clear();
      if (this.#isReady) {
        for (const changed of parts) {
          this.#post(this.#messageOf(changed));
        }
      }
    });
  }

  #messageOf(part: Part): ToPanel {
    const { subjects, tallies, arbiter } = this.#tools;
    const names = arbiter.sessionNames;
    switch (part) {
      case 'stale': {
        const rows = subjects.stale.flatMap((subject) =>
          subject.kind === 'stale' ? [staleRow(subject.id, subject.stale, names)] : [],
        );
        return { type: 'stale', rows };
      }
      case 'refused': {
        const rows = subjects.refused.flatMap((subject) =>
          subject.kind === 'stale' ? [] : [refusedRow(subject.id, subject.conflict, names)],
        );
        return { type: 'refused', rows };
      }
      case 'totals':
        return { type: 'totals', totals: totalsOf(tallies.all, Date.now()) };
      default:
        return part satisfies never;
    }
  }

  /** How much there is to settle, on the view's tab. */
  #count(): void {
    if (this.#view) {
      const { open } = this.#tools.arbiter.conflicts;
      const cutOff = open.filter(({ interruption }) => interruption !== undefined).length;
      const stale = this.#tools.subjects.stale.length;
      const tooltip = [
        `${open.length - cutOff} refused`,
        ...(cutOff > 0 ? [`${cutOff} cut off`] : []),
        `${stale} stale`,
      ].join(', ');
      this.#view.badge = open.length + stale === 0 ? undefined : { value: open.length + stale, tooltip };
    }
  }

  #post(message: ToPanel): void {
    void this.#view?.webview.postMessage(message);
  }
}
