import type { FileRef } from './documents.ts';
import type { Outline } from './symbols.ts';

/** What happens to an edit that breaks the syntax of its file: nothing, a warning, a refusal. */
export type SyntaxGate = 'off' | 'warn' | 'refuse';

/** The first place of a text that does not parse. */
export interface Fault {
  /** A UTF-16 offset of the text. */
  readonly offset: number;
  /** What the parser says: "missing `)`". */
  readonly message: string;
}

/** Whether a text parses. */
export type Soundness =
  | { readonly kind: 'sound' }
  | { readonly kind: 'broken'; readonly fault: Fault }
  /** Nobody can tell. Without a reason where there is no grammar of the language. */
  | { readonly kind: 'unknown'; readonly reason?: string };

/** Tells the symbols of one text of a file, without waiting for anything. */
export type Outliner = (content: string) => Outline;

/**
 * The port to parsers. What is synchronous here works on the very text it is given, in bounded time, and can run between
 * the look at a file and the apply. Nothing here throws or rejects: what fails is `unknown`, and told to the log.
 */
export interface Syntax {
  /** What the engineer has set for the file. */
  gateFor(file: FileRef): SyntaxGate;

  /** Loads the grammar of the file's language, where there is one; at once where that has been done before. */
  prepare(file: FileRef): Promise<void>;

  /** Whether a text of the file parses, as far as it can be told now. */
  soundness(file: FileRef, content: string): Soundness;

  /** The symbols of a text of the file, as far as they can be told now. */
  outline(file: FileRef, content: string): Outline;

  /** Gets whatever there is to tell the symbols of the file: its grammar, else what the editor knows. */
  outliner(file: FileRef): Promise<Outliner>;
}
