import type { FrameLocator, Locator } from 'playwright-core';
import type { Workbench } from './workbench.ts';

/** The conflict panel as a person has it before them. */
export class ConflictPanel {
  readonly page: FrameLocator;
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
    this.page = workbench.webview('edit-arbiter.edit-arbiter');
  }

  /** Shows it, and gives it the keyboard. */
  async open(): Promise<void> {
    await this.#workbench.command('Edit Arbiter: Show Conflicts');
    await this.page.locator('.tree, .empty').first().waitFor({ state: 'attached' });
  }

  /** The row of a held base that has moved. */
  stale(name: string): Locator {
    return this.page.locator('[data-vscode-context*=\'"stale"\']', {
      has: this.page.locator(`.name:text-is("${name}")`),
    });
  }

  /** The row of a refused edit. */
  refused(name: string): Locator {
    return this.page.locator('[data-vscode-context*=\'"refused"\']', {
      has: this.page.locator(`.name:text-is("${name}")`),
    });
  }

  /** The row of a file that an edit which was cut off has left in between. */
  interrupted(name: string): Locator {
    return this.page.locator('[data-vscode-context*=\'"interrupted"\']', {
      has: this.page.locator(`.name:text-is("${name}")`),
    });
  }

  /** Shows what is below a row. After a reload, the panel remembers which rows show it. */
  async expand(row: Locator): Promise<void> {
    await row.waitFor();
    if ((await row.getAttribute('aria-expanded')) !== 'true') {
      await row.click();
    }
  }

  /** What is below the refused edit that is expanded. */
  get details(): Locator {
    return this.page.locator('.details:visible');
  }
}
