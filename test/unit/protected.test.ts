import assert from 'node:assert/strict';
import type { FileRef } from '../../src/core/documents.ts';
import { isProtected, isSecret } from '../../src/core/protected.ts';
import { assertStatus, Story } from './support/story.ts';

const NOTHING = { more: [], less: [] };

/** A file of the workspace folder `root`. */
function at(path: string, root = '/home/some/work'): FileRef {
  return { key: `${root}/${path}`, path };
}

describe('Protected files', () => {
  it('are those that steer editor, agents, version control, pipelines and shells, at any depth and in any letter case', () => {
    for (const path of [
      '.vscode/settings.json',
      'packages/a/.vscode/tasks.json',
      '.VSCode/Settings.json',
      '.git/config',
      'sub/.git/hooks/pre-commit',
      '.git',
      'my.code-workspace',
      '.github/workflows/ci.yml',
      '.github/copilot-instructions.md',
      '.github/prompts/x.prompt.md',
      'AGENTS.md',
      'docs/claude.md',
      '.cursor/rules/x.mdc',
      '.mcp.json',
      '.husky/pre-commit',
      '.env',
      '.env.local',
      'keys/server.pem',
      '.bashrc',
      '.npmrc',
    ]) {
      assert.ok(isProtected(at(path), NOTHING), path);
    }
  });

  it('are not ordinary files that only look like them', () => {
    for (const path of [
      '.gitignore',
      'Makefile',
      'src/git/config',
      'vscode/settings.json',
      'src/.vscode.ts',
      '.env.example',
      'agents.md.txt',
      'key.ts',
      'settings.json',
    ]) {
      assert.equal(isProtected(at(path), NOTHING), false, path);
    }
  });

  it('are those also where the workspace folder itself is what makes them so', () => {
    for (const [root, path] of [
      ['/home/some/work/.vscode', 'settings.json'],
      ['/home/some/work/.git', 'hooks/pre-commit'],
      ['/home/some/work/.github', 'workflows/ci.yml'],
      ['/home/some/work/.github/workflows', 'ci.yml'],
      ['/home/some/.aws', 'credentials'],
    ] as const) {
      assert.ok(isProtected(at(path, root), NOTHING), `${root} ${path}`);
      const name = root.slice(root.lastIndexOf('/') + 1);
      assert.ok(
        isProtected({ key: `${root}/${path}`, path: `${name}/${path}` }, NOTHING),
        `with others: ${root} ${path}`,
      );
      assert.ok(isProtected({ key: `${root}/${path}`, path: `other name/${path}` }, NOTHING), `named: ${root} ${path}`);
    }
    assert.ok(isSecret(at('config', '/home/some/.kube'), NOTHING));
    assert.ok(isProtected({ key: 'C:\\work\\.vscode\\settings.json', path: 'settings.json' }, NOTHING));
    assert.equal(isProtected(at('src/main.ts', '/home/some/.claude/worktrees/one'), NOTHING), false);
    assert.equal(isProtected(at('settings.json', '/home/some/.vscode/worktrees/one'), NOTHING), false);
  });

  it('can be more, and fewer', () => {
    assert.ok(isProtected(at('infra/prod.tf'), { more: ['infra/**'], less: [] }));
    assert.equal(isProtected(at('infrastructure/prod.tf'), { more: ['infra/**'], less: [] }), false);
    assert.equal(isProtected(at('.vscode/settings.json'), { more: [], less: ['.vscode/*.json'] }), false);
    assert.ok(isProtected(at('a(b)[c].x'), { more: ['a(b)[c].{x,y}'], less: [] }));
  });

  it('that hold secrets are asked about when they are read', () => {
    assert.ok(isSecret(at('.env'), NOTHING));
    assert.ok(isSecret(at('config/id_rsa'), NOTHING));
    assert.equal(isSecret(at('.env.sample'), NOTHING), false);
    assert.equal(isSecret(at('.vscode/settings.json'), NOTHING), false);
  });
});

describe('An edit of a protected file', () => {
  const SETTINGS = '.vscode/settings.json';

  it("lands only with a human's yes, who is shown what it changes", async () => {
    const story = new Story({ [SETTINGS]: '{}\n' });
    const a = story.agent('a');
    await a.reads(SETTINGS);
    assertStatus(await a.edits(SETTINGS, { '{}': '{"x":1}' }), 'denied');
    assert.equal(story.disk.text(SETTINGS), '{}\n');
    assert.deepEqual(story.questions, [
      { path: SETTINGS, kind: 'edit', diff: '@@ -1,1 +1,1 @@\n-{}\n+{"x":1}\n', explanation: undefined },
    ]);
    story.answer = () => true;
    assertStatus(await a.edits(SETTINGS, { '{}': '{"x":1}' }), 'applied');
  });

  it('passes the gate once more after the yes', async () => {
    const story = new Story({ [SETTINGS]: '{}\n' });
    const a = story.agent('a');
    await a.reads(SETTINGS);
    story.answer = () => {
      story.disk.writes(SETTINGS, '{"mine":1}\n');
      return true;
    };
    assertStatus(await a.edits(SETTINGS, { '{}': '{"x":1}' }), 'stale_base');
    assert.equal(story.disk.text(SETTINGS), '{"mine":1}\n');
  });

  it('asks nobody in vain, and is refused where nobody can be asked', async () => {
    const story = new Story({ [SETTINGS]: '{}\n', 'f.txt': 'one\n' });
    const a = story.agent('a');
    await a.reads(SETTINGS);
    assertStatus(await a.edits(SETTINGS, { nowhere: 'x' }), 'not_found');
    const outside = story.agent(undefined);
    await outside.reads(SETTINGS);
    await outside.reads('f.txt');
    const { summary } = await outside.sends([
      { path: SETTINGS, base: outside.baseOf(SETTINGS), content: '{"x":1}\n' },
      { path: 'f.txt', base: outside.baseOf('f.txt'), content: 'two\n' },
    ]);
    assert.equal(summary, '1 protected, 1 applied');
    assert.deepEqual(story.questions, []);
  });

  it('and a read of secrets need it alike', async () => {
    const story = new Story({ '.env': 'KEY=1\n' });
    const { status } = await story.agent('a').reads('.env');
    assert.equal(status, 'denied');
    story.answer = () => true;
    assert.equal((await story.agent('a').reads('.env')).status, 'ok');
    assert.equal((await story.agent(undefined).reads('.env')).status, 'protected');
  });
});
