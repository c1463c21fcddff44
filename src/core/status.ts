/** Why one entry of a call was not carried out; the contract's words. */
export type Refusal =
  | 'stale_base'
  | 'unconsidered_retry'
  | 'not_found'
  | 'ambiguous'
  | 'overlap'
  | 'no_change'
  | 'symbol_mismatch'
  | 'symbol_not_found'
  | 'patch_mismatch'
  | 'syntax_broken'
  | 'invalid_base'
  | 'invalid_input'
  | 'not_found_on_disk'
  | 'unsaved_changes'
  | 'outside_workspace'
  | 'protected'
  | 'read_only'
  | 'binary'
  | 'undecodable'
  | 'unencodable'
  | 'mixed_line_endings'
  | 'too_large'
  | 'notebook'
  | 'is_directory'
  | 'denied'
  | 'skipped'
  | 'cancelled'
  | 'disk_changed_during_save'
  | 'save_failed'
  | 'apply_failed'
  | 'rolled_back';

/** A refusal that lies in the file or in the call, not in the base: what was found, and what to do about it. */
export interface Problem {
  readonly status: Refusal | 'invalid_range';
  /** What was found, as a sentence. */
  readonly reason: string;
  /** What the agent, or the engineer, can do. */
  readonly next: string;
  /** Byte offset of the first offending byte, where there is one. */
  readonly offset?: number;
}
