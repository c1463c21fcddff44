import assert from 'node:assert/strict';
import { noteRegions } from '../../src/core/regions.ts';
import type { EditedRegion } from '../../src/core/sessions.ts';
import { splice } from '../../src/core/text.ts';

/** A file that is edited by replacing text, and the regions that this leaves. */
class Edited {
  content: string;
  regions: readonly EditedRegion[] = [];

  constructor(content: string) {
    this.content = content;
  }

  /** @returns whether a region was edited once too often. */
  replaces(...pairs: readonly [string, string][]): boolean {
    const spans = pairs.map(([old, text]) => {
      const start = this.content.indexOf(old);
      assert.notEqual(start, -1, `${old} is not in ${this.content}`);
      return { start, end: start + old.length, text };
    });
    const { regions, isWorn } = noteRegions(this.regions, spans);
    this.content = splice(this.content, spans);
    this.regions = regions;
    return isWorn;
  }

  /** What stands in the regions, with the count of edits. */
  get marked(): [string, number][] {
    return this.regions.map(({ start, end, edits }) => [this.content.slice(start, end), edits]);
  }
}

describe('noteRegions', () => {
  it('calls a region worn from its third edit on', () => {
    const file = new Edited('one two three');
    assert.deepEqual(
      [
        file.replaces(['two', '2']),
        file.replaces(['2', 'zwei']),
        file.replaces(['zwei', 'deux']),
        file.replaces(['deux', 'dos']),
      ],
      [false, false, true, true],
    );
    assert.deepEqual(file.marked, [['dos', 4]]);
  });

  it('counts each region for itself', () => {
    const file = new Edited('one two three');
    assert.deepEqual(
      [
        file.replaces(['one', '1']),
        file.replaces(['three', '3']),
        file.replaces(['1', 'uno']),
        file.replaces(['3', 'tre']),
      ],
      [false, false, false, false],
    );
    assert.deepEqual(file.marked, [
      ['uno', 2],
      ['tre', 2],
    ]);
  });

  it('moves a region with what is edited above it', () => {
    const file = new Edited('one two three');
    file.replaces(['three', '3']);
    file.replaces(['one', 'one and a half']);
    assert.deepEqual(file.marked, [
      ['3', 1],
      ['one and a half', 1],
    ]);
    file.replaces(['one and a half', '']);
    file.replaces(['3', 'III']);
    assert.equal(file.replaces(['III', 'iii']), true);
  });

  it('joins regions that one edit covers, with the higher count', () => {
    const file = new Edited('one two three');
    file.replaces(['one', '1']);
    file.replaces(['1', 'I']);
    file.replaces(['three', '3']);
    assert.equal(file.replaces(['I two 3', 'all']), true);
    assert.deepEqual(file.marked, [['all', 3]]);
  });

  it('takes an edit of a part of a region, or right beside it, for an edit of it', () => {
    const file = new Edited('one two three');
    file.replaces(['two', 'twenty']);
    file.replaces(['went', 'WENT']);
    assert.deepEqual(file.marked, [['tWENTy', 2]]);
    assert.equal(file.replaces([' three', '!']), true);
  });

  it('counts several edits of one call each at its own place', () => {
    const file = new Edited('one two three');
    assert.equal(file.replaces(['one', 'first'], ['three', 'third']), false);
    assert.deepEqual(file.marked, [
      ['first', 1],
      ['third', 1],
    ]);
    assert.equal(file.replaces(['third', '3'], ['first', '1']), false);
    assert.deepEqual(file.marked, [
      ['1', 2],
      ['3', 2],
    ]);
  });

  it('takes inserted text for a region, and text inserted right before one for a part of it', () => {
    const file = new Edited('one two three');
    file.replaces(['', 'zero ']);
    assert.deepEqual(file.marked, [['zero ', 1]]);
    file.replaces(['', '# ']);
    assert.deepEqual(file.marked, [['# zero ', 2]]);
  });

  it('keeps the place where something was deleted', () => {
    const file = new Edited('one two three');
    file.replaces([' two', '']);
    assert.deepEqual(file.marked, [['', 1]]);
    assert.deepEqual(file.regions, [{ start: 3, end: 3, edits: 1 }]);
    file.replaces(['one', 'uno']);
    assert.equal(file.replaces(['no t', 'no 2 t']), true);
  });
});
