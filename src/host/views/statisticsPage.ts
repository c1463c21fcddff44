import * as vscode from 'vscode';
import { computeStatistics } from '../../core/statistics.ts';
import { statisticsPage } from '../../core/statisticsPage.ts';
import { COMMANDS } from '../../names.ts';
import { dayOf } from '../statistics.ts';
import type { TallyBook } from '../tallyBook.ts';
import { pageOf, pageOptions } from './page.ts';

/** The workspace's statistics as an editor tab. Drawn anew when an edit ended, while somebody can see it. */
export class StatisticsPage implements vscode.Disposable {
  readonly #extension: vscode.Uri;
  readonly #tallies: TallyBook;
  readonly #subscription: vscode.Disposable;
  #panel: vscode.WebviewPanel | undefined;
  #isOld = false;

  constructor(extension: vscode.Uri, tallies: TallyBook) {
    this.#extension = extension;
    this.#tallies = tallies;
    this.#subscription = tallies.onDidChange(() => {
      this.#isOld = true;
      this.#draw();
    });
  }

  show(): void {
    if (this.#panel) {
      this.#panel.reveal();
      return;
    }
    this.#panel = vscode.window.createWebviewPanel(
      'editArbiter.statistics',
      'Edit Arbiter: Statistics',
      vscode.ViewColumn.Active,
      {
        ...pageOptions(this.#extension),
        enableCommandUris: [COMMANDS.exportStatistics],
      },
    );
    this.#panel.onDidDispose(() => {
      this.#panel = undefined;
    });
    this.#panel.onDidChangeViewState(() => this.#draw());
    this.#isOld = true;
    this.#draw();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#panel?.dispose();
  }

  #draw(): void {
    if (this.#panel?.visible && this.#isOld) {
      this.#isOld = false;
      const statistics = computeStatistics(this.#tallies.all, dayOf);
      this.#panel.webview.html = pageOf(this.#panel.webview, this.#extension, {
        title: 'Edit Arbiter: Statistics',
        style: 'statistics.css',
        body: statisticsPage(statistics, `command:${COMMANDS.exportStatistics}`),
      });
    }
  }
}
