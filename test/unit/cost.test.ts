import assert from 'node:assert/strict';
import { assertStatus, Story } from './support/story.ts';

/** A source file of about that many characters, all of whose lines hold the word. */
function source(chars: number, word: string): string {
  let text = '';
  for (let line = 0; text.length < chars; line += 1) {
    text += `  const ${word}${line} = "${word}" + '\\n';\n`;
  }
  return text;
}

describe('What an agent has to read', () => {
  it('of a stale answer is less than the file again, for every file over 4 kB, however much of it changed', async () => {
    for (const chars of [4_100, 5_000, 8_000, 40_000]) {
      for (const now of [source(chars, 'other'), source(chars, 'one').replace('one7', 'changed')]) {
        const story = new Story({ f: source(chars, 'one') });
        const a = story.agent('a');
        await a.reads('f');
        story.disk.writes('f', now);
        const stale = await a.edits('f', { one3: 'x' });
        assertStatus(stale, 'stale_base');
        const { content = '', ...header } = await story.agent('b').reads('f');
        const read = JSON.stringify(header).length + 1 + content.length;
        const answer = JSON.stringify({ summary: '1 stale_base', results: [stale] }).length;
        assert.ok(answer < read, `${chars}: the answer has ${answer} characters, the file ${read}`);
      }
    }
  });
});
