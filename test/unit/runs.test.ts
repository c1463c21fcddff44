import assert from 'node:assert/strict';
import { causeOfWrite, type GitMove, parseReflog, type Run } from '../../src/core/runs.ts';

const MINUTE = 60_000;
const NOW = 100 * MINUTE;

function run(commandLine: string, start: number, end?: number, more: Partial<Run> = {}): Run {
  return { commandLine, via: 'task', start, end, isBackground: false, ...more };
}

function causeAt(writtenAt: number, runs: readonly Run[], gitMoves: readonly GitMove[] = [], since = 0) {
  return causeOfWrite({ writtenAt, isDeleted: false, since, runs, gitMoves, isAsInIndex: undefined }, NOW).cause;
}

describe('causeOfWrite', () => {
  it('names the command that alone ran when the bytes were written', () => {
    const runs = [run('make schemas', 10_000, 12_000), run('make docs', 20_000, 21_000, { via: 'terminal' })];
    assert.deepEqual(causeAt(11_000, runs), { kind: 'generator', command: 'make schemas', via: 'task' });
    assert.deepEqual(causeAt(20_500, runs), { kind: 'generator', command: 'make docs', via: 'terminal' });
    assert.deepEqual(causeAt(15_000, runs), { kind: 'external', deleted: false });
  });

  it('blames none of two that both could have, and names them', () => {
    const runs = [run('make a', 10_000, 12_000), run('make b', 11_000, 13_000)];
    assert.deepEqual(causeAt(11_500, runs), { kind: 'external', deleted: false, during: 'make a, make b' });
  });

  it('does not blame a server for everything, declared as one or running for long', () => {
    const declared = run('npm run dev', 10_000, undefined, { isBackground: true });
    assert.deepEqual(causeAt(11_000, [declared]), { kind: 'external', deleted: false, during: 'npm run dev' });
    const long = run('npm run watch', NOW - 11 * MINUTE, undefined, { via: 'terminal' });
    assert.deepEqual(causeAt(NOW - 1, [long]), { kind: 'external', deleted: false, during: 'npm run watch' });
    const short = run('npm run gen', NOW - MINUTE, undefined, { via: 'terminal' });
    assert.equal(causeAt(NOW - 1, [short]).kind, 'generator');
  });

  it('takes servers and watchers for what they are by their words, and does not blame them either', () => {
    for (const line of [
      'npm run dev',
      'npm start',
      'tsc -w',
      'tsc --watch',
      'npx vite serve',
      'yarn watch:css --watch=all',
      'npm run dev:web',
      'nodemon app.js',
      'tail -f log',
    ]) {
      const open = causeAt(NOW - 1, [run(line, NOW - 5_000, undefined, { via: 'terminal' })]);
      assert.deepEqual(open, { kind: 'external', deleted: false, during: line });
    }
    for (const line of [
      'make schemas',
      'npm run generate',
      'sh ./restart-generator.sh',
      'cp a-w b',
      'make devtools',
      'gofmt -w .',
      'npm run gen -w packages/api',
      'echo make server; gen',
    ]) {
      assert.equal(causeAt(NOW - 1, [run(line, NOW - 5_000)]).kind, 'generator', line);
    }
    assert.equal(causeAt(NOW - 1, [run('npm run dev', NOW - 5_000, NOW)]).kind, 'generator', 'it has ended');
  });

  it('names a hook for what it wrote beside its own file, and only while it ran', () => {
    const hook = run('ruff format', 10_000, 11_000, { via: 'hook' });
    assert.deepEqual(causeAt(10_500, [hook]), { kind: 'hook', name: 'ruff format' });
    assert.equal(causeAt(9_900, [hook]).kind, 'external');
  });

  it('names git only where its index says that git left the file so', () => {
    const evidence = { writtenAt: 10_300, isDeleted: false, since: 0, runs: [run('make', 10_000, 11_000)] };
    const gitMoves = [{ action: 'checkout feature', time: 10_000 }];
    assert.equal(causeOfWrite({ ...evidence, gitMoves, isAsInIndex: true }, NOW).cause.kind, 'git');
    assert.equal(causeOfWrite({ ...evidence, gitMoves, isAsInIndex: false }, NOW).cause.kind, 'generator');
  });

  it('names a command for a deletion only where its words take files away', () => {
    const deleted = (line: string) =>
      causeOfWrite(
        {
          writtenAt: 10_500,
          isDeleted: true,
          since: 0,
          runs: [run(line, 10_000, 11_000)],
          gitMoves: [],
          isAsInIndex: undefined,
        },
        NOW,
      ).cause;
    for (const line of ['rm -rf api', 'make clean', 'npm run clean', 'npx rimraf dist', 'mv a b']) {
      assert.equal(deleted(line).kind, 'generator', line);
    }
    assert.deepEqual(deleted('touch other'), { kind: 'external', deleted: true, during: 'touch other' });
  });

  it('says what speaks for it', () => {
    const evidence = (runs: readonly Run[], gitMoves: readonly GitMove[] = []) =>
      causeOfWrite({ writtenAt: 10_400, isDeleted: false, since: 0, runs, gitMoves, isAsInIndex: undefined }, NOW)
        .evidence;
    assert.equal(
      evidence([run('make', 10_000, 12_000)]),
      'written 0.4 s after it began and 1.6 s before it ended; nothing else ran then',
    );
    assert.equal(evidence([]), 'nothing that this window knows of ran when the file was written');
    assert.equal(
      evidence([], [{ action: 'pull', time: 10_000 }]),
      "git's own log has it in the seconds around the write",
    );
    assert.match(evidence([run('npm run dev', 1)]) ?? '', /in the background/);
  });

  it('reads a git command as git, and a move in its log before any command', () => {
    assert.deepEqual(causeAt(10_000, [run('git stash pop', 9_900, 10_100)]), { kind: 'git', action: 'stash pop' });
    assert.deepEqual(causeAt(10_000, [run('cd x && git restore f', 9_900, 10_100)]), {
      kind: 'git',
      action: 'restore f',
    });
    const move = { action: 'checkout feature', time: 10_000 };
    assert.deepEqual(causeAt(10_300, [run('./switch.sh', 9_000, 11_000)], [move]), {
      kind: 'git',
      action: 'checkout feature',
    });
    assert.equal(causeAt(40_000, [], [move]).kind, 'external');
  });

  it('blames nobody who had ended before the file was last seen', () => {
    assert.equal(causeAt(11_000, [run('make', 10_000, 12_000)], [], 13_000).kind, 'external');
    assert.equal(causeAt(10_100, [], [{ action: 'pull', time: 10_000 }], 20_000).kind, 'external');
  });

  it('keeps a command line on one line and short', () => {
    const cause = causeAt(1_000, [run(`echo ${'x'.repeat(500)}\nrm y`, 900, 1_100)]);
    assert.equal(cause.kind === 'generator' && cause.command.length, 120);
  });
});

describe('parseReflog', () => {
  const line = (message: string, after = '1', seconds = 1_700_000_000) =>
    `${'0'.repeat(40)} ${after.repeat(40)} A B <a@b.c> ${seconds} +0100\t${message}`;

  it('tells what git was asked for', () => {
    const log = [
      line('checkout: moving from main to feature'),
      line('commit: add x: y'),
      line('commit (amend): add x'),
      line('checkout: moving from feature to new', '0'),
      line('pull: Fast-forward'),
      line('rebase (finish): returning to refs/heads/feature'),
      line('reset: moving to HEAD~1'),
      line('reset: moving to HEAD', '0'),
      line('checkout: moving from a to b', '0'),
      'not an entry',
      '',
    ].join('\n');
    assert.deepEqual(
      parseReflog(log).map(({ action }) => action),
      ['checkout feature', 'pull', 'rebase', 'reset', 'reset'],
    );
    assert.equal(parseReflog(log)[0]?.time, 1_700_000_000_000);
    assert.deepEqual(parseReflog(line('WIP on main: 1234567 x'), true), [{ action: 'stash', time: 1_700_000_000_000 }]);
  });
});
