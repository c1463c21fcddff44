/**
 * What a suite reports about itself, through files, because the extension host has no standard output of its own. This
 * module knows the names of the environment variables; both the runner and the suite (inside VS Code) import it.
 */
export const variables = {
  /** The file that receives the counts as JSON when the suite is through. */
  results: 'EDIT_ARBITER_RESULTS',
  /** The file that receives the report for people while the suite runs. */
  report: 'EDIT_ARBITER_REPORT',
  /** A regular expression: only tests whose full title matches it run. */
  grep: 'EDIT_ARBITER_GREP',
} as const;

export interface RunResults {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly TestFailure[];
}

export interface TestFailure {
  readonly title: string;
  /** Message and stack, as far as there is one. */
  readonly error: string;
}
