/** What an agent was shown of a file at a token: `undefined` where there is no file. */
export interface Known {
  readonly token: string;
  readonly text: string | undefined;
  /** The first moment at which the token can have been handed out: see `Shadow`. */
  readonly since: number;
}

/** One entry of `arbiter_edit`, with what its author had in mind. */
export interface Entry {
  readonly path: string;
  readonly known: Known;
  /** What the file is to hold afterwards; `undefined` where it is to be gone. */
  readonly intended: string | undefined;
  /** Where a rename takes it. */
  readonly target?: string;
  /** Marks that the entry writes. */
  readonly marks: ReadonlySet<string>;
  /** Whether its texts fit the text that its author knows. */
  readonly isFit: boolean;
  /** In words. */
  readonly form: string;
  /** As it is sent. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** A call of an agent that runs, or has run. */
export interface Call {
  readonly agent: string;
  readonly entries: readonly Entry[];
  /** The moment at which it began: see `Shadow`. */
  readonly start: number;
  /** The numbers of the edits that it landed. */
  readonly numbers: number[];
  /** Whether another call of the same agent ran beside it: then nobody can tell which base was given last. */
  isOverlapped: boolean;
}

/** The entry of a call that names a file, as its source or as its target. */
export function entryFor(call: Call | undefined, path: string): Entry | undefined {
  return call?.entries.find((entry) => entry.path === path || entry.target === path);
}
