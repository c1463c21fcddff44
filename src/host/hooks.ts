import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import * as vscode from 'vscode';
import { SECTION, SETTINGS } from '../names.ts';
import { codeOf, describe } from './errors.ts';

/** One entry of the setting `editArbiter.hooks`. */
export interface HookCommand {
  readonly name: string;
  /** Glob that the file must match, relative to its workspace folder. */
  readonly files: string;
  /** Program and arguments; no shell. `${file}` and `${workspaceFolder}` stand for absolute paths. */
  readonly command: readonly string[];
  /** Milliseconds after which it is ended. */
  readonly timeout: number;
}

const DEFAULT_TIMEOUT = 10_000;
/** The longest that a timer can run, in milliseconds. */
const MAX_TIMEOUT = 2 ** 31 - 1;
/** How much of what a hook prints is kept for the reason of its failure, in UTF-16 units; the rest is read and dropped. */
const MAX_OUTPUT = 2_000;

/** Whether any hook is configured, for whatever files. */
export function hasHooks(uri: vscode.Uri): boolean {
  const entries = vscode.workspace.getConfiguration(SECTION, uri).get<unknown>(SETTINGS.hooks, []);
  return Array.isArray(entries) && entries.length > 0;
}

/** The configured hooks that apply to a document, in order. An entry that makes no sense is named, and left out. */
export function hooksFor(document: vscode.TextDocument, log: vscode.LogOutputChannel): HookCommand[] {
  const entries = vscode.workspace.getConfiguration(SECTION, document.uri).get<unknown>(SETTINGS.hooks, []);
  if (!Array.isArray(entries)) {
    log.error(`The setting ${SECTION}.${SETTINGS.hooks} must be a list of hooks; none is run.`);
    return [];
  }
  return entries.flatMap((entry: unknown, index) => {
    const hook = parseHook(entry);
    if (typeof hook === 'string') {
      log.error(`Hook ${index + 1} of ${SECTION}.${SETTINGS.hooks} is not run: ${hook}.`);
      return [];
    }
    return matches(document, hook.files) ? [hook] : [];
  });
}

/** @returns what is wrong with the entry, if anything. */
function parseHook(entry: unknown): HookCommand | string {
  if (typeof entry !== 'object' || entry === null) {
    return 'it must be an object with name, files and command';
  }
  const { name, files, command, timeout = DEFAULT_TIMEOUT } = entry as Record<string, unknown>;
  if (typeof name !== 'string' || name.trim() === '') {
    return '`name` must be a text';
  }
  if (typeof files !== 'string' || files === '') {
    return `${JSON.stringify(name)} needs \`files\`, a glob such as "**/*.py"`;
  }
  if (!Array.isArray(command) || command.length === 0 || !command.every((part) => typeof part === 'string')) {
    return `${JSON.stringify(name)} needs \`command\`, a list of the program and its arguments`;
  }
  if (typeof timeout !== 'number' || !(timeout > 0)) {
    return `\`timeout\` of ${JSON.stringify(name)} must be a number of milliseconds`;
  }
  return { name: name.replaceAll(/\s+/g, ' ').trim(), files, command, timeout };
}

function matches(document: vscode.TextDocument, glob: string): boolean {
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const pattern = folder ? new vscode.RelativePattern(folder, glob) : glob;
  return vscode.languages.match({ scheme: 'file', pattern }, document) > 0;
}

/**
 * Runs a hook to its end, in the document's workspace folder.
 *
 * @returns why it failed, if it did.
 */
export async function runHook(hook: HookCommand, document: vscode.TextDocument): Promise<string | undefined> {
  const folder = vscode.workspace.getWorkspaceFolder(document.uri)?.uri.fsPath;
  const values: Record<string, string> = { file: document.uri.fsPath, workspaceFolder: folder ?? '' };
  const [program = '', ...args] = hook.command.map((part) =>
    part.replaceAll(/\$\{(file|workspaceFolder)\}/g, (whole, name: string) => values[name] ?? whole),
  );
  const failure = (error: unknown) => `${JSON.stringify(program)} could not be started: ${describe(error)}`;
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const finish = (reason: string | undefined) => {
      clearTimeout(timer);
      resolve(reason);
    };
    let child: ChildProcessByStdio<null, Readable, Readable>;
    try {
      // A group of its own, so that what the hook started ends with it.
      child = spawn(program, args, {
        cwd: folder,
        shell: false,
        detached: process.platform !== 'win32',
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
      });
    } catch (error) {
      resolve(failure(error));
      return;
    }
    child.once('error', (error) => finish(failure(error)));
    if (child.pid === undefined) {
      return;
    }
    let output = '';
    let isLate = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString('utf8', 0, Math.min(chunk.length, MAX_OUTPUT))).slice(-MAX_OUTPUT);
      });
    }
    timer = setTimeout(
      () => {
        isLate = true;
        end(child);
      },
      Math.min(hook.timeout, MAX_TIMEOUT),
    );
    // Not 'close': a grandchild that keeps the pipes open must not hold the call.
    child.once('exit', (code, signal) => {
      child.stdout.destroy();
      child.stderr.destroy();
      if (isLate) {
        finish(`it did not end within ${hook.timeout} ms and was stopped`);
      } else {
        finish(
          code === 0
            ? undefined
            : `it ended with ${code ?? signal}${output.trim() === '' ? '' : `: ${output.trim().slice(-500)}`}`,
        );
      }
    });
  });
}

/** Ends a process and, where the system has groups, all that it started. Where that is not allowed, the process alone. */
function end(child: ChildProcess): void {
  try {
    if (child.pid !== undefined && process.platform !== 'win32') {
      process.kill(-child.pid, 'SIGKILL');
      return;
    }
  } catch (error) {
    // Gone already: then there is nothing to end.
    if (codeOf(error) === 'ESRCH') {
      return;
    }
  }
  child.kill('SIGKILL');
}
