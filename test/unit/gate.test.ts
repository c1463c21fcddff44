import assert from 'node:assert/strict';
import { parseBase } from '../../src/core/base.ts';
import type { State } from '../../src/core/documents.ts';
import { judge, type Verdict } from '../../src/core/gate.ts';
import { isInvalid, parseEditCall } from '../../src/core/input.ts';
import type { Problem } from '../../src/core/status.ts';
import { type Ending, renderText } from '../../src/core/text.ts';
import { ABSENT, stateOf } from './support/states.ts';

const budget = { maxMs: 50, now: () => 0 };

function verdictOn(state: State, fields: object, ending: Ending = '\n'): Verdict {
  const base = state.base?.disk === 'absent' ? 'absent' : `sha256:${state.base?.disk}`;
  const parsed = parseEditCall({ files: [{ path: 'src/f.py', base, ...fields }] });
  assert.ok('entries' in parsed, JSON.stringify(parsed));
  const [request] = parsed.entries;
  assert.ok(request && !isInvalid(request), JSON.stringify(request));
  return judge(request, 'src/f.py', state, ending, budget);
}

/** What the file would hold, or why it would not: the status, or the kind of the verdict. */
function judged(state: State, fields: object, ending?: Ending): string {
  const verdict = verdictOn(state, fields, ending);
  switch (verdict.kind) {
    case 'accepted':
      return renderText(verdict.candidate.text);
    case 'create':
      return renderText(verdict.text);
    case 'misplaced':
      return verdict.misplaced.status;
    case 'problem':
      return verdict.problem.status;
    default:
      return verdict.kind;
  }
}

function replaced(old_string: string, new_string: string): object {
  return { edits: [{ old_string, new_string }] };
}

function problemOf(state: State, fields: object): Problem {
  const verdict = verdictOn(state, fields);
  assert.ok(verdict.kind === 'problem', JSON.stringify(verdict));
  return verdict.problem;
}

const OTHER = { base: `sha256:${'0'.repeat(64)}` };

describe('judge', () => {
  it('accepts an edit, a patch and a whole content at a fresh base', () => {
    const state = stateOf('one\ntwo\n');
    assert.equal(judged(state, replaced('two', '2')), 'one\n2\n');
    assert.equal(judged(state, { patch: '@@ -2 +2 @@\n-two\n+2\n' }), 'one\n2\n');
    assert.equal(judged(state, { content: 'one\n2\n' }), 'one\n2\n');
  });

  it('looks at the base before it looks at the text', () => {
    const state = stateOf('one\n');
    for (const wish of [
      replaced('nowhere', 'x'),
      replaced('one', 'one'),
      { patch: 'nonsense' },
      { content: 'one\n' },
    ]) {
      assert.equal(judged(state, { ...OTHER, ...wish }), 'stale');
    }
    assert.equal(judged(stateOf('a\r\nb\n'), { ...OTHER, content: 'x' }), 'stale');
    assert.equal(judged(state, { ...OTHER, delete: true }), 'stale');
  });

  it('is stale for absent where the file is there, and for a digest where it is gone', () => {
    assert.equal(judged(stateOf('one\n'), { base: 'absent', content: 'x' }), 'stale');
    assert.equal(judged(ABSENT, { ...OTHER, content: 'x' }), 'stale');
  });

  it('says what a file is that cannot be read, before anything about its base', () => {
    const problem: Problem = { status: 'binary', reason: 'not a text', next: 'leave it' };
    const state: State = { kind: 'unreadable', base: { disk: 'a'.repeat(64) }, problem };
    assert.deepEqual(problemOf(state, { ...OTHER, content: 'x' }), problem);
  });

  it('is fresh for unsaved text that was read, and edits that text', () => {
    const state = stateOf('one\n', 'uno\n');
    assert.equal(judged(state, replaced('uno', 'eins')), 'stale');
    const base = `sha256:${state.base?.disk}+dirty:${state.base?.dirty}`;
    assert.deepEqual(parseBase(base), state.base);
    assert.equal(judged(state, { base, ...replaced('uno', 'eins') }), 'eins\n');
  });

  it('creates with content only', () => {
    assert.equal(judged(ABSENT, { content: 'one\r\ntwo\n' }), 'one\ntwo\n');
    assert.equal(judged(ABSENT, { content: 'one\ntwo\n' }, '\r\n'), 'one\r\ntwo\r\n');
    assert.equal(judged(ABSENT, { content: '' }), '');
    for (const wish of [replaced('a', 'b'), { patch: '@@ -1 +1 @@\n-a\n+b\n' }]) {
      assert.equal(judged(ABSENT, wish), 'not_found_on_disk');
    }
    assert.match(problemOf(ABSENT, replaced('a', 'b')).next, /base "absent"/);
  });

  it('lets a clean file be deleted or renamed, with edits that fit, also one that no edit could land in', () => {
    const state = stateOf('one\n');
    assert.equal(judged(state, { delete: true }), 'delete');
    assert.equal(judged(state, { rename_to: 'g' }), 'rename');
    assert.equal(judged(state, { rename_to: 'g', ...replaced('one', '1') }), 'rename');
    assert.equal(judged(state, { rename_to: 'g', ...replaced('two', '2') }), 'not_found');
    const mixed = stateOf('one\r\ntwo\n');
    assert.equal(judged(mixed, { delete: true }), 'delete');
    assert.equal(judged(mixed, { rename_to: 'g' }), 'rename');
    assert.equal(judged(mixed, { rename_to: 'g', ...replaced('one', '1') }), 'rename');
    assert.equal(judged(ABSENT, { delete: true }), 'not_found_on_disk');
    assert.equal(judged(ABSENT, { rename_to: 'g' }), 'not_found_on_disk');
  });

  it('says where a text has no place, and that a change is none', () => {
    const state = stateOf('x\nx\n');
    assert.equal(judged(state, replaced('y', 'z')), 'not_found');
    assert.equal(judged(state, replaced('x', 'z')), 'ambiguous');
    assert.equal(judged(state, { patch: '@@ -1 +1 @@\n-y\n+z\n' }), 'patch_mismatch');
    assert.equal(judged(state, { patch: '@@ -1 +1 @@\n-x\n+x\n' }), 'no_change');
    assert.equal(judged(state, { content: 'x\r\nx\n' }), 'no_change');
    assert.equal(
      judged(state, {
        edits: [
          { old_string: 'x\nx', new_string: 'y' },
          { old_string: 'x', new_string: 'z', line: 2 },
        ],
      }),
      'overlap',
    );
  });

  it('keeps every line ending of a file that mixes them, and of one of lone carriage returns', () => {
    assert.equal(judged(stateOf('a\r\nb\n'), replaced('a', 'x')), 'x\r\nb\n');
    assert.equal(judged(stateOf('a\rb\r'), replaced('a', 'x\ny')), 'x\ry\rb\r');
    assert.equal(judged(stateOf('a\nb\rc\n'), replaced('b\nc', 'd\nc')), 'a\nd\rc\n');
    assert.equal(judged(stateOf('a\nb\rc\n'), replaced('c', 'c\rd')), 'a\nb\rc\rd\n');
    assert.equal(judged(stateOf('a\r\nb\r\n'), replaced('a', 'x')), 'x\r\nb\r\n');
  });

  it('refuses new text that would mix the line endings', () => {
    for (const wish of [replaced('a', 'x\ry'), { content: 'a\rb\n' }, { patch: '@@ -1 +1 @@\n-a\n+x\ry\n' }]) {
      assert.match(problemOf(stateOf('a\nb\n'), wish).reason, /carriage return/);
    }
    assert.equal(judged(ABSENT, { content: 'a\rb' }), 'mixed_line_endings');
  });

  it('refuses half a character, which no encoding can store', () => {
    assert.equal(judged(stateOf('a\n'), replaced('a', '\ud83d')), 'unencodable');
    assert.equal(judged(ABSENT, { content: '\ude00' }), 'unencodable');
    assert.equal(judged(stateOf('a\n'), replaced('a', '😀')), '😀\n');
  });

  it('refuses text that begins with one more byte order mark, before or after the edit', () => {
    const state = stateOf('\uFEFFone\n');
    const { status, offset } = problemOf({ ...state, format: { encoding: 'utf8', bom: true } }, replaced('one', '1'));
    assert.deepEqual([status, offset], ['undecodable', 3]);
    assert.equal(judged(state, { delete: true }), 'delete');
    for (const wish of [replaced('one', '\uFEFFone'), { content: '\uFEFF1\n' }]) {
      assert.equal(judged(stateOf('one\n'), wish), 'unencodable');
    }
    assert.equal(judged(stateOf('one\n'), replaced('ne', '\uFEFFne')), 'o\uFEFFne\n');
  });

  it('refuses a NUL where it would make the file binary, and nowhere else', () => {
    const state = stateOf('a\n');
    for (const wish of [replaced('a', 'x\0'), { content: '\0' }, { patch: '@@ -1 +1 @@\n-a\n+\0\n' }]) {
      assert.equal(judged(state, wish), 'binary');
    }
    assert.equal(judged(ABSENT, { content: 'a\0' }), 'binary');
    assert.equal(judged({ ...state, format: { encoding: 'utf16le', bom: true } }, replaced('a', '\0')), '\0\n');
    const long = 'x'.repeat(510);
    assert.equal(judged(stateOf(`${long}ab`), replaced('b', '\0')), 'binary');
    assert.equal(judged(stateOf(`é${long}b`), replaced('b', '\0')), `é${long}\0`);
  });

  it('takes the byte order mark that a diff of whole files shows for the one that the file has', () => {
    const marked: State = { ...stateOf('one\ntwo\n'), format: { encoding: 'utf8', bom: true } };
    for (const [patch, then] of [
      ['@@ -1,2 +1,2 @@\n-\uFEFFone\n+\uFEFF1\n two\n', '1\ntwo\n'],
      ['@@ -1,2 +1,3 @@\n-\uFEFFone\n+\uFEFFzero\n+one\n two\n', 'zero\none\ntwo\n'],
      ['@@ -1,2 +1,2 @@\n \uFEFFone\n-two\n+2\n', 'one\n2\n'],
      ['@@ -1,2 +1,2 @@\n one\n-two\n+2\n', 'one\n2\n'],
      ['@@ -1,2 +1,2 @@\n-\uFEFFone\n+one\n two\n', 'patch_mismatch'],
    ] as const) {
      assert.equal(judged(marked, { patch }), then, JSON.stringify(patch));
    }
    const plain = stateOf('one\n');
    assert.equal(judged(plain, { patch: '@@ -1 +1 @@\n-\uFEFFone\n+\uFEFF1\n' }), 'patch_mismatch');
  });

  it('wants a patch to be one, and to name its own file', () => {
    const state = stateOf('one\n');
    const hunk = '@@ -1 +1 @@\n-one\n+1\n';
    assert.match(problemOf(state, { patch: 'nonsense' }).reason, /^line 1 of the patch: /);
    assert.equal(judged(state, { patch: `--- a/src/f.py\n+++ b/src/f.py\n${hunk}` }), '1\n');
    assert.equal(judged(state, { patch: `--- src/f.py\n+++ src/f.py\n${hunk}` }), '1\n');
    for (const names of [
      '--- a/src/g.py\n+++ b/src/g.py\n',
      '--- a/src/f.py\n+++ b/src/g.py\n',
      '--- f.py\n+++ f.py\n',
    ]) {
      const { status, reason } = problemOf(state, { patch: names + hunk });
      assert.equal(status, 'invalid_input');
      assert.match(reason, /the patch names "[^"]+", the entry "src\/f.py"/);
    }
    assert.match(
      problemOf(state, { patch: `--- /dev/null\n+++ b/src/f.py\n@@ -0,0 +1 @@\n+1\n` }).reason,
      /creates or/,
    );
    assert.match(problemOf(state, { patch: `--- a/src/f.py\n+++ /dev/null\n${hunk}` }).reason, /creates or deletes/);
  });
});
