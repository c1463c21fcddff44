/** The system's error code, `ENOENT` for instance. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What an error says, whatever was thrown. */
export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
