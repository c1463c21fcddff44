import assert from 'node:assert/strict';
import { printBase } from '../../src/core/base.ts';
import { printConflicts } from '../../src/core/conflictStore.ts';
import { replanPrompt } from '../../src/core/replan.ts';
import type { Moment } from './support/moments.ts';
import { assertStatus, editsOf, only, Story } from './support/story.ts';

const PRICING = [
  'from decimal import Decimal',
  '',
  'def apply_discount(price, tier):',
  '    """Apply the discount."""',
  '    rate = Decimal("0.20")',
  '    return price * (1 - rate)',
  '',
].join('\n');

const RATE = { 'rate = Decimal("0.20")': 'rate = tier.discount_rate' };
const CONFIG = { '    """Apply the discount."""\n': '    """Apply the discount."""\n    config = load()\n' };

describe('The arbiter, when one agent plans two edits on one read', () => {
  /** The agent has read once, and its first edit has landed since. */
  async function incident() {
    const story = new Story({ 'api/pricing.py': PRICING });
    const a = story.agent('a');
    const { base } = await a.reads('api/pricing.py');
    assertStatus(await a.edits('api/pricing.py', RATE), 'applied');
    return { story, a, stale: String(base) };
  }

  it('refuses the second with its cause, its diff and how it stands to the change, and writes nothing', async () => {
    const { story, a, stale } = await incident();
    const now = story.base('api/pricing.py');
    const result = await a.edits('api/pricing.py', CONFIG, { base: stale });
    assert.deepEqual(result, {
      status: 'stale_base',
      path: 'api/pricing.py',
      expected: stale,
      actual: now,
      changed_by: ['edit #1 (this session, turn 2)'],
      diff_since_read: [
        '@@ -2,5 +2,5 @@',
        ' ',
        ' def apply_discount(price, tier):',
        '     """Apply the discount."""',
        '-    rate = Decimal("0.20")',
        '+    rate = tier.discount_rate',
        '     return price * (1 - rate)',
        '',
      ].join('\n'),
      your_edit: 'next to the change',
      next: result.next,
    });
    assert.match(String(result.next), /^decide whether this edit is still needed, still correct, or redundant\./);
    assert.ok(result.next?.includes(`plan it again on this diff with base ${now}`));
    assert.doesNotMatch(String(result.next), /someone else/);
    assert.equal(story.base('api/pricing.py'), now);
  });

  it('refuses the very same edit sent again by reflex with the newer base', async () => {
    const { story, a, stale } = await incident();
    const { actual } = await a.edits('api/pricing.py', CONFIG, { base: stale });
    const before = story.text('api/pricing.py');
    const again = await a.edits('api/pricing.py', CONFIG, { base: actual });
    assertStatus(again, 'unconsidered_retry');
    assert.deepEqual(again.changed_by, ['edit #1 (this session, turn 2)']);
    assert.equal(again.your_edit, 'next to the change');
    assert.match(String(again.next), /"still_needed": one sentence why/);
    assert.equal(story.text('api/pricing.py'), before);
    assertStatus(await a.edits('api/pricing.py', CONFIG, { base: actual }), 'unconsidered_retry');
  });

  it('takes the edits for the very same in any order, and for others where a character differs', async () => {
    const { a, stale } = await incident();
    const both = { ...CONFIG, 'import Decimal': 'import Decimal as D' };
    const { actual } = await a.edits('api/pricing.py', both, { base: stale });
    const reversed = { path: 'api/pricing.py', base: actual, edits: editsOf(both).reverse() };
    assertStatus(only(await a.sends([reversed])), 'unconsidered_retry');
    const other = { '    """Apply the discount."""\n': '    """Apply the discount."""\n    config = Load()\n' };
    assertStatus(await a.edits('api/pricing.py', other, { base: actual }), 'applied');
  });

  it('lets it pass with one sentence why it is still needed', async () => {
    const { story, a, stale } = await incident();
    const { actual } = await a.edits('api/pricing.py', CONFIG, { base: stale });
    const why = { base: actual, still_needed: 'the configuration is used further down' };
    const result = await a.edits('api/pricing.py', CONFIG, why);
    assertStatus(result, 'applied');
    assert.equal(result.edit, 2);
    assert.match(String(story.text('api/pricing.py')), /config = load\(\)\n {4}rate = tier/);
  });

  it('lets it pass after a read in between', async () => {
    const { a, stale } = await incident();
    assertStatus(await a.edits('api/pricing.py', CONFIG, { base: stale }), 'stale_base');
    await a.reads('api/pricing.py');
    assertStatus(await a.edits('api/pricing.py', CONFIG), 'applied');
  });

  it('holds nothing against it any more once it has landed', async () => {
    const { a, stale } = await incident();
    const { actual } = await a.edits('api/pricing.py', CONFIG, { base: stale });
    assertStatus(await a.edits('api/pricing.py', CONFIG, { base: actual, still_needed: 'it is' }), 'applied');
    assertStatus(await a.edits('api/pricing.py', { '    config = load()\n': '' }), 'applied');
    assertStatus(await a.edits('api/pricing.py', CONFIG), 'applied');
  });

  it('calls it stale first where the file has moved once more', async () => {
    const { story, a, stale } = await incident();
    const { actual } = await a.edits('api/pricing.py', CONFIG, { base: stale });
    story.disk.writes('api/pricing.py', `${story.text('api/pricing.py')}# more\n`);
    const result = await a.edits('api/pricing.py', CONFIG, { base: actual, still_needed: 'because' });
    assertStatus(result, 'stale_base');
    assert.deepEqual(result.changed_by, ['external writer']);
  });

  it('does not hold the reflex of one session against another', async () => {
    const { story, a, stale } = await incident();
    const { actual } = await a.edits('api/pricing.py', CONFIG, { base: stale });
    assertStatus(await story.agent('b').edits('api/pricing.py', CONFIG, { base: actual }), 'applied');
  });

  it('takes calls whose session is unknown for one session', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const unknown = story.agent(undefined);
    const { base } = await unknown.reads('f');
    story.disk.writes('f', 'ONE\ntwo\n');
    const stale = await unknown.edits('f', { two: '2' }, { base });
    assertStatus(stale, 'stale_base');
    assertStatus(await unknown.edits('f', { two: '2' }, { base: stale.actual }), 'unconsidered_retry');
  });

  it('lets the refused edit land where the file has gone back to the state it was planned on', async () => {
    const { story, a, stale } = await incident();
    assertStatus(await a.edits('api/pricing.py', CONFIG, { base: stale }), 'stale_base');
    story.disk.writes('api/pricing.py', PRICING);
    assertStatus(await a.edits('api/pricing.py', CONFIG, { base: stale }), 'applied');
  });

  it('names edits of other sessions, and of sessions that are not known', async () => {
    const story = new Story({ f: 'one\ntwo\nthree\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    await story.agent('b').reads('f');
    await story.agent('b').edits('f', { one: '1' });
    await story.agent(undefined).reads('f');
    await story.agent(undefined).edits('f', { two: '2' });
    const { changed_by } = await a.edits('f', { three: '3' }, { base });
    assert.deepEqual(changed_by, ['edit #1 (another session, turn 2)', 'edit #2 (session unknown, turn 2)']);
  });
});

describe('The arbiter, when an edit lands', () => {
  it('reports the base for the next edit, the lines that changed and those that moved', async () => {
    const story = new Story({ f: 'one\ntwo\nthree\n' });
    const a = story.agent('a');
    await a.reads('f');
    const result = await a.edits('f', { 'one\n': 'one\none and a half\n' });
    assert.deepEqual(result, {
      status: 'applied',
      path: 'f',
      base: story.base('f'),
      edit: 1,
      saved: true,
      changed_lines: [[2, 2]],
      line_shifts: [[2, 1]],
      note: 'use this base for further edits to this file',
    });
    assert.equal(story.disk.text('f'), 'one\none and a half\ntwo\nthree\n');
    assertStatus(await a.edits('f', { three: '3' }), 'applied');
    assert.equal(story.disk.text('f'), 'one\none and a half\ntwo\n3\n');
    assert.equal(story.documents.undoSteps('f'), 2);
  });

  it('accepts a base abbreviated to twelve digits, and completes it where it is refused', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    const full = String((await a.reads('f')).base);
    const short = full.slice(0, 'sha256:'.length + 12);
    assertStatus(await a.edits('f', { one: '1' }, { base: short.toUpperCase().replace('SHA', 'sha') }), 'applied');
    const refused = await a.edits('f', { two: '2' }, { base: short });
    assertStatus(refused, 'stale_base');
    assert.equal(refused.expected, full);
    assert.notEqual(refused.diff_since_read, null);
    assertStatus(await a.edits('f', { two: '2' }, { base: short.slice(0, -1) }), 'invalid_base');
  });

  it('keeps every byte beside the edit: the BOM, the line endings, the missing final newline', async () => {
    const story = new Story({ f: '' });
    const a = story.agent('a');
    const bytes = (text: string) => Buffer.from(`\uFEFF${text}`);
    story.disk.writes('f', bytes('one\r\ntwo\r\nthree'));
    const part = await a.reads('f');
    assert.deepEqual([part['bom'], part['eol'], part.content], [true, 'crlf', 'one\ntwo\nthree']);
    assertStatus(await a.edits('f', { 'two\n': '2\nand more\n' }), 'applied');
    assert.equal(story.base('f'), new Story({ f: '\uFEFFone\r\n2\r\nand more\r\nthree' }).base('f'));
  });

  it('creates a file only where nothing is', async () => {
    const story = new Story({});
    const a = story.agent('a');
    const missing = await a.reads('new');
    assertStatus(missing, 'not_found');
    assert.equal(missing.base, 'absent');
    const created = await a.writes('new', 'one\ntwo\n');
    assert.deepEqual(
      [created.status, created.base, created.edit, created.saved, created.changed_lines],
      ['applied', story.base('new'), 1, true, [[1, 2]]],
    );
    const again = await story.agent('b').writes('new', 'other\n');
    assertStatus(await a.writes('new', 'one\ntwo\n', 'absent'), 'already_applied');
    assertStatus(again, 'stale_base');
    assert.deepEqual([again.expected, again.actual], ['absent', story.base('new')]);
    assert.deepEqual(again.changed_by, ['edit #1 (another session, turn 2)']);
    assert.equal(story.disk.text('new'), 'one\ntwo\n');
  });

  it('does not create over a file that came to be in the same moment', async () => {
    const story = new Story({});
    const a = story.agent('a');
    story.at('between look and apply', () => story.disk.writes('new', 'theirs\n'));
    const result = await a.writes('new', 'ours\n');
    assertStatus(result, 'stale_base');
    assert.equal(story.disk.text('new'), 'theirs\n');
    assert.equal(result.actual, story.base('new'));
  });

  it('replaces a whole text at its base, and changes only what differs', async () => {
    const story = new Story({ f: 'one\ntwo\nthree\n' });
    const a = story.agent('a');
    await a.reads('f');
    const result = await a.writes('f', 'one\n2\nthree\n');
    assertStatus(result, 'applied');
    assert.deepEqual(result.changed_lines, [[2, 2]]);
    assertStatus(await a.writes('f', 'one\n2\nthree\n'), 'no_change');
  });

  it('places a patch at its stated lines and nowhere else', async () => {
    const story = new Story({ f: 'x\nx\nx\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    const patch = '--- a/f\n+++ b/f\n@@ -2 +2 @@\n-x\n+y\n';
    assertStatus(only(await a.sends([{ path: 'f', base, patch }])), 'applied');
    assert.equal(story.disk.text('f'), 'x\ny\nx\n');
    const mismatch = only(await a.sends([{ path: 'f', base: a.baseOf('f'), patch }]));
    assertStatus(mismatch, 'patch_mismatch');
    assert.deepEqual([mismatch['hunk'], mismatch['line'], mismatch['found']], [1, 2, 'y']);
  });

  it('says from the third edit of one region on to read it again, until it is read', async () => {
    const story = new Story({ f: 'one\ntwo\n\n\n\n\nlast\n' });
    const a = story.agent('a');
    await a.reads('f');
    const notes = [];
    for (const replacements of [{ one: '1' }, { '1': 'uno' }, { last: 'end' }, { uno: 'ein' }]) {
      notes.push((await a.edits('f', replacements)).note);
    }
    assert.deepEqual(
      notes.map((note) => /third edit/.test(String(note))),
      [false, false, false, true],
    );
    await a.reads('f');
    assert.doesNotMatch(String((await a.edits('f', { ein: 'one' })).note), /third edit/);
  });

  it('lets a revert land: the edit that was refused is planned on the text of the first read again', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    assertStatus(await a.edits('f', { one: '1' }), 'applied');
    assertStatus(await a.edits('f', { '1': 'one' }), 'applied');
    assert.equal(story.base('f'), base);
    assertStatus(await a.edits('f', { two: '2' }, { base }), 'applied');
  });
});

describe('The arbiter, when the same call comes again', () => {
  it('says that it was already applied, while its result stands', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    assertStatus(await a.edits('f', { one: '1' }), 'applied');
    const again = await a.edits('f', { one: '1' }, { base });
    assert.deepEqual(
      [again.status, again.edit, again.base, again['path']],
      ['already_applied', 1, story.base('f'), 'f'],
    );
    assert.match(String(again.next), /use this base/);
    assertStatus(await a.edits('f', { two: '2' }), 'applied');
    assertStatus(await a.edits('f', { one: '1' }, { base }), 'stale_base');
  });

  it('does not say so to another session, nor for another edit', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    await a.edits('f', { one: '1' });
    assertStatus(await story.agent('b').edits('f', { one: '1' }, { base }), 'stale_base');
    assertStatus(await a.edits('f', { one: 'uno' }, { base }), 'stale_base');
  });

  it('applies it anew where it can be applied anew', async () => {
    const story = new Story({ f: 'x\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    await a.edits('f', { x: 'x\nx' });
    story.disk.writes('f', 'x\n');
    const again = await a.edits('f', { x: 'x\nx' }, { base });
    assertStatus(again, 'applied');
    assert.equal(again.edit, 2);
  });

  it('does not let it stop a batch', async () => {
    const story = new Story({ f: 'one\n', g: 'two\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    await a.reads('g');
    await a.edits('f', { one: '1' });
    const answer = await a.sends([a.plans('f', { one: '1' }, { base }), a.plans('g', { two: '2' })], {
      on_conflict: 'stop',
    });
    assert.equal(answer.summary, '1 already_applied, 1 applied');
  });
});

describe('The arbiter, when the engineer has unsaved text', () => {
  it('refuses an edit planned before they typed, and leaves text, flag and undo stack as they were', async () => {
    const story = new Story({ f: 'one\ntwo\nthree\nfour\nfive\nsix\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.human.types('f', { one: '1', '1\n': '1!\n' });
    const result = await a.edits('f', { six: '6' });
    assertStatus(result, 'stale_base');
    assert.deepEqual(result.changed_by, ['engineer: typed in the editor (2 edits, unsaved)']);
    assert.match(String(result.actual), /^sha256:[0-9a-f]{64}\+dirty:[0-9a-f]{64}$/);
    assert.equal(result.your_edit, 'untouched');
    assert.match(String(result.next), /someone else is working in this tree: keep edits small/);
    assert.deepEqual(
      [story.text('f'), story.disk.text('f'), story.documents.isDirty('f'), story.documents.undoSteps('f')],
      ['1!\ntwo\nthree\nfour\nfive\nsix\n', 'one\ntwo\nthree\nfour\nfive\nsix\n', true, 2],
    );
  });

  it('edits beside text that the agent has read, and leaves the saving to them', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    story.human.types('f', { one: '1' });
    const part = await a.reads('f');
    assert.deepEqual([part['dirty'], part.content], [true, '1\ntwo\n']);
    assert.match(String(part.note), /unsaved changes/);
    const result = await a.edits('f', { two: '2' });
    assertStatus(result, 'applied');
    assert.deepEqual([result.saved, result.base], [false, story.base('f')]);
    assert.match(String(result.note), /unsaved changes.*use this base/);
    assert.deepEqual([story.text('f'), story.disk.text('f')], ['1\n2\n', 'one\ntwo\n']);
    assertStatus(await a.edits('f', { '2': 'zwei' }), 'applied');
  });

  it('takes a base for fresh that was merely saved since', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    story.human.types('f', { one: '1' });
    await a.reads('f');
    story.human.saves('f');
    const result = await a.edits('f', { two: '2' });
    assertStatus(result, 'applied');
    assert.equal(result.saved, true);
    assert.equal(story.disk.text('f'), '1\n2\n');
  });

  it('takes a base for stale whose disk has moved under the same unsaved text', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    story.human.types('f', { one: '1' });
    await a.reads('f');
    story.disk.writes('f', 'other\n');
    const result = await a.edits('f', { two: '2' });
    assertStatus(result, 'stale_base');
    assert.deepEqual(result.changed_by, ['external writer']);
    assert.equal(result.diff_since_read, '');
    assert.equal(story.text('f'), '1\ntwo\n');
  });

  it('names typing that was saved, the undo of an edit, a change nobody typed, and formatting on their save', async () => {
    const story = new Story({ f: 'one\ntwo\nthree\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    const changedBy = async () => (await a.edits('f', { three: '3' }, { base })).changed_by;
    await a.edits('f', { two: '2' });
    story.human.undoes('f');
    story.human.redoes('f');
    story.human.types('f', { one: '1' });
    story.documents.saveParticipants = (raw) => `${raw}\n`;
    story.human.saves('f');
    story.human.quickFixes('f', { '1': 'uno' });
    assert.deepEqual(await changedBy(), [
      'edit #1 (this session, turn 2)',
      'engineer: undo of edit #1',
      'engineer: redo of edit #1',
      'engineer: typed in the editor (1 edit, saved)',
      'engineer: format on save',
      'changed in the editor, not typed',
    ]);
  });

  it('never applies again after an undo', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    const { base: after } = await a.edits('f', { one: '1' });
    story.human.undoes('f');
    story.human.saves('f');
    assert.equal(story.base('f'), base);
    const result = await a.edits('f', { '1': 'uno' }, { base: after });
    assertStatus(result, 'stale_base');
    assert.deepEqual(result.changed_by, ['engineer: undo of edit #1']);
    assert.equal(result.your_edit, 'no longer applicable');
    assert.equal(story.disk.text('f'), 'one\n');
  });

  it('keeps unsaved text of a file that is gone from disk, and says so', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.human.types('f', { one: '1' });
    story.disk.deletes('f');
    const result = await a.edits('f', { two: '2' });
    assertStatus(result, 'stale_base');
    assert.match(String(result.actual), /^absent\+dirty:[0-9a-f]{64}$/);
    assert.deepEqual(result.changed_by, ['engineer: typed in the editor (1 edit, unsaved)', 'deleted on disk']);
    assert.equal(story.text('f'), '1\ntwo\n');
  });
});

describe('The arbiter, when somebody acts in the middle of an edit', () => {
  async function planned(content: string) {
    const story = new Story({ f: content });
    const a = story.agent('a');
    await a.reads('f');
    return { story, a };
  }

  it('touches nothing where the engineer types between the look and the apply', async () => {
    const { story, a } = await planned('one\ntwo\n');
    story.at('between look and apply', () => story.human.types('f', { one: '1' }));
    const result = await a.edits('f', { two: '2' });
    assertStatus(result, 'stale_base');
    assert.deepEqual(result.changed_by, ['engineer: typed in the editor (1 edit, unsaved)']);
    assert.deepEqual([story.text('f'), story.disk.text('f')], ['1\ntwo\n', 'one\ntwo\n']);
    assert.equal(result.actual, story.base('f'));
  });

  it('keeps both and saves neither where the engineer types between the apply and the save', async () => {
    const { story, a } = await planned('one\ntwo\n');
    story.at('after apply before save', () => story.human.types('f', { one: '1' }));
    const result = await a.edits('f', { two: '2' });
    assertStatus(result, 'applied');
    assert.deepEqual([result.saved, result.base, result.actual], [false, undefined, story.base('f')]);
    assert.match(String(result.next), /read it again/);
    assert.deepEqual([story.text('f'), story.disk.text('f')], ['1\n2\n', 'one\ntwo\n']);
    const next = await story.agent('b').edits('f', { two: 'x' }, { base: a.baseOf('f') });
    assert.deepEqual(next.changed_by, [
      'edit #1 (another session, turn 2)',
      'engineer: typed in the editor (1 edit, unsaved)',
    ]);
  });

  it('takes its part back where the engineer types into the very place of the edit', async () => {
    const { story, a } = await planned('one\ntwo\nthree\n');
    story.at('after apply before save', () => story.human.types('f', { 'is 2': 'is mine 2' }));
    const result = await a.edits('f', { two: 'it is 2 now' });
    assertStatus(result, 'apply_failed');
    assert.match(String(result.reason), /place of the edit/);
    assert.equal(result.actual, story.base('f'));
    assert.equal(result.base, undefined);
    assert.equal(story.disk.text('f'), 'one\ntwo\nthree\n');
    assert.equal(story.text('f')?.includes('mine'), true);
    assert.equal(story.text('f')?.includes('it is'), false);
    assert.equal(story.text('f')?.includes('2 now'), false);
  });

  it('saves its part and keeps the rest where the engineer types during the save', async () => {
    const { story, a } = await planned('one\ntwo\n');
    story.at('during save', () => story.human.types('f', { one: '1' }));
    const result = await a.edits('f', { two: '2' });
    assertStatus(result, 'applied');
    assert.deepEqual([result.saved, result.base, result.actual], [true, undefined, story.base('f')]);
    assert.match(String(result.note), /nothing of it was lost/);
    assert.deepEqual([story.text('f'), story.disk.text('f')], ['1\n2\n', 'one\n2\n']);
    assertStatus(await a.edits('f', { '2': 'x' }), 'stale_base');
  });

  it('saves both where the engineer types as the save begins, and names the typing as saved', async () => {
    const { story, a } = await planned('one\ntwo\n');
    const base = a.baseOf('f');
    story.at('as the save begins', () => story.human.types('f', { one: '1' }));
    const result = await a.edits('f', { two: '2' });
    assertStatus(result, 'applied');
    assert.deepEqual([result.saved, result.base, result.actual], [true, undefined, story.base('f')]);
    assert.equal(story.disk.text('f'), '1\n2\n');
    const { changed_by } = await a.edits('f', { two: 'x' }, { base });
    assert.deepEqual(changed_by, ['edit #1 (this session, turn 2)', 'engineer: typed in the editor (1 edit, saved)']);
  });

  for (const moment of ['between look and apply', 'after apply before save', 'during save'] as const) {
    it(`keeps the other's bytes where the disk changes ${moment}`, async () => {
      const { story, a } = await planned('one\ntwo\n');
      story.at(moment, () => story.disk.writes('f', 'theirs\ntwo\n'));
      const result = await a.edits('f', { two: '2' });
      assertStatus(result, 'disk_changed_during_save');
      assert.deepEqual(result.changed_by, ['external writer']);
      assert.equal(result.diff_since_read, '@@ -1,2 +1,2 @@\n-one\n+theirs\n two\n');
      assert.equal(result.actual, story.base('f'));
      assert.deepEqual([story.text('f'), story.disk.text('f')], ['theirs\ntwo\n', 'theirs\ntwo\n']);
      assert.equal(story.documents.isDirty('f'), false);
      assertStatus(await a.edits('f', { two: '2' }, { base: result.actual }), 'unconsidered_retry');
    });
  }

  it('vouches for nothing where the disk changes right after the save', async () => {
    const { story, a } = await planned('one\ntwo\n');
    story.at('after save', () => story.disk.writes('f', 'theirs\n'));
    const result = await a.edits('f', { two: '2' });
    assertStatus(result, 'applied');
    assert.deepEqual([result.saved, result.base, result.actual], [true, undefined, story.base('f')]);
    assert.equal(story.disk.text('f'), 'theirs\n');
    const next = await a.edits('f', { one: '1' });
    assert.deepEqual(next.changed_by, ['edit #1 (this session, turn 2)', 'external writer']);
  });

  it('tells a save that failed, with everything as it was before', async () => {
    const { story, a } = await planned('one\ntwo\n');
    const before = story.base('f');
    story.documents.makeStuck('f');
    const result = await a.edits('f', { two: '2' });
    assertStatus(result, 'save_failed');
    assert.match(String(result.reason), /would not save/);
    assert.deepEqual([result.actual, story.base('f')], [before, before]);
    assert.equal(story.arbiter.conflicts.open[0]?.status, 'save_failed');
    assert.match(String(result.next), /nothing of this edit is left/);
  });

  it('leaves no trace of it in the ledger', async () => {
    for (const moment of ['after apply before save', 'during save'] as const) {
      const { story, a } = await planned('one\ntwo\n');
      story.at(moment, () => story.disk.writes('f', 'theirs\n'));
      assertStatus(await a.edits('f', { two: '2' }), 'disk_changed_during_save');
      const traces = story.ledger
        .transitions('/w/f')
        .filter(({ cause, to }) => cause === undefined && to === undefined);
      assert.deepEqual(traces, []);
    }
  });

  it('counts no edit that did not land', async () => {
    const { story, a } = await planned('one\ntwo\n');
    story.at('after apply before save', () => story.disk.writes('f', 'one\ntwo!\n'));
    assertStatus(await a.edits('f', { two: '2' }), 'disk_changed_during_save');
    const { base } = await a.reads('f');
    const result = await a.edits('f', { one: '1' });
    assert.equal(result.edit, 1);
    const { changed_by } = await a.edits('f', { 'two!': 'x' }, { base });
    assert.deepEqual(changed_by, ['edit #1 (this session, turn 4)']);
  });

  it('goes on seeing the file after an apply that broke off', async () => {
    const { story, a } = await planned('one\ntwo\n');
    story.at('during save', () => {
      throw new Error('the editor is gone');
    });
    assertStatus(await a.edits('f', { two: '2' }), 'apply_failed');
    story.human.saves('f');
    story.disk.writes('f', 'theirs\n');
    await story.agent('b').reads('f');
    const last = story.ledger.transitions('/w/f').findLast(({ to }) => to !== undefined);
    assert.equal(last?.to && printBase(last.to), story.base('f'));
  });

  it('tells a file that cannot be written, and touches nothing', async () => {
    const { story, a } = await planned('one\n');
    story.documents.makeReadOnly('f');
    assertStatus(await a.edits('f', { one: '1' }), 'read_only');
    assert.equal(story.text('f'), 'one\n');
  });
});

describe('The arbiter, when save participants change what it saves', () => {
  const trim = (raw: string) => raw.replace(/[ \t]+$/gm, '');

  it('names the hook, shows its diff and vouches for the whole', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.documents.saveParticipants = trim;
    const result = await a.edits('f', { two: '2  \n3' });
    assertStatus(result, 'applied');
    assert.deepEqual([result.hooks, result.base, result.saved], [['format on save'], story.base('f'), true]);
    assert.equal(result.diff_by_hooks, '@@ -1,3 +1,3 @@\n one\n-2  \n+2\n 3\n');
    assert.deepEqual([result.changed_lines, result.line_shifts], [[[2, 3]], []]);
    assert.equal(story.disk.text('f'), 'one\n2\n3\n');
    assertStatus(await a.edits('f', { one: '1' }), 'applied');
  });

  it('speaks of the final text, hooks included', async () => {
    const story = new Story({ f: 'one\ntwo\nthree\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.documents.saveParticipants = (raw) => `# formatted\n${raw}`;
    const result = await a.edits('f', { three: '3' });
    assert.deepEqual(result.changed_lines, [
      [1, 1],
      [4, 4],
    ]);
    assert.deepEqual(result.line_shifts, [[1, 1]]);
  });

  it('speaks of lines that a hook changed without making the text longer', async () => {
    const story = new Story({ f: 'one\ntwo\nthree\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.documents.saveParticipants = (raw) => raw.replace('one', 'ONE');
    const result = await a.edits('f', { three: '3' });
    assert.deepEqual(result.changed_lines, [
      [1, 1],
      [3, 3],
    ]);
  });

  it('vouches for nothing where the engineer types while they run', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.documents.saveParticipants = trim;
    story.at('during save', () => story.human.types('f', { one: 'unseen' }));
    const result = await a.edits('f', { two: '2  ' });
    assertStatus(result, 'applied');
    assert.deepEqual([result.base, result.actual, result.saved], [undefined, story.base('f'), true]);
    assert.deepEqual([story.text('f'), story.disk.text('f')], ['unseen\n2\n', 'one\n2\n']);
  });

  it('and typing while they run are all that is named for the edit', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    story.documents.saveParticipants = trim;
    story.at('during save', () => story.human.types('f', { one: 'unseen' }));
    await a.edits('f', { two: '2  ' });
    const { changed_by } = await a.edits('f', { two: 'x' }, { base });
    assert.deepEqual(changed_by?.toSorted(), [
      'edit #1 (this session, turn 2)',
      'engineer: typed in the editor (1 edit, unsaved)',
      'post-write hook: format on save',
    ]);
  });

  it('vouches for nothing where the diff of the hook is not complete', async () => {
    const story = new Story({ f: 'one\ntwo\n' }, { diffChars: 200 });
    const a = story.agent('a');
    await a.reads('f');
    story.documents.saveParticipants = (raw) => raw + 'formatted\n'.repeat(100);
    const result = await a.edits('f', { two: '2' });
    assertStatus(result, 'applied');
    assert.deepEqual([result.base, result.actual, result.hooks], [undefined, story.base('f'), ['format on save']]);
    assert.match(String(result.next), /not been shown/);
    assert.deepEqual(result.changed_lines, [[2, 2]]);
    assertStatus(await a.edits('f', { one: '1' }), 'stale_base');
  });

  it('leaves hooks out where none changed anything', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.documents.saveParticipants = trim;
    const result = await a.edits('f', { one: '1' });
    assert.deepEqual([result.hooks, result.diff_by_hooks], [undefined, undefined]);
  });

  it('stands among the causes after the edit that it followed', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    story.documents.saveParticipants = trim;
    await a.edits('f', { one: '1 ' });
    const { changed_by } = await a.edits('f', { two: '2' }, { base });
    assert.deepEqual(changed_by, ['edit #1 (this session, turn 2)', 'post-write hook: format on save']);
    const edit = story.ledger.transitions('/w/f').find(({ cause }) => cause?.kind === 'edit');
    assert.ok(edit?.to);
    assert.equal(printBase(edit.to), new Story({ f: '1 \ntwo\n' }).base('f'), 'what the edit alone led to');
  });
});

describe('The arbiter, with several files in one call', () => {
  const FILES = { f: 'one\n', g: 'two\n', h: 'three\n', i: 'four\n' };

  async function refactor() {
    const story = new Story(FILES);
    const a = story.agent('a');
    for (const path of Object.keys(FILES)) {
      await a.reads(path);
    }
    const entries = () => [
      a.plans('f', { one: '1' }),
      a.plans('g', { two: '2' }),
      a.plans('h', { three: '3' }),
      a.plans('i', { four: '4' }),
    ];
    return { story, a, entries };
  }

  it('lands the three that pass and reports the one that moved', async () => {
    const { story, a, entries } = await refactor();
    story.disk.writes('h', 'THREE\n');
    const answer = await a.sends(entries());
    assert.equal(answer.summary, '3 applied, 1 stale_base');
    assert.deepEqual(
      answer.results.map(({ path, status }) => [path, status]),
      [
        ['f', 'applied'],
        ['g', 'applied'],
        ['h', 'stale_base'],
        ['i', 'applied'],
      ],
    );
    assert.deepEqual(
      Object.keys(FILES).map((path) => story.disk.text(path)),
      ['1\n', '2\n', 'THREE\n', '4\n'],
    );
    assert.equal(answer.also_changed, undefined);
  });

  it('ends at the first refusal where the call says stop, and skips the rest', async () => {
    const { story, a, entries } = await refactor();
    story.disk.writes('g', 'TWO\n');
    const answer = await a.sends(entries(), { on_conflict: 'stop' });
    assert.equal(answer.summary, '1 applied, 1 stale_base, 2 skipped');
    assert.match(String(answer.results[2]?.reason), /g before it was refused \(stale_base\)/);
    assert.ok(answer.results[3]?.next);
    assert.deepEqual([story.disk.text('f'), story.disk.text('h'), story.disk.text('i')], ['1\n', 'three\n', 'four\n']);
  });

  it('lands them all in order where the call says stop and nothing is refused', async () => {
    const { a, entries } = await refactor();
    const answer = await a.sends(entries(), { on_conflict: 'stop' });
    assert.equal(answer.summary, '4 applied');
    assert.deepEqual(
      answer.results.map(({ edit }) => edit),
      [1, 2, 3, 4],
    );
  });

  it('refuses every entry of a file that is named twice, by whatever name, and runs the others', async () => {
    const { story, a } = await refactor();
    story.documents.link('alias', 'f');
    const answer = await a.sends([
      a.plans('f', { one: '1' }),
      a.plans('g', { two: '2' }),
      { path: './alias', base: a.baseOf('f'), edits: editsOf({ one: '!' }) },
    ]);
    assert.equal(answer.summary, '2 invalid_input, 1 applied');
    assert.deepEqual(
      answer.results.map(({ path, status }) => [path, status]),
      [
        ['f', 'invalid_input'],
        ['g', 'applied'],
        ['f', 'invalid_input'],
      ],
    );
    assert.equal(story.text('f'), 'one\n');
  });

  it('answers wrong entries one by one, and wrong calls as a whole', async () => {
    const { a, story } = await refactor();
    const answer = await a.sends([
      { path: 'f', edits: editsOf({ one: '1' }) },
      { path: '../out', base: 'absent', content: 'x' },
      a.plans('g', { nowhere: 'x' }),
      a.plans('h', { three: '3' }),
    ]);
    assert.equal(answer.summary, '1 invalid_base, 1 outside_workspace, 1 not_found, 1 applied');
    for (const { next } of answer.results.slice(0, 3)) {
      assert.ok(next);
    }
    assert.deepEqual(answer.results[2]?.['nearest'], undefined);
    const misspelt = await a.edits('g', { Two: 'x' });
    assert.deepEqual(misspelt['nearest'], {
      line: 1,
      text: 'two',
      differs: ['letter case (t U+0074 there, T U+0054 in old_string)'],
    });
    const caller = { session: 'a', isCancelled: () => false };
    const unusable = await story.arbiter.edit({ files: [] }, caller);
    assert.deepEqual([unusable.summary, unusable.results], ['invalid_input', []]);
    assert.ok(unusable.next);
  });

  it('lets two calls edit different files side by side, and one file one after the other', async () => {
    const { story, a } = await refactor();
    const b = story.agent('b');
    await b.reads('f');
    await b.reads('g');
    const [ofA, ofB, other] = await Promise.all([
      a.edits('f', { one: 'A' }),
      b.edits('f', { one: 'B' }),
      b.edits('g', { two: '2' }),
    ]);
    assertStatus(ofA, 'applied');
    assertStatus(ofB, 'stale_base');
    assertStatus(other, 'applied');
    assert.deepEqual([ofA.saved, ofB.actual], [true, ofA.base]);
    assert.deepEqual(ofB.changed_by, ['edit #1 (another session, turn 5)']);
    assert.equal(story.disk.text('f'), 'A\n');
  });

  it('lets exactly one of two parallel edits of the same base land, in whatever order they come', async () => {
    for (const order of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const story = new Story({ f: 'one\ntwo\n' });
      await story.agent('a').reads('f');
      await story.agent('b').reads('f');
      const wish: Record<string, Record<string, string>> = { a: { one: 'A' }, b: { two: 'B' } };
      const results = await Promise.all(order.map((name) => story.agent(name).edits('f', wish[name] ?? {})));
      assert.deepEqual(
        results.map(({ status }) => status),
        ['applied', 'stale_base'],
      );
      assert.equal(story.disk.text('f'), order[0] === 'a' ? 'A\ntwo\n' : 'one\nB\n');
    }
  });

  it('counts parallel calls of one session as one turn', async () => {
    const { story, a } = await refactor();
    await Promise.all([a.edits('f', { one: '1' }), a.edits('g', { two: '2' })]);
    const b = story.agent('b');
    const stale = await b.checks('f', 'g');
    assert.equal(stale.length, 2);
    const results = await Promise.all(
      ['f', 'g'].map((path) => b.edits(path, { x: 'y' }, { base: new Story(FILES).base(path) })),
    );
    assert.deepEqual(
      results.map(({ changed_by }) => changed_by),
      [['edit #1 (another session, turn 5)'], ['edit #2 (another session, turn 5)']],
    );
  });
});

describe('The arbiter, about files beside the call', () => {
  it('tells once of each move of a file whose base the session holds', async () => {
    const story = new Story({ f: 'one\n', g: 'two\n' });
    const a = story.agent('a');
    await a.reads('f');
    await a.reads('g');
    story.disk.writes('g', 'TWO\n');
    const first = await a.sends([a.plans('f', { one: '1' })]);
    assert.deepEqual(first.also_changed, ['g: external writer']);
    assert.equal((await a.sends([a.plans('f', { '1': '2' })])).also_changed, undefined);
    story.human.types('g', { TWO: 'Two' });
    const third = await a.sends([a.plans('f', { '2': '3' })]);
    assert.deepEqual(third.also_changed, ['g: external writer; engineer: typed in the editor (1 edit, unsaved)']);
    assert.equal((await a.sends([a.plans('f', { '3': '4' })])).also_changed, undefined);
  });

  it('tells of nothing that went back to the base, nor to a session that holds no base of it', async () => {
    const story = new Story({ f: 'one\n', g: 'two\n' });
    const a = story.agent('a');
    await a.reads('f');
    await a.reads('g');
    await story.agent('b').reads('f');
    story.disk.writes('g', 'TWO\n');
    const other = await story.agent('b').sends([story.agent('b').plans('f', { one: '1' })]);
    assert.equal(other.also_changed, undefined);
    story.disk.writes('g', 'two\n');
    await a.reads('f');
    assert.equal((await a.sends([a.plans('f', { '1': '2' })])).also_changed, undefined);
  });

  it('holds no base for a day without a call', async () => {
    const day = 24 * 60 * 60 * 1_000;
    const held = async (pause: number) => {
      const story = new Story({ f: 'one\n' });
      await story.agent('a').reads('f');
      story.disk.writes('f', 'ONE\n');
      story.passes(pause);
      return (await story.agent('a').checks()).length;
    };
    assert.equal(await held(day), 1);
    assert.equal(await held(day + 1), 0);
  });

  it('says of a base of another file that each base belongs to one file', async () => {
    const story = new Story({ f: 'one\n', g: 'two\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    await a.reads('g');
    const result = await a.edits('g', { two: '2' }, { base });
    assertStatus(result, 'stale_base');
    assert.match(String(result.note), /another file/);
    assert.equal(story.text('g'), 'two\n');
  });

  it('knows no diff for a base that it has not seen, and orders a re-read', async () => {
    const story = new Story({ f: 'one\n' });
    const result = await story.agent('a').edits('f', { one: '1' }, { base: new Story({ f: 'old\n' }).base('f') });
    assertStatus(result, 'stale_base');
    assert.equal(result.diff_since_read, null);
    assert.deepEqual(result.changed_by, ['before this window opened']);
    assert.match(String(result.next), /re-read f first/);
    assert.doesNotMatch(String(result.next), /on this diff/);
  });

  it('forgets texts beyond its memory, and nothing that the gate needs', async () => {
    const story = new Story({ f: 'one\n', g: 'x'.repeat(5_000) }, { textMemory: 4_000 });
    const a = story.agent('a');
    await a.reads('f');
    await a.reads('g');
    story.disk.writes('f', 'ONE\n');
    const result = await a.edits('f', { one: '1' });
    assertStatus(result, 'stale_base');
    assert.equal(result.diff_since_read, null);
    await a.reads('f');
    assertStatus(await a.edits('f', { ONE: '1' }), 'applied');
  });

  it('tells a change of line endings and BOM alone in format_changed', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.disk.writes('f', Buffer.from('\uFEFFone\r\ntwo\r\n'));
    const result = await a.edits('f', { two: '2' });
    assert.deepEqual([result.diff_since_read, result.format_changed], ['', ['eol lf→crlf', 'bom added']]);
    assert.equal(result.your_edit, 'untouched');
  });

  it('calls the first line ending of an empty file no change of format', async () => {
    const story = new Story({ f: '' });
    const a = story.agent('a');
    await a.reads('f');
    story.disk.writes('f', 'one\r\n');
    assert.equal((await a.writes('f', 'x')).format_changed, undefined);
  });

  it('remembers the state that a refusal named, so that the next one can tell what came after it', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    const { actual } = await a.edits('f', { one: '1' }, { base: new Story({ f: 'old\n' }).base('f') });
    story.disk.writes('f', 'ONE\n');
    const result = await a.edits('f', { one: '2' }, { base: actual });
    assertStatus(result, 'stale_base');
    assert.deepEqual(
      [result.diff_since_read, result.changed_by],
      ['@@ -1,1 +1,1 @@\n-one\n+ONE\n', ['external writer']],
    );
  });

  it('says what to do where the file is gone', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.disk.deletes('f');
    const result = await a.edits('f', { one: '1' });
    assertStatus(result, 'stale_base');
    assert.deepEqual([result.actual, result.changed_by], ['absent', ['deleted on disk']]);
    assert.match(String(result.next), /base "absent"/);
    assertStatus(await story.agent('b').edits('f', { one: '1' }, { base: 'absent' }), 'not_found_on_disk');
  });
});

describe('The arbiter, asked to check', () => {
  it('tells for each file whether its base is fresh, and writes nothing', async () => {
    const story = new Story({ f: 'one\n', g: 'two\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    await a.reads('g');
    story.disk.writes('g', 'TWO\n');
    const [fresh, stale] = await a.checks('f', 'g');
    assert.deepEqual(fresh, { status: 'fresh', path: 'f', base });
    assertStatus(stale, 'stale_base');
    assert.deepEqual(stale.changed_by, ['external writer']);
    assert.equal(stale.diff_since_read, '@@ -1,1 +1,1 @@\n-two\n+TWO\n');
    assert.equal('your_edit' in stale, false);
    assert.match(String(stale.next), /decide whether your plan still holds/);
  });

  it('tells without files of every held base that is stale now, and of no other', async () => {
    const story = new Story({ f: 'one\n', g: 'two\n', h: 'three\n' });
    const a = story.agent('a');
    await a.reads('f');
    await a.reads('g');
    await story.agent('b').reads('h');
    assert.deepEqual(await a.checks(), []);
    story.disk.writes('g', 'TWO\n');
    story.disk.writes('h', 'THREE\n');
    assert.deepEqual(
      (await a.checks()).map(({ path, status }) => [path, status]),
      [['g', 'stale_base']],
    );
    await a.edits('f', { one: '1' });
    assert.equal((await a.checks()).length, 1);
  });

  it('neither refuses a reflex nor allows one: it is no read', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.disk.writes('f', 'ONE\ntwo\n');
    const { actual } = await a.edits('f', { two: '2' });
    await a.checks();
    assertStatus(await a.edits('f', { two: '2' }, { base: actual }), 'unconsidered_retry');
  });
});

describe('The arbiter, when a call is cancelled', () => {
  it('touches nothing before the compare, and still answers', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    await a.reads('f');
    a.cancels();
    const result = await a.edits('f', { one: '1' });
    assertStatus(result, 'cancelled');
    assert.ok(result.next);
    assert.equal(story.text('f'), 'one\n');
    assert.deepEqual(story.arbiter.conflicts.open, []);
  });

  it('completes the file once it was compared', async () => {
    const story = new Story({ f: 'one\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.at('between look and apply', () => a.cancels());
    assertStatus(await a.edits('f', { one: '1' }), 'applied');
    assert.equal(story.disk.text('f'), '1\n');
  });

  it('reports what of a batch has landed, and touches nothing after it', async () => {
    for (const [mode, moment, statuses] of [
      ['stop', 'after save', ['applied', 'cancelled', 'skipped']],
      ['atomic', 'between look and apply', ['applied', 'applied', 'applied']],
    ] as const) {
      const files = { f: 'one\n', g: 'one\n', h: 'one\n' };
      const story = new Story(files);
      const a = story.agent('a');
      for (const path of Object.keys(files)) {
        await a.reads(path);
      }
      story.at(moment, () => a.cancels());
      const { results } = await a.sends(
        Object.keys(files).map((path) => a.plans(path, { one: '1' })),
        { on_conflict: mode },
      );
      assert.deepEqual(
        results.map(({ status }) => status),
        statuses,
        JSON.stringify(results),
      );
      assert.deepEqual(
        Object.keys(files).map((path) => story.disk.text(path)),
        statuses.map((status) => (status === 'applied' ? '1\n' : 'one\n')),
      );
    }
  });

  it('carries out nothing of an atomic call that is cancelled before the compare', async () => {
    const story = new Story({ f: 'one\n', g: 'one\n' });
    const a = story.agent('a');
    await a.reads('f');
    await a.reads('g');
    a.cancels();
    const answer = await a.sends([a.plans('f', { one: '1' }), a.plans('g', { one: '1' })], { on_conflict: 'atomic' });
    assert.equal(answer.summary, '2 cancelled');
    assert.deepEqual([story.disk.text('f'), story.disk.text('g')], ['one\n', 'one\n']);
  });
});

describe('The arbiter, for the engineer', () => {
  async function refused() {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.disk.writes('f', 'ONE\ntwo\n');
    await a.sends([a.plans('f', { two: '2' })], { explanation: 'count in digits' });
    return { story, a };
  }

  it('keeps a refusal with file, cause, diff and the edit that was wanted', async () => {
    const { story } = await refused();
    const [conflict, ...others] = story.arbiter.conflicts.open;
    assert.equal(others.length, 0);
    assert.ok(conflict);
    assert.deepEqual(
      [conflict.path, conflict.status, conflict.changedBy, conflict.explanation, conflict.turn, conflict.session],
      ['f', 'stale_base', ['external writer'], 'count in digits', 2, 'a'],
    );
    assert.equal(conflict.diffSinceRead, '@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n');
    assert.equal(conflict.actual, story.base('f'));
    assert.deepEqual(conflict.request.wish, {
      kind: 'edits',
      replacements: [{ oldText: 'two', newText: '2', replaceAll: false }],
    });
  });

  it('closes it when an edit of that file by that session lands', async () => {
    const { story, a } = await refused();
    await story.agent('b').reads('f');
    await story.agent('b').edits('f', { ONE: '1' });
    assert.equal(story.arbiter.conflicts.open.length, 1);
    await a.reads('f');
    await a.edits('f', { two: 'zwei' });
    assert.deepEqual([story.arbiter.conflicts.open.length, story.arbiter.conflicts.resolved.length], [0, 1]);
  });

  it('closes it when the agent has read the file again and moved on', async () => {
    const { story, a } = await refused();
    await a.reads('f');
    assert.equal(story.arbiter.conflicts.open.length, 1);
    await a.reads('other');
    assert.equal(story.arbiter.conflicts.open.length, 0);
  });

  it('gives the content at a base as long as it is remembered', async () => {
    const { story, a } = await refused();
    const digest = String(a.baseOf('f')).slice('sha256:'.length);
    assert.equal(story.arbiter.contentAt({ disk: digest }), 'one\ntwo\n');
    assert.equal(story.arbiter.contentAt({ disk: '0'.repeat(64) }), undefined);
    assert.equal(story.arbiter.contentAt({ disk: 'absent' }), '');
  });
});

describe('The arbiter, when calls overlap', () => {
  for (const moment of ['after apply before save', 'during save', 'after save'] as const) {
    it(`names nobody else for an edit during which another agent reads the file, ${moment}`, async () => {
      const story = new Story({ f: 'one\ntwo\n' });
      const a = story.agent('a');
      const b = story.agent('b');
      const { base } = await a.reads('f');
      let reading: Promise<unknown> | undefined;
      story.at(moment, () => {
        reading = b.reads('f');
      });
      assertStatus(await a.edits('f', { one: '1' }), 'applied');
      await reading;
      const { changed_by } = await a.edits('f', { two: '2' }, { base });
      assert.deepEqual(changed_by, ['edit #1 (this session, turn 2)']);
    });
  }

  /** Holds a transaction of a file up at a moment. @returns what lets it go on. */
  function hold(story: Story, path: string, moment: Moment): () => void {
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    story.documents.pause = async (at, of) => (at === moment && of === path ? held : undefined);
    return goOn;
  }

  for (const moment of ['as it lands', 'after apply before save', 'during save'] as const) {
    it(`gives nobody a state out of the middle of an edit, ${moment}`, async () => {
      const story = new Story({ f: 'one\ntwo\n', g: 'one\n' });
      const [a, b] = [story.agent('a'), story.agent('b')];
      for (const agent of [a, b]) {
        await agent.reads('f');
        await agent.reads('g');
      }
      const goOn = hold(story, 'f', moment);
      const editing = a.edits('f', { one: '1' });
      const beside = await b.sends([b.plans('g', { one: '1' })]);
      assert.deepEqual(beside.also_changed, undefined, 'what is not over is not told');
      const checking = b.checks('f');
      const reading = b.reads('f');
      goOn();
      assertStatus(await editing, 'applied');
      const [checked] = await checking;
      assert.deepEqual(checked?.changed_by, ['edit #2 (another session, turn 3)']);
      assert.equal((await reading).base, story.base('f'));
    });
  }

  it('names who typed into a file of an atomic call while the others were not through', async () => {
    const story = new Story({ f: 'one\n', g: 'one\n' });
    const a = story.agent('a');
    await a.reads('f');
    await a.reads('g');
    const goOn = hold(story, 'g', 'during save');
    const plans = [a.plans('f', { one: '1' }), a.plans('g', { one: '1' })];
    const editing = a.sends(plans, { on_conflict: 'atomic' });
    while (story.disk.text('f') === 'one\n' || story.documents.isBusy('f')) {
      await null;
    }
    story.human.types('f', { '1': '1!' });
    goOn();
    const { results } = await editing;
    const stale = await a.edits('f', { '1': 'uno' });
    assertStatus(stale, 'stale_base');
    assert.equal(results[0]?.base, stale.expected);
    assert.deepEqual(stale.changed_by, ['engineer: typed in the editor (1 edit, unsaved)']);
  });

  it('names who typed into a file of an atomic call before its hooks ran', async () => {
    const story = new Story({ f: 'one\n', g: 'one\n' });
    const [a, b] = [story.agent('a'), story.agent('b')];
    await b.reads('f');
    await a.reads('f');
    await a.reads('g');
    story.documents.hooks = [{ name: 'tidy', run: (raw) => raw.replace('  ', ' ') }];
    const goOn = hold(story, 'g', 'during save');
    const plans = [a.plans('f', { one: '1  2' }), a.plans('g', { one: '1' })];
    const editing = a.sends(plans, { on_conflict: 'atomic' });
    while (story.disk.text('f') === 'one\n' || story.documents.isBusy('f')) {
      await null;
    }
    story.human.types('f', { '1  2': '1  2!' });
    goOn();
    await editing;
    assert.deepEqual([story.text('f'), story.disk.text('f')], ['1  2!\n', '1 2\n']);
    const { changed_by } = await b.edits('f', { one: 'uno' });
    assert.deepEqual(changed_by, [
      'edit #1 (another session, turn 3)',
      'engineer: typed in the editor (1 edit, unsaved)',
      'post-write hook: tidy',
    ]);
  });

  it('names who typed before our save and during it, and nobody else', async () => {
    const story = new Story({ f: 'one\ntwo\nthree\n' });
    const [a, b] = [story.agent('a'), story.agent('b')];
    await b.reads('f');
    await a.reads('f');
    story.at('as the save begins', () => story.human.types('f', { one: '1' }));
    story.at('during save', () => story.human.types('f', { two: '2' }));
    assertStatus(await a.edits('f', { three: '3' }), 'applied');
    assert.deepEqual([story.text('f'), story.disk.text('f')], ['1\n2\n3\n', '1\ntwo\n3\n']);
    const { changed_by } = await b.edits('f', { three: 'x' });
    assert.deepEqual(changed_by, [
      'edit #1 (another session, turn 2)',
      'engineer: typed in the editor (2 edits, saved)',
    ]);
  });

  it('names who moved a file on and back while it was refused', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    await a.reads('f');
    story.human.opens('f');
    story.at('between look and apply', () => story.human.types('f', { one: '1' }));
    story.at('as it lands', () => story.at('before a look', () => story.human.undoes('f')));
    const result = await a.edits('f', { two: '2' });
    assert.equal(story.text('f'), 'one\ntwo\n');
    assertStatus(result, 'stale_base');
    assert.deepEqual(result.changed_by, ['engineer: typed in the editor (2 edits, unsaved)']);
  });

  it('names nobody else for a file that another agent reads while it is created', async () => {
    const story = new Story({});
    const a = story.agent('a');
    let reading: Promise<unknown> | undefined;
    story.at('after save', () => {
      reading = story.agent('b').reads('new');
    });
    assertStatus(await a.writes('new', 'one\n', 'absent'), 'applied');
    await reading;
    const { changed_by } = await story.agent('c').writes('new', 'two\n', 'absent');
    assert.deepEqual(changed_by, ['edit #1 (another session, turn 1)']);
  });

  it('holds the base of a read that comes while a move of that file is told, at whatever point it comes', async () => {
    for (let delay = 0; delay < 40; delay++) {
      const story = new Story({ f: 'one\n', g: 'two\n' });
      const a = story.agent('a');
      await a.reads('f');
      await a.reads('g');
      story.disk.writes('g', 'TWO\n');
      const editing = a.edits('f', { one: '1' });
      for (let turn = 0; turn < delay; turn++) {
        await null;
      }
      await Promise.all([editing, a.reads('g')]);
      assert.deepEqual(await a.checks(), [], `read ${delay} turns after the edit was sent`);
    }
  });
});

describe('The arbiter, about what a session has not been shown', () => {
  it('gives no base for it either when the edit that landed beside it is sent again', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    const { base } = await a.reads('f');
    story.at('after apply before save', () => story.human.types('f', { one: 'unseen' }));
    const landed = await a.edits('f', { two: '2' });
    assert.deepEqual([landed.status, landed.base], ['applied', undefined]);
    const again = await a.edits('f', { two: '2' }, { base });
    assert.equal(again.base, undefined, JSON.stringify(again));
  });

  it('takes a base for the refused one also where one of the two is abbreviated', async () => {
    const story = new Story({ f: 'one\ntwo\n' });
    const a = story.agent('a');
    const full = String((await a.reads('f')).base);
    story.disk.writes('f', 'ONE\ntwo\n');
    assertStatus(await a.edits('f', { two: '2' }, { base: full.slice(0, 30) }), 'stale_base');
    story.disk.writes('f', 'one\ntwo\n');
    assertStatus(await a.edits('f', { two: '2' }, { base: full }), 'applied');
  });
});

describe('The arbiter, about secrets', () => {
  it('tells nothing of their text in a check, in a refusal, or in a search for a place, and stores none', async () => {
    const story = new Story({ '.env': 'TOKEN=supersecret\n' });
    story.answer = ({ kind }) => kind === 'read';
    const a = story.agent('a');
    const all: unknown[] = [
      await a.checks('.env'),
      await a.sends([{ path: '.env', base: 'absent', content: 'x' }]),
      await a.sends([
        { path: '.env', base: story.base('.env'), edits: [{ old_string: 'TOKEN=super', new_string: 'x' }] },
      ]),
      await a.sends([
        { path: '.env', base: story.base('.env'), edits: [{ old_string: 'TOKEM=supersecret', new_string: 'x' }] },
      ]),
      await a.sends([{ path: '.env', base: story.base('.env'), patch: '@@ -1,1 +1,1 @@\n-TOKEN=x\n+y\n' }]),
    ];
    assert.doesNotMatch(JSON.stringify(all), /supersecret/);
    await a.reads('.env');
    const base = a.baseOf('.env');
    story.disk.writes('.env', 'TOKEN=other secret\n');
    const stale = await a.edits('.env', { TOKEN: 'x' }, { base });
    assertStatus(stale, 'stale_base');
    assert.deepEqual([stale.diff_since_read, stale.your_edit], [null, undefined]);
    assert.deepEqual(story.stored, []);
    const { open } = story.arbiter.conflicts;
    assert.ok(open.length > 0 && open.every(({ isSecret }) => isSecret));
    assert.doesNotMatch(printConflicts(open) + replanPrompt(open), /secret\\n|supersecret/);
  });
});

describe('The arbiter, about entries that ask for more than edits', () => {
  it('lands nothing outside of the symbol that the entry names', async () => {
    const story = new Story({ 'f.py': 'def one():\n    a = 1\n\ndef two():\n    b = 2\n' });
    const a = story.agent('a');
    await a.reads('f.py');
    const result = await a.edits('f.py', { 'a = 1': 'a = 3' }, { symbol: 'two' });
    assert.notEqual(result.status, 'applied', 'the edit is in one, not in two');
  });
});
