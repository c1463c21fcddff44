import assert from 'node:assert/strict';
import { createTwoFilesPatch, structuredPatch } from 'diff';
import fc from 'fast-check';
import { printBase } from '../../src/core/base.ts';
import { stateOf } from './support/states.ts';
import { type Answer, assertStatus, only, type Result, Story } from './support/story.ts';

/** What stands in the place of a part of a content. Offsets are UTF-16 units; none splits a character. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What the changes lead to, piece by piece. They are in order and leave at least one unit between each other. */
function changed(content: string, changes: readonly Change[]): string {
  let result = '';
  let from = 0;
  for (const { start, end, text } of changes) {
    result += content.slice(from, start) + text.replaceAll('\r\n', '\n');
    from = end;
  }
  return result + content.slice(from);
}

const piece = fc.constantFrom('a', 'b', 'ab', ' ', '\t', 'é', '😀', '$&', '\\n', '\u2028', '', '\n', '\n', '\n');
const newText = fc.array(fc.oneof(piece, fc.constant('\r\n')), { maxLength: 6 }).map((parts) => parts.join(''));

/** A content, and changes of it that do not touch each other. */
const change = fc
  .tuple(
    fc.array(piece, { maxLength: 40 }),
    fc.array(fc.tuple(fc.nat(12), fc.nat(5), newText), { minLength: 1, maxLength: 8 }),
  )
  .map(([pieces, wishes]) => {
    const changes: Change[] = [];
    let at = 0;
    let offset = 0;
    const walk = (steps: number): number => {
      for (const one of pieces.slice(at, at + steps)) {
        offset += one.length;
      }
      at += steps;
      return offset;
    };
    for (const [gap, length, text] of wishes) {
      const start = walk(gap + (changes.length === 0 ? 0 : 1));
      const previous = changes.at(-1)?.end ?? -1;
      const end = walk(length);
      if (at <= pieces.length && start > previous) {
        changes.push({ start, end, text });
      }
    }
    return { content: pieces.join(''), changes };
  })
  .filter(({ changes }) => changes.length > 0);

/** How often a part occurs, overlapping occurrences counted. */
function occurrences(content: string, part: string): number {
  let count = 0;
  for (let at = content.indexOf(part); at !== -1; at = content.indexOf(part, at + 1)) {
    count += 1;
  }
  return count;
}

function lineStart(content: string, offset: number): number {
  return content.slice(0, offset).lastIndexOf('\n') + 1;
}

function lineEnd(content: string, offset: number): number {
  const newline = content.indexOf('\n', offset);
  return newline === -1 ? content.length : newline + 1;
}

/** The changes as edits that an agent would send: a text that occurs once as it is, and whole lines with their number otherwise. */
function toEdits(content: string, changes: readonly Change[]): object[] {
  const groups: { start: number; end: number; changes: Change[] }[] = [];
  for (const one of changes) {
    const old = content.slice(one.start, one.end);
    const isSure = old !== '' && occurrences(content, old) === 1;
    const isAtEnd = one.start === content.length && content.endsWith('\n');
    const group = {
      start: isSure ? one.start : lineStart(content, isAtEnd ? one.start - 1 : one.start),
      end: isSure ? one.end : lineEnd(content, Math.max(one.start, one.end - 1)),
      changes: [one],
    };
    // Those that share a line with it are one edit of whole lines together with it.
    for (let last = groups.at(-1); last && group.start < last.end; last = groups.at(-1)) {
      groups.pop();
      group.start = lineStart(content, Math.min(last.start, group.start));
      group.end = lineEnd(content, Math.max(last.end, group.end) - 1);
      group.changes.unshift(...last.changes);
    }
    groups.push(group);
  }
  return groups.map(({ start, end, changes: own }) => {
    const moved = own.map((one) => ({ ...one, start: one.start - start, end: one.end - start }));
    const old = content.slice(start, end);
    const line = content.slice(0, start).split('\n').length;
    return { old_string: old, new_string: changed(old, moved), line };
  });
}

/** Sends one entry for a file that was just read, and makes sure that these very bytes are on disk afterwards. */
async function send(raw: string, entry: object, expected: string, ending: '\n' | '\r\n' = '\n'): Promise<Result> {
  const story = new Story({ f: raw });
  story.documents.ending = ending;
  const agent = story.agent('a');
  await agent.reads('f');
  const answer: Answer = await agent.sends([{ path: 'f', base: agent.baseOf('f'), ...entry }]);
  assert.deepEqual(story.faults, []);
  const result = only(answer);
  if (result.status === 'applied') {
    assert.equal(result.base, story.base('f'));
  }
  const { base } = stateOf(expected);
  assert.equal(story.base('f'), printBase(base), JSON.stringify({ raw, entry, disk: story.disk.text('f'), result }));
  return result;
}

describe('A whole change of a file', function () {
  this.timeout(20_000);

  for (const ending of ['\n', '\r\n'] as const) {
    it(`with ${JSON.stringify(ending)}: the edits lead to what a simple reference says, in any order, as a patch and as content`, async () => {
      let applied = 0;
      await fc.assert(
        fc.asyncProperty(change, fc.boolean(), fc.infiniteStream(fc.nat()), async (whole, bom, random) => {
          const { content, changes } = whole;
          const after = changed(content, changes);
          const bytes = (text: string) => (bom ? '\ufeff' : '') + text.replaceAll('\n', ending);
          const edits = toEdits(content, changes);
          const shuffled = edits
            .map((edit) => [random.next().value, edit] as const)
            .sort(([one], [other]) => one - other)
            .map(([, edit]) => edit);
          const patch = createTwoFilesPatch('f', 'f', content, after, undefined, undefined, { context: 2 });
          const forms = [
            // An empty text has nothing that an edit could quote.
            ...(content === '' ? [] : [{ edits }, { edits: shuffled }, { edits: edits.toReversed() }]),
            ...(after === content ? [] : [{ patch }]),
            { content: after },
          ];
          for (const form of forms) {
            const result = await send(bytes(content), form, bytes(after), ending);
            assertStatus(result, after === content ? 'no_change' : 'applied');
            applied += result.status === 'applied' ? 1 : 0;
          }
        }),
        { seed: 43, numRuns: 120 },
      );
      assert.ok(applied > 400, `only ${applied} were applied`);
    });
  }

  it('replaces all as the language does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'aa', 'b', '\n', '😀'), { maxLength: 30 }),
        fc.constantFrom('a', 'aa', 'ab', 'a\n', '\n', '😀', '😀\n'),
        newText,
        async (pieces, old, text) => {
          const content = pieces.join('');
          const after = content.replaceAll(old, () => text.replaceAll('\r\n', '\n'));
          const edits = [{ old_string: old, new_string: text, replace_all: true }];
          const result = await send(content, { edits }, after);
          assertStatus(result, !content.includes(old) ? 'not_found' : after === content ? 'no_change' : 'applied');
        },
      ),
      { seed: 47, numRuns: 200 },
    );
  });

  it('of a thousand edits is one, whatever their order', async () => {
    for (const [ending, end] of [
      ['\n', '\n'],
      ['\r\n', ''],
    ] as const) {
      const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index}`);
      const edits = Array.from({ length: 1_000 }, (_, index) => ({
        old_string: `line ${index * 3}${index === 0 ? '\n' : ''}`,
        new_string: index % 2 === 0 ? `one ${index}\ntwo ${index}${index === 0 ? '\n' : ''}` : '',
        ...(index === 0 ? {} : { line: index * 3 + 1 }),
      }));
      const expected = lines.map((line, index) =>
        index % 3 !== 0 ? line : index % 6 === 0 ? `one ${index / 3}\ntwo ${index / 3}` : '',
      );
      const raw = (all: readonly string[]) => (all.join('\n') + (end === '' ? '' : '\n')).replaceAll('\n', ending);
      const result = await send(raw(lines), { edits: edits.toReversed() }, raw(expected));
      assertStatus(result, 'applied');
      assert.deepEqual(result.line_shifts?.at(-1), [2_996, 500]);
      assert.equal(result.changed_lines?.length, 1_000);
    }
  });
});

/** A text whose lines are all different, and what becomes of them: kept, changed, removed, and new ones before them. */
const lineChange = fc.record({
  fates: fc.array(fc.tuple(fc.constantFrom('kept', 'kept', 'changed', 'removed'), fc.constantFrom(0, 0, 0, 1, 3)), {
    maxLength: 14,
  }),
  atEnd: fc.constantFrom(0, 0, 2),
  isEnded: fc.boolean(),
  ending: fc.constantFrom('\n', '\r\n'),
  context: fc.nat(2),
});

describe('changed_lines and line_shifts of a whole change', function () {
  this.timeout(20_000);

  it('move every untouched line to its new place, and name exactly the lines that are new', async () => {
    let applied = 0;
    await fc.assert(
      fc.asyncProperty(lineChange, async ({ fates, atEnd, isEnded, ending, context }) => {
        const before = fates.map((_, index) => `old ${index}\n`);
        let count = 0;
        const fresh = (number: number) => Array.from({ length: number }, () => `new ${count++}\n`);
        const after = fates.flatMap(([fate, inserted], index) => [
          ...fresh(inserted),
          ...(fate === 'kept' ? [before[index] ?? ''] : fate === 'changed' ? fresh(1) : []),
        ]);
        after.push(...fresh(atEnd));
        const trim = (lines: string[]) => {
          const last = lines.pop();
          lines.push(...(last === undefined ? [] : [isEnded ? last : last.slice(0, -1)]));
        };
        trim(before);
        trim(after);
        const [from, to] = [before.join(''), after.join('')];
        fc.pre(from !== to);
        const { hunks } = structuredPatch('', '', from, to, undefined, undefined, { context });
        const edits = hunks.map(({ oldStart, oldLines, newStart, newLines }) => {
          const [old, now] = [oldStart - 1, newStart - 1];
          return {
            old: before.slice(old, old + oldLines).join(''),
            now: after.slice(now, now + newLines).join(''),
            line: old + 1,
          };
        });
        const isQuotable = edits.every(({ old }) => old !== '');
        const entry = isQuotable
          ? { edits: edits.map(({ old, now, line }) => ({ old_string: old, new_string: now, line })) }
          : { content: to };
        const result = await send(from.replaceAll('\n', ending), entry, to.replaceAll('\n', ending), ending);
        assertStatus(result, 'applied');
        applied += 1;
        const shifts = result.line_shifts ?? [];
        for (const [index, line] of before.entries()) {
          const place = after.indexOf(line);
          const shift = shifts.findLast(([first]) => first <= index + 1)?.[1] ?? 0;
          assert.ok(place === -1 || place === index + shift, `${line} is at ${place}, not at ${index + shift}`);
        }
        assert.ok(shifts.every(([, shift], index) => shift !== (shifts[index - 1]?.[1] ?? 0)));
        const expected = new Set<number>();
        for (const [index, line] of after.entries()) {
          if (!before.includes(line)) {
            expected.add(index + 1);
          }
        }
        // Where lines were only removed, the line that stands there now is named.
        const kept = before.filter((line) => after.includes(line));
        for (const [index, next] of [...kept, undefined].entries()) {
          const previous = kept[index - 1];
          const gap = (lines: readonly string[]) =>
            (next === undefined ? lines.length : lines.indexOf(next)) -
            (previous === undefined ? 0 : lines.indexOf(previous) + 1);
          if (gap(before) > 0 && gap(after) === 0 && after.length > 0) {
            expected.add(next === undefined ? after.length : after.indexOf(next) + 1);
          }
        }
        const named = (result.changed_lines ?? []).flatMap(([first, last]) =>
          Array.from({ length: last - first + 1 }, (_, index) => first + index),
        );
        assert.deepEqual(
          named,
          [...expected].sort((one, other) => one - other),
          JSON.stringify({ from, to, result }),
        );
      }),
      { seed: 53, numRuns: 400 },
    );
    assert.ok(applied > 300, `only ${applied} were applied`);
  });
});
