import assert from 'node:assert/strict';
import {
  type AppliedFacts,
  reportApplied,
  reportMisplaced,
  reportProblem,
  reportStale,
  reportStaleCheck,
  type StaleFacts,
  summarize,
} from '../../src/core/report.ts';

const stale: StaleFacts = {
  status: 'stale_base',
  path: 'f',
  expected: 'sha256:old',
  actual: 'sha256:new',
  changedBy: ['external writer'],
  evidence: [],
  diff: { text: '@@', complete: true },
  formatChanged: ['eol lf→crlf'],
  yourEdit: 'untouched',
  note: 'a note',
  isShared: false,
  isAbsent: false,
};

const applied: AppliedFacts = {
  path: 'f',
  token: 'sha256:new',
  vouched: true,
  edit: 3,
  saved: true,
  changedLines: [[41, 41]],
  lineShifts: [[42, 1]],
  hooks: ['format on save'],
  diffByHooks: '@@',
};

function next(more: Partial<StaleFacts>): string {
  return String(reportStale({ ...stale, ...more })['next']);
}

describe('reportApplied', () => {
  it('puts the keys in the order of the contract', () => {
    assert.deepEqual(Object.keys(reportApplied(applied)), [
      'status',
      'path',
      'base',
      'edit',
      'saved',
      'changed_lines',
      'line_shifts',
      'hooks',
      'diff_by_hooks',
      'note',
    ]);
  });

  it('gives a base, and no further order, where the session has been shown everything', () => {
    const report = reportApplied(applied);
    assert.deepEqual([report['base'], report['actual'], report['next']], ['sha256:new', undefined, undefined]);
    assert.equal(report['note'], 'use this base for further edits to this file');
    assert.equal(reportApplied({ ...applied, note: 'another' })['note'], 'another');
  });

  it('gives actual instead, and orders a re-read, where it has not', () => {
    const report = reportApplied({ ...applied, vouched: false });
    assert.deepEqual([report['base'], report['actual'], report['note']], [undefined, 'sha256:new', undefined]);
    assert.match(String(report['next']), /f holds text that you have not been shown; read it again/);
  });

  it('leaves out hooks that changed nothing', () => {
    const { hooks, diffByHooks, ...others } = applied;
    assert.ok(hooks && diffByHooks);
    assert.equal('hooks' in reportApplied({ ...others, hooks: [] }), false);
    assert.equal('diff_by_hooks' in reportApplied({ ...others, hooks: [] }), false);
  });
});

describe('reportStale', () => {
  it('puts the keys in the order of the contract', () => {
    assert.deepEqual(Object.keys(reportStale(stale)), [
      'status',
      'path',
      'expected',
      'actual',
      'changed_by',
      'diff_since_read',
      'format_changed',
      'your_edit',
      'note',
      'next',
    ]);
  });

  it('gives a diff that is not remembered as null, and leaves out what there is nothing to say of', () => {
    const { yourEdit, note, ...others } = stale;
    assert.ok(yourEdit && note);
    const report = reportStale({ ...others, diff: null, formatChanged: [], actual: undefined });
    assert.deepEqual(Object.keys(report), ['status', 'path', 'expected', 'changed_by', 'diff_since_read', 'next']);
    assert.equal(report['diff_since_read'], null);
  });

  it('offers to plan on the diff only where it is complete', () => {
    assert.match(next({}), /re-read f, or plan it again on this diff with base sha256:new/);
    for (const diff of [null, { text: '@@', complete: false }]) {
      assert.match(next({ diff }), /re-read f first/);
      assert.doesNotMatch(next({ diff }), /on this diff with base/);
    }
    assert.doesNotMatch(next({ actual: undefined }), /on this diff with base/);
  });

  it('asks first whether the edit is still needed, in every form', () => {
    for (const more of [
      {},
      { diff: null },
      { isAbsent: true },
      { status: 'unconsidered_retry' },
      { status: 'disk_changed_during_save' },
    ] as const) {
      assert.match(next(more), /decide whether this edit is still needed, still correct, or redundant/);
    }
  });

  it('says how a retry passes', () => {
    assert.match(
      next({ status: 'unconsidered_retry' }),
      /the very edits that were refused.*"still_needed": one sentence/,
    );
    assert.match(next({}), /the same edits unchanged need "still_needed"/);
  });

  it('says that someone else is working in this tree where they are', () => {
    assert.doesNotMatch(next({}), /someone else/);
    for (const more of [{}, { diff: null }, { isAbsent: true }, { status: 'unconsidered_retry' }] as const) {
      assert.match(next({ ...more, isShared: true }), /\. someone else is working in this tree: keep edits small$/);
    }
  });

  it('offers to create a file that is gone', () => {
    assert.match(next({ isAbsent: true, diff: null }), /The file is gone; .*base "absent" and `content`/);
  });
});

describe('reportStaleCheck', () => {
  it('speaks of the plan, since there is no edit to judge', () => {
    const { yourEdit, ...others } = stale;
    assert.ok(yourEdit);
    const complete = reportStaleCheck(others);
    assert.equal('your_edit' in complete, false);
    assert.match(String(complete['next']), /whether your plan still holds; .*on this diff with base sha256:new/);
    assert.match(String(reportStaleCheck({ ...others, diff: null })['next']), /read f again before you edit it/);
  });
});

describe('reportProblem', () => {
  it('tells status, path, reason, offset and what to do, in this order', () => {
    const problem = { status: 'undecodable', reason: 'why', next: 'what', offset: 7 } as const;
    assert.equal(
      JSON.stringify(reportProblem('f', problem, { actual: 'absent' })),
      '{"status":"undecodable","path":"f","actual":"absent","reason":"why","offset":7,"next":"what"}',
    );
    assert.deepEqual(Object.keys(reportProblem(undefined, { status: 'denied', reason: 'a', next: 'b' })), [
      'status',
      'reason',
      'next',
    ]);
  });
});

describe('reportMisplaced', () => {
  it('tells for each way to have no place what is known of it, and what to do', () => {
    const keys = (misplaced: Parameters<typeof reportMisplaced>[1]) => {
      const report = reportMisplaced('f', misplaced);
      assert.equal(report.path, 'f');
      assert.ok(String(report['next']).length > 20);
      return Object.keys(report).slice(2, -1);
    };
    const nearest = { line: 3, text: 'x', differs: ['indentation'] };
    assert.deepEqual(keys({ status: 'not_found', editIndex: 1, nearest }), ['edit_index', 'nearest']);
    assert.deepEqual(keys({ status: 'not_found', editIndex: 1 }), ['edit_index']);
    assert.deepEqual(keys({ status: 'ambiguous', editIndex: 0, count: 2, lines: [1, 2] }), [
      'edit_index',
      'count',
      'lines',
    ]);
    assert.deepEqual(keys({ status: 'overlap', editIndexes: [0, 2] }), ['edit_indexes']);
    assert.deepEqual(keys({ status: 'no_change' }), []);
    assert.deepEqual(keys({ status: 'patch_mismatch', hunk: 1, line: 2, expected: 'a', found: 'b' }), [
      'hunk',
      'line',
      'expected',
      'found',
    ]);
  });
});

describe('summarize', () => {
  it('counts the statuses in the order of their first appearance', () => {
    const reports = ['applied', 'stale_base', 'applied', 'not_found', 'applied'].map((status) => ({ status }));
    assert.equal(summarize(reports), '3 applied, 1 stale_base, 1 not_found');
    assert.equal(summarize([]), '');
  });
});
