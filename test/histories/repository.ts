import { execFileSync } from 'node:child_process';

/** One file that a commit changes; paths as git has them. */
export interface Change {
  readonly kind: 'create' | 'edit' | 'delete' | 'rename';
  readonly path: string;
  /** Where a rename takes it to. */
  readonly target: string;
  /** Bytes before and after; empty where there are none. */
  readonly before: Buffer;
  readonly after: Buffer;
  /** What git stores of the mode: `100755` for what can be run. */
  readonly mode: string;
}

/** Modes of what is no file: symbolic links and submodules. */
const NO_FILES = ['120000', '160000'];

/** A git repository, read only. */
export class Repository {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The newest commits along the first parents, oldest first; with the one before them, or the empty tree. */
  commits(count: number): { readonly start: string | undefined; readonly commits: readonly string[] } {
    const all = this.#git('rev-list', '--first-parent', '--reverse', 'HEAD').toString().trim().split('\n');
    const commits = all.slice(-count);
    return { start: all[all.length - commits.length - 1], commits };
  }

  /** Every file of a commit. */
  files(commit: string): { readonly path: string; readonly mode: string; readonly bytes: Buffer }[] {
    return this.#fields('ls-tree', '-r', '-z', commit).flatMap((line) => {
      const [, mode = '', blob = '', path = ''] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(line) ?? [];
      return NO_FILES.includes(mode) ? [] : [{ path, mode, bytes: this.#blob(blob) }];
    });
  }

  /** What a commit changes against its first parent, renames found; what is no file is left out. */
  changes(commit: string): Change[] {
    const parent = this.#parentOf(commit);
    const range = parent === undefined ? ['--root', commit] : [parent, commit];
    const fields = this.#fields('diff-tree', '-r', '-z', '-M', '--no-commit-id', ...range);
    const changes: Change[] = [];
    for (let at = 0; at < fields.length; at += 2) {
      const [oldMode = '', mode = '', oldBlob = '', blob = '', status = ''] = (fields[at] ?? '')
        .replace(/^:/, '')
        .split(' ');
      const path = fields[at + 1] ?? '';
      const isRename = status.startsWith('R');
      const target = isRename ? (fields[at + 2] ?? '') : path;
      at += isRename ? 1 : 0;
      if (!NO_FILES.includes(oldMode) && !NO_FILES.includes(mode)) {
        changes.push({
          kind: isRename ? 'rename' : status === 'A' ? 'create' : status === 'D' ? 'delete' : 'edit',
          path,
          target,
          before: this.#blob(oldBlob),
          after: this.#blob(blob),
          mode,
        });
      }
    }
    return changes;
  }

  /** What git itself says has changed in a file, as a unified diff. */
  patch(commit: string, { path }: Change): string {
    const parent = this.#parentOf(commit);
    // Edits alone have a patch, so there is a parent.
    return this.#git('diff', '--no-renames', parent ?? commit, commit, '--', path).toString();
  }

  #parentOf(commit: string): string | undefined {
    return this.#git('rev-list', '--parents', '-n', '1', commit).toString().trim().split(' ')[1];
  }

  #blob(name: string): Buffer {
    return /^0*$/.test(name) ? Buffer.alloc(0) : this.#git('cat-file', 'blob', name);
  }

  #fields(...args: string[]): string[] {
    return this.#git(...args)
      .toString()
      .split('\0')
      .filter((field) => field !== '');
  }

  #git(...args: string[]): Buffer {
    return execFileSync('git', ['-c', 'core.quotePath=false', ...args], {
      cwd: this.#folder,
      maxBuffer: 1024 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}
