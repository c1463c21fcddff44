import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Moment } from './support/moments.ts';
import { type Result, Story } from './support/story.ts';

/** One thing that somebody does; `at` picks the word that it is about. */
interface Step {
  readonly what: 'reads' | 'edits' | 'types' | 'saves' | 'undoes' | 'writes' | 'intrudes' | 'overwrites';
  readonly who: 'a' | 'b';
  readonly at: number;
  /** How far from the edit's place somebody types in the middle of it. */
  readonly over: number;
  readonly moment: Moment;
}

const steps = fc.array(
  fc.record<Step>({
    what: fc.constantFrom(
      'reads',
      'edits',
      'edits',
      'edits',
      'types',
      'saves',
      'undoes',
      'writes',
      'intrudes',
      'overwrites',
    ),
    who: fc.constantFrom('a', 'b'),
    at: fc.nat(5),
    over: fc.constantFrom(0, 0, 1, 2),
    moment: fc.constantFrom(
      'between look and apply',
      'after apply before save',
      'as the save begins',
      'during save',
      'after save',
    ),
  }),
  { minLength: 4, maxLength: 16 },
);

/** Two agents, an engineer and another program over one file of words, each with a new word for every change. */
class Writers {
  readonly story = new Story({ f: 'w0\nw1\nw2\nw3\nw4\nw5\n' });
  /** What each agent has been shown of the file at the base that it holds. */
  readonly #shown = new Map<string, string>();
  #count = 0;

  async begin(): Promise<void> {
    await this.#reads('a');
    await this.#reads('b');
  }

  async plays(step: Step): Promise<void> {
    const { story } = this;
    switch (step.what) {
      case 'reads':
        return this.#reads(step.who);
      case 'edits':
        return this.#edits(step, {});
      case 'intrudes': {
        const typed = this.#newWord();
        const intrude = () => story.human.types('f', { [this.#wordOf(story.text('f'), step.at + step.over)]: typed });
        return this.#edits(step, { act: intrude, typed });
      }
      case 'overwrites': {
        const content = `${this.#newWord()}\n${story.disk.text('f')}`;
        return this.#edits(step, { act: () => story.disk.writes('f', content), content });
      }
      case 'types':
        return story.human.types('f', { [this.#wordOf(story.text('f'), step.at)]: this.#newWord() });
      case 'writes': {
        const now = String(story.disk.text('f'));
        return story.disk.writes('f', now.replace(this.#wordOf(now, step.at), this.#newWord()));
      }
      case 'saves':
        story.human.opens('f');
        return story.human.saves('f');
      case 'undoes':
        return story.documents.undoSteps('f') > 0 && story.documents.isDirty('f') ? story.human.undoes('f') : undefined;
    }
  }

  async #reads(who: Step['who']): Promise<void> {
    this.#shown.set(who, String((await this.story.agent(who).reads('f')).content));
  }

  async #edits({ who, at, moment }: Step, race: { act?: () => void; typed?: string; content?: string }): Promise<void> {
    const { story } = this;
    const shown = this.#shown.get(who);
    if (shown === undefined) {
      return;
    }
    const [old, mine] = [this.#wordOf(shown, at), this.#newWord()];
    const [text, disk, isDirty] = [story.text('f'), story.disk.text('f'), story.documents.isDirty('f')];
    const edits = story.ledger.transitions('/w/f').filter(({ cause }) => cause?.kind === 'edit').length;
    if (race.act) {
      story.at(moment, race.act);
    }
    const result = await story.agent(who).edits('f', { [old]: mine });
    const hasRaced = race.act !== undefined && story.documents.hasRunAll;
    story.documents.forgetActions();
    this.#checkAnswer(result);
    if (result.status === 'applied') {
      assert.equal(result.base ?? result.actual, story.base('f'), 'a token is of what is really there');
      if (result.base === undefined) {
        this.#shown.delete(who);
        assert.equal(hasRaced, true, 'only somebody else keeps it from vouching');
      } else {
        this.#shown.set(who, shown.replace(old, mine));
        assert.equal(story.text('f'), shown.replace(old, mine), 'a base vouches for what the agent was shown');
        assert.equal(text, shown, 'an edit lands only on what its author has seen');
      }
    } else {
      assert.equal(story.text('f')?.includes(mine), false, 'nothing of a refused edit is left');
      if (!hasRaced) {
        assert.deepEqual([story.text('f'), story.disk.text('f'), story.documents.isDirty('f')], [text, disk, isDirty]);
      }
      const now = story.ledger.transitions('/w/f').filter(({ cause }) => cause?.kind === 'edit').length;
      assert.equal(now, edits, 'a refused edit is no cause');
    }
    assert.ok(!hasRaced || result.base === undefined, 'nothing vouches for what happened in between');
    if (result.base === undefined && at % 2 === 0) {
      await this.#reads(who);
    }
    if (hasRaced && race.typed !== undefined) {
      assert.equal(story.text('f')?.includes(race.typed), true, 'what was typed is there');
    }
    if (hasRaced && race.content !== undefined) {
      assert.equal(story.disk.text('f'), race.content, 'what another program wrote is there');
    }
  }

  #checkAnswer(result: Result): void {
    if (result.status === 'applied') {
      assert.ok(result.base !== undefined || result.next, JSON.stringify(result));
      return;
    }
    assert.ok(result.next, JSON.stringify(result));
    if (result.status !== 'apply_failed' && result.status !== 'not_found') {
      assert.ok(result.changed_by && result.changed_by.length > 0, JSON.stringify(result));
      assert.equal(result.actual, this.story.base('f'));
    }
  }

  #newWord(): string {
    this.#count += 1;
    return `n${this.#count}.`;
  }

  #wordOf(text: string | undefined, at: number): string {
    const words = String(text).split('\n').slice(0, -1);
    return words[at % words.length] ?? '';
  }
}

describe('Two agents, an engineer and another program', () => {
  it('lose nothing to each other, whatever they do in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (played) => {
        const writers = new Writers();
        await writers.begin();
        for (const step of played) {
          await writers.plays(step);
        }
      }),
      { seed: 41, numRuns: 80 },
    );
  });
});
