import { join } from 'node:path';
import { utilityModelId, vendor } from '../companion/protocol.ts';
import { Chat } from './chat.ts';
import { type Editor, type EditorOptions, startEditor } from './editor.ts';
import { screenshotsFolder } from './paths.ts';
import type { Settings } from './settings.ts';
import type { Workbench } from './workbench.ts';

export interface AgentModeOptions extends EditorOptions {
  /** The agent to talk to: `agent`, or the name of a custom agent. */
  readonly agent?: string;
}

/** The real agent mode of VS Code's chat, with a model that the test plays. */
export interface AgentMode extends Editor {
  readonly chat: Chat;
}

export const chatSettings: Settings = {
  'chat.utilityModel': `${vendor}/${utilityModelId}`,
  'chat.utilitySmallModel': `${vendor}/${utilityModelId}`,
  'chat.agent.collapseCompletedResponses': false, // So that pictures show the tool calls.
};

/** Starts VS Code with the extensions under test and opens its chat on the scripted model. */
export async function startAgentMode(options: AgentModeOptions): Promise<AgentMode> {
  const editor = await startEditor({ ...options, settings: { ...chatSettings, ...options.settings } });
  const { workbench, model } = editor;
  try {
    await enableCopilot(workbench);
    const chat = new Chat(workbench, model);
    await chat.open(options.agent ?? 'agent');
    return { ...editor, chat };
  } catch (error) {
    const picture = join(screenshotsFolder, 'agent-mode-start.png');
    await workbench.screenshot(picture).finally(() => editor.stop());
    throw new Error(`Agent mode could not be started; ${picture} shows how far it came.`, { cause: error });
  }
}

/**
 * Copilot's extension stays off until chat is set up, or until someone manages their models: that is the way in without
 * an account. The editor that opens for it comes late and takes the keyboard, so it is waited for and closed.
 */
async function enableCopilot(workbench: Workbench): Promise<void> {
  await workbench.command('workbench.action.chat.manage');
  const editor = workbench.page.getByText('Add Models', { exact: true });
  await editor.waitFor();
  await workbench.page.keyboard.press('Escape');
  await editor.waitFor({ state: 'hidden' });
}
