/** Every id that package.json also spells; a test keeps the two alike. */
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
  dismiss: 'editArbiter.dismiss',
  clearResolved: 'editArbiter.clearResolved',
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
} as const;
