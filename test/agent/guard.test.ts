import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEdit, parseRead } from '../../demo/answers.ts';
import { type AgentMode, startAgentMode } from '../hosts/agentMode.ts';
import { copyPackedExtension } from '../hosts/packedExtension.ts';
import { type Move, play } from './support/player.ts';

const SETTING = 'guardBuiltInTools';

describe('The guard over the built-in edit tools, in the real agent mode', function () {
  this.timeout(180_000);
  let scratch: string;
  let folder: string;
  let extension: string;
  let agent: AgentMode;

  before(async () => {
    scratch = realpathSync(mkdtempSync(join(tmpdir(), 'edit-arbiter-guarded ')));
    folder = join(scratch, 'workspace');
    extension = join(scratch, 'extension');
    mkdirSync(folder);
    // A copy, so that its guard can be broken.
    copyPackedExtension(extension);
    agent = await startAgentMode({
      folder,
      extensions: [extension],
      settings: { [`editArbiter.${SETTING}`]: 'deny' },
      model: () => ({ parts: [] }),
    });
  });

  after(async () => {
    await agent?.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  beforeEach(async () => {
    writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n');
    await agent.chat.startOver();
  });

  const set = (value: string) =>
    agent.model.evaluate(async (api, [name, to]) => api.workspace.getConfiguration('editArbiter').update(name, to, 1), [
      SETTING,
      value,
    ] as const);

  /** Sets it, and waits until the chat goes by it: a moment later, and without a word. */
  async function switchTo(value: string, told: RegExp): Promise<void> {
    await set(value);
    for (let attempt = 1; ; attempt += 1) {
      const input = { filePath: join(folder, `probe-${value}-${attempt}.txt`), content: 'probe\n' };
      const { answers } = await play(agent, [() => ({ name: 'create_file', input })]);
      await agent.chat.startOver();
      if (told.test(answers[0] ?? '')) {
        return;
      }
      assert.ok(attempt < 10, answers[0]);
    }
  }

  const read =
    (path: string): Move =>
    () => ({ name: 'arbiter_read', input: { files: [{ path }] } });
  const replace =
    (old: string, replacement: string): Move =>
    () => ({
      name: 'replace_string_in_file',
      input: { filePath: join(folder, 'a.txt'), oldString: old, newString: replacement },
    });
  const create: Move = () => ({
    name: 'create_file',
    input: { filePath: join(folder, 'b.txt'), content: 'three\n' },
  });
  const baseIn = (answer = '') => parseRead(answer)[0]?.header.base;

  it('denies them with a reason that names ours, and the edits land through the arbiter', async () => {
    const { answers } = await play(agent, [
      replace('one', '1'),
      create,
      () => [read('a.txt')([]), read('b.txt')([])].flat(),
      ([, , a, b]) => {
        assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'one\ntwo\n');
        assert.equal(existsSync(join(folder, 'b.txt')), false);
        return {
          name: 'arbiter_edit',
          input: {
            files: [
              { path: 'a.txt', base: baseIn(a), edits: [{ old_string: 'one', new_string: '1' }] },
              { path: 'b.txt', base: baseIn(b), content: 'three\n' },
            ],
          },
        };
      },
    ]);
    for (const [index, tool] of ['replace_string_in_file', 'create_file'].entries()) {
      assert.match(answers[index] ?? '', new RegExp(`${tool} is denied.*nothing was written.*arbiter_edit`));
    }
    assert.equal(parseEdit(answers[4] ?? '').summary, '2 applied', answers[4]);
    assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), '1\ntwo\n');
    assert.equal(readFileSync(join(folder, 'b.txt'), 'utf8'), 'three\n');
    assert.deepEqual(await agent.workbench.notifications(), []);
  });

  it('lets them pass where it only warns, tells the agent, and names the bypass', async () => {
    await switchTo('warn', /Use arbiter_edit for the next edit/);
    const { answers } = await play(agent, [
      read('a.txt'),
      replace('two', 'TWO'),
      ([a]) => ({
        name: 'arbiter_edit',
        input: { files: [{ path: 'a.txt', base: baseIn(a), edits: [{ old_string: 'one', new_string: '1' }] }] },
      }),
    ]);
    assert.match(answers[1] ?? '', /Use arbiter_edit for the next edit/);
    const [stale] = parseEdit(answers[2] ?? '').results;
    assert.deepEqual([stale?.status, stale?.changed_by], ['stale_base', ['chat edit outside the arbiter']]);
    assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'one\nTWO\n');
    assert.deepEqual(await agent.workbench.notifications(), []);
  });

  it('does nothing where it is off', async () => {
    await switchTo('off', /^(?!.*arbiter_)/s);
    const { answers } = await play(agent, [replace('one', '1')]);
    assert.doesNotMatch(answers[0] ?? '', /arbiter_/);
    assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), '1\ntwo\n');
  });

  it('says so where the chat does not run it before a tool', async () => {
    const script = join(extension, 'guard/guard.sh');
    const whole = readFileSync(script, 'utf8');
    writeFileSync(script, whole.replace('arbiter_*) call=', 'nothing) call='));
    await set('deny');
    await play(agent, [read('a.txt')]);
    await agent.workbench.notification('the chat has just called a tool without running it');
    writeFileSync(script, whole);
  });

  it('says so where its command is broken, and the chat lets the call pass', async () => {
    await set('off');
    writeFileSync(join(extension, 'guard/guard.sh'), 'no_such_interpreter\n');
    await set('deny');
    await agent.workbench.notification('its command ended with 127');
    await agent.workbench.screenshot('out/screenshots/agent/guard-broken.png');
    await play(agent, [replace('one', '1')]);
    assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), '1\ntwo\n');
  });
});
