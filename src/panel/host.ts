import type { FromPanel } from './protocol.ts';

/** What is remembered while the page is hidden, and over a reload of the window. */
export interface Remembered {
  readonly expanded: readonly string[];
  readonly collapsed: readonly string[];
  readonly active?: string;
}

interface EditorApi {
  postMessage(message: FromPanel): void;
  getState(): unknown;
  setState(state: Remembered): void;
}

declare function acquireVsCodeApi(): EditorApi;

const api = acquireVsCodeApi();

export function say(message: FromPanel): void {
  api.postMessage(message);
}

export function remember(state: Remembered): void {
  api.setState(state);
}

export function recall(): Remembered {
  const state = api.getState();
  const strings = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  const { expanded, collapsed, active } = (typeof state === 'object' && state !== null ? state : {}) as Record<
    string,
    unknown
  >;
  return {
    expanded: strings(expanded),
    collapsed: strings(collapsed),
    ...(typeof active === 'string' ? { active } : {}),
  };
}
