import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EditResult, parseEdit, parseRead } from '../../demo/answers.ts';
import { type AgentMode, startAgentMode } from '../hosts/agentMode.ts';
import { begin, type Move, type Use } from './support/player.ts';

const BEFORE = 'one\ntwo\nthree\n';
/** What somebody else makes of it while the agent thinks. */
const MOVED = 'one\nTWO\nthree\n';

/** One thing that the model does, what it is to be told, and what the file holds after that. */
interface Step {
  readonly does: Move;
  /** The status of a result of ours, or a pattern for what the chat or another tool says. */
  readonly told: string | RegExp | readonly string[];
  readonly leaves: string;
}

describe('A model that misbehaves, in the real agent mode', function () {
  this.timeout(180_000);
  let folder: string;
  let agent: AgentMode;
  let count = 0;
  let path = '';

  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'edit-arbiter-misbehaviour-')));
    agent = await startAgentMode({ folder, model: () => ({ parts: [] }) });
  });

  after(async () => {
    await agent?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    count += 1;
    path = `${count}.txt`;
    write(BEFORE);
    await agent.chat.startOver();
  });

  const write = (text: string) => writeFileSync(join(folder, path), text);
  const send = (entry: object): Use => ({ name: 'arbiter_edit', input: { files: [{ path, ...entry }] } });
  const edit = (base: string | undefined, old: string, replacement: string, more: object = {}): Use =>
    send({ ...(base === undefined ? {} : { base }), edits: [{ old_string: old, new_string: replacement }], ...more });
  const baseIn = (answer = '') => String(parseRead(answer)[0]?.header.base);
  const resultIn = (answer = ''): EditResult | undefined => parseEdit(answer).results[0];
  const READ: Step = {
    does: () => ({ name: 'arbiter_read', input: { files: [{ path }] } }),
    told: /"status":"ok"/,
    leaves: BEFORE,
  };
  /** The edit of the agent, refused since somebody else has written the file meanwhile. */
  const REFUSED: Step = {
    does: ([read]) => {
      write(MOVED);
      return edit(baseIn(read), 'one', '1');
    },
    told: 'stale_base',
    leaves: MOVED,
  };

  /** Plays steps one after the other, and looks at the file before each next one. @returns what the model was told. */
  async function plays(steps: readonly Step[], answerQuestion?: string): Promise<readonly string[]> {
    const texts: string[] = [];
    const look = () => texts.push(existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : '');
    const moves = steps.map(
      ({ does }, index): Move =>
        (answers) => {
          if (index > 0) {
            look();
          }
          return does(answers);
        },
    );
    const { answers, done } = await begin(agent, moves);
    if (answerQuestion !== undefined) {
      await agent.chat.answer(answerQuestion);
    }
    const { requests } = await done;
    look();
    let at = 0;
    for (const { told } of steps) {
      for (const one of [told].flat()) {
        const answer = answers[at] ?? '';
        const isTold = typeof one === 'string' ? resultIn(answer)?.status === one : one.test(answer);
        assert.ok(isTold, `${one}: ${answer}`);
        at += 1;
      }
    }
    assert.deepEqual(
      texts,
      steps.map(({ leaves }) => leaves),
    );
    console.log(`    ${requests.length - 1} round trips`);
    return answers;
  }

  it('forgets the base: the chat says that it must be there', async () => {
    await plays([
      READ,
      { does: () => edit(undefined, 'one', '1'), told: /must have required property 'base'/, leaves: BEFORE },
      { does: ([read]) => edit(baseIn(read), 'one', '1'), told: 'applied', leaves: '1\ntwo\nthree\n' },
    ]);
  });

  it('invents a base: it names no state, or one that never was', async () => {
    const invented = `sha256:${'0123456789abcdef'.repeat(4)}`;
    const answers = await plays([
      { does: () => edit('latest', 'one', '1'), told: 'invalid_base', leaves: BEFORE },
      { does: () => edit(invented, 'one', '1'), told: 'stale_base', leaves: BEFORE },
      READ,
      { does: ([, , read]) => edit(baseIn(read), 'one', '1'), told: 'applied', leaves: '1\ntwo\nthree\n' },
    ]);
    assert.match(String(resultIn(answers[0])?.next), /without one, read the file first/);
    assert.match(String(resultIn(answers[1])?.next), /re-read/);
  });

  it('cuts the base short: too short is refused, twelve digits are enough', async () => {
    await plays([
      READ,
      { does: ([read]) => edit(baseIn(read).slice(0, 7 + 11), 'one', '1'), told: 'invalid_base', leaves: BEFORE },
      { does: ([read]) => edit(baseIn(read).slice(0, 7 + 12), 'one', '1'), told: 'applied', leaves: '1\ntwo\nthree\n' },
    ]);
  });

  it('sends the old base again and again: each time it is told whose edit it has missed, its own', async () => {
    const again: Step = {
      does: ([read]) => edit(baseIn(read), 'two', '2'),
      told: 'stale_base',
      leaves: '1\ntwo\nthree\n',
    };
    const answers = await plays([
      READ,
      { does: ([read]) => edit(baseIn(read), 'one', '1'), told: 'applied', leaves: '1\ntwo\nthree\n' },
      again,
      again,
      again,
      {
        does: ([, landed]) => edit(resultIn(landed)?.base, 'two', '2', { still_needed: 'two is still spelled out' }),
        told: 'applied',
        leaves: '1\n2\nthree\n',
      },
    ]);
    for (const answer of answers.slice(2, 5)) {
      assert.match(String(resultIn(answer)?.changed_by), /^edit #\d+ \(this session, turn 2\)$/);
    }
  });

  it('sends a stale edit again with the new base: it takes a reason to go through', async () => {
    const again: Step = {
      does: ([, refused]) => edit(resultIn(refused)?.actual, 'one', '1'),
      told: 'unconsidered_retry',
      leaves: MOVED,
    };
    await plays([READ, REFUSED, again, again]);
  });

  it('edits from memory: a file that it takes for new, then a text that stands otherwise', async () => {
    const answers = await plays([
      { does: () => send({ base: 'absent', content: 'one\n2\n' }), told: 'stale_base', leaves: BEFORE },
      { does: ([first]) => edit(resultIn(first)?.actual, 'One\nTwo\n', '1\n2\n'), told: 'not_found', leaves: BEFORE },
      {
        does: ([first]) => edit(resultIn(first)?.actual, 'one\ntwo\n', '1\n2\n'),
        told: 'applied',
        leaves: '1\n2\nthree\n',
      },
    ]);
    assert.match(JSON.stringify(resultIn(answers[1])?.['nearest']), /letter case/);
  });

  it('sends two edits of a file side by side: the second waits, and is refused', async () => {
    await plays([
      READ,
      {
        does: ([read]) => [edit(baseIn(read), 'one', '1'), edit(baseIn(read), 'two', '2')],
        told: ['applied', 'stale_base'],
        leaves: '1\ntwo\nthree\n',
      },
      {
        does: ([, landed]) => edit(resultIn(landed)?.base, 'two', '2', { still_needed: 'it is elsewhere' }),
        told: 'applied',
        leaves: '1\n2\nthree\n',
      },
    ]);
  });

  it('answers a refusal by deleting and creating the file, with the bases it has: both are refused', async () => {
    const create = () => send({ base: 'absent', content: '1\ntwo\nthree\n' });
    await plays([
      READ,
      REFUSED,
      { does: ([read]) => send({ base: baseIn(read), delete: true }), told: 'stale_base', leaves: MOVED },
      { does: create, told: 'stale_base', leaves: MOVED },
      {
        does: ([, refused]) => send({ base: resultIn(refused)?.actual, delete: true }),
        told: 'unconsidered_retry',
        leaves: MOVED,
      },
      { does: create, told: 'stale_base', leaves: MOVED },
    ]);
  });

  // A delete that is planned on the answer is a new plan: the agent has been shown all that it takes away. The gate lets it pass.
  it('deletes the file on what it has been told, and creates it anew: both land, and both are named', async () => {
    const answers = await plays([
      READ,
      REFUSED,
      { does: ([, refused]) => send({ base: resultIn(refused)?.actual, delete: true }), told: 'applied', leaves: '' },
      { does: () => send({ base: 'absent', content: '1\n' }), told: 'applied', leaves: '1\n' },
      { does: ([read]) => edit(baseIn(read), 'two', '2'), told: 'stale_base', leaves: '1\n' },
    ]);
    const causes = resultIn(answers[4])?.changed_by ?? [];
    assert.deepEqual(
      causes.map((cause) => cause.replace(/#\d+/, '#')),
      ['external writer', 'edit # (this session, turn 3)', 'edit # (this session, turn 4)'],
    );
  });

  it('uses sed: the edit after it is refused, and names the command', async () => {
    const sed = () => ({
      name: 'run_in_terminal',
      input: {
        command: `sed -i s/two/2/ ${path}`,
        explanation: 'x',
        goal: 'x',
        mode: 'sync',
        isBackground: false,
        timeout: 0,
      },
    });
    const answers = await plays(
      [
        READ,
        { does: sed, told: /./, leaves: 'one\n2\nthree\n' },
        { does: ([read]) => edit(baseIn(read), 'one', '1'), told: 'stale_base', leaves: 'one\n2\nthree\n' },
      ],
      'Allow',
    );
    assert.match(String(resultIn(answers[2])?.changed_by), /sed -i s\/two\/2\//);
  });
});
