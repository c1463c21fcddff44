import { lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from './errors.ts';

/** What is asked of a disk here. */
export interface Folders {
  /** What is at a path, links not followed: equal for two paths of one thing, `undefined` where nothing is. */
  readonly identityOf: (path: string) => string | undefined;
  /** Moves whenever the names in a folder do. */
  readonly versionOf: (folder: string) => string;
  readonly namesIn: (folder: string) => readonly string[];
}

/**
 * Spells real paths as their folders do. Where a folder takes names in any letter case, one file has many paths: macOS and
 * Windows give its own when links are resolved, Linux leaves letter case as it is written (a Windows disk below WSL).
 */
export class Spelling {
  readonly #folders: Folders;
  /** Whether a folder takes names in any letter case: that does not change. */
  readonly #isBlind = new Map<string, boolean>();
  readonly #names = new Map<string, { readonly version: string; readonly names: readonly string[] }>();

  constructor(folders: Folders) {
    this.#folders = folders;
  }

  /** @param path absolute, of something that exists, without links. */
  of(path: string): string {
    const folder = dirname(path);
    if (folder === path) {
      return path;
    }
    const parent = this.of(folder);
    const name = basename(path);
    return join(parent, this.#takesAnyCase(parent, name) ? this.#nameIn(parent, name) : name);
  }

  #takesAnyCase(folder: string, name: string): boolean {
    const known = this.#isBlind.get(folder);
    const other = swapCase(name);
    if (known !== undefined || other === name) {
      return known ?? false;
    }
    const one = this.#folders.identityOf(join(folder, name));
    const isBlind = one !== undefined && one === this.#folders.identityOf(join(folder, other));
    if (one !== undefined) {
      this.#isBlind.set(folder, isBlind);
    }
    return isBlind;
  }

  #nameIn(folder: string, name: string): string {
    const version = this.#folders.versionOf(folder);
    let known = this.#names.get(folder);
    if (known?.version !== version) {
      known = { version, names: this.#folders.namesIn(folder) };
      this.#names.set(folder, known);
    }
    const { names } = known;
    return names.includes(name) ? name : (names.find((one) => fold(one) === fold(name)) ?? name);
  }
}

/** The disk of this machine. What cannot be looked at is taken to be spelled right. */
export const DISK: Folders = {
  identityOf: (path) =>
    tryTo(undefined, () => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats && `${stats.dev} ${stats.ino}`;
    }),
  versionOf: (folder) => tryTo('', () => String(statSync(folder, { bigint: true }).mtimeNs)),
  namesIn: (folder) => tryTo([], () => readdirSync(folder)),
};

function tryTo<T>(otherwise: T, look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (codeOf(error) === undefined) {
      throw error;
    }
    return otherwise;
  }
}

function fold(name: string): string {
  return name.toUpperCase();
}

function swapCase(name: string): string {
  const lower = name.toLowerCase();
  return lower === name ? name.toUpperCase() : lower;
}
