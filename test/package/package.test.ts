// What `npm run package` makes, run by `npm run test:package`.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const PACKAGE = new URL('../../dist/edit-arbiter.vsix', import.meta.url);
const MOST_BYTES = 1_000_000;

/** Everything that is packed. What is new here must be needed to run, or to be read by who installs it. */
const FILES = [
  'LICENSE.txt',
  'api.d.ts',
  'changelog.md',
  'package.json',
  'readme.md',
  'chat/arbiter-edits-only.agent.md',
  'chat/arbiter.agent.md',
  'chat/arbiter.instructions.md',
  'chat/replan.prompt.md',
  'chat/skills/stale-edit/SKILL.md',
  'dist/ThirdPartyNotices.txt',
  'dist/extension.cjs',
  'dist/panel.css',
  'dist/panel.js',
  'dist/statistics.css',
  ...['ecmascript', 'go', 'java', 'javascript', 'python', 'rust', 'typescript'].map(
    (name) => `dist/syntax/${name}.scm`,
  ),
  'dist/syntax/tree-sitter.cjs',
  'dist/syntax/tree-sitter.wasm',
  ...['go', 'java', 'javascript', 'python', 'rust', 'tsx', 'typescript'].map(
    (name) => `dist/syntax/tree-sitter-${name}.wasm`,
  ),
  'docs/pictures/apply.png',
  'guard/guard.ps1',
  'guard/guard.sh',
  ...['deny', 'warn'].flatMap((mode) => [`guard/${mode}/.plugin/plugin.json`, `guard/${mode}/hooks/hooks.json`]),
  ...['edited', 'hooked'].flatMap((what) => [`media/gutter/${what}-dark.svg`, `media/gutter/${what}-light.svg`]),
  'media/icon.png',
  ...['hooks', 'tools', 'try', 'what'].map((name) => `media/walkthrough/${name}.md`),
];

/** The names in a zip file's directory. */
function namesIn(zip: Buffer): string[] {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const names: string[] = [];
  for (let at = zip.readUInt32LE(end + 16); zip.readUInt32LE(at) === 0x02014b50; ) {
    const [name, extra, comment] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)];
    names.push(zip.toString('utf8', at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
  }
  return names;
}

describe('The package', () => {
  const zip = readFileSync(PACKAGE);

  it('holds what runs and what is read, and nothing else', () => {
    const packed = namesIn(zip).flatMap((name) => (name.startsWith('extension/') ? [name.slice(10)] : []));
    assert.deepEqual(packed.sort(), [...FILES].sort());
  });

  it('is small', () => {
    console.log(`    ${(zip.length / 1_000).toFixed(0)} kB`);
    assert.ok(zip.length < MOST_BYTES, String(zip.length));
  });

  it('shows no picture that it does not hold', () => {
    const readme = readFileSync(new URL('../../dist/README.md', import.meta.url), 'utf8');
    const pictures = [...readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path = '']) => path);
    assert.ok(pictures.length > 0);
    assert.deepEqual(
      pictures.filter((path) => !FILES.includes(path)),
      [],
    );
  });

  it('names the licence of everything that it holds of others', () => {
    const notices = readFileSync(new URL('../../dist/ThirdPartyNotices.txt', import.meta.url), 'utf8');
    for (const name of [
      'diff',
      '@vscode/tree-sitter-wasm',
      ...FILES.flatMap((file) => /tree-sitter-(\w+)/.exec(file)?.[1] ?? []),
    ]) {
      // TSX comes from the repository of TypeScript's grammar.
      assert.ok(notices.includes(name === 'tsx' ? 'tree-sitter-typescript' : name), name);
    }
  });
});
