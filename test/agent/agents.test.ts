import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEdit, parseRead } from '../../demo/answers.ts';
import type { ModelRequest } from '../companion/protocol.ts';
import { type AgentMode, startAgentMode } from '../hosts/agentMode.ts';
import { copyPackedExtension } from '../hosts/packedExtension.ts';
import { repositoryRoot } from '../hosts/paths.ts';
import { play } from './support/player.ts';
import { tokenCounter } from './support/tokens.ts';

const OURS = ['arbiter_check', 'arbiter_edit', 'arbiter_read'];

/** The chat's own tools that change files, and the one that reads them without a base. */
const BUILT_IN =
  /^(?:read_file|create_|insert_edit|replace_string|multi_replace|apply_patch|edit_|vscode_renameSymbol|runSubagent)/;
const TERMINAL = /terminal|task/;

/** What each text may cost at most, in tokens: they are sent with every request, but for the last two. */
const MOST = {
  'tools: descriptions and schemas': 1_100,
  'chat/arbiter.agent.md': 300,
  'chat/arbiter-edits-only.agent.md': 250,
  'chat/arbiter.instructions.md': 120,
  'chat/replan.prompt.md': 160,
  'chat/skills/stale-edit/SKILL.md': 300,
} as const;

function toolsOf({ tools }: ModelRequest): string[] {
  return tools.map(({ name }) => name).sort();
}

/** All that a model is told, whoever says it. */
function toldTo({ messages }: ModelRequest): string {
  return messages
    .flatMap(({ parts }) => parts)
    .map((part) => (part.type === 'text' ? part.value : ''))
    .join('\n');
}

describe('Custom agents of the packed extension, in the real agent mode', function () {
  this.timeout(180_000);
  let scratch: string;
  let folder: string;
  let agent: AgentMode;
  const settle = (name: string) => agent.model.play(() => ({ parts: [{ type: 'text', value: name }] }));

  before(async () => {
    scratch = realpathSync(mkdtempSync(join(tmpdir(), 'edit-arbiter-agents-')));
    folder = join(scratch, 'workspace');
    mkdirSync(folder);
    const extension = join(scratch, 'extension');
    copyPackedExtension(extension);
    agent = await startAgentMode({ folder, extensions: [extension], model: () => ({ parts: [] }) });
  });

  after(async () => {
    await agent?.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  /** Asks a custom agent for nothing. @returns what its model was sent. */
  async function requestOf(name: string): Promise<ModelRequest> {
    await agent.chat.startOver();
    await agent.chat.open(name);
    settle(name);
    const { requests } = await agent.chat.prompt('hello');
    assert.ok(requests[0]);
    return requests[0];
  }

  it('leave plain agent mode as it is, with its tools beside ours, and tell it once how to use ours', async () => {
    const request = await requestOf('agent');
    const tools = toolsOf(request);
    assert.ok(['create_file', 'read_file', 'replace_string_in_file', ...OURS].every((name) => tools.includes(name)));
    const told = toldTo(request);
    assert.equal(told.split('"no further edit" is a success').length, 2);
    assert.match(told, /<name>stale-edit<\/name>/);
    assert.doesNotMatch(told, /You change code in a tree/);
  });

  it('tell plain agent mode nothing where the engineer wants that', async () => {
    const set = (value: boolean | null) =>
      agent.model.evaluate(
        (api, to) => api.workspace.getConfiguration('editArbiter').update('instructions', to ?? undefined, 1),
        value,
      );
    await set(false);
    try {
      assert.doesNotMatch(toldTo(await requestOf('agent')), /no further edit/);
    } finally {
      await set(null);
    }
  });

  it('Arbiter is offered no built-in tool that edits or reads files, and knows the protocol', async () => {
    const request = await requestOf('Arbiter');
    const tools = toolsOf(request);
    console.log(`    Arbiter: ${tools.join(', ')}`);
    assert.deepEqual(
      tools.filter((name) => BUILT_IN.test(name)),
      [],
    );
    for (const name of [...OURS, 'file_search', 'grep_search', 'list_dir', 'get_errors', 'run_in_terminal']) {
      assert.ok(tools.includes(name), name);
    }
    assert.match(toldTo(request), /You change code in a tree.*`stale_base`: nothing was written.*The terminal is for/s);
  });

  it('Arbiter (edits only) is offered no terminal and no task either', async () => {
    const request = await requestOf('Arbiter (edits only)');
    const tools = toolsOf(request);
    console.log(`    Arbiter (edits only): ${tools.join(', ')}`);
    assert.deepEqual(
      tools.filter((name) => BUILT_IN.test(name) || TERMINAL.test(name)),
      [],
    );
    assert.ok([...OURS, 'grep_search', 'get_errors'].every((name) => tools.includes(name)));
    assert.match(toldTo(request), /You have no terminal/);
  });

  it('Arbiter cannot call what it is not offered', async () => {
    const path = join(folder, 'a.txt');
    writeFileSync(path, 'one\n');
    await agent.chat.startOver();
    await agent.chat.open('Arbiter');
    const { answers } = await play(agent, [
      () => ({ name: 'create_file', input: { filePath: join(folder, 'b.txt'), content: 'x' } }),
      () => ({ name: 'replace_string_in_file', input: { filePath: path, oldString: 'one', newString: '1' } }),
      () => ({ name: 'arbiter_read', input: { files: [{ path: 'a.txt' }] } }),
      ([, , read = '']) => ({
        name: 'arbiter_edit',
        input: {
          files: [
            { path: 'a.txt', base: parseRead(read)[0]?.header.base, edits: [{ old_string: 'one', new_string: '2' }] },
          ],
        },
      }),
    ]);
    assert.match(answers[0] ?? '', /ERROR|disabled|not/);
    assert.match(answers[1] ?? '', /ERROR|disabled|not/);
    assert.equal(parseEdit(answers[3] ?? '').summary, '1 applied', answers.join('\n'));
    assert.equal(readFileSync(path, 'utf8'), '2\n');
  });

  it('take /replan: it is sent with the prompt', async () => {
    await agent.chat.startOver();
    await agent.chat.open('agent');
    settle('replanned');
    const { requests } = await agent.chat.prompt('/replan a.txt');
    assert.ok(requests[0]);
    assert.match(toldTo(requests[0]), /Call `arbiter_check` without files/);
    assert.deepEqual(
      toolsOf(requests[0]).filter((name) => BUILT_IN.test(name)),
      [],
    );
  });

  it('cost few tokens', async () => {
    const count = await tokenCounter();
    const { tools } = await requestOf('Arbiter');
    const ours = tools.filter(({ name }) => OURS.includes(name));
    for (const [name, most] of Object.entries(MOST)) {
      const text = name.startsWith('chat/') ? bodyOf(name) : JSON.stringify(ours);
      const tokens = count(text);
      console.log(`    ${name}: ${tokens} tokens`);
      assert.ok(tokens <= most, `${name}: ${tokens}`);
    }
  });
});

/** A text without its front matter, which is no part of what a model is sent. */
function bodyOf(path: string): string {
  return readFileSync(join(repositoryRoot, path), 'utf8').replace(/^---\n.*?\n---\n/s, '');
}
