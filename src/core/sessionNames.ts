/** Names sessions for people: `session 1` and so on, in the order of their appearance. */
export class SessionNames {
  readonly #numbers = new Map<string, number>();

  /** @param id `undefined` where the editor could not tell. */
  nameOf(id: string | undefined): string {
    if (id === undefined) {
      return 'session unknown';
    }
    const number = this.#numbers.get(id) ?? this.#numbers.size + 1;
    this.#numbers.set(id, number);
    return `session ${number}`;
  }
}
