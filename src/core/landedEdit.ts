import type { FileRef } from './documents.ts';
import type { LandedLines } from './landedLines.ts';

/** An edit that has landed, as the engineer is shown it. */
export interface LandedEdit extends FileRef {
  /** Its number in the workspace. */
  readonly edit: number;
  readonly session: string | undefined;
  readonly turn: number;
  readonly explanation: string | undefined;
  /** The file's content when everything had run: the lines are its lines. */
  readonly content: string;
  /** Works out which lines are new, and who wrote them: not while the agent waits. */
  readonly lines: () => LandedLines;
  readonly hooks: readonly string[];
}
