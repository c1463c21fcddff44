import assert from 'node:assert/strict';
import { assertStatus, Story } from './support/story.ts';

describe('A delete', () => {
  it('takes the file away at the base that was read, and answers with the base of nothing', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    await a.reads('f');
    const [result] = (await a.sends([{ path: 'f', base: a.baseOf('f'), delete: true }])).results;
    assertStatus(result, 'applied');
    assert.deepEqual(result, {
      status: 'applied',
      path: 'f',
      base: 'absent',
      edit: 1,
      saved: true,
      note: 'use this base for further edits to this file',
    });
    assert.equal(story.disk.text('f'), undefined);
    assertStatus(await a.writes('f', 'two\n', result.base), 'applied');
  });

  it('is refused where the file moved, is gone, or holds unsaved text, and touches nothing', async () => {
    const story = new Story({ f: 'one\n', dirty: 'one\n' });
    const a = story.agent('a');
    await a.reads('f');
    const base = a.baseOf('f');
    story.disk.writes('f', 'two\n');
    const [stale] = (await a.sends([{ path: 'f', base, delete: true }])).results;
    assertStatus(stale, 'stale_base');
    assert.equal(story.disk.text('f'), 'two\n');
    story.human.types('dirty', { one: '1' });
    await a.reads('dirty');
    const [dirty] = (await a.sends([{ path: 'dirty', base: a.baseOf('dirty'), delete: true }])).results;
    assertStatus(dirty, 'unsaved_changes');
    assert.equal(story.text('dirty'), '1\n');
    const [gone] = (await a.sends([{ path: 'no', base: 'absent', delete: true }])).results;
    assertStatus(gone, 'not_found_on_disk');
  });

  it('is refused where another program writes in the last moment', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.at('between look and apply', () => story.disk.writes('f', 'theirs\n'));
    const [result] = (await a.sends([{ path: 'f', base: a.baseOf('f'), delete: true }])).results;
    assertStatus(result, 'stale_base');
    assert.deepEqual(result.changed_by, ['external writer']);
    assert.equal(story.disk.text('f'), 'theirs\n');
  });

  it('is named to others, and sent again says that it is done', async () => {
    const story = new Story({ f: 'one\n' });
    const [a, b] = [story.agent('a'), story.agent('b')];
    await a.reads('f');
    await b.reads('f');
    const entry = { path: 'f', base: a.baseOf('f'), delete: true };
    await a.sends([entry]);
    assertStatus((await a.sends([entry])).results[0], 'already_applied');
    const stale = await b.edits('f', { one: '1' });
    assertStatus(stale, 'stale_base');
    assert.deepEqual([stale.actual, stale.changed_by], ['absent', ['edit #1 (another session, turn 2)']]);
  });
});

describe('A rename', () => {
  it('takes the file to its new place as it is; the base goes with it', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    const [result] = (await a.sends([{ path: 'f', base, rename_to: 'g' }])).results;
    assertStatus(result, 'applied');
    assert.deepEqual([result.path, result['renamed_from'], result.base], ['g', 'f', base]);
    assert.deepEqual([story.disk.text('f'), story.disk.text('g')], [undefined, 'one\n']);
    assertStatus(
      (await a.sends([{ path: 'g', base, edits: [{ old_string: 'one', new_string: '1' }] }])).results[0],
      'applied',
    );
  });

  it('carries its edits out at the new place, and says which lines they changed', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    await a.reads('f');
    const result = await a.edits('f', { two: '2' }, { rename_to: 'g' });
    assertStatus(result, 'applied');
    assert.deepEqual([result.path, result.base, result.changed_lines], ['g', story.base('g'), [[2, 2]]]);
    assert.deepEqual([story.disk.text('f'), story.disk.text('g')], [undefined, 'one\n2\n']);
  });

  it('whose edits do not fit leaves the file where it was', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    await a.reads('f');
    assertStatus(await a.edits('f', { none: '1' }, { rename_to: 'g' }), 'not_found');
    assert.deepEqual([story.disk.text('f'), story.disk.text('g')], ['one\n', undefined]);
  });

  it('whose target is taken in the last moment leaves the file as it was, edits included', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.at('after save', () => story.disk.writes('g', 'theirs\n'));
    const result = await a.edits('f', { one: '1' }, { rename_to: 'g' });
    assertStatus(result, 'stale_base');
    assert.equal(result.path, 'g');
    assert.deepEqual([story.disk.text('f'), story.disk.text('g')], ['one\n', 'theirs\n']);
    assertStatus(await a.edits('f', { one: '1' }), 'applied');
  });

  it('onto something that exists is a stale base of the target', async () => {
    const story = new Story({ f: 'one\n', g: 'theirs\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    const [result] = (await a.sends([{ path: 'f', base, rename_to: 'g' }])).results;
    assertStatus(result, 'stale_base');
    assert.deepEqual([result.path, result.expected, result.actual], ['g', 'absent', story.base('g')]);
    assert.deepEqual([story.disk.text('f'), story.disk.text('g')], ['one\n', 'theirs\n']);
  });

  it('tells who still works at the old place where the file went, and is told when sent again', async () => {
    const story = new Story({ f: 'one\n' });
    const [a, b] = [story.agent('a'), story.agent('b')];
    await b.reads('f');
    const { base } = await a.reads('f');
    const entry = { path: 'f', base, rename_to: 'g' };
    await a.sends([entry]);
    const stale = await b.edits('f', { one: '1' });
    assertStatus(stale, 'stale_base');
    assert.deepEqual(stale.changed_by, ['edit #1 (another session, turn 2)', 'renamed to g']);
    const again = (await a.sends([entry])).results[0];
    assertStatus(again, 'already_applied');
    assert.deepEqual([again.path, again['renamed_from'], again.base], ['g', 'f', base]);
  });

  it('does not follow an edit beside which somebody typed, and the edit goes with it', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.at('after apply before save', () => story.human.types('f', { two: 'two!' }));
    const result = await a.edits('f', { one: '1' }, { rename_to: 'g' });
    assertStatus(result, 'apply_failed');
    assert.deepEqual([story.disk.text('f'), story.disk.text('g')], ['one\ntwo\n', undefined]);
  });

  it('outside the workspace is refused, and so are two entries for one target', async () => {
    const story = new Story({ f: 'one\n', h: 'two\n' });
    const a = story.agent('a');
    await a.reads('f');
    await a.reads('h');
    const [outside] = (await a.sends([{ path: 'f', base: a.baseOf('f'), rename_to: '../g' }])).results;
    assertStatus(outside, 'outside_workspace');
    const { results } = await a.sends([
      { path: 'f', base: a.baseOf('f'), rename_to: 'g' },
      { path: 'h', base: a.baseOf('h'), rename_to: 'g' },
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['invalid_input', 'invalid_input'],
    );
  });

  it('of a protected file, or onto one, asks', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    const [result] = (await a.sends([{ path: 'f', base, rename_to: '.vscode/tasks.json' }])).results;
    assertStatus(result, 'denied');
    assert.deepEqual(
      story.questions.map(({ path }) => path),
      ['f → .vscode/tasks.json'],
    );
    assert.equal(story.disk.text('f'), 'one\n');
  });
});
