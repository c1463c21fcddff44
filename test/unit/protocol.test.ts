import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { EditArbiter } from '../../api.d.ts';
import { change, type Plan } from '../../docs/examples/replan.ts';
import { playExamples } from './support/examples.ts';
import { Story } from './support/story.ts';

function textOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

const page = textOf('docs/protocol.md');

describe('docs/protocol.md', () => {
  it('shows what the arbiter answers', async () => {
    const examples = await playExamples(page);
    assert.equal(examples.length, 6);
    for (const { given, actual } of examples) {
      const [one, other] = actual.startsWith('{\n') ? [JSON.parse(given), JSON.parse(actual)] : [given, actual];
      assert.deepEqual(one, other);
    }
  });

  it('shows the loop that is tried below', () => {
    assert.ok(page.includes(`\`\`\`ts\n${textOf('docs/examples/replan.ts')}\`\`\``));
  });

  it('says of every status what to do', () => {
    const statuses = [...textOf('src/core/status.ts').matchAll(/'(\w+)'/g)].map(([, status = '']) => status);
    assert.ok(statuses.length > 20);
    const table = page.slice(page.indexOf('## Statuses'), page.indexOf('## A loop'));
    assert.deepEqual(
      statuses.filter((status) => !table.includes(`\`${status}\``)),
      [],
    );
  });
});

describe('A loop that plans again', () => {
  /** Lets somebody act between the loop's reads and its edits. */
  function interrupted(story: Story, act: (attempt: number) => void): Pick<EditArbiter, 'read' | 'edit'> {
    const caller = { session: 'loop', isCancelled: () => false };
    let attempt = 0;
    return {
      read: async (input) => {
        const parts = await story.arbiter.read(input, caller, async (text) => text.length);
        act(attempt);
        attempt += 1;
        return parts as Awaited<ReturnType<EditArbiter['read']>>;
      },
      edit: async (input) => (await story.arbiter.edit(input, caller)) as Awaited<ReturnType<EditArbiter['edit']>>,
    };
  }

  const plan: Plan = (text) =>
    text.includes('rate = 0.20') ? [{ old_string: 'rate = 0.20', new_string: 'rate = tier.rate' }] : undefined;

  it('lands on what is there now', async () => {
    const story = new Story({ f: 'rate = 0.20\n' });
    const arbiter = interrupted(story, (attempt) => {
      if (attempt < 2) {
        story.disk.writes('f', `# ${attempt}\nrate = 0.20\n`);
      }
    });
    assert.equal(await change(arbiter, 'f', plan), 'applied');
    assert.equal(story.disk.text('f'), '# 1\nrate = tier.rate\n');
  });

  it('makes no edit that is not needed any more', async () => {
    const story = new Story({ f: 'rate = 0.20\n' });
    const arbiter = interrupted(story, (attempt) => {
      if (attempt === 0) {
        story.disk.writes('f', 'rate = 0.25\n');
      }
    });
    assert.equal(await change(arbiter, 'f', plan), 'not needed');
    assert.equal(story.disk.text('f'), 'rate = 0.25\n');
  });

  it('ends, however fast somebody else is', async () => {
    const story = new Story({ f: 'rate = 0.20\n' });
    const arbiter = interrupted(story, (attempt) => story.disk.writes('f', `rate = 0.20 # ${attempt}\n`));
    assert.equal(await change(arbiter, 'f', plan), 'stale_base');
    assert.equal(await change(arbiter, 'no such file', plan), 'not_found');
  });
});
