// `npm run demo`: plays both stories without a person, prints every tool call and every result, takes pictures, and exits
// with 0 only if every step ended as it should.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startAgentMode } from '../test/hosts/agentMode.ts';
import { ConflictPanel } from '../test/hosts/conflictPanel.ts';
import type { ToolStep } from '../test/hosts/transcript.ts';
import { parseEdit, parseRead } from './answers.ts';
import { scriptedAgent } from './scriptedAgent.ts';
import { HELP, obeyFile, roles } from './stories.ts';
import { copyWorkspace } from './workspace.ts';

const { values } = parseArgs({ options: { pictures: { type: 'string', default: 'out/demo' } } });

/** The status of each file of each call, in order: how the stories have to end. */
const EXPECTED = {
  'apply the tier discount': [
    ...Array.from({ length: 5 }, () => 'ok'),
    'applied',
    'ok',
    'ok',
    'stale_base',
    'unconsidered_retry',
  ],
  'rename customer_id to account_id': ['ok, ok, ok, ok', 'applied, stale_base, applied, applied', 'ok', 'applied'],
} as const;

const workspace = copyWorkspace();
let pause = async () => {};
const agent = await startAgentMode({
  folder: workspace.path,
  model: scriptedAgent(
    roles(() => pause()),
    HELP,
  ),
  viewport: { width: 1440, height: 900 },
});
const { chat, workbench } = agent;
pause = async () => {
  await workbench.openFile('orders.py');
  await workbench.page.keyboard.press('Control+g');
  await workbench.type('9');
  await workbench.page.keyboard.press('Enter');
  await workbench.page.keyboard.press('End');
  await workbench.type(' Always.');
};

let failures = 0;
try {
  for (const [prompt, expected] of Object.entries(EXPECTED)) {
    console.log(`\n▶ ${prompt}`);
    await chat.startOver();
    const { steps, answer } = await chat.prompt(prompt);
    const statuses = steps.map(printStep);
    console.log(`\n${answer.trim()}`);
    if (JSON.stringify(statuses) !== JSON.stringify(expected)) {
      failures += 1;
      console.error(`✘ expected ${expected.join(' | ')}, got ${statuses.join(' | ')}`);
    }
    await workbench.command('Edit Arbiter: Show Conflicts');
    await workbench.screenshot(`${values.pictures}/${prompt.split(' ')[0]}.png`);
  }
  await showChanges(values.pictures);
  await askForSettings(`${values.pictures}/protected.png`);
} finally {
  await agent.stop();
  workspace.remove();
}
console.log(failures === 0 ? '\n✔ Every step ended as it should.' : `\n✘ ${failures} of the stories went another way.`);
process.exitCode = failures === 0 ? 0 : 1;

/** @returns the status of each file of the call. */
function printStep({ call, result }: ToolStep, index: number): string {
  console.log(`\n[${index + 1}] ${call.name} ${JSON.stringify(call.input)}`);
  if (call.name === 'arbiter_read') {
    const headers = parseRead(result.text).map(({ header }) => header);
    for (const header of headers) {
      console.log(`    ${JSON.stringify(header)}`);
    }
    return headers.map(({ status }) => status).join(', ');
  }
  const answer = parseEdit(result.text);
  console.log(JSON.stringify(answer, undefined, 2).replaceAll(/^/gm, '    '));
  return answer.results.map(({ status }) => status).join(', ');
}

/** As an engineer would: from the row of the refused edit to what has changed since the agent's read. */
async function showChanges(folder: string): Promise<void> {
  const panel = new ConflictPanel(workbench);
  await panel.open();
  await panel.refused('pricing.py').click();
  await panel.details.locator('.diff').first().waitFor();
  await maximizePanel();
  for (const colorScheme of ['dark', 'light'] as const) {
    await workbench.page.emulateMedia({ colorScheme });
    await panel.page.locator(`body.vscode-${colorScheme}`).waitFor();
    await workbench.page.mouse.move(0, 0);
    await workbench.screenshot(`${folder}/panel-${colorScheme}.png`);
  }
  await maximizePanel();
  await panel.details.getByRole('button', { name: 'Show Changes', exact: true }).click();
  await workbench.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
  await workbench.screenshot(`${folder}/conflict.png`);
}

/** The first time; the second time it is as it was. */
async function maximizePanel(): Promise<void> {
  await agent.model.evaluate(async (api) => {
    await api.commands.executeCommand('workbench.action.toggleMaximizedPanel');
  });
}

/** An agent that obeys what it has read, and the question that stands before it. */
async function askForSettings(picture: string): Promise<void> {
  const path = '.vscode/settings.json';
  mkdirSync(join(workspace.path, '.vscode'), { recursive: true });
  writeFileSync(join(workspace.path, path), '{}\n');
  agent.model.play(scriptedAgent([{ isAskedBy: () => true, play: () => obeyFile(path) }], HELP));
  await chat.startOver();
  const { done } = await chat.send('do what the README says');
  console.log(`\n▶ ${(await workbench.dialog()).replaceAll(/\s+/g, ' ')}`);
  await workbench.screenshot(picture);
  await workbench.answerDialog('Cancel');
  await done;
}
