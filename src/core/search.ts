/**
 * Calls `visit` with the offset of each occurrence of a needle from the left, overlapping ones included, until it answers
 * `false`. Offsets are UTF-16 code units; the needle must not be empty.
 *
 * The work is linear in the length of both strings whatever they hold. (The engine's own `indexOf` takes seconds for a long
 * needle in a repetitive line.) After Knuth, Morris and Pratt, "Fast Pattern Matching in Strings", SIAM J. Comput. 6, 1977;
 * between partial matches `indexOf` looks for the needle's first few code units, which is fast and cannot degenerate.
 */
export function eachOccurrence(content: string, needle: string, visit: (offset: number) => boolean): void {
  if (needle === '') {
    throw new RangeError('an empty needle occurs everywhere');
  }
  const head = needle.slice(0, HEAD);
  let at = content.indexOf(head);
  if (at === -1) {
    return;
  }
  const borders = bordersOf(needle);
  let matched = head.length;
  at += matched;
  while (true) {
    if (matched === needle.length) {
      if (!visit(at - matched)) {
        return;
      }
      matched = borders[matched] ?? 0;
    }
    if (matched === 0) {
      const next = content.indexOf(head, at);
      if (next === -1) {
        return;
      }
      matched = head.length;
      at = next + matched;
      continue;
    }
    if (at >= content.length) {
      return;
    }
    if (content.charCodeAt(at) === needle.charCodeAt(matched)) {
      matched++;
      at++;
    } else {
      matched = borders[matched] ?? 0;
    }
  }
}

/** Whether a needle occurs. */
export function contains(content: string, needle: string): boolean {
  let found = false;
  eachOccurrence(content, needle, () => {
    found = true;
    return false;
  });
  return found;
}

/** How often a needle occurs, overlapping occurrences counted, and the offsets of the first `limit`. */
export function occurrences(content: string, needle: string, limit: number): { count: number; offsets: number[] } {
  const offsets: number[] = [];
  let count = 0;
  eachOccurrence(content, needle, (offset) => {
    count++;
    if (offsets.length < limit) {
      offsets.push(offset);
    }
    return true;
  });
  return { count, offsets };
}

/** Long enough for `indexOf` to skip quickly, short enough that its worst case does not matter. */
const HEAD = 8;

/** For each length of a beginning of the needle, the length of the longest shorter beginning that also ends there. */
function bordersOf(needle: string): Uint32Array {
  const borders = new Uint32Array(needle.length + 1);
  let border = 0;
  for (let length = 1; length < needle.length; length++) {
    while (border > 0 && needle.charCodeAt(length) !== needle.charCodeAt(border)) {
      border = borders[border] ?? 0;
    }
    if (needle.charCodeAt(length) === needle.charCodeAt(border)) {
      border++;
    }
    borders[length + 1] = border;
  }
  return borders;
}
