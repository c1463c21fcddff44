// `npm start`: a real VS Code in the browser with the extension, the demo workspace and the scripted agent.

import { chatSettings } from '../test/hosts/agentMode.ts';
import { buildCompanion } from '../test/hosts/buildForTesting.ts';
import { ownModel } from '../test/hosts/editor.ts';
import { linkExtensions } from '../test/hosts/extensionFolder.ts';
import { type ModelServer, startModelServer } from '../test/hosts/modelServer.ts';
import { companionFolder, repositoryRoot } from '../test/hosts/paths.ts';
import { startVSCodeServer } from '../test/hosts/vscodeServer.ts';
import { workbenchUrl } from '../test/hosts/workbench.ts';
import { scriptedAgent } from './scriptedAgent.ts';
import { HELP, roles } from './stories.ts';
import { copyWorkspace } from './workspace.ts';

/** How long the agent waits for the engineer to type, in seconds. */
const THINKING_TIME = 20;

console.log('Preparing VS Code (the first time it is downloaded, about 150 MB) …');
await buildCompanion();
const workspace = copyWorkspace();
const model = await startModelServer(scriptedAgent(roles(pause), HELP));
const extensions = linkExtensions([repositoryRoot, companionFolder]);
const server = await startVSCodeServer({
  settings: { ...chatSettings, 'workbench.secondarySideBar.defaultVisibility': 'visible' },
  userFiles: { 'chatLanguageModels.json': ownModel },
  env: model.env,
});

console.log(`
VS Code is running. Open this address in a browser on this machine:

  ${workbenchUrl({ server, folder: workspace.path, extensionDevelopmentPath: extensions.path })}

In the chat, ask the scripted agent (no account and no key needed) to
  apply the tier discount
  rename customer_id to account_id      … and type in api/orders.py while it thinks
The panel "Edit Arbiter" shows what was refused. The workspace is a copy: ${workspace.path}
Press Ctrl+C to stop.
`);

await Promise.race([setUpChat(model), server.crashed, interrupted()]);
await Promise.race([server.crashed, interrupted()]);
await server.stop();
await model.stop();
extensions.remove();
workspace.remove();

/** Gives a person the time to type. */
async function pause(why: string): Promise<void> {
  console.log(`${why} (${THINKING_TIME} s)`);
  await new Promise((resolve) => setTimeout(resolve, THINKING_TIME * 1_000));
}

/** The built-in chat is off until somebody manages their models; after that it needs no account. */
async function setUpChat({ connected, evaluate }: ModelServer): Promise<void> {
  await connected;
  await evaluate(async (api) => {
    await api.commands.executeCommand('workbench.action.chat.manage');
    const isCopilotThere = () => api.extensions.getExtension('github.copilot-chat') !== undefined;
    while (!isCopilotThere()) {
      await new Promise((resolve) => api.extensions.onDidChange(resolve));
    }
    await api.commands.executeCommand('workbench.action.closeActiveEditor');
    const [readme] = await api.workspace.findFiles('README.md');
    await api.commands.executeCommand('markdown.showPreview', readme);
    await api.commands.executeCommand('workbench.action.chat.open', { mode: 'agent' });
  });
  console.log('The chat is ready.');
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
}
