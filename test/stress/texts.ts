import type { BufferEdit } from '../../src/core/landing.ts';
import { COMMON } from './plans.ts';
import type { Typing, Writing } from './steps.ts';

/** One change by hand, at a line of a text. */
export function typing(raw: string, at: number, how: Typing, mark: () => string): BufferEdit[] {
  const ending = raw.includes('\r\n') ? '\r\n' : '\n';
  const lines = raw.split(ending);
  const index = at % lines.length;
  const offset = lines.slice(0, index).join(ending).length + (index > 0 ? ending.length : 0);
  const length = lines[index]?.length ?? 0;
  switch (how) {
    case 'over':
      return [{ offset, length, text: mark() }];
    case 'away':
      return [{ offset, length, text: length === 0 ? mark() : '' }];
    case 'a line':
      return [{ offset, length: 0, text: `${mark()} typed${ending}` }];
    case 'into': {
      // Beside a mark, never inside of one.
      const end = (lines[index]?.indexOf(']') ?? -1) + 1;
      return [{ offset: offset + (at % 2 === 0 ? end : length), length: 0, text: ` ${mark()} ` }];
    }
    default:
      return how satisfies never;
  }
}

/** What a program writes. */
export interface Written {
  readonly content: string | undefined;
  /** Put in place by a rename. */
  readonly isRenamed?: boolean;
  /** Moved over another file. */
  readonly isMoved?: boolean;
}

/** What a program writes over what is on disk. @returns `undefined` where there is nothing that it could do that with. */
export function writing(disk: string | undefined, at: number, how: Writing, mark: () => string): Written | undefined {
  const ending = disk?.includes('\r\n') ? '\r\n' : '\n';
  const lines = disk?.split(ending) ?? [''];
  const spliced = (removed: number) =>
    lines.toSpliced(at % Math.max(1, lines.length - 1), removed, mark()).join(ending);
  switch (how) {
    case 'adds a line':
      return { content: spliced(0) };
    case 'replaces a line':
      return { content: spliced(1) };
    case 'writes anew':
      return { content: `${mark()} anew${ending}${COMMON}${ending}` };
    case 'replaces by rename':
      return { content: `${mark()} replaced${ending}${disk ?? ''}`, isRenamed: true };
    case 'writes the same bytes':
      return disk === undefined ? undefined : { content: disk };
    case 'deletes':
      return disk === undefined ? undefined : { content: undefined };
    case 'moves it over':
      return disk === undefined ? undefined : { content: disk, isMoved: true };
    default:
      return how satisfies never;
  }
}
