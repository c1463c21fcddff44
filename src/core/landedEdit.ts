import type { FileRef } from './documents.ts';
import type { LineRange } from './landedLines.ts';

/** An edit that has landed, as the engineer is shown it. */
export interface LandedEdit extends FileRef {
  /** Its number in the workspace. */
  readonly edit: number;
  readonly session: string | undefined;
  readonly turn: number;
  readonly explanation: string | undefined;
  /** The file's content when everything had run: the lines below are its lines. */
  readonly content: string;
  readonly edited: readonly LineRange[];
  /** Lines that hooks wrote after the edit. */
  readonly hooked: readonly LineRange[];
  readonly hooks: readonly string[];
}
