/**
 * Runs tasks one at a time per key, in order of arrival; tasks of different keys run side by side.
 *
 * A task's place in the line is taken synchronously, when `run` is called.
 */
export class Queue {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `task` when every task that arrived earlier for `key` has settled. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    return this.runAll([key], task);
  }

  /**
   * Runs `task` while it holds every key of `keys`. All places are taken at once, so two tasks that share keys can never
   * wait for each other.
   */
  async runAll<T>(keys: readonly string[], task: () => Promise<T>): Promise<T> {
    const before = [...new Set(keys)].map((key) => this.#tails.get(key));
    let release = () => {};
    const done = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const key of keys) {
      this.#tails.set(key, done);
    }
    try {
      await Promise.all(before);
      return await task();
    } finally {
      release();
      for (const key of keys) {
        if (this.#tails.get(key) === done) {
          this.#tails.delete(key);
        }
      }
    }
  }
}
