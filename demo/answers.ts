/** The header and the content of one file in an answer of `arbiter_read`. */
export interface ReadPart {
  readonly header: {
    readonly path: string;
    readonly status: string;
    readonly base?: string;
    readonly chars?: number;
    readonly [key: string]: unknown;
  };
  readonly content: string;
}

/** One result in an answer of `arbiter_edit`. */
export interface EditResult {
  readonly status: string;
  readonly path: string;
  readonly base?: string;
  readonly actual?: string;
  readonly edit?: number;
  readonly changed_by?: readonly string[];
  readonly diff_since_read?: string | null;
  readonly your_edit?: string;
  readonly next?: string;
  readonly [key: string]: unknown;
}

export interface EditAnswer {
  readonly summary: string;
  readonly results: readonly EditResult[];
}

/**
 * Takes an answer of `arbiter_read` apart, as it reaches a model: parts glued together, each one line of JSON, a newline and
 * as much content as the header's `chars` says, and a newline before every part after the first.
 */
export function parseRead(answer: string): ReadPart[] {
  const parts: ReadPart[] = [];
  for (let at = 0; at < answer.length; ) {
    const end = answer.indexOf('\n', at);
    const header = JSON.parse(answer.slice(at, end)) as ReadPart['header'];
    const from = end + 1;
    const to = from + (header.chars ?? 0);
    parts.push({ header, content: answer.slice(from, to) });
    at = to + 1;
  }
  return parts;
}

export function parseEdit(answer: string): EditAnswer {
  return JSON.parse(answer) as EditAnswer;
}
