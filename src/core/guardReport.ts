import { parseJson } from './json.ts';

/** What the guard has seen: a tool that the chat is about to call. */
export interface GuardReport {
  readonly tool: string;
  /** The files that it is to edit, as the model named them. */
  readonly paths: readonly string[];
}

/** The call of a tool as the chat tells its hooks, as far as the guard goes. @returns `undefined` for anything else. */
export function parseGuardReport(text: string): GuardReport | undefined {
  const call = parseJson(text);
  if (!isObject(call) || typeof call['tool_name'] !== 'string') {
    return undefined;
  }
  const input = call['tool_input'];
  return { tool: call['tool_name'], paths: isObject(input) ? [...new Set(pathsIn(input))] : [] };
}

/** A line of a patch in the chat's own format that names a file. */
const PATCHED = /^\*\*\* (?:Update File|Add File|Delete File|Move to): (.+)$/gm;

function pathsIn(input: Readonly<Record<string, unknown>>): string[] {
  const { filePath, replacements, input: patch } = input;
  return [
    ...(typeof filePath === 'string' ? [filePath] : []),
    ...(Array.isArray(replacements) ? replacements.filter(isObject).flatMap(pathsIn) : []),
    ...(typeof patch === 'string' ? [...patch.matchAll(PATCHED)].map(([, path = '']) => path.trim()) : []),
  ];
}

/** What the guard answers to a call of a built-in edit tool. */
export interface GuardAnswer {
  readonly isDenied: boolean;
  /** What the model is told. */
  readonly text: string;
}

/** @returns `undefined` for an answer that the chat would not understand either. */
export function parseGuardAnswer(text: string): GuardAnswer | undefined {
  const answer = parseJson(text);
  const said = isObject(answer) ? answer['hookSpecificOutput'] : undefined;
  if (!isObject(said) || said['hookEventName'] !== 'PreToolUse') {
    return undefined;
  }
  const { permissionDecision: decision, permissionDecisionReason: reason, additionalContext: context } = said;
  const isDenied = decision === 'deny';
  const told = isDenied ? reason : context;
  return typeof told === 'string' ? { isDenied, text: told } : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
