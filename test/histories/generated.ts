import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { randomFrom } from '../replay/schedule.ts';

/** How the lines of a file become bytes. */
const SHAPES: readonly ((lines: readonly string[]) => Buffer)[] = [
  (lines) => Buffer.from(lines.map((line) => `${line}\n`).join('')),
  (lines) => Buffer.from(lines.join('\n')),
  (lines) => Buffer.from(lines.map((line) => `${line}\r\n`).join('')),
  (lines) => Buffer.from(`\uFEFF${lines.map((line) => `${line}\n`).join('')}`),
  (lines) => Buffer.from(`\uFEFF${lines.join('\r\n')}`, 'utf16le'),
  // Not held by any editor: mixed line endings, lone carriage returns, bytes that are no UTF-8, no text.
  (lines) => Buffer.from(lines.map((line, index) => `${line}${index % 2 ? '\r\n' : '\n'}`).join('')),
  (lines) => Buffer.from(lines.join('\r')),
  (lines) => Buffer.concat([Buffer.from(lines.join('\n')), Buffer.from([0x0a, 0xe9, 0x0a])]),
  (lines) => Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from(lines.join('\n'))]),
];

const WORDS = ['rate', 'tier', 'größe', '价格', '🧾', 'total', '  indented', '$1 $&', '\\n', 'a\tb', ''];

/** Makes a repository whose commits create, edit, rename and delete files of every shape. */
export function generateRepository(folder: string, commits: number, seed: number): void {
  const random = randomFrom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=test', '-c', 'user.email=test@example.org', '-c', 'core.autocrlf=false', ...args],
      {
        cwd: folder,
        stdio: 'pipe',
      },
    );
  mkdirSync(folder, { recursive: true });
  git('init', '-q');
  const files = new Map<string, { shape: number; lines: string[] }>();
  const write = (path: string) => {
    const file = files.get(path);
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), SHAPES[file?.shape ?? 0]?.(file?.lines ?? []) ?? '');
  };
  for (let commit = 0; commit < commits; commit += 1) {
    for (let step = 0; step < 6; step += 1) {
      const known = [...files.keys()];
      const kind = known.length < 8 ? 'create' : pick(['create', 'edit', 'edit', 'edit', 'rename', 'delete', 'mode']);
      const path =
        kind === 'create'
          ? `${pick(['', 'sub/', 'sub/deep/'])}f${commit}-${step} ${pick(WORDS).trim()}.txt`.replaceAll(
              /[\\$&\t]/g,
              '_',
            )
          : pick(known);
      const file = files.get(path);
      if (kind === 'create') {
        const lines = Array.from({ length: Math.floor(random() * 40) }, () => `${pick(WORDS)} ${pick(WORDS)}`);
        files.set(path, { shape: Math.floor(random() * SHAPES.length), lines });
        write(path);
      } else if (kind === 'edit' && file) {
        for (let change = 0; change < 3; change += 1) {
          const at = Math.floor(random() * (file.lines.length + 1));
          file.lines.splice(
            at,
            Math.floor(random() * 3),
            ...Array.from({ length: Math.floor(random() * 3) }, () => pick(WORDS)),
          );
        }
        write(path);
      } else if (kind === 'rename' && file) {
        const target = `moved/${commit}-${step}.txt`;
        mkdirSync(join(folder, 'moved'), { recursive: true });
        renameSync(join(folder, path), join(folder, target));
        files.delete(path);
        files.set(target, file);
        if (random() < 0.5 && file.lines.length > 0) {
          file.lines[0] = `${file.lines[0]} changed`;
        }
        write(target);
      } else if (kind === 'delete') {
        files.delete(path);
        rmSync(join(folder, path));
      } else if (existsSync(join(folder, path))) {
        chmodSync(join(folder, path), random() < 0.5 ? 0o755 : 0o644);
      }
    }
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', `commit ${commit}`);
  }
}
