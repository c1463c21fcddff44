import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyEdits, type BufferEdit, findLanding, reverse } from '../../src/core/landing.ts';

function insert(offset: number, text: string): BufferEdit {
  return { offset, length: 0, text };
}

/** What is left when our own change is taken back from under later ones. */
function takenBack(text: string, own: readonly BufferEdit[], later: readonly (readonly BufferEdit[])[]): string {
  const now = [own, ...later].reduce(applyEdits, text);
  const { spans } = reverse(text, own, later);
  return applyEdits(
    now,
    spans.map(({ start, end, text: old }) => ({ offset: start, length: end - start, text: old })),
  );
}

describe('findLanding', () => {
  const before = 'one two three';
  const spans = [{ start: 4, end: 7, text: '2' }];
  const own = [{ offset: 4, length: 3, text: '2' }];
  const expected = 'one 2 three';

  it('finds our change by the text that it leads to', () => {
    assert.deepEqual(findLanding(before, expected, [own], spans), { kind: 'landed', index: 0 });
  });

  it('finds it whoever changes the buffer after it, and also where the editor made it smaller', () => {
    assert.deepEqual(findLanding(before, expected, [own, [insert(0, 'x')]], spans), { kind: 'landed', index: 0 });
    const minimal = [{ offset: 1, length: 0, text: 'N' }];
    const whole = [{ start: 0, end: 3, text: 'oNne' }];
    assert.deepEqual(findLanding('one', 'oNne', [minimal], whole), { kind: 'landed', index: 0 });
  });

  it('finds it behind changes that were taken back before it', () => {
    const typed = [insert(0, 'x')];
    const undone = [{ offset: 0, length: 1, text: '' }];
    assert.deepEqual(findLanding(before, expected, [typed, undone, own], spans), { kind: 'landed', index: 2 });
  });

  it('tells where it came after a change of somebody else, and so stands on a text that it was not planned on', () => {
    const typed = [insert(0, 'x')];
    const shifted = [{ offset: 4, length: 3, text: '2' }];
    assert.deepEqual(
      findLanding(
        'two one two',
        'two one 2',
        [typed, [{ offset: 8, length: 3, text: '2' }]],
        [{ start: 8, end: 11, text: '2' }],
      ),
      { kind: 'misplaced', index: 1 },
    );
    assert.deepEqual(findLanding(before, expected, [typed, shifted], spans), { kind: 'misplaced', index: 1 });
  });

  it('tells where it is not among the changes', () => {
    assert.deepEqual(findLanding(before, expected, [], spans), { kind: 'not_landed' });
    assert.deepEqual(findLanding(before, expected, [[insert(0, 'x')]], spans), { kind: 'not_landed' });
    assert.deepEqual(findLanding(before, expected, [[{ offset: 4, length: 3, text: '3' }]], spans), {
      kind: 'not_landed',
    });
  });

  it('finds several spans in one event, in whatever order the editor tells them', () => {
    const two = [
      { start: 0, end: 3, text: '1' },
      { start: 8, end: 13, text: '3' },
    ];
    const told = [
      { offset: 8, length: 5, text: '3' },
      { offset: 0, length: 3, text: '1' },
    ];
    assert.deepEqual(findLanding(before, '1 two 3', [told], two), { kind: 'landed', index: 0 });
    assert.deepEqual(findLanding(before, '1 two 3', [[insert(13, '!')], told], two), { kind: 'misplaced', index: 1 });
  });
});

describe('applyEdits', () => {
  it('applies the edits of one event to the text before it, in any order', () => {
    const edits = [insert(4, '<'), { offset: 4, length: 3, text: 'TWO' }, insert(0, '# '), insert(7, '>')];
    for (const order of [edits, edits.toReversed()]) {
      assert.equal(applyEdits('one two three', order), '# one <TWO> three');
    }
  });
});

describe('reverse', () => {
  it('takes our part back where nobody acted since', () => {
    const own = [
      { offset: 8, length: 5, text: '3' },
      { offset: 0, length: 3, text: 'first' },
    ];
    assert.equal(takenBack('one two three', own, []), 'one two three');
    assert.equal(reverse('one two three', own, []).isTouched, false);
  });

  it('leaves alone what others put inside our text, and says that it was touched', () => {
    const own = [{ offset: 4, length: 3, text: 'TWO AND MORE' }];
    const later = [[insert(8, '<mine>')]];
    assert.equal(takenBack('one two three', own, later), 'one two<mine> three');
    assert.equal(reverse('one two three', own, later).isTouched, true);
  });

  it('puts the old text back only where something of ours is left', () => {
    const own = [{ offset: 4, length: 3, text: '2' }];
    const { isTouched } = reverse('one two three', own, [[{ offset: 3, length: 3, text: '-' }]]);
    assert.equal(isTouched, true);
    assert.equal(takenBack('one two three', own, [[{ offset: 4, length: 1, text: '' }]]), 'one  three');
  });

  it('knows an undo of our part, and then has nothing to take back', () => {
    const own = [{ offset: 4, length: 3, text: '2' }, insert(0, 'zero ')];
    const undo = [
      { offset: 9, length: 1, text: 'two' },
      { offset: 0, length: 5, text: '' },
    ];
    const { spans, isUndone } = reverse('one two three', own, [[insert(15, '!')], undo]);
    assert.deepEqual([spans, isUndone], [[], true]);
    assert.equal(reverse('one two three', own, [[insert(0, 'x')]]).isUndone, false);
  });

  it('calls it touched where somebody reaches into it from outside', () => {
    const own = [{ offset: 4, length: 3, text: 'TWO' }];
    assert.equal(reverse('one two three', own, [[{ offset: 2, length: 3, text: '' }]]).isTouched, true);
    assert.equal(reverse('one two three', own, [[{ offset: 6, length: 3, text: '' }]]).isTouched, true);
    assert.equal(reverse('one two three', own, [[insert(4, 'x')], [insert(8, 'x')]]).isTouched, false);
  });

  it('leaves exactly what others would have written without us, where they do not touch our place', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '😀'), maxLength: 5 });
    const ours = fc.array(
      fc.record({ old: word, own: fc.string({ unit: fc.constant('X'), minLength: 1, maxLength: 3 }) }),
      {
        minLength: 1,
        maxLength: 3,
      },
    );
    const foreign = fc.record({
      gap: fc.nat(3),
      from: fc.nat(5),
      length: fc.nat(5),
      text: fc.constantFrom('', '#', '##'),
    });
    const events = fc.array(fc.array(foreign, { minLength: 1, maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 4, maxLength: 4 }), ours, events, (filled, places, steps) => {
        const gaps = filled.slice(0, places.length + 1);
        const join = (pick: (place: { old: string; own: string }) => string) =>
          gaps.map((gap, index) => gap + (places[index] ? pick(places[index]) : '')).join('');
        const text = join(({ old }) => old);
        let offset = 0;
        const own = places.map((place, index): BufferEdit => {
          offset += gaps[index]?.length ?? 0;
          const edit = { offset, length: place.old.length, text: place.own };
          offset += place.old.length;
          return edit;
        });
        const later = steps.map((step) => {
          const onePerGap = [...new Map(step.map((one) => [one.gap % gaps.length, one])).entries()];
          const starts = gaps.map((_, index) =>
            gaps.slice(0, index).reduce((sum, gap, at) => sum + gap.length + (places[at]?.own.length ?? 0), 0),
          );
          return onePerGap.map(([index, one]): BufferEdit => {
            const gap = gaps[index] ?? '';
            const from = Math.min(one.from, gap.length);
            const length = Math.min(one.length, gap.length - from);
            gaps[index] = gap.slice(0, from) + one.text + gap.slice(from + length);
            return { offset: (starts[index] ?? 0) + from, length, text: one.text };
          });
        });
        assert.equal(
          [own, ...later].reduce(applyEdits, text),
          join((place) => place.own),
        );
        assert.equal(reverse(text, own, later).isTouched, false);
        assert.equal(
          takenBack(text, own, later),
          join(({ old }) => old),
        );
      }),
      { seed: 23, numRuns: 200 },
    );
  });

  it('loses nothing that others inserted, wherever they did, and leaves nothing of ours', () => {
    const inserts = fc.array(fc.tuple(fc.nat(30), fc.constantFrom('#', '##')), { maxLength: 6 });
    fc.assert(
      fc.property(fc.nat(6), fc.nat(3), fc.constantFrom('', 'X', 'XXXX'), inserts, (start, length, text, typed) => {
        const before = 'abcdefghij';
        const own = [{ offset: start, length, text }];
        let now = applyEdits(before, own);
        const later = typed.map(([at, marks]) => {
          const edits = [insert(Math.min(at, now.length), marks)];
          now = applyEdits(now, edits);
          return edits;
        });
        const left = takenBack(before, own, later);
        assert.equal(left.replaceAll('#', ''), before);
        assert.equal(
          left.length - before.length,
          typed.reduce((sum, [, marks]) => sum + marks.length, 0),
        );
      }),
      { seed: 29, numRuns: 200 },
    );
  });
});
