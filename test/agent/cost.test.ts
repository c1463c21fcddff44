import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEdit, parseRead } from '../../demo/answers.ts';
import { type AgentMode, startAgentMode } from '../hosts/agentMode.ts';
import type { Transcript } from '../hosts/transcript.ts';
import { type Move, play, type Use } from './support/player.ts';

const NAMES = ['customers', 'orders', 'invoices', 'exports', 'reports'];
const LINES = 160;

/** A source file in which one function is to be changed. */
function source(name: string): string {
  const lines = Array.from({ length: LINES }, (_, line) =>
    line % 4 === 3 ? '' : `${name}_${line} = compute("${name}", ${line}, rounded=True)`,
  );
  lines.splice(LINES / 2, 0, `def key_of_${name}(row):`, '    key = row.customer_id', '    return key', '');
  return `${lines.join('\n')}\n`;
}

/** The place that is changed, with three lines around it, as the built-in tool asks for. */
function change(name: string): { readonly old: string; readonly now: string } {
  const lines = source(name).split('\n');
  const at = lines.indexOf('    key = row.customer_id');
  const old = lines.slice(at - 3, at + 4).join('\n');
  return { old, now: old.replace('customer_id', 'account_id') };
}

/** The file of a name, within one measurement. */
type PathOf = (name: string) => string;

/** What a conversation cost, system prompt and prompt left out. */
interface Cost {
  /** Answers of the model that call tools. */
  readonly roundTrips: number;
  readonly calls: number;
  /** Characters of all calls and results, by four. */
  readonly tokens: number;
  /** The same, counted each time that it is sent to the model again. */
  readonly resent: number;
}

function costOf({ requests, steps }: Transcript): Cost {
  const size = (from: number, to: number) =>
    steps
      .slice(from, to)
      .reduce((sum, { call, result }) => sum + JSON.stringify(call.input).length + result.text.length, 0);
  const answered = requests.map(({ messages }) => {
    const ids = new Set(
      messages.flatMap(({ parts }) => parts.flatMap((part) => ('callId' in part ? [part.callId] : []))),
    );
    return steps.filter(({ call }) => ids.has(call.callId)).length;
  });
  return {
    roundTrips: requests.length - 1,
    calls: steps.length,
    tokens: Math.round(size(0, steps.length) / 4),
    resent: Math.round(answered.reduce((sum, count) => sum + size(0, count), 0) / 4),
  };
}

describe('A refactor over five files', function () {
  this.timeout(180_000);
  let folder: string;
  let agent: AgentMode;
  const costs = new Map<string, Cost>();

  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'edit-arbiter-cost-')));
    agent = await startAgentMode({ folder, model: () => ({ parts: [] }) });
  });

  after(async () => {
    await agent?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Plays the moves on fresh files, and makes sure that they do what they should. */
  async function measure(way: string, moves: (pathOf: PathOf) => readonly Move[]): Promise<Cost> {
    const prefix = `${costs.size}-`;
    for (const name of NAMES) {
      writeFileSync(join(folder, `${prefix}${name}.py`), source(name));
    }
    await agent.chat.startOver();
    const { transcript, answers } = await play(
      agent,
      moves((name) => `${prefix}${name}.py`),
    );
    for (const name of NAMES) {
      const text = readFileSync(join(folder, `${prefix}${name}.py`), 'utf8');
      assert.equal(text, source(name).replace('customer_id', 'account_id'), `${way}: ${answers.at(-1)}`);
    }
    const cost = costOf(transcript);
    costs.set(way, cost);
    console.log(
      `    ${way}: ${cost.roundTrips} round trips, ${cost.calls} calls, ${cost.tokens} tokens, ${cost.resent} with what is sent again`,
    );
    return cost;
  }

  const readAll = (pathOf: PathOf): Use => ({
    name: 'arbiter_read',
    input: { files: NAMES.map((name) => ({ path: pathOf(name) })) },
  });
  const editAll = (pathOf: PathOf, answer: string, mode: string): Use => {
    const bases = new Map(parseRead(answer).map(({ header }) => [header.path, header.base]));
    const files = NAMES.map((name) => {
      const { old, now } = change(name);
      return { path: pathOf(name), base: bases.get(pathOf(name)), edits: [{ old_string: old, new_string: now }] };
    });
    return { name: 'arbiter_edit', input: { files, on_conflict: mode } };
  };

  /** The editor's own tools: one file for each read, one replacement for each edit. */
  const readFile = (path: string): Use => ({
    name: 'read_file',
    input: { filePath: join(folder, path), startLine: 1, endLine: LINES + 10 },
  });
  const replaceString = (path: string, name: string): Use => {
    const { old, now } = change(name);
    return { name: 'replace_string_in_file', input: { filePath: join(folder, path), oldString: old, newString: now } };
  };

  it('takes two round trips with the arbiter: one read, one edit', async () => {
    const { roundTrips, calls } = await measure('arbiter', (pathOf) => [
      () => readAll(pathOf),
      ([answer = '']) => editAll(pathOf, answer, 'atomic'),
    ]);
    assert.deepEqual([roundTrips, calls], [2, 2]);
  });

  it('takes six with the built-in tools, where the model reads side by side and edits file by file', async () => {
    const { roundTrips, calls } = await measure('built-in tools, read side by side', (pathOf) => [
      () => NAMES.map((name) => readFile(pathOf(name))),
      ...NAMES.map(
        (name): Move =>
          () =>
            replaceString(pathOf(name), name),
      ),
    ]);
    assert.deepEqual([roundTrips, calls], [6, 10]);
    assert.ok(
      (costs.get('arbiter')?.resent ?? Number.POSITIVE_INFINITY) <
        (costs.get('built-in tools, read side by side')?.resent ?? 0),
    );
  });

  it('takes ten calls with the built-in tools in any case: one after the other, or all side by side', async () => {
    const single = await measure('built-in tools, one after the other', (pathOf) => [
      ...NAMES.map(
        (name): Move =>
          () =>
            readFile(pathOf(name)),
      ),
      ...NAMES.map(
        (name): Move =>
          () =>
            replaceString(pathOf(name), name),
      ),
    ]);
    const together = await measure('built-in tools, all side by side', (pathOf) => [
      () => NAMES.map((name) => readFile(pathOf(name))),
      () => NAMES.map((name) => replaceString(pathOf(name), name)),
    ]);
    assert.deepEqual([single.roundTrips, single.calls], [10, 10]);
    assert.deepEqual([together.roundTrips, together.calls], [2, 10]);
  });

  it('takes one more after a refusal, since its diff is enough to plan on', async () => {
    const stale = await measure('arbiter, one file moved meanwhile', (pathOf) => [
      () => readAll(pathOf),
      ([answer = '']) => {
        const path = join(folder, pathOf('orders'));
        writeFileSync(path, readFileSync(path, 'utf8').replace('orders_0 =', 'orders_first ='));
        return editAll(pathOf, answer, 'continue');
      },
      ([, answer = '']) => {
        const refused = parseEdit(answer).results.find(({ status }) => status === 'stale_base');
        assert.match(String(refused?.diff_since_read), /^\+orders_first =/m, answer);
        const { old, now } = change('orders');
        const edits = [
          { old_string: old, new_string: now },
          { old_string: 'orders_first =', new_string: 'orders_0 =' },
        ];
        const entry = { path: refused?.path, base: refused?.actual, edits, still_needed: 'the change is elsewhere' };
        return { name: 'arbiter_edit', input: { files: [entry] } };
      },
    ]);
    assert.deepEqual([stale.roundTrips, stale.calls], [3, 3]);
  });
});
