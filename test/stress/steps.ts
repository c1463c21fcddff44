import fc from 'fast-check';
import type { Mode, Reflex } from './agent.ts';
import { FORMS, type Form } from './plans.ts';

/** The files of the world; those that are not there at first may come. */
export const PATHS = ['a.txt', 'b.txt', 'c.txt', 'd.txt'] as const;
export const AGENTS = ['a', 'b', 'c'] as const;

/** In the place of a file: the one at which the newest call waits. */
export const WHERE_A_CALL_WAITS = PATHS.length;

export type AgentName = (typeof AGENTS)[number];

/** One thing that somebody does. Numbers pick among what there is at that moment, over and over. */
export type Step =
  /** What waits at a point of the port goes on, past as many points. */
  | { readonly does: 'goes on'; readonly pick: number; readonly points: number }
  | { readonly does: 'reads'; readonly agent: AgentName; readonly files: readonly number[]; readonly isPart: boolean }
  | {
      readonly does: 'edits';
      readonly agent: AgentName;
      readonly edits: readonly EditStep[];
      readonly mode: Mode;
      /** Whether the agent reads first what it edits. */
      readonly isCareful: boolean;
      /** Past how many points it goes on at once. */
      readonly points: number;
    }
  | { readonly does: 'retries'; readonly agent: AgentName }
  | { readonly does: 'insists'; readonly agent: AgentName; readonly how: Reflex }
  | { readonly does: 'checks'; readonly agent: AgentName; readonly files: readonly number[] }
  | { readonly does: 'types'; readonly file: number; readonly at: number; readonly how: Typing }
  | { readonly does: 'fixes'; readonly file: number; readonly at: number }
  | { readonly does: 'undoes' | 'redoes' | 'opens' | 'closes' | 'reverts' | 'reloads'; readonly file: number }
  | { readonly does: 'saves'; readonly file: number; readonly isForced: boolean }
  | { readonly does: 'renames in the editor'; readonly file: number; readonly to: number }
  | {
      readonly does: 'writes';
      readonly file: number;
      readonly at: number;
      readonly how: Writing;
      readonly isGenerator: boolean;
    }
  | { readonly does: 'gets stuck'; readonly file: number; readonly isStuck: boolean };

export interface EditStep {
  readonly file: number;
  readonly form: Form;
  readonly at: number;
  readonly age: number;
  readonly to: number;
  /** The file whose base is carried, by mistake. */
  readonly of: number | undefined;
  readonly isAbbreviated: boolean;
}

/** How the engineer types: a word into a line, over a line, or a line away. */
export type Typing = 'into' | 'over' | 'away' | 'a line';

export type Writing =
  | 'adds a line'
  | 'replaces a line'
  | 'writes anew'
  | 'writes the same bytes'
  | 'replaces by rename'
  | 'deletes'
  | 'moves it over';

/** What does not change while a schedule is played. */
export interface Setting {
  readonly participants: boolean;
  readonly hook: boolean;
  readonly isWide: boolean;
  /** How many of the files are open in the editor at first. */
  readonly open: number;
  /** How many lines each file has at first. */
  readonly lines: number;
}

export interface Schedule {
  readonly setting: Setting;
  readonly steps: readonly Step[];
}

const file = fc.nat(PATHS.length - 1);
/** For others than agents: half of them act where a call waits. */
const place = fc.constantFrom(0, 1, 2, 3, WHERE_A_CALL_WAITS, WHERE_A_CALL_WAITS, WHERE_A_CALL_WAITS);
const at = fc.nat(5);
const agent = fc.constantFrom(...AGENTS);
const mode = fc.constantFrom<Mode>('continue', 'continue', 'stop', 'atomic', 'atomic');

const edit = fc.record<EditStep>({
  file,
  form: fc.constantFrom<Form>(...FORMS.slice(0, 10), ...FORMS.slice(0, 6), ...FORMS),
  at,
  age: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2),
  to: file,
  of: fc.option(file, { freq: 40, nil: undefined }),
  isAbbreviated: fc.constantFrom(false, false, false, false, false, true),
});

const one = <T extends Step>(weight: number, record: fc.Arbitrary<T>) => ({ weight, arbitrary: record });

/** Half of the steps let time pass, so that calls come to their end and others come in between. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  one(
    40,
    fc.record({
      does: fc.constant('goes on'),
      pick: fc.nat(3),
      points: fc.constantFrom(1, 1, 1, 2, 3, 5, 9, 15),
    }),
  ),
  one(
    20,
    fc.record({
      does: fc.constant('edits'),
      agent,
      edits: fc.oneof(
        { weight: 3, arbitrary: fc.tuple(edit) },
        { weight: 2, arbitrary: fc.uniqueArray(edit, { minLength: 2, maxLength: 3, selector: (each) => each.file }) },
      ),
      mode,
      isCareful: fc.constantFrom(true, true, false),
      points: fc.constantFrom(0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    }),
  ),
  one(
    6,
    fc.record({
      does: fc.constant('reads'),
      agent,
      files: fc.uniqueArray(file, { minLength: 1, maxLength: 4 }),
      isPart: fc.boolean(),
    }),
  ),
  one(2, fc.record({ does: fc.constant('retries'), agent })),
  one(
    3,
    fc.record({
      does: fc.constant('insists'),
      agent,
      how: fc.constantFrom<Reflex>('as it is', 'with a reason', 'planned again'),
    }),
  ),
  one(3, fc.record({ does: fc.constant('checks'), agent, files: fc.uniqueArray(file, { maxLength: 3 }) })),
  one(
    5,
    fc.record({
      does: fc.constant('types'),
      file: place,
      at,
      how: fc.constantFrom<Typing>('into', 'into', 'over', 'away', 'a line'),
    }),
  ),
  one(2, fc.record({ does: fc.constant('fixes'), file: place, at })),
  one(
    4,
    fc.record({
      does: fc.constantFrom('undoes', 'undoes', 'redoes', 'opens', 'closes', 'reverts'),
      file: place,
    }),
  ),
  one(4, fc.record({ does: fc.constant('reloads'), file: place })),
  one(4, fc.record({ does: fc.constant('saves'), file: place, isForced: fc.constantFrom(false, false, false, true) })),
  one(1, fc.record({ does: fc.constant('renames in the editor'), file: place, to: file })),
  one(
    4,
    fc.record({
      does: fc.constant('writes'),
      file: place,
      at,
      how: fc.constantFrom<Writing>(
        'adds a line',
        'adds a line',
        'replaces a line',
        'writes anew',
        'writes the same bytes',
        'replaces by rename',
        'adds a line',
        'replaces a line',
        'deletes',
        'moves it over',
      ),
      isGenerator: fc.boolean(),
    }),
  ),
  one(2, fc.record({ does: fc.constant('gets stuck'), file: place, isStuck: fc.boolean() })),
) as fc.Arbitrary<Step>;

const setting = fc.record<Setting>({
  participants: fc.boolean(),
  hook: fc.boolean(),
  isWide: fc.boolean(),
  open: fc.nat(3),
  lines: fc.integer({ min: 1, max: 5 }),
});

export function schedules(length: number): fc.Arbitrary<Schedule> {
  return fc.noBias(fc.record({ setting, steps: fc.array(step, { maxLength: length, size: 'max' }) }));
}
