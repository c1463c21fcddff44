import { cutAtCharacter, LineIndex, lineCount, splitsCharacter } from './lines.ts';
import { changesNothing, type Span, type Text } from './text.ts';

/** A unified diff of one file. */
export interface Patch {
  /**
   * The name in the `---` header, without its `a/` where both headers have such a prefix, without quotes and time stamp;
   * `null` for `/dev/null`, where the patch creates the file; `undefined` where there is no header.
   */
  readonly oldName: string | null | undefined;
  /** The name in the `+++` header, likewise; `null` where the patch deletes the file. */
  readonly newName: string | null | undefined;
  /** In the order of the file, none overlapping another. */
  readonly hunks: readonly Hunk[];
}

/** One hunk. Lines come without their newline; a lone `\r` in them is data. */
export interface Hunk {
  /** The zero-based line where the old lines stand, or before which a hunk without old lines inserts. */
  readonly oldStart: number;
  readonly lines: readonly HunkLine[];
}

export interface HunkLine {
  readonly kind: 'context' | 'removed' | 'added';
  readonly text: string;
  /** Whether the line is the file's last and no newline follows it. */
  readonly unended: boolean;
}

/** A patch, or what is wrong with its text at which of its own lines (1-based). */
export type PatchParse =
  | { readonly status: 'parsed'; readonly patch: Patch }
  | { readonly status: 'malformed'; readonly patchLine: number; readonly message: string };

/** Where the hunks of a patch go, or the first line that does not stand where its hunk says. */
export type PatchPlacement =
  | { readonly status: 'located'; readonly spans: readonly Span[] }
  | {
      readonly status: 'patch_mismatch';
      /** From 1. */
      readonly hunk: number;
      /** 1-based, of the file. */
      readonly line: number;
      readonly expected: string;
      /** What stands there instead; absent where the file has no such line. */
      readonly found?: string;
    }
  | { readonly status: 'no_change' };

/**
 * Reads a unified diff of one file in the forms that git and GNU diff write: with or without headers, counts left out, an
 * empty line for an empty context line, ended by `\n` or `\r\n`. The counts of every hunk must be right.
 */
export function parsePatch(patch: string): PatchParse {
  try {
    return { status: 'parsed', patch: new PatchReader(patch).read() };
  } catch (error) {
    if (error instanceof Malformed) {
      return { status: 'malformed', patchLine: error.patchLine, message: error.message };
    }
    throw error;
  }
}

/**
 * Places hunks exactly: every context and removed line must stand at the stated line, offset zero, fuzz zero, and the file
 * must end with or without a newline as the hunk says. The spans are whole lines, without the context.
 */
export function placePatch(text: Text, hunks: readonly Hunk[]): PatchPlacement {
  const { content } = text;
  const index = new LineIndex(content);
  const total = lineCount(content);
  const spans: Span[] = [];
  for (const [position, hunk] of hunks.entries()) {
    const mismatch = compareHunk(content, index, total, hunk);
    if (mismatch) {
      return { status: 'patch_mismatch', hunk: position + 1, ...mismatch };
    }
    spans.push(...spansOf(index, hunk));
  }
  return changesNothing(text, spans) ? { status: 'no_change' } : { status: 'located', spans };
}

/**
 * Hunks as they are for the text behind a byte order mark: diffs of whole files show it before the first line. Where one
 * side has it and the other has not, the patch is left as it is: an edit keeps the mark of its file.
 */
export function behindMark(hunks: readonly Hunk[]): readonly Hunk[] {
  const [first, ...others] = hunks;
  const heads = first?.oldStart === 0 ? [oldSide(first.lines)[0], newSide(first.lines)[0]] : [];
  if (first === undefined || heads.length === 0 || !heads.every((head) => head?.text.startsWith(MARK))) {
    return hunks;
  }
  const lines = first.lines.map((line) =>
    heads.includes(line) ? { ...line, text: line.text.slice(MARK.length) } : line,
  );
  return [{ ...first, lines }, ...others];
}

const MARK = '\uFEFF';

/** The lines that a hunk takes away or keeps, and those that it leaves behind, as text. */
export function sidesOf(hunk: Hunk): { oldText: string; newText: string } {
  return {
    oldText: joinLines(oldSide(hunk.lines)),
    newText: joinLines(newSide(hunk.lines)),
  };
}

class Malformed extends Error {
  readonly patchLine: number;

  constructor(patchLine: number, message: string) {
    super(message);
    this.patchLine = patchLine;
  }
}

const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const EXTENDED_HEADER =
  /^(?:diff |index |old mode |new mode |deleted file mode |new file mode |similarity index |dissimilarity index |rename from |rename to |copy from |copy to |Index: |={3,}$)/;

class PatchReader {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(patch: string) {
    const lines = patch
      .split('\n')
      .map((line, index, all) => (index < all.length - 1 ? line.replace(/\r$/, '') : line));
    if (lines.at(-1) === '') {
      lines.pop();
    }
    this.#lines = lines;
  }

  read(): Patch {
    const { oldName, newName } = this.#readHeaders();
    const hunks: Hunk[] = [];
    for (let line = this.#peek(); line !== undefined; line = this.#peek()) {
      if (line.startsWith('@@')) {
        hunks.push(this.#readHunk(hunks.at(-1)));
      } else if (line.trim() === '' && this.#onlyBlanksLeft()) {
        break;
      } else if (/^(?:diff |Index: |--- )/.test(line)) {
        throw this.#malformed('a second file begins here; send one patch for each file');
      } else {
        throw this.#malformed('this line is beyond the counts in the header of its hunk');
      }
    }
    if (hunks.length === 0) {
      throw this.#malformed('no hunk found: a hunk begins with a line such as "@@ -41,2 +41,3 @@"');
    }
    return { oldName, newName, hunks };
  }

  #peek(): string | undefined {
    return this.#lines[this.#at];
  }

  #malformed(message: string, at = this.#at): Malformed {
    return new Malformed(at + 1, message);
  }

  #onlyBlanksLeft(): boolean {
    return this.#lines.slice(this.#at).every((line) => line.trim() === '');
  }

  #readHeaders(): { oldName: string | null | undefined; newName: string | null | undefined } {
    let oldName: string | null | undefined;
    let newName: string | null | undefined;
    let files = 0;
    for (let line = this.#peek(); line !== undefined && !line.startsWith('@@'); line = this.#peek()) {
      if (line.startsWith('--- ') && oldName === undefined) {
        oldName = this.#readName(line);
      } else if (line.startsWith('+++ ') && newName === undefined && oldName !== undefined) {
        newName = this.#readName(line);
      } else if (line.startsWith('diff ') && files++ > 0) {
        throw this.#malformed('a second file begins here; send one patch for each file');
      } else if (line.startsWith('Binary files ') || line === 'GIT binary patch') {
        throw this.#malformed('a binary patch cannot be placed in a text');
      } else if (line.trim() !== '' && !EXTENDED_HEADER.test(line)) {
        throw this.#malformed('this is neither a header nor a hunk of a unified diff');
      }
      this.#at++;
    }
    if (oldName !== undefined && newName === undefined) {
      throw this.#malformed('a "---" header without a "+++" header');
    }
    const prefixed = (oldName === null || oldName?.startsWith('a/')) && (newName === null || newName?.startsWith('b/'));
    return prefixed ? { oldName: oldName?.slice(2) ?? null, newName: newName?.slice(2) ?? null } : { oldName, newName };
  }

  #readName(line: string): string | null {
    const field = line.slice(4);
    const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(field)?.[1];
    const name = quoted === undefined ? field.replace(/\t.*$/, '') : unquote(quoted);
    return name === '/dev/null' ? null : name;
  }

  #readHunk(previous: Hunk | undefined): Hunk {
    const headerAt = this.#at++;
    const header = HUNK_HEADER.exec(this.#lines[headerAt] ?? '');
    if (!header) {
      throw this.#malformed('the header of a hunk must read "@@ -line,count +line,count @@"', headerAt);
    }
    const [, oldLine = '', oldCount = '1', newCount = '1'] = header;
    const oldStart = Number(oldCount) === 0 ? Number(oldLine) : Number(oldLine) - 1;
    if (oldStart < 0) {
      throw this.#malformed('lines are counted from 1', headerAt);
    }
    const lines = this.#readLines(headerAt, Number(oldCount), Number(newCount));
    if (previous && !follows(previous, oldStart, lines)) {
      throw this.#malformed('hunks must stand in the order of the file and must not overlap', headerAt);
    }
    for (const side of [oldSide(lines), newSide(lines)]) {
      if (side.slice(0, -1).some((line) => line.unended)) {
        throw this.#malformed('only the last line of a file can be without a newline', headerAt);
      }
    }
    return { oldStart, lines };
  }

  #readLines(headerAt: number, oldCount: number, newCount: number): HunkLine[] {
    const lines: HunkLine[] = [];
    let oldLeft = oldCount;
    let newLeft = newCount;
    for (let line = this.#peek(); oldLeft > 0 || newLeft > 0 || line?.startsWith('\\'); line = this.#peek()) {
      const last = lines.at(-1);
      if (line === undefined || line.startsWith('@@')) {
        const found = `-${oldCount - oldLeft} +${newCount - newLeft}`;
        throw this.#malformed(`the header counts -${oldCount} +${newCount} lines, but ${found} follow`, headerAt);
      }
      if (line.startsWith('\\') && last) {
        lines[lines.length - 1] = { ...last, unended: true };
      } else {
        const kind = KINDS.get(line.charAt(0));
        if (kind === undefined) {
          throw this.#malformed('a line of a hunk must begin with a blank, "-", "+" or "\\"');
        }
        oldLeft -= kind === 'added' ? 0 : 1;
        newLeft -= kind === 'removed' ? 0 : 1;
        if (oldLeft < 0 || newLeft < 0) {
          throw this.#malformed(`more lines than the -${oldCount} +${newCount} that the header of the hunk counts`);
        }
        lines.push({ kind, text: line.slice(1), unended: false });
      }
      this.#at++;
    }
    return lines;
  }
}

/** An empty line is an empty context line whose blank was trimmed on the way. */
const KINDS: ReadonlyMap<string, HunkLine['kind']> = new Map([
  [' ', 'context'],
  ['', 'context'],
  ['-', 'removed'],
  ['+', 'added'],
]);

function oldSide(lines: readonly HunkLine[]): HunkLine[] {
  return lines.filter((line) => line.kind !== 'added');
}

function newSide(lines: readonly HunkLine[]): HunkLine[] {
  return lines.filter((line) => line.kind !== 'removed');
}

/** Whether a hunk lies behind another. Two that would both insert where they touch have no order. */
function follows(previous: Hunk, oldStart: number, lines: readonly HunkLine[]): boolean {
  const previousEnd = previous.oldStart + oldSide(previous.lines).length;
  const bothInsert = previous.lines.at(-1)?.kind === 'added' && lines[0]?.kind === 'added';
  return oldStart > previousEnd || (oldStart === previousEnd && !bothInsert);
}

function joinLines(lines: readonly HunkLine[]): string {
  return lines.map((line) => (line.unended ? line.text : `${line.text}\n`)).join('');
}

/** Undoes git's quoting of a name: the escapes of C, with the bytes of UTF-8 as octal numbers. */
function unquote(quoted: string): string {
  const bytes: number[] = [];
  for (const [part, octal, escaped] of quoted.matchAll(/\\([0-7]{1,3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) {
      bytes.push(Number.parseInt(octal, 8));
    } else {
      bytes.push(...new TextEncoder().encode(escaped === undefined ? part : (ESCAPES.get(escaped) ?? escaped)));
    }
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
]);

interface Mismatch {
  readonly line: number;
  readonly expected: string;
  readonly found?: string;
}

const NO_NEWLINE = '\n\\ No newline at end of file';

function compareHunk(content: string, index: LineIndex, total: number, hunk: Hunk): Mismatch | undefined {
  const unended = content !== '' && !content.endsWith('\n');
  const standsAt = (line: number): string | undefined => {
    const text = content.slice(index.lineStart(line), index.lineStart(line + 1));
    return line >= total ? undefined : text.endsWith('\n') ? text.slice(0, -1) : text + NO_NEWLINE;
  };
  let line = hunk.oldStart;
  for (const { text, unended: last } of oldSide(hunk.lines)) {
    const expected = last ? text + NO_NEWLINE : text;
    const found = standsAt(line);
    if (found !== expected) {
      return mismatch(line, expected, found);
    }
    line++;
  }
  if (line > total) {
    return mismatch(line - 1, 'a line after which to insert', undefined);
  }
  if (line === total && hunk.oldStart === total && unended) {
    const found = standsAt(total - 1);
    return mismatch(total - 1, found?.slice(0, -NO_NEWLINE.length) ?? '', found);
  }
  const endsFile = newSide(hunk.lines).at(-1)?.unended;
  return endsFile && line < total ? mismatch(line, 'the end of the file', standsAt(line)) : undefined;
}

function mismatch(line: number, expected: string, found: string | undefined): Mismatch {
  const from = found === undefined ? 0 : Math.max(0, firstDifference(expected, found) - MAX_EXCERPT / 2);
  return {
    line: line + 1,
    expected: excerpt(expected, from),
    ...(found !== undefined && { found: excerpt(found, from) }),
  };
}

const MAX_EXCERPT = 200;

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) {
    at++;
  }
  return at;
}

function excerpt(text: string, from: number): string {
  if (text.length <= MAX_EXCERPT) {
    return text;
  }
  const start = splitsCharacter(text, from) ? from - 1 : from;
  const part = cutAtCharacter(text.slice(start), MAX_EXCERPT);
  return `${start > 0 ? '…' : ''}${part}${start + part.length < text.length ? '…' : ''}`;
}

function spansOf(index: LineIndex, hunk: Hunk): Span[] {
  const spans: Span[] = [];
  let line = hunk.oldStart;
  let run: { firstLine: number; added: HunkLine[] } | undefined;
  const endRun = (): void => {
    if (run) {
      spans.push({ start: index.lineStart(run.firstLine), end: index.lineStart(line), text: joinLines(run.added) });
      run = undefined;
    }
  };
  for (const hunkLine of hunk.lines) {
    if (hunkLine.kind === 'context') {
      endRun();
    } else {
      run ??= { firstLine: line, added: [] };
    }
    if (hunkLine.kind === 'added') {
      run?.added.push(hunkLine);
    } else {
      line++;
    }
  }
  endRun();
  return spans;
}
