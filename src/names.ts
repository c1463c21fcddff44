/** Every id that package.json also spells; a test keeps the two alike. */
export const EXTENSION = 'edit-arbiter.edit-arbiter';

export const TOOLS = {
  read: 'arbiter_read',
  edit: 'arbiter_edit',
  check: 'arbiter_check',
} as const;

export const COMMANDS = {
  replan: 'editArbiter.replan',
  copyPrompt: 'editArbiter.copyPrompt',
  showConflicts: 'editArbiter.showConflicts',
  showChanges: 'editArbiter.showChanges',
  showIntended: 'editArbiter.showIntended',
  openFile: 'editArbiter.openFile',
  dismiss: 'editArbiter.dismiss',
  restore: 'editArbiter.restore',
  clearResolved: 'editArbiter.clearResolved',
  clearMarks: 'editArbiter.clearMarks',
  tryStory: 'editArbiter.tryStory',
  getStarted: 'editArbiter.getStarted',
  showStatistics: 'editArbiter.showStatistics',
  exportStatistics: 'editArbiter.exportStatistics',
  showLog: 'editArbiter.showLog',
} as const;

export const VIEWS = {
  conflicts: 'editArbiter.conflicts',
} as const;

/** Settings, without their common prefix {@link SECTION}. */
export const SETTINGS = {
  hooks: 'hooks',
  formatAfterEdit: 'formatAfterEdit',
  protect: 'protect',
  unprotect: 'unprotect',
  confirm: 'confirm',
  instructions: 'instructions',
  guardBuiltInTools: 'guardBuiltInTools',
  follow: 'follow',
  saveDirtyFiles: 'saveDirtyFiles',
  textMemory: 'textMemory',
  diffCharacters: 'diffCharacters',
  diffTime: 'diffTime',
  syntaxGate: 'syntaxGate',
} as const;

export const SECTION = 'editArbiter';

/** Context keys for `when` clauses. */
export const CONTEXTS = {
  hasConflicts: 'editArbiter.hasConflicts',
  hasStale: 'editArbiter.hasStale',
  hasInterrupted: 'editArbiter.hasInterrupted',
  hasResolved: 'editArbiter.hasResolved',
  hasMarks: 'editArbiter.hasMarks',
} as const;

/** The Getting Started walkthrough. */
export const WALKTHROUGH = 'start';
