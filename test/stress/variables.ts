/** Environment variables by which the runner talks to the suite inside VS Code. */
export const variables = {
  /** The seed of the first schedule. */
  seed: 'EDIT_ARBITER_STRESS_SEED',
  /** How many schedules, each with the next seed. */
  schedules: 'EDIT_ARBITER_STRESS_SCHEDULES',
  /** The file that receives what came of them, as JSON. */
  results: 'EDIT_ARBITER_STRESS_RESULTS',
} as const;
