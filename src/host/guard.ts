import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { type GuardReport, parseGuardAnswer, parseGuardReport } from '../core/guardReport.ts';
import { COMMANDS, SECTION, SETTINGS } from '../names.ts';
import { codeOf, describe } from './errors.ts';
import { runGuard } from './guardCommand.ts';
import { type GuardMode, readGuard } from './settings.ts';

/** Where the guard leaves its reports. All extensions share one process, and the chat hands its environment on to hooks. */
const VARIABLE = 'EDIT_ARBITER_GUARD';

/** Settings of the chat without which it runs no guard. */
const NEEDED = ['plugins.enabled', 'useHooks'];
const DECISIVE = [`${SECTION}.${SETTINGS.guardBuiltInTools}`, ...NEEDED.map((name) => `chat.${name}`)];

/** What the guard is asked to see whether it works: no model sends it. */
const PROBE = { hook_event_name: 'PreToolUse', tool_name: 'create_file', tool_input: {} };

/** An edit that the chat was about to make past the gate. */
export interface ReportedEdit {
  readonly path: string;
  /** When it was reported, in milliseconds since the epoch. */
  readonly time: number;
}

/**
 * The engineer's side of the guard over the chat's built-in edit tools. The guard itself is a plugin of the chat (`guard/`): the
 * chat runs it before every call of a tool, and lets the call pass where it fails. So it is tried out here, and watched: the
 * chat runs it before calls of our own tools, too.
 */
export class Guard implements vscode.Disposable {
  readonly #plugins: string;
  readonly #log: vscode.LogOutputChannel;
  readonly #subscriptions: readonly vscode.Disposable[];
  #mode: GuardMode = 'off';
  #folder: string | undefined;
  /** Calls of our own tools that the guard has seen, and that have not come yet. */
  #expected = 0;
  #hasTold = false;

  /** @param plugins the folder that holds a plugin for each mode. */
  constructor(plugins: string, log: vscode.LogOutputChannel) {
    this.#plugins = plugins;
    this.#log = log;
    this.#subscriptions = [
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (DECISIVE.some((setting) => event.affectsConfiguration(setting))) {
          void this.start();
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.start()),
    ];
  }

  dispose(): void {
    this.#close();
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  /** Does what the setting says, and tells the engineer where the guard does not work. */
  async start(): Promise<void> {
    this.#close();
    this.#mode = readGuard();
    this.#hasTold = false;
    if (this.#mode === 'off') {
      return;
    }
    try {
      this.#folder = mkdtempSync(join(tmpdir(), 'edit-arbiter-guard-'));
      process.env[VARIABLE] = this.#folder;
      const reason = missing() ?? (await this.#try(this.#mode));
      if (reason !== undefined) {
        this.#tell(reason);
      }
    } catch (error) {
      this.#tell(describe(error));
    }
  }

  /** A tool of ours is called from a chat: the guard must have run before that. */
  called(): void {
    if (this.#folder === undefined) {
      return;
    }
    this.#sweep();
    if (this.#expected > 0) {
      this.#expected -= 1;
    } else {
      this.#tell('the chat has just called a tool without running it; a request that was under way goes on without it');
    }
  }

  /** Edits past the gate that were reported since this was last asked. */
  takeEdits(): ReportedEdit[] {
    const reported = this.#sweep();
    return this.#mode === 'warn'
      ? reported.flatMap(({ paths, time }) => paths.map((path) => ({ path: vscode.Uri.file(path).path, time })))
      : [];
  }

  async #try(mode: 'warn' | 'deny'): Promise<string | undefined> {
    const begun = performance.now();
    const printed = await runGuard(join(this.#plugins, mode), PROBE, {});
    const answer = parseGuardAnswer(printed);
    if (answer?.isDenied !== (mode === 'deny')) {
      return `its command printed ${JSON.stringify(printed.slice(0, 200))}`;
    }
    this.#log.info(`The guard (${mode}) answers in ${(performance.now() - begun).toFixed(0)} ms`);
    return undefined;
  }

  #sweep(): (GuardReport & { readonly time: number })[] {
    const folder = this.#folder;
    if (folder === undefined) {
      return [];
    }
    try {
      const reports = readdirSync(folder).flatMap((name) => takeReport(join(folder, name)));
      this.#expected += reports.filter(isOurs).length;
      const edits = reports.filter((report) => !isOurs(report) && report.paths.length > 0);
      for (const { tool, paths } of edits) {
        const what = this.#mode === 'deny' ? 'Denied' : 'Past the gate';
        this.#log.warn(`${what}: ${tool} of ${paths.join(', ')}`);
      }
      return edits;
    } catch (error) {
      if (codeOf(error) === undefined) {
        throw error;
      }
      this.#log.error('The reports of the guard could not be read:', describe(error));
      return [];
    }
  }

  /** Once: whoever knows need not be told again. */
  #tell(reason: string): void {
    const text = `The guard over the chat's built-in edit tools does not work here: ${reason}. Agents can edit past Edit Arbiter.`;
    this.#log.warn(text);
    if (this.#hasTold) {
      return;
    }
    this.#hasTold = true;
    const show = 'Show Log';
    void vscode.window
      .showWarningMessage(text, show)
      .then((choice) => (choice === show ? vscode.commands.executeCommand(COMMANDS.showLog) : undefined));
  }

  #close(): void {
    delete process.env[VARIABLE];
    if (this.#folder !== undefined) {
      rmSync(this.#folder, { recursive: true, force: true });
      this.#folder = undefined;
    }
    this.#expected = 0;
  }
}

/** What keeps the chat from running any guard. */
function missing(): string | undefined {
  if (!vscode.workspace.isTrusted) {
    return 'the chat runs it in trusted workspaces only';
  }
  const chat = vscode.workspace.getConfiguration('chat');
  if (chat.inspect('plugins.enabled')?.defaultValue === undefined) {
    return 'this version of VS Code takes no chat plugins from extensions';
  }
  const off = NEEDED.find((name) => chat.get(name) === false);
  return off === undefined ? undefined : `the setting chat.${off} is off`;
}

function isOurs({ tool }: GuardReport): boolean {
  return tool.startsWith('arbiter_');
}

/** Reads a report and takes it away. One that is still being written has no end of line yet. */
function takeReport(path: string): readonly (GuardReport & { readonly time: number })[] {
  const text = readFileSync(path, 'utf8');
  if (!text.endsWith('\n')) {
    return [];
  }
  const time = statSync(path).mtimeMs;
  rmSync(path);
  const report = parseGuardReport(text);
  return report === undefined ? [] : [{ ...report, time }];
}
