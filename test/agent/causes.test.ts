import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EditAnswer, parseEdit, parseRead } from '../../demo/answers.ts';
import { type AgentMode, startAgentMode } from '../hosts/agentMode.ts';
import { begin, type Move, play, type Use } from './support/player.ts';
import { readBases, sendEdit } from './support/tools.ts';

const read =
  (path: string): Move =>
  () => ({ name: 'arbiter_read', input: { files: [{ path }] } });

/** Edits on the base of answer number `at`, which was a read. */
function edit(path: string, at: number, old: string, replacement: string): (answers: readonly string[]) => Use {
  return (answers) => ({
    name: 'arbiter_edit',
    input: { files: [{ path, base: baseIn(answers[at]), edits: [{ old_string: old, new_string: replacement }] }] },
  });
}

function baseIn(answer: string | undefined): string {
  return String(parseRead(answer ?? '')[0]?.header.base);
}

function resultIn(answer: string | undefined): EditAnswer['results'][number] | undefined {
  return parseEdit(answer ?? '{"results":[]}').results[0];
}

describe('Agents beside each other in one chat', function () {
  this.timeout(180_000);
  let folder: string;
  let agent: AgentMode;

  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'edit-arbiter-agents-')));
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt']) {
      writeFileSync(join(folder, name), 'one\ntwo\nthree\n');
    }
    agent = await startAgentMode({ folder, model: () => ({ parts: [] }) });
  });

  after(async () => {
    await agent?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function plays(...moves: readonly Move[]): Promise<readonly string[]> {
    return (await play(agent, moves)).answers;
  }

  it('a built-in edit tool of the chat is named, so that a bypass is visible: for a file that is open, and one that is not', async () => {
    await agent.model.evaluate(
      async (api, path) => {
        await api.window.showTextDocument(api.Uri.file(path));
      },
      join(folder, 'a.txt'),
    );
    for (const name of ['a.txt', 'b.txt']) {
      const builtIn =
        (old: string, replacement: string): Move =>
        () => ({
          name: 'replace_string_in_file',
          input: { filePath: join(folder, name), oldString: old, newString: replacement, explanation: 'directly' },
        });
      const answers = await plays(read(name), builtIn('two', 'TWO'), builtIn('three', '3'), edit(name, 0, 'one', '1'));
      const result = resultIn(answers.at(-1));
      assert.equal(result?.status, 'stale_base', JSON.stringify(answers));
      assert.deepEqual(result.changed_by, ['chat edit outside the arbiter'], name);
      assert.equal(readFileSync(join(folder, name), 'utf8'), 'one\nTWO\n3\n');
    }
  });

  it('the edit of another session is told apart from its own', async () => {
    await agent.chat.startOver();
    const [first, landed] = await plays(read('c.txt'), edit('c.txt', 0, 'one', '1'));
    const own = resultIn(landed);
    assert.equal(own?.status, 'applied', landed);
    await agent.chat.startOver();
    const answers = await plays(read('c.txt'), () => ({
      name: 'arbiter_edit',
      input: {
        files: [{ path: 'c.txt', base: baseIn(first), edits: [{ old_string: 'two', new_string: '2' }] }],
      },
    }));
    const stale = resultIn(answers[1]);
    assert.equal(stale?.status, 'stale_base', answers[1]);
    assert.deepEqual(stale.changed_by, [`edit #${own.edit} (another session, turn 2)`]);
  });

  for (const [what, wish] of [
    ['edit', { edits: [{ old_string: 'World', new_string: 'Earth' }] }],
    ['whole new text', { content: 'Hello Earth\n' }],
  ] as const) {
    it(`a waiting ${what} of an older session never lands on newer work: the base is compared after the yes`, async () => {
      writeFileSync(join(folder, 'hello.md'), 'Hello World\n');
      const setConfirm = (value: string | null) =>
        agent.model.evaluate(
          (api, to) => api.workspace.getConfiguration('editArbiter').update('confirm', to ?? undefined, 1),
          value,
        );
      await agent.chat.startOver();
      await setConfirm('all');
      const { answers, done } = await begin(agent, [
        read('hello.md'),
        ([first]) => ({
          name: 'arbiter_edit',
          input: { files: [{ path: 'hello.md', base: baseIn(first), ...wish }] },
        }),
      ]);
      try {
        assert.match(await agent.chat.question(), /Apply the edit of hello\.md\?/);
        await setConfirm(null);
        const [base] = await readBases(agent, 'hello.md');
        const landed = await sendEdit(agent, 'hello.md', base, ['World', 'Mars']);
        assert.equal(landed.status, 'applied', JSON.stringify(landed));
        await agent.chat.answer('Allow Once');
        await done;
        const stale = resultIn(answers[1]);
        assert.equal(stale?.status, 'stale_base', answers[1]);
        assert.match(String(stale.changed_by), new RegExp(`^edit #${landed.edit} \\(session unknown, turn \\d+\\)$`));
        assert.equal(stale.diff_since_read, '@@ -1,1 +1,1 @@\n-Hello World\n+Hello Mars\n');
        assert.equal(readFileSync(join(folder, 'hello.md'), 'utf8'), 'Hello Mars\n');
      } finally {
        await setConfirm(null);
      }
    });
  }
  it('calls that a model makes side by side are carried out in their order, and the later ones name the first', async () => {
    await agent.chat.startOver();
    const answers = await plays(read('d.txt'), read('e.txt'), (given) => [
      ...['1', 'uno', 'eins'].map((word) => edit('d.txt', 0, 'one', word)(given)),
      edit('e.txt', 1, 'one', '1')(given),
    ]);
    const [first, second, third, other] = answers.slice(2).map(resultIn);
    assert.deepEqual([first?.status, other?.status], ['applied', 'applied'], JSON.stringify(answers));
    for (const late of [second, third]) {
      assert.equal(late?.status, 'stale_base', JSON.stringify(answers));
      assert.match(String(late.changed_by), new RegExp(`^edit #${first?.edit} \\(this session, turn \\d\\)$`));
    }
    assert.deepEqual(
      ['d.txt', 'e.txt'].map((name) => readFileSync(join(folder, name), 'utf8')),
      ['1\ntwo\nthree\n', '1\ntwo\nthree\n'],
    );
  });
});
