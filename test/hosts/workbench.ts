import { mkdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Browser, ConsoleMessage, FrameLocator, Locator, Page } from 'playwright-core';
import { launchChromium } from './browser.ts';
import type { VSCodeServer } from './vscodeServer.ts';

export interface WorkbenchOptions {
  readonly server: VSCodeServer;
  /** The folder or the `.code-workspace` file to open; neither opens an empty window. */
  readonly folder?: string;
  readonly workspaceFile?: string;
  /** The extension to load: its folder, or a folder that holds several extensions. */
  readonly extensionDevelopmentPath?: string;
  /**
   * A module exporting `run()`. VS Code runs it in the extension host and ends with `exitCode`.
   * Mind that VS Code then answers its own modal dialogues with yes.
   */
  readonly extensionTestsPath?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
}

/** Starts a browser and opens VS Code in it. `ready()` tells when it can be used. */
export async function openWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({
      viewport: options.viewport ?? { width: 1280, height: 800 },
      colorScheme: options.colorScheme ?? 'light',
    });
    const workbench = new Workbench(browser, page);
    await workbench.listen();
    await page.goto(workbenchUrl(options));
    return workbench;
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/** VS Code as a person has it before them: a page with a keyboard. */
export class Workbench {
  readonly page: Page;
  /** Settles when the suite of `extensionTestsPath` has ended, with 0 when its `run()` resolved; else it never does. */
  readonly exitCode: Promise<number>;
  /** What the page and the extension host wrote to the console, one entry per line. */
  readonly log: string[] = [];
  readonly #browser: Browser;
  #end: (code: number) => void = () => {};
  #fail: (error: Error) => void = () => {};

  constructor(browser: Browser, page: Page) {
    this.#browser = browser;
    this.page = page;
    this.exitCode = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    this.exitCode.catch(() => {}); // Who awaits it is told; who does not, has no suite that could end.
  }

  /** To be called before the page is opened: the workbench looks for these functions once, early. */
  async listen(): Promise<void> {
    await this.page.exposeFunction('codeAutomationLog', (type: string, args: unknown[]) => {
      this.log.push(`[${type}] ${args.map(String).join(' ')}`);
    });
    await this.page.exposeFunction('codeAutomationExit', (code: number) => this.#end(code));
    this.page.on('console', (message) => this.log.push(consoleLine(message)));
    this.page.on('crash', () => this.#fail(new Error('The page with VS Code crashed.')));
    this.page.on('close', () => this.#fail(new Error('The page with VS Code was closed.')));
  }

  /** Resolves when the workbench is drawn and restored: the palette, the explorer and the editors can be used. */
  async ready(): Promise<void> {
    await this.page.waitForFunction(() => 'driver' in globalThis, undefined, { timeout: 60_000 });
    await this.page.evaluate(() => {
      const { driver } = globalThis as unknown as { driver: { whenWorkbenchRestored(): Promise<void> } };
      return driver.whenWorkbenchRestored();
    });
  }

  /**
   * Runs a command through the palette, as a person does.
   * @param titleOrId its title with the category (`Edit Arbiter: Open`) or its id; it must be shown in the palette.
   */
  async command(titleOrId: string): Promise<void> {
    const isId = /^[\w-]+(\.[\w-]+)+$/.test(titleOrId);
    const row = isId ? `.monaco-list-row:has([data-quick-input-id="${titleOrId}"])` : labelled(titleOrId);
    await this.#pick('command', `>${titleOrId}`, row);
  }

  /** Opens a file of the workspace through Quick Open and waits until its editor has the keyboard. */
  async openFile(path: string): Promise<void> {
    const name = basename(path);
    await this.#pick('file', path, `${labelled(name)}, .monaco-list-row[aria-label^="${name} "]`);
    await this.page.locator('.editor-group-container.active .tab.active', { hasText: name }).waitFor();
    await this.page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
  }

  /** Presses the keys of `text`, one after the other, wherever the keyboard is. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  /** Opens a terminal, types `line` at its prompt and presses Enter. */
  async runInTerminal(line: string): Promise<void> {
    await this.command('workbench.action.terminal.new');
    const terminal = this.page.locator('.terminal-wrapper.active .xterm');
    await terminal.locator('.xterm-rows', { hasText: /\S/ }).waitFor(); // The shell's prompt.
    await terminal.click();
    await this.type(`${line}\n`);
  }

  /** The document in the shown webview of an extension: an editor's, or that of a view. */
  webview(extensionId: string): FrameLocator {
    const outer = this.page.locator(`iframe.webview.ready[src*="extensionId=${extensionId}"]:visible`);
    return outer.contentFrame().frameLocator('#active-frame');
  }

  /** The texts of all notifications. They are in the list only: a page that is driven shows no toasts. */
  async notifications(): Promise<string[]> {
    await this.command('notifications.showList');
    await this.#center().waitFor();
    return this.#center().locator('.notification-list-item-message').allInnerTexts();
  }

  /** Waits for a notification. */
  async notification(text: string): Promise<void> {
    await this.command('notifications.showList');
    await this.#center().locator('.notification-list-item-message', { hasText: text }).first().waitFor();
  }

  /** The text of the modal dialogue, after waiting for it. */
  async dialog(): Promise<string> {
    return (await this.#dialog().locator('.dialog-message-container').textContent()) ?? '';
  }

  /** Presses a button of the modal dialogue, after waiting for it. */
  async answerDialog(button: string): Promise<void> {
    await this.#dialog().locator(`.monaco-button:text-is("${button}")`).click();
    await this.#dialog().waitFor({ state: 'hidden' });
  }

  /** Takes a picture, into a folder that is made when needed. */
  async screenshot(path: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await this.page.screenshot({ path });
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  #center(): Locator {
    return this.page.locator('.notifications-center');
  }

  #dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  async #pick(what: string, input: string, row: string): Promise<void> {
    await this.page.keyboard.press('F1');
    const widget = this.page.locator('.quick-input-widget:visible');
    await widget.locator('.monaco-list-row').first().waitFor();
    await widget.locator('input.input').fill(input);
    const choice = widget.locator(row).first();
    try {
      await choice.click({ timeout: 15_000 });
    } catch (error) {
      const shown = await widget.locator('.quick-input-list-row').allInnerTexts();
      throw new Error(`VS Code offers no ${what} for ${JSON.stringify(input)}; it shows ${JSON.stringify(shown)}.`, {
        cause: error,
      });
    }
    await choice.waitFor({ state: 'hidden' }); // The widget itself may stay, when the command asks for something.
  }
}

/** A row by what a screen reader says: its label, then perhaps a key binding or where it comes from. */
function labelled(label: string): string {
  return `.monaco-list-row[aria-label="${label}"], .monaco-list-row[aria-label^="${label}, "]`;
}

export function workbenchUrl(options: WorkbenchOptions): string {
  const { server } = options;
  const remote = (path: string) => `vscode-remote://127.0.0.1:${server.port}${path}`;
  const payload: [string, string][] = [];
  if (options.extensionDevelopmentPath !== undefined) {
    payload.push(['extensionDevelopmentPath', remote(options.extensionDevelopmentPath)]);
  }
  if (options.extensionTestsPath !== undefined) {
    payload.push(['extensionTestsPath', remote(options.extensionTestsPath)]);
  }
  const url = new URL(server.url);
  if (options.folder !== undefined) url.searchParams.set('folder', options.folder);
  if (options.workspaceFile !== undefined) url.searchParams.set('workspace', options.workspaceFile);
  url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}

/** VS Code writes to the console with `%c` and style sheets; they are of no use in a log. */
function consoleLine(message: ConsoleMessage): string {
  const text = message
    .text()
    .replaceAll('%c', '')
    .replace(/\bcolor: #?\w+/g, '');
  return `[${message.type()}] ${text.trim()}`;
}
