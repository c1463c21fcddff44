import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe } from './errors.ts';

/** As the chat waits for it, in milliseconds. */
const TIMEOUT = 5_000;

/** The chat's words for a plugin's own folder. */
const ROOT = `\${PLUGIN_ROOT}`;

/** A command of a plugin for the moment before a tool is called. */
interface HookFile {
  readonly hooks: { readonly PreToolUse: readonly { readonly command: string; readonly windows: string }[] };
}

/**
 * Runs the guard of a plugin as the chat does: the command for this system out of its file of hooks, in the shell that the
 * chat takes.
 *
 * @returns what it printed. @throws where it cannot be started, fails, or takes too long.
 */
export async function runGuard(plugin: string, call: object, env: Readonly<Record<string, string>>): Promise<string> {
  const { hooks } = JSON.parse(readFileSync(join(plugin, 'hooks', 'hooks.json'), 'utf8')) as HookFile;
  const [hook] = hooks.PreToolUse;
  const isWindows = process.platform === 'win32';
  const command = ((isWindows ? hook?.windows : hook?.command) ?? '').replaceAll(ROOT, plugin);
  const [program, ...args] = isWindows ? powershell(command) : ['/bin/sh', '-c', command];
  return new Promise((resolve, reject) => {
    const child = spawn(program ?? '', args, { env: { ...process.env, ...env }, timeout: TIMEOUT, windowsHide: true });
    const printed: Buffer[] = [];
    const complained: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => complained.push(chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const complaint = Buffer.concat(complained).toString().trim();
      if (code === 0) {
        resolve(Buffer.concat(printed).toString());
      } else {
        reject(
          new Error(`its command ended with ${code ?? signal}${unread}${complaint && `: ${complaint.slice(-300)}`}`),
        );
      }
    });
    // It may end before it has read the call: how it ends is what counts.
    let unread = '';
    child.stdin.once('error', (error) => {
      unread = ` (it did not read the call: ${describe(error)})`;
    });
    child.stdin.end(JSON.stringify(call));
  });
}

function powershell(command: string): string[] {
  const { SystemRoot, WINDIR, ComSpec } = process.env;
  const root = SystemRoot ?? WINDIR;
  // The chat takes another shell where the user has one: the command is not made for that, and so the check fails.
  if (root === undefined || basename(ComSpec ?? '').toLowerCase() !== 'cmd.exe') {
    return [ComSpec ?? 'cmd.exe', '/d', '/s', '/c', command];
  }
  const program = join(root, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe');
  return [program, '-ExecutionPolicy', 'Bypass', '-NoProfile', '-NoLogo', '-Command', command];
}
