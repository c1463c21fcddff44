import assert from 'node:assert/strict';
import { wishSides } from '../../src/core/intended.ts';
import { replanPrompt } from '../../src/core/replan.ts';
import { Story } from './support/story.ts';

describe('The preview of a call', () => {
  it('shows what would change, writes nothing, names what would be refused, and leaves out what is asked about by itself', async () => {
    const story = new Story({ f: 'one\n', g: 'two\n', '.vscode/settings.json': '{}\n' });
    const agent = story.agent('a');
    for (const path of ['f', 'g', '.vscode/settings.json']) {
      await agent.reads(path);
    }
    story.disk.writes('g', 'moved\n');
    const files = [
      agent.plans('f', { one: '1' }),
      agent.plans('g', { two: '2' }),
      agent.plans('.vscode/settings.json', { '{}': '{"a": 1}' }),
    ];
    const { previews, others, explanation } = await story.arbiter.preview({ files, explanation: 'why' });
    assert.deepEqual(previews, [{ path: 'f', diff: '@@ -1,1 +1,1 @@\n-one\n+1\n', added: 1, removed: 1 }]);
    assert.deepEqual(others, ['g']);
    assert.equal(explanation, 'why');
    assert.equal(story.text('f'), 'one\n');
    assert.deepEqual(story.arbiter.conflicts.open, []);
    assert.deepEqual(await story.arbiter.preview('nonsense'), { previews: [], others: [], explanation: undefined });
    const { results } = await agent.sends(files);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['applied', 'stale_base', 'denied'],
    );
  });
});

describe('wishSides', () => {
  it('are what an edit looks for and what it would put there', () => {
    const replacement = (oldText: string, newText: string) => ({ oldText, newText, replaceAll: false });
    assert.deepEqual(wishSides({ kind: 'edits', replacements: [replacement('a', 'b\n'), replacement('c\n', '')] }), {
      before: 'a\n\nc\n',
      after: 'b\n\n\n',
    });
    assert.deepEqual(wishSides({ kind: 'content', content: 'x' }), { before: '', after: 'x' });
  });
});

describe('A prompt for files that moved before anything was refused', () => {
  const moved = { path: 'a.ts', changedBy: ['external writer'], diffSinceRead: '@@ -1,1 +1,1 @@\n-a\n+b\n' };

  it('carries who changed them and what, and asks the question', () => {
    const prompt = replanPrompt([], [moved]);
    assert.match(prompt, /^A file has moved since it was read\./);
    assert.match(prompt, /File: "a\.ts"\nChanged by: "external writer"\nWhat changed since the read:\n```diff\n@@/);
    assert.match(prompt, /For what is planned there, decide first: is it still needed, still correct, or redundant\?/);
  });

  it('numbers several', () => {
    const prompt = replanPrompt([], [moved, { ...moved, path: 'b.ts', diffSinceRead: null }]);
    assert.match(prompt, /1\. File: "a\.ts"/);
    assert.match(prompt, /2\. File: "b\.ts"[\s\S]*What changed since the read is not known any more\./);
    assert.match(prompt, /For each edit/);
  });
});
