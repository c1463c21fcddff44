/** Environment variables by which `npm run replay` talks to the suite inside VS Code. */
export const variables = {
  /** A whole number. */
  seed: 'EDIT_ARBITER_REPLAY_SEED',
  /** Set to replay the whole week, not a short one. */
  isWhole: 'EDIT_ARBITER_REPLAY_WHOLE',
  /** The file that receives what came of each week, as JSON. */
  results: 'EDIT_ARBITER_REPLAY_RESULTS',
} as const;
