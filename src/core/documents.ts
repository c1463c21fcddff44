import type { Author } from './applyRecord.ts';
import type { Base } from './base.ts';
import type { Move } from './ledger.ts';
import type { Problem } from './status.ts';
import type { Span, Text } from './text.ts';

/** One file, whatever spelling a call used for it. */
export interface FileRef {
  /** Its identity: the real path. */
  readonly key: string;
  /** How it is shown to agents: workspace-relative, forward slashes, prefixed by the folder's name in a multi-root workspace. */
  readonly path: string;
}

/** How a text is, or would be, stored as bytes. */
export interface Format {
  /** The editor's identifier of the encoding, `utf8` for instance; a BOM is told apart by `bom`. */
  readonly encoding: string;
  readonly bom: boolean;
}

/** What one file holds right now. Content and base always come from the same bytes. */
export type State =
  | { readonly kind: 'absent'; readonly base: Base }
  | { readonly kind: 'text'; readonly base: Base; readonly text: Text; readonly format: Format }
  | { readonly kind: 'unreadable'; readonly base?: Base; readonly problem: Problem };

/** The text of a state; empty where there is none. */
export function contentOf(state: State): string {
  return state.kind === 'text' ? state.text.content : '';
}

/** What is to be in the file instead: `text` is the state's text with `spans` applied. */
export interface Candidate {
  readonly spans: readonly Span[];
  readonly text: Text;
}

/** What is asked of {@link Documents.transact} once the state is known. */
export type Decision =
  | { readonly kind: 'refuse' }
  /** The state is right, and the text is to stay as it is. */
  | { readonly kind: 'hold'; readonly plan?: FilePlan }
  | {
      readonly kind: 'apply';
      readonly candidate: Candidate;
      /** Called once our part is in the buffer, before anything that came after it is recorded. */
      readonly onDidLand: () => void;
      readonly plan?: FilePlan;
    };

/** What is to happen to the file as such, after the edits of the texts. */
export type FilePlan =
  | { readonly kind: 'create'; readonly text: Text }
  | { readonly kind: 'delete' }
  | { readonly kind: 'rename'; readonly target: FileRef };

/** What a hook did to the file. */
export interface HookEffect {
  readonly name: string;
  /** The state that it left, where that was looked at. */
  readonly to?: Base;
}

export interface HookFailure {
  readonly name: string;
  readonly reason: string;
}

/** How a transaction ended. `state` is the state when it ended, read back, never assumed. */
export type Outcome =
  /** `decide` refused; nothing was touched. */
  | { readonly kind: 'refused'; readonly state: State }
  /** `decide` held the file as it is, or another file of the same joint transaction was refused; nothing was touched. */
  | { readonly kind: 'held'; readonly state: State }
  /** The file cannot take the candidate; nothing was touched. */
  | { readonly kind: 'unfit'; readonly state: State; readonly problem: Problem }
  /** Somebody changed the buffer between compare and apply, and the editor declined; nothing was touched. */
  | { readonly kind: 'moved'; readonly state: State }
  | {
      readonly kind: 'applied';
      readonly state: State;
      /** The state that our own part alone led to: that of `state`, unless hooks or somebody else came after it. */
      readonly landed: Base;
      readonly saved: boolean;
      /** The hooks that changed the file after the candidate had landed, in order. */
      readonly hooks: readonly HookEffect[];
      /** The hooks that failed; the edit stands all the same. */
      readonly hookFailures?: readonly HookFailure[];
      /** Whether the final state holds something that neither the candidate nor a hook put there. */
      readonly foreign: boolean;
      /**
       * The disk as our save left it, with what hooks and typing had put into the buffer by then. Left out where nothing was
       * saved, or where the disk holds something else by now.
       */
      readonly written?: Base;
      /** Whether the engineer took the edit back by Undo before the transaction was over. */
      readonly isUndone?: boolean;
      /** Whether our save took somebody else's text to the disk along with ours. */
      readonly isSavedTogether: boolean;
      /** Tells the editor's side the number of the edit, so that an undo of it can be named. */
      readonly onDidNumber: (edit: number) => void;
      /**
       * Takes our own part back; what others did since stays. Not after hooks have run. Does not reject.
       */
      readonly takeBack?: () => Promise<TakenBack>;
    }
  /** Another program wrote the file after the compare. Its bytes are kept, our part is taken back. */
  | { readonly kind: 'disk_changed'; readonly state: State }
  /** The editor could not apply or save. Our part is taken back as far as `reason` says. */
  | {
      readonly kind: 'failed';
      readonly status: 'save_failed' | 'apply_failed';
      readonly reason: string;
      readonly state: State;
      /** Whether nothing of our part is left. */
      readonly isTakenBack: boolean;
    };

/** How our own part was taken back. */
export interface TakenBack {
  /** The state that the file is left in, read back. */
  readonly state: State;
  /** Whether nothing of our part is left. */
  readonly isWhole: boolean;
}

/** How a rename ended. */
export type RenameOutcome =
  | Outcome
  /** Something is at the target: `state` is that of the target. Nothing was touched. */
  | { readonly kind: 'occupied'; readonly state: State };

/**
 * The port to an editor. A file's lock is held by the caller, so no two transactions of one file overlap; everyone else
 * (an engineer, another program) may act at any moment.
 */
export interface Documents {
  /** Resolves a path as an agent wrote it, or says which rule forbids it. Follows symbolic links. */
  resolve(path: string): FileRef | Problem;

  /** The file's state now. Opens nothing. */
  look(file: FileRef): Promise<State>;

  /**
   * Applies what `decide` answers for the file's state, and saves it unless the state was dirty.
   *
   * `decide` may be called more than once; the candidate that lands was decided on the state at the very moment of the
   * apply, compared in the same synchronous turn. No hooks are run.
   *
   * Here and below: what is about to happen to the disk is put on record first, with its author, and stays there until it is
   * over, so that what a crash cuts off is recognised.
   */
  transact(file: FileRef, decide: (state: State) => Decision, author: Author): Promise<Outcome>;

  /**
   * As {@link transact}, for several files at once: either every `decide` accepts its file, all in the turn of the apply, or
   * nothing is touched. The edits are one undo step together. Where one of them fails after that, the others still stand, and
   * are for the caller to take back. No hooks are run.
   *
   * @param over when the caller has carried out the plans of the decisions, too, or taken everything back: until then, all of
   * it stays on record as one. With false, something is left in between, and stays on record for the engineer.
   * @returns an outcome for each file, in their order.
   */
  transactAll(
    parts: readonly { readonly file: FileRef; readonly decide: (state: State) => Decision }[],
    author: Author,
    over: Promise<boolean>,
  ): Promise<readonly Outcome[]>;

  /** Runs the configured hooks on a file that was saved as asked for. @returns the outcome with what they did. */
  runHooks(file: FileRef, outcome: Extract<Outcome, { kind: 'applied' }>): Promise<Outcome>;

  /** Creates the file with exactly this text, only where nothing is. */
  create(file: FileRef, text: Text, author: Author): Promise<Outcome>;

  /** Deletes the file, only where it is clean and in this very state. */
  remove(file: FileRef, base: Base, author: Author): Promise<Outcome>;

  /**
   * Renames the file, only where it is clean and in this very state, and only onto nothing. Folders are created as needed;
   * the editor's tabs follow. The outcome's state is that of the target.
   */
  rename(file: FileRef, target: FileRef, base: Base, author: Author): Promise<RenameOutcome>;

  /** Waits until what the editor has told about the file so far is in the ledger. */
  settled(file: FileRef): Promise<void>;

  /**
   * Who wrote the file on disk after a time (milliseconds since the epoch), when it was in state `from`, until it came into
   * state `to`: oldest first, at least one, as far as the host can tell.
   */
  writersSince(file: FileRef, since: number, from: Base, to: Base): readonly Move[];

  /** What a transaction of the file has to hold: equal for all names of the same bytes on disk, hard links included. */
  locksOf(file: FileRef): readonly string[];

  /** A cheap hint, for advice only: whether the file has probably not moved since it was last seen in this state. */
  isProbablyIn(file: FileRef, base: Base): boolean;

  /** The line ending for new text in a file that has none: `files.eol`. */
  endingFor(file: FileRef): '\n' | '\r\n';
}
