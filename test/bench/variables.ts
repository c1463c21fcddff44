/** Environment variables by which `npm run bench` talks to the suite inside VS Code. */
export const variables = {
  /** How often each thing is measured; without it, the suite measures nothing. */
  rounds: 'EDIT_ARBITER_BENCH_ROUNDS',
} as const;
