import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseGuardAnswer, parseGuardReport } from '../../src/core/guardReport.ts';

const GUARD = fileURLToPath(new URL('../../guard/', import.meta.url));

/** How long a call may take on a busy machine, in milliseconds: the chat waits for it before every tool. */
const SLOW = 2_000;

function call(tool: string, input: object = {}): object {
  return { timestamp: '2026-01-01T00:00:00.000Z', hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input };
}

describe('A report of the guard', () => {
  const paths = (tool: string, input: object) => parseGuardReport(JSON.stringify(call(tool, input)))?.paths;

  it('names the files that each built-in tool is to edit', () => {
    assert.deepEqual(paths('create_file', { filePath: '/a b.txt', content: 'x' }), ['/a b.txt']);
    const replacements = [{ filePath: '/a' }, { filePath: '/b' }, { filePath: '/a' }];
    assert.deepEqual(paths('multi_replace_string_in_file', { replacements }), ['/a', '/b']);
    const patch =
      '*** Begin Patch\n*** Update File: /a\n@@\n-x\n+y\n*** Add File: /b\n+*** Add File: no\n*** End Patch';
    assert.deepEqual(paths('apply_patch', { input: patch }), ['/a', '/b']);
  });

  it('is nothing where the text is none', () => {
    for (const text of ['', '{', 'null', '[]', '{"tool_name":1}']) {
      assert.equal(parseGuardReport(text), undefined, text);
    }
    assert.deepEqual(parseGuardReport('{"tool_name":"arbiter_read"}'), { tool: 'arbiter_read', paths: [] });
  });
});

describe('The guard', function () {
  this.timeout(60_000);
  let folder: string;

  before(function () {
    if (process.platform === 'win32') {
      this.skip();
    }
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'edit-arbiter-guard-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function run(mode: string, input: string, shell = '/bin/sh') {
    const env = { PATH: process.env['PATH'] ?? '', EDIT_ARBITER_GUARD: folder };
    const { stdout, status, stderr } = spawnSync(shell, [join(GUARD, 'guard.sh'), mode], {
      input,
      env,
      encoding: 'utf8',
    });
    const reports = readdirSync(folder).map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      rmSync(join(folder, name));
      return parseGuardReport(text);
    });
    assert.equal(stderr, '');
    assert.equal(status, 0);
    return { answer: stdout === '' ? undefined : parseGuardAnswer(stdout), reports };
  }

  const builtIn = [
    'create_file',
    'replace_string_in_file',
    'multi_replace_string_in_file',
    'insert_edit_into_file',
    'apply_patch',
  ];

  for (const tool of builtIn) {
    it(`denies ${tool} with a reason that names ours, or tells the agent, and reports it`, () => {
      const input = JSON.stringify(call(tool, { filePath: '/a "b"\n.txt', content: 'é\\"tool_name":"read_file"' }));
      const denied = run('deny', input);
      assert.equal(denied.answer?.isDenied, true);
      assert.match(
        denied.answer.text,
        new RegExp(`^${tool} is denied .*nothing was written.*arbiter_edit.*base "absent"`),
      );
      assert.deepEqual(denied.reports, [{ tool, paths: ['/a "b"\n.txt'] }]);
      const warned = run('warn', input);
      assert.equal(warned.answer?.isDenied, false);
      assert.match(warned.answer.text, /Use arbiter_edit for the next edit/);
    });
  }

  it('lets everything else pass, whatever its input holds, and what it does not understand', () => {
    const nasty = { content: '"tool_name":"create_file"', tool_name: 'create_file' };
    for (const input of [
      ...['read_file', 'run_in_terminal', 'edit_notebook_file', 'create_directory', 'x_create_file'].map((tool) =>
        JSON.stringify(call(tool, nasty)),
      ),
      '',
      'tool_name',
      '{"tool_name": 1}',
      '{"tool_name":"create_file',
    ]) {
      const { answer, reports } = run('deny', input);
      // A torn call names its tool all the same; nothing is lost by a denial of what cannot run.
      assert.equal(answer?.isDenied, input.endsWith('create_file') ? true : undefined, input);
      assert.ok(input.endsWith('create_file') || reports.length === 0, input);
    }
  });

  it('reports that it has seen a tool of ours, and nothing of its input', () => {
    const { answer, reports } = run('deny', JSON.stringify(call('arbiter_edit', { filePath: '/secret' })));
    assert.equal(answer, undefined);
    assert.deepEqual(reports, [{ tool: 'arbiter_edit', paths: [] }]);
  });

  it('answers where nobody takes reports', () => {
    rmSync(folder, { recursive: true });
    const env = { PATH: process.env['PATH'] ?? '', EDIT_ARBITER_GUARD: folder };
    const input = JSON.stringify(call('create_file'));
    const { stdout, status } = spawnSync('/bin/sh', [join(GUARD, 'guard.sh'), 'deny'], {
      input,
      env,
      encoding: 'utf8',
    });
    assert.equal(status, 0);
    assert.equal(parseGuardAnswer(stdout)?.isDenied, true);
  });

  it('is quick, also with a large file in the call', () => {
    for (const [what, input] of [
      ['another tool', JSON.stringify(call('read_file', { filePath: '/a' }))],
      ['1 MB to write', JSON.stringify(call('create_file', { content: 'é"\n'.repeat(200_000) }))],
    ] as const) {
      const times = Array.from({ length: 9 }, () => {
        const begun = performance.now();
        run('deny', input);
        return performance.now() - begun;
      }).sort((a, b) => a - b);
      console.log(`    ${what}: ${times[4]?.toFixed(0)} ms`);
      assert.ok((times[4] ?? SLOW) < SLOW);
    }
  });
});
