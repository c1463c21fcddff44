import { type CauseClass, classOf } from '../../src/core/statistics.ts';
import { MOVERS, type Mover } from './schedule.ts';

/** What came of a week. Counts are of applies. */
export interface WeekResult {
  applies: number;
  /** Planned on a version that was not the file's any more. */
  stale: number;
  /** Of the stale ones: refused as stale. */
  caught: number;
  /** Of the caught ones: those for which `changed_by` says exactly who it was, and nobody else. */
  namedRight: number;
  /** Of the stale ones: landed on a version that their author had not read. */
  landedUnread: number;
  /** Of those: applied cleanly, and say what is not so. */
  landedWrong: number;
  /** Of those: written to the disk under the engineer's unsaved text. */
  overUnsaved: number;
  /** Of the stale ones: could not be placed, and so failed loudly. */
  misplaced: number;
  /** Refused although the file was what its author had read. */
  falseAlarms: number;
  readonly named: { readonly mover: Mover; readonly as: readonly string[] }[];
}

export function countWeek(): WeekResult {
  return {
    applies: 0,
    stale: 0,
    caught: 0,
    namedRight: 0,
    landedUnread: 0,
    landedWrong: 0,
    overUnsaved: 0,
    misplaced: 0,
    falseAlarms: 0,
    named: [],
  };
}

/** The weeks beside each other, as a Markdown table. */
export function printWeeks(weeks: readonly { readonly name: string; readonly result: WeekResult }[]): string {
  const rows: readonly (readonly [string, (result: WeekResult) => string])[] = [
    ['applies', ({ applies }) => String(applies)],
    [
      'planned on a version that had moved',
      ({ stale, applies }) => `${stale} (${((stale / applies) * 100).toFixed(1)} %)`,
    ],
    ['refused as stale, nothing touched', ({ caught }) => String(caught)],
    ['cause named exactly', ({ namedRight, caught }) => (caught === 0 ? '–' : `${namedRight} of ${caught}`)],
    ['failed loudly: text not found', ({ misplaced }) => String(misplaced)],
    ['landed on a version not read', ({ landedUnread }) => String(landedUnread)],
    ['… and silently wrong', ({ landedWrong }) => String(landedWrong)],
    ['… and under unsaved text', ({ overUnsaved }) => String(overUnsaved)],
    ['false alarms', ({ falseAlarms }) => String(falseAlarms)],
  ];
  return [
    `| | ${weeks.map(({ name }) => name).join(' | ')} |`,
    `|---|${weeks.map(() => '--:').join('|')}|`,
    ...rows.map(([name, cell]) => `| ${name} | ${weeks.map(({ result }) => cell(result)).join(' | ')} |`),
  ].join('\n');
}

/** Who it was against who was named, as a Markdown table. */
export function printConfusion({ named }: WeekResult): string {
  const columns: readonly CauseClass[] = [
    ...new Set<CauseClass>([
      'own edit',
      'hook',
      'code generator',
      'engineer',
      ...named.flatMap(({ as }) => as.map(classOf)),
    ]),
  ];
  const cell = (mover: Mover, column: CauseClass) =>
    named.filter((one) => one.mover === mover && one.as.some((cause) => classOf(cause) === column)).length;
  return [
    `| who it was ↓ · named → | ${columns.join(' | ')} |`,
    `|---|${columns.map(() => '--:').join('|')}|`,
    ...MOVERS.map((mover) => `| ${mover} | ${columns.map((column) => cell(mover, column)).join(' | ')} |`),
  ].join('\n');
}
