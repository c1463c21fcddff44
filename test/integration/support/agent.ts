import assert from 'node:assert/strict';
import * as vscode from 'vscode';

/** The JSON of one file's result. */
export interface Result {
  readonly status: string;
  readonly path?: string;
  readonly base?: string;
  readonly actual?: string;
  readonly expected?: string;
  readonly edit?: number;
  readonly saved?: boolean;
  readonly changed_by?: readonly string[];
  readonly diff_since_read?: string | null;
  readonly format_changed?: readonly string[];
  readonly your_edit?: string;
  readonly changed_lines?: readonly (readonly [number, number])[];
  readonly line_shifts?: readonly (readonly [number, number])[];
  readonly hooks?: readonly string[];
  readonly diff_by_hooks?: string;
  readonly note?: string;
  readonly reason?: string;
  readonly next?: string;
  readonly [key: string]: unknown;
}

export interface Answer {
  readonly summary: string;
  readonly results: readonly Result[];
  readonly also_changed?: readonly string[];
  readonly next?: string;
}

export interface Part {
  readonly header: Result & {
    readonly lines?: string;
    readonly chars?: number;
    readonly eol?: string;
    readonly encoding?: string;
  };
  readonly content: string;
}

/** Calls a contributed tool as any extension can; the session is unknown to it. */
export async function invoke(tool: string, input: object, token?: vscode.CancellationToken): Promise<string[]> {
  const result = await vscode.lm.invokeTool(tool, { input, toolInvocationToken: undefined }, token);
  return result.content.map((part) => {
    assert.ok(part instanceof vscode.LanguageModelTextPart, 'a tool answers with text parts only');
    return part.value;
  });
}

/** Reads files and takes the parts apart again, as a careful agent would. */
export async function read(...files: readonly (string | object)[]): Promise<Part[]> {
  const parts = await invoke('arbiter_read', {
    files: files.map((file) => (typeof file === 'string' ? { path: file } : file)),
  });
  return parts.map((part, index) => {
    const text = index === 0 ? part : part.replace(/^\n/, '');
    const end = text.indexOf('\n');
    const content = text.slice(end + 1);
    return { header: JSON.parse(text.slice(0, end)), content };
  });
}

/** The base of one file, from a read. */
export async function baseOf(path: string): Promise<string> {
  const [part] = await read(path);
  assert.ok(part?.header.base, `${path} was not read: ${JSON.stringify(part?.header)}`);
  return part.header.base;
}

export async function edit(input: object, token?: vscode.CancellationToken): Promise<Answer> {
  const [text, ...rest] = await invoke('arbiter_edit', input, token);
  assert.equal(rest.length, 0);
  return JSON.parse(text ?? '');
}

/** Several replacements in one file. */
export async function replaceAll(path: string, base: string, edits: readonly object[]): Promise<Result> {
  return only(await edit({ files: [{ path, base, edits }] }));
}

/** One replacement in one file. */
export async function replace(
  path: string,
  base: string,
  old: string,
  replacement: string,
  more: object = {},
): Promise<Result> {
  return only(await edit({ files: [{ path, base, edits: [{ old_string: old, new_string: replacement }], ...more }] }));
}

export function only(answer: Answer): Result {
  assert.equal(answer.results.length, 1, JSON.stringify(answer));
  return answer.results[0] as Result;
}

export async function check(input: object = {}): Promise<readonly Result[]> {
  const [text] = await invoke('arbiter_check', input);
  return JSON.parse(text ?? '').results;
}
