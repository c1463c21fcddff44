import { createHash } from 'node:crypto';
import type { Content, Mutation } from '../unit/support/inMemoryFile.ts';
import type { Call } from './calls.ts';

/** One change of what files hold, by whom, and in which call of an agent. */
export interface Happening extends Mutation {
  /** Its place in the order of all happenings, from 1. */
  readonly at: number;
  readonly call: Call | undefined;
  /** What ran on the file at that moment: nobody can tell a hook from another program, nor whose save participants run. */
  readonly beside: 'hooks' | 'an apply' | undefined;
}

/** What a file held from `at` on. */
export interface Moment {
  readonly at: number;
  readonly token: string;
  readonly content: Content;
}

const NOTHING: Content = { disk: undefined, buffer: undefined, isDirty: false };

/** The truth: what every file held at every moment, told by whatever changes it and never by the arbiter. */
export class Shadow {
  readonly happenings: Happening[] = [];
  readonly #moments = new Map<string, Moment[]>();

  /** How many happenings there have been. */
  get now(): number {
    return this.happenings.length;
  }

  observe(mutation: Mutation, call: Call | undefined, beside: Happening['beside']): Happening {
    const happening: Happening = { ...mutation, at: this.now + 1, call, beside };
    this.happenings.push(happening);
    for (const { path, after } of mutation.files) {
      const moments = this.moments(path);
      moments.push({ at: happening.at, token: tokenOf(after), content: after });
    }
    return happening;
  }

  /** Everything that a file has held, oldest first. */
  moments(path: string): Moment[] {
    let moments = this.#moments.get(path);
    if (!moments) {
      moments = [{ at: 0, token: 'absent', content: NOTHING }];
      this.#moments.set(path, moments);
    }
    return moments;
  }

  current(path: string): Moment {
    return this.moments(path).at(-1) as Moment;
  }

  /** What a file held at some time from `from` on. */
  since(path: string, from: number): Moment[] {
    const moments = this.moments(path);
    const first = moments.findLastIndex(({ at }) => at <= from);
    return moments.slice(Math.max(0, first));
  }

  /** The first moment from `from` on at which the file was in the state of a token. */
  firstIn(path: string, token: string, from: number): Moment | undefined {
    return this.since(path, from).find((moment) => moment.token === token);
  }

  /** What has happened to a file after a moment. */
  happeningsTo(path: string, after: number): Happening[] {
    return this.happenings.slice(after).filter(({ files }) => files.some((file) => file.path === path));
  }
}

/** The text that counts: what is unsaved in the editor, or else what is on disk. */
export function effectiveText({ disk, buffer, isDirty }: Content): string | undefined {
  return isDirty && buffer !== undefined ? buffer : disk;
}

/** The token of a state as the contract defines it, from the bytes themselves. */
export function tokenOf({ disk, buffer, isDirty }: Content): string {
  const base = disk === undefined ? 'absent' : `sha256:${sha256(disk)}`;
  return isDirty && buffer !== undefined && buffer !== disk ? `${base}+dirty:${sha256(buffer)}` : base;
}

/** Whether a token is one for the state of another one by the contract: the same, or the unsaved text was merely saved. */
export function isFreshFor(given: string, now: string): boolean {
  const [, effective] = given.split('+dirty:');
  return given === now || (effective !== undefined && now === `sha256:${effective}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** As agents see a text. */
export function fold(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
