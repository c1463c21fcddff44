import assert from 'node:assert/strict';
import { assertStatus, editsOf, Story } from './support/story.ts';

/** A source file of about that many characters. */
function source(chars: number, ending = '\n'): string {
  let text = '';
  for (let line = 0; text.length < chars; line += 1) {
    text += line % 6 === 5 ? `}${ending}` : `  const value${line} = compute("value ${line}", { deep: true });${ending}`;
  }
  return text;
}

type Edit = (lines: string[]) => readonly string[];

const eachLine =
  (change: (line: string, index: number) => string): Edit =>
  (lines) =>
    lines.map(change);

/** What somebody does to the file between the read and the edit: on disk, line by line. */
const ON_DISK: Readonly<Record<string, Edit>> = {
  'one line': (lines) => lines.with(7, '  changed();'),
  'the first line and the last': (lines) => ['// first', ...lines, '// last'],
  'every tenth line': eachLine((line, index) => (index % 10 === 0 ? `${line} // note` : line)),
  'a word everywhere': eachLine((line) => line.replaceAll('value', 'amount')),
  'the indentation': eachLine((line) => `  ${line}`),
  'a block moved': (lines) => [...lines.slice(20, 60), ...lines.slice(0, 20), ...lines.slice(60)],
  'half of it removed': (lines) => lines.filter((_, index) => index % 20 < 10),
  'as much again added': (lines) => [...lines, ...lines.map((line) => `${line} // again`)],
  'all of it': eachLine((line, index) => `  other${index}("${'x'.repeat(line.length)}");`),
  'all of it in one line': (lines) => [lines.join(' ')],
};

const SIZES = [4_200, 8_000, 16_000, 64_000, 200_000];

type Move = (story: Story, before: string) => void | Promise<void>;

const MOVES: Readonly<Record<string, Move>> = {
  ...Object.fromEntries(
    Object.entries(ON_DISK).map(([name, edit]): [string, Move] => [
      `on disk, ${name}`,
      (story, before) => story.disk.writes('f', edit(before.split('\n')).join('\n')),
    ]),
  ),
  'on disk, the line endings': (story, before) => story.disk.writes('f', before.replaceAll('\n', '\r\n')),
  'in the editor, unsaved, a word': (story) => story.human.types('f', { value7: 'typed' }),
  'in the editor, unsaved, forty places': (story) => {
    for (let index = 0; index < 40; index += 1) {
      story.human.types('f', { compute: 'evaluate' });
    }
  },
  'by edits of another session, fifty': async (story) => {
    const other = story.agent('b');
    await other.reads('f');
    for (let index = 0; index < 50; index += 1) {
      const line = index + Math.trunc(index / 5);
      assertStatus(await other.edits('f', { [`"value ${line}"`]: `"amount ${index}"` }), 'applied');
    }
  },
  'by edits of another session, with typing between them': async (story) => {
    const other = story.agent('b');
    for (let index = 0; index < 10; index += 1) {
      await other.reads('f');
      assertStatus(await other.edits('f', { [`"value ${index * 2}"`]: `"amount ${index}"` }), 'applied');
      story.human.types('f', { compute: 'evaluate' });
    }
  },
};

/** Plays a move between an agent's read and its edit. @returns the characters of its answer, and of reading the file anew. */
async function play(before: string, move: Move): Promise<{ answer: number; reread: number; size: number }> {
  const story = new Story({ f: before });
  const agent = story.agent('a');
  await agent.reads('f');
  await move(story, before);
  const edits = editsOf({ value3: 'amount3', '"value 14"': '"amount 14"' });
  const [stale] = (await agent.sends([{ path: 'f', base: agent.baseOf('f'), edits }])).results;
  assertStatus(stale, 'stale_base');
  const { content = '', ...header } = await story.agent('c').reads('f');
  const answer = JSON.stringify({ summary: '1 stale_base', results: [stale] }).length;
  return { answer, reread: JSON.stringify(header).length + 1 + content.length, size: content.length };
}

describe('What an agent has to read', function () {
  this.timeout(10_000);

  for (const [name, move] of Object.entries(MOVES)) {
    it(`of a stale answer is less than the file again, for every file that is over 4 kB by now: ${name}`, async () => {
      const shares: string[] = [];
      let checked = 0;
      for (const chars of SIZES) {
        const { answer, reread, size } = await play(source(chars), move);
        assert.ok(
          size <= 4_096 || answer < reread,
          `${chars}: the answer has ${answer} characters, the file ${reread}`,
        );
        checked += size > 4_096 ? 1 : 0;
        shares.push(`${Math.round(chars / 1000)} kB ${((100 * answer) / reread).toFixed(1)} %`);
      }
      assert.ok(checked >= 3, 'the move leaves enough of the files');
      console.log(`    a stale answer, as a part of a re-read: ${shares.join(', ')}`);
    });
  }
});
