// Tests of the test harness itself: `mocha test/hosts/harness.test.ts`, on Node 24.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelReply, ModelRequest } from '../companion/protocol.ts';
import { type AgentMode, startAgentMode } from './agentMode.ts';
import { bundle } from './bundle.ts';
import { startEditor } from './editor.ts';
import { restoreApiCheck } from './install.ts';
import { outputFolder } from './paths.ts';
import { runSuiteInServer } from './serverRun.ts';

const fixtures = join(import.meta.dirname, 'fixtures');
const fixtureExtension = join(fixtures, 'extension');

describe('the test harness', function () {
  this.timeout(180_000);

  let scratch: string;
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'edit-arbiter-harness-'));
  });
  afterEach(() => rm(scratch, { recursive: true, force: true }));

  describe('restoring the API check', () => {
    const patch = { file: 'a.js', from: 'return true', to: 'return false' };
    const written = async (text: string) => {
      await writeFile(join(scratch, patch.file), text);
      await restoreApiCheck(scratch, [patch]);
      return readFile(join(scratch, patch.file), 'utf8');
    };

    it('replaces the text', async () => {
      assert.equal(await written('{return true}'), '{return false}');
    });

    it('leaves a restored file alone', async () => {
      assert.equal(await written('{return false}'), '{return false}');
    });

    it('fails when the text is not there', async () => {
      await assert.rejects(written('{}'), /could not be restored in .*a\.js.* found it 0 times/s);
    });

    it('fails when the text is there twice', async () => {
      await assert.rejects(written('return true; return true'), /found it 2 times/);
    });
  });

  describe('a suite inside VS Code', () => {
    const suite = join(outputFolder, 'test', 'fixtureSuite.cjs');
    let printed: string;
    const run = (grep?: string) => {
      printed = '';
      const print = (text: string) => {
        printed += text;
      };
      return runSuiteInServer({ extension: fixtureExtension, suite, grep, name: 'harness', print });
    };
    before(() => bundle(join(fixtures, 'suite.ts'), suite));

    it('ends with 1 and leaves a picture when a test fails', async () => {
      const { exitCode, results, screenshots } = await run();
      assert.equal(exitCode, 1);
      assert.deepEqual([results?.passed, results?.failed, results?.skipped], [1, 1, 1]);
      assert.match(results?.failures[0]?.error ?? '', /'found' !== 'expected'|found.*expected/s);
      assert.match(printed, /✔ passes in a fresh, empty workspace.*✘ fails.*extension host's logs/s);
      assert.ok(screenshots.length > 0 && screenshots.every(existsSync), `No picture: ${screenshots}.`);
    });

    it('ends with 0 when the tests chosen pass', async () => {
      const { exitCode, results, screenshots } = await run('passes');
      assert.equal(exitCode, 0);
      assert.deepEqual([results?.passed, results?.failed], [1, 0]);
      assert.deepEqual(screenshots, []);
    });

    it('ends with 1 when no test is chosen', async () => {
      assert.equal((await run('no such test')).exitCode, 1);
    });
  });

  describe('Restricted Mode', () => {
    it('is what an untrusted folder opens in', async () => {
      const options = { folder: scratch, extensions: [fixtureExtension], model: notes(), trust: 'nothing' } as const;
      const editor = await startEditor(options);
      try {
        assert.equal(await editor.model.evaluate((api) => api.workspace.isTrusted), false);
      } finally {
        await editor.stop();
      }
      assert.ok(!existsSync(editor.server.dataDir), 'The data folder is still there.');
    });
  });

  describe('agent mode', () => {
    let folder: string;
    let agent: AgentMode;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'edit-arbiter-harness-'));
      await writeFile(join(folder, 'notes.txt'), 'one\n');
      agent = await startAgentMode({ folder, extensions: [fixtureExtension], model: notes() });
    });
    after(async () => {
      await agent?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it('lets the agent call a contributed tool and tells the model the result', async () => {
      const { steps, answer } = await agent.chat.prompt('Take a note.');
      assert.deepEqual(
        steps.map(({ call, result }) => [call.name, result.text]),
        [['fixture_note', 'noted: milk']],
      );
      assert.match(answer, /Noted\./);
    });

    it('lets a person type in an editor while the agent waits for an answer', async () => {
      agent.model.play(notes({ ask: true }));
      const { done } = await agent.chat.send('Take a note, but ask me.');
      assert.equal(await agent.chat.question(), 'Take this note?');
      await agent.workbench.openFile('notes.txt');
      await agent.workbench.type('typed ');
      await agent.workbench.command('workbench.action.files.save');
      await agent.chat.answer('Allow Once');
      const { steps } = await done;
      assert.equal(steps[0]?.result.text, 'noted: milk');
      assert.equal(await readFile(join(folder, 'notes.txt'), 'utf8'), 'typed one\n');
    });

    it('says in the chat what went wrong with the model', async () => {
      agent.model.play(() => {
        throw new Error('out of ideas');
      });
      const { answer } = await agent.chat.prompt('Go on.');
      assert.match(answer, /scripted model failed.*out of ideas/s);
    });

    it('talks to a custom agent in a new conversation', async () => {
      await agent.chat.startOver();
      await agent.chat.open('Clerk');
      agent.model.play(notes());
      const { requests, steps } = await agent.chat.prompt('Take a note.');
      const tools = requests[0]?.tools.map(({ name }) => name) ?? [];
      assert.ok(tools.includes('fixture_note') && !tools.includes('read_file'), `The tools are ${tools}.`);
      assert.equal(steps.length, 1);
    });

    it('shows what a modal dialogue asks and answers it', async () => {
      await agent.workbench.command('Fixture: Ask');
      assert.match(await agent.workbench.dialog(), /Shall I\?/);
      await agent.workbench.answerDialog('Do It');
      const answered = await agent.model.evaluate(() => (globalThis as { fixtureAnswer?: string }).fixtureAnswer);
      assert.equal(answered, 'Do It');
    });

    it('sees into a webview', async () => {
      await agent.workbench.command('fixture.panel');
      assert.equal(await agent.workbench.webview('edit-arbiter-tests.fixture').locator('h1').textContent(), 'A panel');
    });

    it('types commands into a terminal', async () => {
      const closed = agent.model.evaluate(
        (api) =>
          new Promise((resolve) => api.window.onDidCloseTerminal((terminal) => resolve(terminal.exitStatus?.code))),
      );
      await agent.workbench.runInTerminal('exit 7');
      assert.equal(await closed, 7);
    });

    it('types as a person does, and shows no proposed API to an extension that declares none', async () => {
      await agent.workbench.openFile('notes.txt');
      await agent.model.evaluate((api) => {
        const hasReason = once(api.workspace.onDidChangeTextDocument).then((event) => 'detailedReason' in event);
        const kind = once(api.window.onDidChangeTextEditorSelection).then((event) => event.kind);
        Object.assign(globalThis, { companionSaw: Promise.all([hasReason, kind]) });

        function once<T>(on: (listener: (event: T) => void) => unknown): Promise<T> {
          return new Promise((resolve) => on(resolve));
        }
      });
      await agent.workbench.type('x');
      const seen = await agent.model.evaluate(async () => {
        const shared = globalThis as unknown as {
          companionSaw: Promise<[boolean, number | undefined]>;
          fixtureChanges: { detailedReason?: unknown }[];
        };
        const [hasReason, kind] = await shared.companionSaw;
        return { hasReason, kind, fixtureHasReason: shared.fixtureChanges.some((change) => change.detailedReason) };
      });
      assert.equal(seen.kind, 1); // TextEditorSelectionChangeKind.Keyboard
      assert.ok(seen.fixtureHasReason, 'The proposed API is gone from VS Code: find another one to watch.');
      assert.ok(!seen.hasReason, 'The proposed-API check is off.');
    });
  });
});

/** A model that takes one note for each prompt. */
function notes(input: { ask?: boolean } = {}): (request: ModelRequest) => ModelReply {
  let calls = 0;
  return ({ messages }) => {
    const isAnswered = messages.at(-1)?.parts.some((part) => part.type === 'toolResult');
    if (isAnswered) return { parts: [{ type: 'text', value: 'Noted.' }] };
    const callId = `note-${input.ask ?? false}-${calls++}`;
    return { parts: [{ type: 'toolCall', callId, name: 'fixture_note', input: { text: 'milk', ...input } }] };
  };
}
