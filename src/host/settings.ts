import * as vscode from 'vscode';
import { DEFAULT_LIMITS, type Limits } from '../core/memory.ts';
import { SECTION, SETTINGS } from '../names.ts';

const MEGABYTE = 1024 * 1024;

/** The limits as the engineer has set them; a value that makes no sense counts as not set. */
export function readLimits(): Limits {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const positive = (name: string, otherwise: number) => {
    const value = settings.get<unknown>(name);
    return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : otherwise;
  };
  return {
    ...DEFAULT_LIMITS,
    textMemory: positive(SETTINGS.textMemory, DEFAULT_LIMITS.textMemory / MEGABYTE) * MEGABYTE,
    diffChars: positive(SETTINGS.diffCharacters, DEFAULT_LIMITS.diffChars),
    diffTime: positive(SETTINGS.diffTime, DEFAULT_LIMITS.diffTime),
  };
}

/** What happens in the editor when an agent's edit lands. */
export type Follow = 'off' | 'mark' | 'reveal';

export function readFollow(): Follow {
  const value = vscode.workspace.getConfiguration(SECTION).get<unknown>(SETTINGS.follow);
  return value === 'off' || value === 'reveal' ? value : 'mark';
}

/** Which edits the chat asks about before they are sent to the gate: those of protected files, or all. */
export function asksForAll(): boolean {
  return vscode.workspace.getConfiguration(SECTION).get<unknown>(SETTINGS.confirm) === 'all';
}

/** What becomes of the chat's built-in edit tools: nothing, the agent is told, or they are denied. */
export type GuardMode = 'off' | 'warn' | 'deny';

export function readGuard(): GuardMode {
  const value = vscode.workspace.getConfiguration(SECTION).get<unknown>(SETTINGS.guardBuiltInTools);
  return value === 'warn' || value === 'deny' ? value : 'off';
}
