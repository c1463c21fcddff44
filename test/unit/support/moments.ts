/** The points of the port at which somebody else may act. */
export type Moment =
  /** Before a file is looked at outside of an apply. */
  | 'before a look'
  /** While the editor opens a file that an edit is meant for. */
  | 'while it is opened'
  /** While the editor's copy lags behind the disk, and an edit waits for it. */
  | 'while it is reloaded'
  | 'between look and apply'
  /** The edit is in the buffer, and the editor has not said so yet. */
  | 'as it lands'
  | 'after apply before save'
  /** What is typed here is saved with ours. */
  | 'as the save begins'
  /** What is typed here lets the save fail. */
  | 'while save participants run'
  /** The bytes to be written are settled here, and not written yet. */
  | 'during save'
  | 'after save'
  /** Our own part goes again. */
  | 'as it is taken back'
  | 'between look and reversal'
  /** A file was created, renamed or deleted, and is looked at again. */
  | 'after a file operation'
  | 'before a hook'
  /** The hook has written, and the file is looked at again. */
  | 'after a hook'
  | 'before causes are told';
