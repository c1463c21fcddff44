import fc from 'fast-check';
import { type Mutant, type Played, play } from './coreWorld.ts';
import type { Rule } from './judge.ts';
import { addNumbers, type Numbers, noNumbers } from './numbers.ts';
import { type Schedule, schedules } from './steps.ts';

/** Most steps of one schedule. */
const LENGTH = 80;
/** How many schedules are tried to shorten a story: by `fast-check`, and once more by leaving out one step after the other. */
const TRIES = 3_000;

export interface CoreRun {
  readonly numbers: Numbers;
  /** The seeds whose story breaks a rule. */
  readonly failed: readonly number[];
}

/**
 * Plays schedules on the core, one for each seed from `seed` on.
 *
 * @param most after how many failures it stops.
 */
export async function runCore(seed: number, count: number, most: number, mutant?: Mutant): Promise<CoreRun> {
  const numbers = noNumbers();
  const failed: number[] = [];
  for (let own = seed; own < seed + count && failed.length < most; own += 1) {
    const played = await play(scheduleOf(own), mutant);
    addNumbers(numbers, played.numbers);
    if (played.violations.length > 0) {
      failed.push(own);
    }
  }
  return { numbers, failed };
}

/** The first seed from `seed` on whose story breaks one of these rules first, out of `count`. */
export async function firstToBreak(
  rules: readonly Rule[],
  seed: number,
  count: number,
  mutant: Mutant,
): Promise<number | undefined> {
  for (let own = seed; own < seed + count; own += 1) {
    const [violation] = (await play(scheduleOf(own), mutant)).violations;
    if (violation && rules.includes(violation.rule)) {
      return own;
    }
  }
  return undefined;
}

/** The shortest story that breaks the rule which the story of a seed breaks. */
export async function shorten(seed: number, mutant?: Mutant, most = TRIES): Promise<Played> {
  let schedule = scheduleOf(seed);
  let shortest = await play(schedule, mutant);
  const rule = shortest.violations[0]?.rule;
  let tries = 0;
  /** Whether a schedule still breaks the rule. */
  const fails = async (shorter: Schedule): Promise<boolean> => {
    tries += 1;
    const played = tries > most ? undefined : await play(shorter, mutant);
    if (played?.violations[0] === undefined || played.violations[0].rule !== rule) {
      return false;
    }
    schedule = shorter;
    shortest = played;
    return true;
  };
  const property = fc.asyncProperty(schedules(LENGTH), async (shorter) => !(await fails(shorter)));
  await fc.check(property, { seed, numRuns: 1 });
  tries = 0;
  for (let isShorter = true; isShorter; ) {
    isShorter = false;
    for (let index = schedule.steps.length - 1; index >= 0; index -= 1) {
      const left = { ...schedule, steps: schedule.steps.toSpliced(index, 1) };
      isShorter = (await fails(left)) || isShorter;
    }
  }
  return shortest;
}

/** For people: the seed, the rule, and the story, one step a line. */
export function printFailure(seed: number, { violations, story }: Played): string {
  const rules = violations.map(({ rule, what }) => `  ${rule}: ${what}`);
  return [`seed ${seed}: npm run stress -- --schedules 1 --editor 0 --seed ${seed}`, ...rules, '', ...story].join('\n');
}

/** The same for the same seed, whatever was played before. */
function scheduleOf(seed: number): Schedule {
  const [schedule] = fc.sample(schedules(LENGTH), { seed, numRuns: 1 });
  if (!schedule) {
    throw new Error(`no schedule of seed ${seed}`);
  }
  return schedule;
}
