import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isInvalid, parseCheckCall, parseEditCall, parseReadCall } from '../../src/core/input.ts';
import type { Problem } from '../../src/core/status.ts';

const base = `sha256:${'a'.repeat(64)}`;
const edit = { old_string: 'a', new_string: 'b' };
const entry = { path: 'f', base, edits: [edit] };

type Parsed = { readonly entries: readonly object[] } | Problem | undefined;

/** What is wrong with a call as a whole. */
function problemOf(parsed: Parsed): Problem {
  assert.ok(parsed && 'status' in parsed, `the call is not refused: ${JSON.stringify(parsed)}`);
  return parsed;
}

/** What is wrong with the first entry of a usable call. */
function entryProblem(parsed: Parsed): Problem {
  assert.ok(parsed && 'entries' in parsed, `the call as a whole is refused: ${JSON.stringify(parsed)}`);
  const [first] = parsed.entries;
  assert.ok(first && isInvalid(first), `the entry is not refused: ${JSON.stringify(first)}`);
  return first.problem;
}

function editProblem(fields: object): Problem {
  return entryProblem(parseEditCall({ files: [{ ...entry, ...fields }] }));
}

function assertProblem(problem: Problem, status: string, reason: RegExp): void {
  assert.equal(problem.status, status, JSON.stringify(problem));
  assert.match(problem.reason, reason);
  assert.ok(problem.next.length > 10, `nothing to do next: ${JSON.stringify(problem)}`);
}

/** The first entry of a call that is right. */
function requestOf(fields: object) {
  const parsed = parseEditCall({ files: [{ path: 'f', base, ...fields }] });
  assert.ok('entries' in parsed);
  const [first] = parsed.entries;
  assert.ok(first && !isInvalid(first), JSON.stringify(first));
  return first;
}

describe('Every tool', () => {
  const parsers = { parseReadCall, parseEditCall, parseCheckCall };

  for (const [name, parse] of Object.entries(parsers)) {
    it(`has its call refused as a whole by ${name} where files is not usable`, () => {
      const files = /`files`/;
      for (const input of [undefined, null, 'files', 7, [], [entry]]) {
        assertProblem(problemOf(parse(input)), 'invalid_input', files);
      }
      for (const wrong of [null, {}, 'f', 1, []]) {
        assertProblem(problemOf(parse({ files: wrong })), 'invalid_input', files);
      }
      const many = (count: number) => ({ files: Array.from({ length: count }, () => ({ path: 'f' })) });
      assertProblem(problemOf(parse(many(51))), 'invalid_input', /51 files.*at most 50/);
      assert.equal('entries' in (parse(many(50)) ?? {}), true);
    });

    it(`has an unknown key named by ${name}, in the call and in an entry, with those that are allowed`, () => {
      assertProblem(
        problemOf(parse({ files: [{ path: 'f' }], file: 1, mode: 2 })),
        'invalid_input',
        /keys `file`, `mode`; allowed are `files`/,
      );
      assertProblem(entryProblem(parse({ files: [{ filePath: 'f' }] })), 'invalid_input', /key `filePath`.*`path`/);
    });

    it(`has a path that cannot be one refused by ${name}`, () => {
      const path = (value: unknown) => entryProblem(parse({ files: [{ path: value }] }));
      assertProblem(path(undefined), 'invalid_input', /`path` is missing/);
      assertProblem(path(''), 'invalid_input', /`path` is empty/);
      assertProblem(path(' \n'), 'invalid_input', /`path` is empty/);
      assertProblem(path('a\0b'), 'invalid_input', /`path` holds a NUL/);
      assertProblem(path(7), 'invalid_input', /`path` must be a string/);
      assertProblem(path(null), 'invalid_input', /`path` must be a string/);
      assertProblem(entryProblem(parse({ files: ['f'] })), 'invalid_input', /entry of `files` must be an object/);
      assertProblem(entryProblem(parse({ files: [null] })), 'invalid_input', /entry of `files` must be an object/);
    });

    it(`gets an answer from ${name} for any JSON value, never a throw`, () => {
      const files = fc.array(
        fc.record(
          {
            path: fc.oneof(fc.constant('f'), fc.jsonValue()),
            base: fc.oneof(fc.constant(base), fc.jsonValue()),
            edits: fc.oneof(fc.array(fc.oneof(fc.constant(edit), fc.jsonValue()), { maxLength: 2 }), fc.jsonValue()),
            content: fc.jsonValue(),
            patch: fc.jsonValue(),
            delete: fc.jsonValue(),
            rename_to: fc.jsonValue(),
            start_line: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
        { maxLength: 3 },
      );
      const input = fc.oneof(fc.jsonValue(), fc.record({ files }), fc.record({ files, on_conflict: fc.jsonValue() }));
      fc.assert(
        fc.property(input, (value) => {
          const parsed = parse(value);
          const problems = parsed === undefined ? [] : 'status' in parsed ? [parsed] : parsed.entries.filter(isInvalid);
          for (const one of problems) {
            const { status, reason, next } = 'problem' in one ? one.problem : one;
            assert.ok(status && reason && next);
          }
        }),
        { seed: 11, numRuns: 150 },
      );
    });
  }

  it('keeps the path of a wrong entry for the answer, and the order of the entries', () => {
    const parsed = parseEditCall({ files: [{ path: 'g' }, entry, 'x'] });
    assert.ok('entries' in parsed);
    assert.deepEqual(
      parsed.entries.map((one) => [isInvalid(one), one.path]),
      [
        [true, 'g'],
        [false, 'f'],
        [true, undefined],
      ],
    );
  });
});

describe('parseReadCall', () => {
  const range = (fields: object) => entryProblem(parseReadCall({ files: [{ path: 'f', ...fields }] }));

  it('takes lines that are in order, beyond the end as well', () => {
    assert.deepEqual(parseReadCall({ files: [{ path: 'f' }, { path: 'g', start_line: 3, end_line: 3 }] }), {
      entries: [{ path: 'f' }, { path: 'g', startLine: 3, endLine: 3 }],
    });
    assert.deepEqual(parseReadCall({ files: [{ path: 'f', end_line: 1_000_000 }] }), {
      entries: [{ path: 'f', endLine: 1_000_000 }],
    });
  });

  it('refuses lines that are none, and an end before its start', () => {
    assertProblem(range({ start_line: 5, end_line: 4 }), 'invalid_range', /end_line 4 is before start_line 5/);
    for (const line of [0, -1, 1.5, '3', null, 1e300]) {
      assertProblem(range({ start_line: line }), 'invalid_range', /`start_line` must be a line number/);
      assertProblem(range({ end_line: line }), 'invalid_range', /`end_line` must be a line number/);
    }
  });
});

describe('parseCheckCall', () => {
  it('means every held base where files is left out', () => {
    assert.equal(parseCheckCall({}), undefined);
    assert.deepEqual(parseCheckCall({ files: [{ path: 'f', base: 'absent' }] }), {
      entries: [{ path: 'f', base: { disk: 'absent' } }],
    });
  });

  it('wants a base for each file', () => {
    assertProblem(entryProblem(parseCheckCall({ files: [{ path: 'f' }] })), 'invalid_base', /`base` is missing/);
  });
});

describe('parseEditCall', () => {
  it('takes every kind of entry', () => {
    assert.deepEqual(
      requestOf({
        edits: [
          { ...edit, line: 3 },
          { ...edit, replace_all: true },
        ],
      }).wish,
      {
        kind: 'edits',
        replacements: [
          { oldText: 'a', newText: 'b', replaceAll: false, line: 3 },
          { oldText: 'a', newText: 'b', replaceAll: true },
        ],
      },
    );
    assert.deepEqual(requestOf({ patch: '@@' }).wish, { kind: 'patch', patch: '@@' });
    assert.deepEqual(requestOf({ content: '' }).wish, { kind: 'content', content: '' });
    assert.deepEqual(requestOf({ delete: true }).wish, { kind: 'delete' });
    assert.deepEqual(requestOf({ rename_to: 'g' }).wish, { kind: 'nothing' });
    const { renameTo, symbol, stillNeeded } = requestOf({
      edits: [edit],
      rename_to: 'g',
      symbol: 's',
      still_needed: 'it is',
    });
    assert.deepEqual([renameTo, symbol, stillNeeded], ['g', 's', 'it is']);
  });

  it('continues unless told otherwise', () => {
    const modeOf = (on_conflict?: string) => {
      const parsed = parseEditCall({ files: [entry], ...(on_conflict && { on_conflict }), explanation: 'why' });
      assert.ok('entries' in parsed);
      assert.equal(parsed.explanation, 'why');
      return parsed.onConflict;
    };
    assert.deepEqual([modeOf(), modeOf('stop'), modeOf('atomic')], ['continue', 'stop', 'atomic']);
  });

  it('refuses an unknown on_conflict and an explanation that is no text, as a whole', () => {
    for (const on_conflict of ['ask', '', null, true]) {
      assertProblem(
        problemOf(parseEditCall({ files: [entry], on_conflict })),
        'invalid_input',
        /`on_conflict` must be/,
      );
    }
    assertProblem(problemOf(parseEditCall({ files: [entry], explanation: 1 })), 'invalid_input', /`explanation` must/);
  });

  it('refuses an entry without a base, or with one that is none', () => {
    assertProblem(editProblem({ base: undefined }), 'invalid_base', /`base` is missing/);
    for (const wrong of ['', 'latest', 'sha256:abc', base.slice(7), 7, null, `${base}0`]) {
      assertProblem(editProblem({ base: wrong }), 'invalid_base', /`base` must be sha256/);
    }
    assert.match(editProblem({ base: undefined }).next, /read the file first/);
  });

  it('refuses two wishes in one entry, and none', () => {
    assertProblem(editProblem({ content: 'x' }), 'invalid_input', /`edits` and `content` exclude each other/);
    assertProblem(
      editProblem({ patch: 'x', content: 'x', delete: true }),
      'invalid_input',
      /`edits` and `patch` and `content` and `delete` exclude/,
    );
    assertProblem(editProblem({ edits: undefined }), 'invalid_input', /one of `edits`, `patch`, `content`, `delete`/);
  });

  it('refuses a rename beside anything but edits', () => {
    for (const wish of [{ patch: '@@' }, { content: 'x' }, { delete: true }]) {
      assertProblem(
        editProblem({ edits: undefined, rename_to: 'g', ...wish }),
        'invalid_input',
        new RegExp(`not beside \`${Object.keys(wish)[0]}\``),
      );
    }
    assertProblem(editProblem({ rename_to: '' }), 'invalid_input', /`rename_to` is empty/);
    assertProblem(editProblem({ rename_to: 'a\0' }), 'invalid_input', /`rename_to` holds a NUL/);
    assertProblem(editProblem({ rename_to: 1 }), 'invalid_input', /`rename_to` must be a string/);
  });

  it('refuses a delete that is not true', () => {
    for (const value of [false, 'true', 1, null]) {
      assertProblem(editProblem({ edits: undefined, delete: value }), 'invalid_input', /`delete` must be true/);
    }
  });

  it('refuses edits that are no list, an empty one, and more than a thousand', () => {
    for (const edits of [[], {}, 'a', null]) {
      assertProblem(editProblem({ edits }), 'invalid_input', /`edits` must be an array with at least one/);
    }
    const many = (count: number) => Array.from({ length: count }, () => edit);
    assertProblem(editProblem({ edits: many(10_000) }), 'invalid_input', /10000 edits of one file; at most 1000/);
    assertProblem(editProblem({ edits: many(1_001) }), 'invalid_input', /1001 edits/);
    assert.equal(requestOf({ edits: many(1_000) }).wish.kind, 'edits');
  });

  it('refuses an edit that is none, and says which one it was', () => {
    const wrong = (second: unknown) => editProblem({ edits: [edit, second] });
    assertProblem(wrong('a'), 'invalid_input', /^edits\[1\]: must be an object/);
    assertProblem(wrong({ old_string: 'a' }), 'invalid_input', /^edits\[1\]: `new_string` is missing/);
    assertProblem(wrong({ new_string: 'a' }), 'invalid_input', /^edits\[1\]: `old_string` is missing/);
    assertProblem(wrong({ ...edit, old_string: '' }), 'invalid_input', /`old_string` is empty; to insert, quote/);
    assertProblem(wrong({ ...edit, old_string: null }), 'invalid_input', /`old_string` must be a string/);
    assertProblem(wrong({ ...edit, oldString: 'a' }), 'invalid_input', /unknown key `oldString`.*`old_string`/);
    assertProblem(wrong({ ...edit, replace_all: 'yes' }), 'invalid_input', /`replace_all` must be true or false/);
    for (const line of [0, -3, 2.5, '1', null]) {
      assertProblem(wrong({ ...edit, line }), 'invalid_input', /`line` must be a line number, counted from 1/);
    }
    assertProblem(wrong({ ...edit, line: 1, replace_all: true }), 'invalid_input', /`line` picks one.*`replace_all`/);
    assert.equal(requestOf({ edits: [{ ...edit, line: 1, replace_all: false }] }).wish.kind, 'edits');
  });

  it('wants a sentence where an edit is still needed', () => {
    for (const blank of ['', ' ', '\n\t']) {
      assertProblem(editProblem({ still_needed: blank }), 'invalid_input', /`still_needed` must say/);
    }
    assertProblem(editProblem({ still_needed: true }), 'invalid_input', /`still_needed` must be a string/);
    assertProblem(editProblem({ symbol: 7 }), 'invalid_input', /`symbol` must be a string/);
  });

  it('signs the same wish alike whatever its base, order or reason, and another one otherwise', () => {
    const other = { old_string: 'c', new_string: 'd' };
    const sign = (fields: object) => requestOf(fields).signature;
    const signature = sign({ edits: [edit, other] });
    assert.equal(sign({ edits: [other, edit] }), signature);
    assert.equal(sign({ edits: [edit, other], base: 'absent', still_needed: 'yes', symbol: 's' }), signature);
    assert.equal(sign({ edits: [{ ...edit, replace_all: false }, other] }), signature);
    for (const fields of [
      { edits: [edit] },
      { edits: [edit, { ...other, line: 1 }] },
      { edits: [edit, { ...other, replace_all: true }] },
      { edits: [edit, other], rename_to: 'g' },
      { content: 'd' },
      { patch: 'd' },
      { delete: true },
    ]) {
      assert.notEqual(sign(fields), signature, JSON.stringify(fields));
    }
    assert.notEqual(sign({ content: 'd' }), sign({ patch: 'd' }));
  });
});
