/** Whether a value that came from somewhere else is what it has to be. */
export type Guard<T> = (value: unknown) => value is T;

/** Longer strings are no message of ours. */
const MAX_LENGTH = 1_000_000;

export const isString: Guard<string> = (value): value is string =>
  typeof value === 'string' && value.length <= MAX_LENGTH;

export const isNumber: Guard<number> = (value): value is number => typeof value === 'number' && Number.isFinite(value);

export function optional<T>(guard: Guard<T>): Guard<T | undefined> {
  return (value): value is T | undefined => value === undefined || guard(value);
}

export function listOf<T>(guard: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(guard);
}

export function oneOf<const T extends string>(allowed: readonly T[]): Guard<T> {
  return (value): value is T => allowed.some((one) => one === value);
}

/** An object with these properties; others may stand beside them. */
export function shape<T extends object>(
  guards: { readonly [Key in keyof T]-?: (value: unknown) => boolean },
): Guard<T> {
  const checks = Object.entries<(value: unknown) => boolean>(guards);
  return (value): value is T =>
    typeof value === 'object' &&
    value !== null &&
    checks.every(([key, guard]) => guard((value as Readonly<Record<string, unknown>>)[key]));
}
