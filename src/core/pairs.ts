import { diffArrays } from 'diff';

/** About 20 ms of work where two large texts really share that many lines in another order. */
export const MAX_EDIT_LENGTH = 200;

/**
 * Pairs equal lines of two lists, in order, as many as there can be. A line that only one list holds can never be paired, so
 * these are left out before: that keeps the result and saves most of the work.
 */
export function preparePairs(
  oldLines: readonly string[],
  newLines: readonly string[],
): (maxEdits: number) => [number, number][] | undefined {
  const ids = new Map<string, number>();
  const oldIds = oldLines.map((line) => {
    const id = ids.get(line) ?? ids.size;
    ids.set(line, id);
    return id;
  });
  const newIds = newLines.map((line) => ids.get(line) ?? -1);
  const isShared = new Uint8Array(ids.size);
  for (const id of newIds) {
    if (id !== -1) {
      isShared[id] = 1;
    }
  }
  const oldIndexes = indexesOf(oldIds, (id) => isShared[id] === 1);
  const newIndexes = indexesOf(newIds, (id) => id !== -1);
  const oldShared = oldIndexes.map((index) => oldIds[index]);
  const newShared = newIndexes.map((index) => newIds[index]);
  return (maxEdits) => {
    if (oldShared.length === 0 || newShared.length === 0) {
      return [];
    }
    const runs = diffArrays(oldShared, newShared, { maxEditLength: maxEdits });
    if (runs === undefined) {
      return undefined;
    }
    const pairs: [number, number][] = [];
    let old = 0;
    let now = 0;
    for (const { added, removed, count } of runs) {
      if (!added && !removed) {
        for (let step = 0; step < count; step++) {
          pairs.push([oldIndexes[old + step] ?? 0, newIndexes[now + step] ?? 0]);
        }
      }
      old += added ? 0 : count;
      now += removed ? 0 : count;
    }
    return pairs;
  };
}

/** How many code units two strings have in common at their start. */
export function commonPrefix(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.charCodeAt(length) === b.charCodeAt(length)) {
    length++;
  }
  return length;
}

/** How many code units two strings have in common at their end, at most `limit`. */
export function commonSuffix(a: string, b: string, limit: number): number {
  let length = 0;
  while (length < limit && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) {
    length++;
  }
  return length;
}

function indexesOf(ids: readonly number[], isWanted: (id: number) => boolean): number[] {
  const indexes: number[] = [];
  for (const [index, id] of ids.entries()) {
    if (isWanted(id)) {
      indexes.push(index);
    }
  }
  return indexes;
}
