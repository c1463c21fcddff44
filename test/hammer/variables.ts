/** Environment variables by which `npm run hammer` talks to the suite inside VS Code. */
export const variables = {
  /** How long each way is hammered, in seconds. */
  seconds: 'EDIT_ARBITER_HAMMER_SECONDS',
} as const;
