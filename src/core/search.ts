/**
 * Calls `visit` with the offset of each occurrence of a needle from the left, overlapping ones included, until it answers
 * `false`. Offsets are UTF-16 code units; the needle must not be empty.
 *
 * `indexOf` looks for the few code units of the needle that are rarest in the content, and each place where they stand is
 * compared. Where that has cost as much as reading the content, the rest goes to a search whose work is linear whatever both
 * strings hold. (The engine's own `indexOf` takes seconds for a long needle in a repetitive line.)
 */
export function eachOccurrence(content: string, needle: string, visit: (offset: number) => boolean): void {
  if (needle === '') {
    throw new RangeError('an empty needle occurs everywhere');
  }
  const anchor = anchorOf(content, needle);
  const text = needle.slice(anchor, anchor + ANCHOR);
  let budget = content.length + needle.length;
  for (let at = content.indexOf(text, anchor); at !== -1; at = content.indexOf(text, at + 1)) {
    const start = at - anchor;
    if (budget < 0) {
      eachOccurrenceFrom(start, content, needle, visit);
      return;
    }
    budget -= ANCHOR;
    if (content.startsWith(needle.slice(0, ANCHOR), start)) {
      budget -= needle.length;
      if (content.startsWith(needle, start) && !visit(start)) {
        return;
      }
    }
  }
}

/** How many code units are looked for at first: `indexOf` skips the more the more there are, and its worst case grows, too. */
const ANCHOR = 24;
/** How many code units of the content tell how frequent each is, and in how many places they are looked up. */
const [SAMPLE, PLACES] = [2_048, 8];

/** Where the code units of the needle begin that are rarest in the content. */
function anchorOf(content: string, needle: string): number {
  if (needle.length <= ANCHOR) {
    return 0;
  }
  const counts = new Uint16Array(256);
  const size = SAMPLE / PLACES;
  for (let place = 0; place < PLACES; place++) {
    const from = Math.floor(((content.length - size) * place) / PLACES);
    for (let at = Math.max(0, from); at < from + size; at++) {
      const slot = content.charCodeAt(at) & 255;
      counts[slot] = (counts[slot] ?? 0) + 1;
    }
  }
  const rarity = (at: number) => Math.log2(1 + (counts[needle.charCodeAt(at) & 255] ?? 0));
  let sum = 0;
  let least = Number.POSITIVE_INFINITY;
  let best = 0;
  for (let at = 0; at < needle.length; at++) {
    sum += rarity(at) - (at >= ANCHOR ? rarity(at - ANCHOR) : 0);
    if (at >= ANCHOR - 1 && sum < least - 1e-6) {
      least = sum;
      best = at - ANCHOR + 1;
    }
  }
  return best;
}

/**
 * As {@link eachOccurrence}, for occurrences from an offset on. After Knuth, Morris and Pratt, "Fast Pattern Matching in
 * Strings", SIAM J. Comput. 6, 1977.
 */
function eachOccurrenceFrom(from: number, content: string, needle: string, visit: (offset: number) => boolean): void {
  const borders = bordersOf(needle);
  let matched = 0;
  for (let at = from; at < content.length; at++) {
    while (matched > 0 && content.charCodeAt(at) !== needle.charCodeAt(matched)) {
      matched = borders[matched] ?? 0;
    }
    if (content.charCodeAt(at) === needle.charCodeAt(matched)) {
      matched++;
    }
    if (matched === needle.length) {
      if (!visit(at + 1 - matched)) {
        return;
      }
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
