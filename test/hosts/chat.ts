import type { Locator } from 'playwright-core';
import type { ModelServer } from './modelServer.ts';
import { type Transcript, toolSteps } from './transcript.ts';
import type { Workbench } from './workbench.ts';

/** How long an agent may take for one prompt. Its model answers at once; what takes time are the tools. */
const answerTimeout = 120_000;

/** The chat view, used as a person uses it. */
export class Chat {
  readonly #workbench: Workbench;
  readonly #model: ModelServer;
  readonly #view: Locator;

  constructor(workbench: Workbench, model: ModelServer) {
    this.#workbench = workbench;
    this.#model = model;
    this.#view = workbench.page.locator('.interactive-session');
  }

  /** Shows the chat with `agent` and the scripted model chosen: `agent`, or the name of a custom agent. */
  async open(agent: string): Promise<void> {
    await this.#model.evaluate(async (api, mode) => {
      await api.commands.executeCommand('workbench.action.chat.open', { mode });
    }, agent);
    const choices = this.#view.locator('.chat-input-toolbars');
    const name = agent.replaceAll(/[()]/g, '\\$&');
    await choices.getByText(new RegExp(`^${name}$`, 'i')).waitFor();
    // Beside a long name there is room for the model's icon only.
    await choices.locator('.model-picker-name[aria-label="Models, Scripted"]').waitFor();
  }

  /** Starts a new conversation: for the extension, a new session. */
  async startOver(): Promise<void> {
    await this.#model.evaluate(async (api) => {
      await api.commands.executeCommand('workbench.action.chat.newChat');
    });
    await this.#responses().first().waitFor({ state: 'detached' });
  }

  /** Sends `text` and waits until the agent is done with it. Nobody answers confirmations meanwhile. */
  async prompt(text: string): Promise<Transcript> {
    const sent = await this.send(text);
    return sent.done;
  }

  /**
   * Types `text` into the chat and presses Enter. Mind that `#`, `@` and `/` open lists there, which take Enter.
   * @returns when it was sent, with a promise for the end of the agent's work. In between the agent runs, and the test
   * may type in an editor or answer a confirmation.
   */
  async send(text: string): Promise<{ readonly done: Promise<Transcript> }> {
    const before = this.#model.requests.length;
    const latest = await this.#latestResponse();
    await this.#focusInput();
    await this.#workbench.type(text);
    await this.#workbench.page.keyboard.press('Enter');
    await this.#responseAfter(latest).waitFor();
    const done = this.#end(latest, before);
    done.catch(() => {}); // Told to whoever awaits it.
    return { done };
  }

  /** The title of the confirmation that the chat shows, after waiting for it. */
  async question(): Promise<string> {
    const title = this.#confirmation().locator('.chat-tool-carousel-collapsed-title:not(:empty)');
    return (await title.textContent()) ?? '';
  }

  /** Answers the only confirmation that the chat shows, after waiting for it: `Skip`, `Allow Once`, `Always Allow`, … */
  async answer(choice: string): Promise<void> {
    const confirmation = this.#confirmation().locator('.chat-confirmation-widget2:visible').first();
    await confirmation.waitFor();
    const button = confirmation.locator(`.monaco-button:text-is("${choice}")`);
    const item = this.#workbench.page.locator(`.monaco-menu .action-label:text-is("${choice}")`);
    // The chat may draw the question anew under the mouse, and a menu ignores a click that comes as it opens.
    await expectToHide(confirmation, async () => {
      if ((await button.count()) > 0) {
        return button.click();
      }
      if (!(await item.isVisible())) {
        await confirmation.locator('.monaco-dropdown-button').click();
      }
      await item.click();
    });
  }

  /** Without the mouse: it may rest on something whose tooltip covers the input. */
  async #focusInput(): Promise<void> {
    const input = this.#view.locator('.interactive-input-editor .monaco-editor').first();
    await input.locator('.native-edit-context, textarea').first().focus();
    await input.and(this.#view.locator('.focused')).waitFor();
  }

  async #end(latest: number, before: number): Promise<Transcript> {
    const response = this.#responseAfter(latest);
    await response
      .locator('.interactive-response:not(.chat-response-loading)')
      .waitFor({ timeout: answerTimeout })
      .catch((cause) => {
        const count = this.#model.requests.length - before;
        throw new Error(`The agent was not done within ${answerTimeout / 1000} s, after ${count} requests.`, { cause });
      });
    const requests = this.#model.requests.slice(before);
    const answer = (await response.locator('.value').allInnerTexts()).join('\n');
    return { requests, steps: toolSteps(requests), answer };
  }

  #confirmation(): Locator {
    return this.#view.locator('.chat-tool-confirmation-carousel');
  }

  #responses(): Locator {
    return this.#view.locator('.monaco-list-row.response');
  }

  /** Rows are numbered; prompt and response alternate. */
  async #latestResponse(): Promise<number> {
    const rows = await this.#responses().evaluateAll((found) =>
      found.map((row) => Number(row.getAttribute('data-index'))),
    );
    return Math.max(-1, ...rows);
  }

  #responseAfter(latest: number): Locator {
    return this.#view.locator(`.monaco-list-row.response[data-index="${latest + 2}"]`);
  }
}

/** Acts until something is gone. */
async function expectToHide(target: Locator, act: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await act();
    try {
      return await target.waitFor({ state: 'hidden', timeout: 1_000 });
    } catch (error) {
      if (attempt === 15) {
        throw error;
      }
    }
  }
}
