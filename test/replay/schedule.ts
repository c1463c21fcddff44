/** What moves a file between an agent's read and its edit, in the words of the published measurement. */
export type Mover = 'own edit' | 'hook' | 'generator' | 'engineer';

/** How a move stands to the edit that was planned before it. */
export type Touch =
  /** It changes what the edit was computed from, and not the place of the edit: the edit still applies, and is wrong. */
  | 'inputs'
  /** It changes something else in the file. */
  | 'elsewhere'
  /** It changes the very text that the edit replaces. */
  | 'place';

/** What happens around an edit and moves nothing: none of it may make a base stale. */
export type Distraction =
  | 'time stamp touched'
  | 'same bytes written again'
  | 'another file generated'
  | 'another file typed in'
  | 'typed and undone'
  | 'unsaved text saved';

/** One or two applies of an agent to one file, planned on one read. */
export type Episode =
  | { readonly kind: 'calm'; readonly file: number; readonly distraction?: Distraction }
  | { readonly kind: 'moved'; readonly file: number; readonly by: Mover; readonly touches: Touch };

/** How many applies there are, and how many of them come after the file has moved, by whom. */
export interface Mix {
  readonly applies: number;
  readonly moved: Readonly<Record<Mover, number>>;
}

/**
 * One week on an active service, as published: 761 applies, 47 of them (6.2 %) on a base that had moved; by the agent's own
 * earlier edit 61 %, a post-write formatting hook 24 %, a code generator started by a test target 9 %, the engineer in another
 * window 6 %.
 */
export const WEEK: Mix = { applies: 761, moved: { 'own edit': 29, hook: 11, generator: 4, engineer: 3 } };

/** The same kinds in about a tenth of the time, each at least once. */
export const SHORT_WEEK: Mix = { applies: 40, moved: { 'own edit': 3, hook: 2, generator: 2, engineer: 2 } };

export const MOVERS: readonly Mover[] = ['own edit', 'hook', 'generator', 'engineer'];

const DISTRACTIONS: readonly Distraction[] = [
  'time stamp touched',
  'same bytes written again',
  'another file generated',
  'another file typed in',
  'typed and undone',
  'unsaved text saved',
];

/** One in so many calm applies has something going on around it. */
const CALM_PER_DISTRACTION = 4;

/**
 * The episodes of a week, in an order that `random` gives. The published measurement does not say how a move stood to the
 * edit that came after it, so each way gets a third; a formatter changes no value, so it never changes what an edit was
 * computed from.
 */
export function makeSchedule({ applies, moved }: Mix, files: number, random: () => number): Episode[] {
  const file = () => Math.floor(random() * files);
  const stale = MOVERS.flatMap((by) =>
    Array.from({ length: moved[by] }, (_, index): Episode => {
      const ways: readonly Touch[] = by === 'hook' ? ['elsewhere', 'place'] : ['inputs', 'elsewhere', 'place'];
      return { kind: 'moved', file: file(), by, touches: ways[index % ways.length] ?? 'elsewhere' };
    }),
  );
  const calm = Array.from(
    { length: applies - stale.reduce((sum, episode) => sum + appliesIn(episode), 0) },
    (_, index) => {
      const distraction = DISTRACTIONS[(index / CALM_PER_DISTRACTION) % DISTRACTIONS.length];
      return { kind: 'calm', file: file(), ...(distraction ? { distraction } : {}) } satisfies Episode;
    },
  );
  return shuffle<Episode>([...stale, ...calm], random);
}

/** An own edit and a hook need an apply that comes first. */
export function appliesIn(episode: Episode): number {
  return episode.kind === 'moved' && (episode.by === 'own edit' || episode.by === 'hook') ? 2 : 1;
}

/** Numbers from 0 to 1, the same for the same seed: the generator mulberry32, by Tommy Ettinger, public domain. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** After Fisher and Yates. */
function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const shuffled: Item[] = [];
  for (const item of items) {
    const at = Math.floor(random() * (shuffled.length + 1));
    shuffled.push(shuffled[at] ?? item);
    shuffled[at] = item;
  }
  return shuffled;
}
