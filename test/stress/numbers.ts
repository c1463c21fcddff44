/** What came of schedules. */
export interface Numbers {
  schedules: number;
  steps: number;
  /** Points of the port at which others could act. */
  points: number;
  /** Entries of edits, by the status of their answer. */
  readonly entries: Record<string, number>;
  /** Changes of what files hold, by whose hand. */
  readonly moves: Record<string, number>;
  violations: number;
  /** Others' writes that the real editor wrote over between its own last look at the disk and its write. */
  inWindow: number;
}

export function noNumbers(): Numbers {
  return { schedules: 0, steps: 0, points: 0, entries: {}, moves: {}, violations: 0, inWindow: 0 };
}

export function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

export function addNumbers(to: Numbers, from: Numbers): void {
  to.schedules += from.schedules;
  to.steps += from.steps;
  to.points += from.points;
  to.violations += from.violations;
  to.inWindow += from.inWindow;
  for (const kind of ['entries', 'moves'] as const) {
    for (const [key, value] of Object.entries(from[kind])) {
      to[kind][key] = (to[kind][key] ?? 0) + value;
    }
  }
}

/** For people. */
export function printNumbers(numbers: Numbers): string {
  const { schedules, steps, points, entries, moves, violations, inWindow } = numbers;
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .toSorted(([, a], [, b]) => b - a)
      .map(([key, value]) => `${value} ${key}`)
      .join(', ');
  const { applied = 0, ...refused } = entries;
  return [
    `${schedules} schedules, ${steps} steps, ${points} points where others could act`,
    `  edits applied: ${applied}`,
    `  not applied: ${list(refused) || 'none'}`,
    `  moves: ${list(moves) || 'none'}`,
    `  violations: ${violations}`,
    ...(inWindow > 0 ? [`  lost to the editor's own write, within its known limit: ${inWindow}`] : []),
  ].join('\n');
}
