// What the extension and the page of the conflict panel say to each other. Each end checks what it is given.

import { isNumber, isString, listOf, oneOf, optional, shape } from './guards.ts';

/** Who moves files: the words of the statistics. Each has an icon and a colour. */
export const CAUSE_KINDS = [
  'own edit',
  'other session',
  'hook',
  'code generator',
  'git',
  'engineer',
  'chat edit',
  'other extension',
  'external writer',
  'unknown',
] as const;

export type CauseKind = (typeof CAUSE_KINDS)[number];

export interface Cause {
  readonly kind: CauseKind;
  /** For a person, one line. */
  readonly text: string;
  /** What speaks for it: one sentence. */
  readonly evidence?: string;
}

interface Row {
  /** Stays the same as long as the row means the same thing, also over a reload of the window. */
  readonly id: string;
  readonly name: string;
  /** The folder inside the workspace; empty at its root. */
  readonly folder: string;
  /** `session 2`. */
  readonly session: string;
  readonly turn: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Oldest first. */
  readonly causes: readonly Cause[];
}

/** A held base that has moved. */
export interface StaleRow extends Row {
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
}

/** A refused edit. */
export interface RefusedRow extends Row {
  readonly status: string;
  readonly explanation?: string | undefined;
  /** How the edit stands to what is there now. */
  readonly fit?: string | undefined;
  readonly reason?: string | undefined;
}

export interface CauseCount {
  readonly kind: CauseKind;
  readonly count: number;
}

/** The same numbers as the statistics. */
export interface Totals {
  readonly applied: number;
  /** Edits on a stale base among those that reached the gate, 0 to 1, in the last seven days. */
  readonly staleRate: number;
  readonly causes: readonly CauseCount[];
}

export interface Details {
  readonly id: string;
  /** Unified diff without a file header; left out where it is not known. */
  readonly since?: string | undefined;
  readonly wanted?: string | undefined;
}

export type ToPanel =
  | { readonly type: 'stale'; readonly rows: readonly StaleRow[] }
  | { readonly type: 'refused'; readonly rows: readonly RefusedRow[] }
  | { readonly type: 'totals'; readonly totals: Totals }
  | { readonly type: 'details'; readonly details: Details };

export const ACTIONS = [
  'replan',
  'showChanges',
  'showIntended',
  'copyPrompt',
  'openFile',
  'restore',
  'dismiss',
] as const;
export type Action = (typeof ACTIONS)[number];

/** What the page offers beside its rows. */
export const OFFERS = ['tryStory', 'getStarted', 'showStatistics'] as const;
export type Offer = (typeof OFFERS)[number];

export type FromPanel =
  /** The page is there and knows nothing yet. */
  | { readonly type: 'ready' }
  | { readonly type: 'details'; readonly id: string }
  | { readonly type: 'act'; readonly action: Action; readonly id: string }
  | { readonly type: 'offer'; readonly offer: Offer };

const row = {
  id: isString,
  name: isString,
  folder: isString,
  session: isString,
  turn: isNumber,
  time: isNumber,
  causes: listOf(shape<Cause>({ kind: oneOf(CAUSE_KINDS), text: isString, evidence: optional(isString) })),
} as const;

const isStaleRow = shape<StaleRow>({ ...row, added: optional(isNumber), removed: optional(isNumber) });
const isRefusedRow = shape<RefusedRow>({
  ...row,
  status: isString,
  explanation: optional(isString),
  fit: optional(isString),
  reason: optional(isString),
});
const isTotals = shape<Totals>({
  applied: isNumber,
  staleRate: isNumber,
  causes: listOf(shape<CauseCount>({ kind: oneOf(CAUSE_KINDS), count: isNumber })),
});
const isDetails = shape<Details>({ id: isString, since: optional(isString), wanted: optional(isString) });

const toPanel: Readonly<Record<ToPanel['type'], (value: unknown) => boolean>> = {
  stale: shape({ type: isString, rows: listOf(isStaleRow) }),
  refused: shape({ type: isString, rows: listOf(isRefusedRow) }),
  totals: shape({ type: isString, totals: isTotals }),
  details: shape({ type: isString, details: isDetails }),
};

const fromPanel: Readonly<Record<FromPanel['type'], (value: unknown) => boolean>> = {
  ready: shape({ type: isString }),
  details: shape({ type: isString, id: isString }),
  act: shape({ type: isString, action: oneOf(ACTIONS), id: isString }),
  offer: shape({ type: isString, offer: oneOf(OFFERS) }),
};

/** @returns `undefined` for anything that the extension does not say. */
export function parseToPanel(value: unknown): ToPanel | undefined {
  return isMessage(value, toPanel) ? (value as ToPanel) : undefined;
}

/** @returns `undefined` for anything that the page does not say. */
export function parseFromPanel(value: unknown): FromPanel | undefined {
  return isMessage(value, fromPanel) ? (value as FromPanel) : undefined;
}

function isMessage(value: unknown, guards: Readonly<Record<string, (value: unknown) => boolean>>): boolean {
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') {
    return false;
  }
  return Object.hasOwn(guards, value.type) && guards[value.type]?.(value) === true;
}
