/** The middle of some times. */
export function median(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
}

/** How long something takes, in milliseconds, or what it says of itself. */
export type Timed = (round: number) => Promise<number>;

/**
 * Measures ways of doing one thing side by side: in each round all of them, in turn first and last, so that whatever else the
 * machine does meets all alike.
 *
 * @returns the median of each, in milliseconds.
 */
export async function sideBySide<Way extends string>(
  rounds: number,
  ways: Readonly<Record<Way, Timed>>,
): Promise<Record<Way, number>> {
  const times = new Map<string, number[]>();
  const entries = Object.entries<Timed>(ways);
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [way, run] of round % 2 === 0 ? entries : entries.toReversed()) {
      const time = await run(round);
      if (round > 0) {
        times.set(way, [...(times.get(way) ?? []), time]);
      }
    }
  }
  return Object.fromEntries(entries.map(([way]) => [way, median(times.get(way) ?? [])])) as Record<Way, number>;
}

/** How long `body` takes, in milliseconds. */
export async function timeOf(body: () => unknown): Promise<number> {
  const start = performance.now();
  await body();
  return performance.now() - start;
}

/** One line of the report. */
export function line(what: string, measured: string, aim: string): string {
  return `    ${what}: ${measured} (aim: ${aim})`;
}

export function times(value: number): string {
  return `${value.toFixed(2)} times`;
}

export function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}
