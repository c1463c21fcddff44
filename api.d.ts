import type { CancellationToken, Event, Uri } from 'vscode';

/**
 * What Edit Arbiter gives to other extensions:
 *
 * ```ts
 * const arbiter = await vscode.extensions.getExtension<EditArbiter>('edit-arbiter.edit-arbiter')?.activate();
 * ```
 *
 * Calls go through the same gate as the tools of agents, and take and give the same: docs/protocol.md says what. What can happen on
 * a normal day is a status and never an error. Nobody is asked: protected files are refused.
 */
export interface EditArbiter {
  /** Grows when something is taken away or changes its meaning; members may be added without that. */
  readonly version: 1;
  /** As `arbiter_read`: one part for each file, in input order. */
  read(input: ReadInput, options?: CallOptions): Promise<readonly ReadPart[]>;
  /** As `arbiter_edit`: one result for each file, in input order. */
  edit(input: EditInput, options?: CallOptions): Promise<EditAnswer>;
  /** As `arbiter_check`. Without `files`: every base of the session that is stale now. */
  check(input?: CheckInput, options?: CallOptions): Promise<CheckAnswer>;
  /** An edit was refused by the gate or by its file, whoever sent it. */
  readonly onDidConflict: Event<Conflict>;
}

export interface CallOptions {
  /**
   * A name for one run of your agent. It tells its own edits from those of others in `changed_by`, and an edit that is sent again
   * by reflex from a new plan. Without it, the session is unknown.
   */
  readonly session?: string;
  /** Honoured until the base is compared; from then on a file completes. */
  readonly token?: CancellationToken;
}

export interface ReadInput {
  readonly files: readonly { readonly path: string; readonly start_line?: number; readonly end_line?: number }[];
}

export interface ReadPart {
  readonly header: {
    readonly status: string;
    readonly path?: string;
    /** The exact state of the whole file, for an edit to carry. */
    readonly base?: string;
    readonly next?: string;
    readonly [key: string]: unknown;
  };
  /** Left out where the file could not be read. */
  readonly content?: string;
}

export interface EditInput {
  readonly files: readonly FileEdit[];
  readonly on_conflict?: 'continue' | 'stop' | 'atomic';
  /** One sentence about the purpose, shown to the engineer. */
  readonly explanation?: string;
}

/** Exactly one of `edits`, `patch`, `content` and `delete`; `rename_to` alone, or beside `edits`. */
export interface FileEdit {
  readonly path: string;
  readonly base: string;
  readonly edits?: readonly {
    readonly old_string: string;
    readonly new_string: string;
    readonly replace_all?: boolean;
    readonly line?: number;
  }[];
  readonly patch?: string;
  readonly content?: string;
  readonly delete?: boolean;
  readonly rename_to?: string;
  readonly symbol?: string;
  readonly still_needed?: string;
}

export interface EditAnswer {
  readonly summary: string;
  readonly results: readonly FileResult[];
  /** Other files that the session has read and that have moved. */
  readonly also_changed?: readonly string[];
  readonly next?: string;
}

export interface CheckInput {
  readonly files: readonly { readonly path: string; readonly base: string }[];
}

export interface CheckAnswer {
  readonly results: readonly FileResult[];
}

/** The result for one file; which keys there are depends on the status. */
export interface FileResult {
  readonly status: string;
  readonly path?: string;
  /** Carry this into the next edit of the file. Where there is `actual` instead, read the file first. */
  readonly base?: string;
  readonly actual?: string;
  readonly expected?: string;
  readonly edit?: number;
  readonly saved?: boolean;
  readonly changed_by?: readonly string[];
  readonly diff_since_read?: string | null;
  readonly your_edit?: string;
  readonly reason?: string;
  readonly next?: string;
  readonly [key: string]: unknown;
}

export interface Conflict {
  readonly uri: Uri;
  /** As agents name the file. */
  readonly path: string;
  readonly status: string;
  /** The base of the refused edit. */
  readonly expected: string;
  /** What the gate found; left out where the file could not be read. */
  readonly actual?: string;
  readonly changedBy: readonly string[];
}
