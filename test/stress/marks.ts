const MARK = /\[[a-z]+\d+\]/g;

/** Makes marks: words that nobody writes twice, so that of each it can be told whether it is still there, and whose it is. */
export class Marks {
  #count = 0;

  next(by: string): string {
    this.#count += 1;
    return `[${by}${this.#count}]`;
  }
}

export function marksIn(text: string | undefined): ReadonlySet<string> {
  return new Set(text?.match(MARK) ?? []);
}

/** The marks of `one` that are not among `others`. */
export function without(one: Iterable<string>, ...others: readonly ReadonlySet<string>[]): string[] {
  return [...one].filter((mark) => !others.some((other) => other.has(mark)));
}
