/** Environment variables by which the runners talk to the suite inside VS Code. */
export const variables = {
  /** The folder of the git repository whose history is played. */
  repository: 'EDIT_ARBITER_HISTORY',
  /** How many commits of it. */
  commits: 'EDIT_ARBITER_HISTORY_COMMITS',
  /** The file that receives what came of it, as JSON. */
  results: 'EDIT_ARBITER_HISTORY_RESULTS',
} as const;
