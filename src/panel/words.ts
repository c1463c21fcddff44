import type { Cause, CauseCount, CauseKind } from './protocol.ts';

/** `5 min`: how long ago something was, for a row. `now` for the first seconds. */
export function ageOf(time: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - time) / 1_000));
  if (seconds < 5) {
    return 'now';
  }
  if (seconds < 60) {
    return `${seconds - (seconds % 5)} s`;
  }
  if (seconds < 3_600) {
    return `${Math.floor(seconds / 60)} min`;
  }
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** How long no age changes, in milliseconds, given the newest of them. */
export function ageLasts(newest: number, now: number): number {
  return now - newest < 60_000 ? 5_000 : 60_000;
}

/** `stale_base` as a person says it. */
export function statusWords(status: string): string {
  return status.replaceAll('_', ' ');
}

const SHORT: Readonly<Record<CauseKind, string>> = {
  'own edit': 'own edits',
  'other session': 'other sessions',
  hook: 'hooks',
  'code generator': 'generators',
  git: 'git',
  engineer: 'you',
  'chat edit': 'chat edits',
  'other extension': 'extensions',
  'external writer': 'external',
  unknown: 'unknown',
};

/** `own edits 61 %`. */
export function shareWords({ kind, count }: CauseCount, all: number): string {
  return `${SHORT[kind]} ${Math.round((100 * count) / all)} %`;
}

/** `6.2 %`. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** What moved a file in one line: the last cause, and how many came before it. */
export function causesWords(causes: readonly Cause[]): string {
  const last = causes.at(-1)?.text ?? 'moved';
  return causes.length > 1 ? `${last} · and ${causes.length - 1} before` : last;
}

/** `+2` and `−1`, each only where there are any. */
export function linesWords(added: number | undefined, removed: number | undefined): { added: string; removed: string } {
  return { added: added ? `+${added}` : '', removed: removed ? `−${removed}` : '' };
}
