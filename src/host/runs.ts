import * as vscode from 'vscode';
import type { Run } from '../core/runs.ts';

/** How many finished commands are remembered. */
const MAX_FINISHED = 500;

/** How far apart the two events of one task may come, in milliseconds. */
const JUST_NOW = 2_000;

type Open = { -readonly [K in keyof Run]: Run[K] };

/** Remembers when tasks and terminal commands ran: beside a file's times, they name who wrote it. */
export class Runs implements vscode.Disposable {
  readonly #runs: Open[] = [];
  readonly #tasks = new Map<vscode.TaskExecution, Open>();
  readonly #terminals = new Map<vscode.TerminalShellExecution, vscode.Terminal>();
  readonly #commands = new Map<vscode.TerminalShellExecution, Open>();
  readonly #subscriptions: vscode.Disposable[];

  constructor() {
    this.#subscriptions = [
      // The task's own events stand around those of its process, which can come late.
      vscode.tasks.onDidStartTask(({ execution }) => this.#taskStarted(execution)),
      vscode.tasks.onDidEndTask(({ execution }) => this.#ended(this.#tasks, execution)),
      vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) =>
        this.#commandStarted(terminal, execution),
      ),
      vscode.window.onDidEndTerminalShellExecution(({ execution }) => this.#ended(this.#commands, execution)),
      vscode.window.onDidCloseTerminal((terminal) => this.#endedIn(terminal)),
    ];
  }

  get all(): readonly Run[] {
    return this.#runs;
  }

  /** Runs a hook: what it writes beside the file that it runs for is its doing, too. */
  async during<T>(hook: string, body: () => Promise<T>): Promise<T> {
    const run = this.#start({ commandLine: hook, via: 'hook', isBackground: false });
    try {
      return await body();
    } finally {
      run.end = Date.now();
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  #taskStarted(execution: vscode.TaskExecution): void {
    const { task } = execution;
    const commandLine = commandLineOf(task);
    // Its terminal tells of the same command as well, before or after: one writer, not two.
    for (const run of this.#recent(commandLine, 'terminal')) {
      this.#runs.splice(this.#runs.indexOf(run), 1);
    }
    this.#tasks.set(execution, this.#start({ commandLine, via: 'task', isBackground: task.isBackground }));
  }

  #commandStarted(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): void {
    // A shell runs one command at a time: the one before has ended, whether or not that was told.
    this.#endedIn(terminal);
    this.#terminals.set(execution, terminal);
    const commandLine = execution.commandLine.value;
    if (this.#recent(commandLine, 'task').length === 0) {
      this.#commands.set(execution, this.#start({ commandLine, via: 'terminal', isBackground: false }));
    }
  }

  /** Runs of the same command that go on, or ended just now. */
  #recent(commandLine: string, via: Run['via']): Open[] {
    const since = Date.now() - JUST_NOW;
    return this.#runs.filter(
      (run) => run.via === via && (run.end ?? since) >= since && isSameCommand(run.commandLine, commandLine),
    );
  }

  #start(run: Pick<Run, 'commandLine' | 'via' | 'isBackground'>): Open {
    const open: Open = { ...run, start: Date.now(), end: undefined };
    this.#runs.push(open);
    const finished = this.#runs.filter(({ end }) => end !== undefined);
    for (const old of finished.slice(0, Math.max(0, finished.length - MAX_FINISHED))) {
      this.#runs.splice(this.#runs.indexOf(old), 1);
    }
    return open;
  }

  #endedIn(terminal: vscode.Terminal): void {
    for (const [execution, itsTerminal] of this.#terminals) {
      if (itsTerminal === terminal) {
        this.#terminals.delete(execution);
        this.#ended(this.#commands, execution);
      }
    }
  }

  #ended<Execution>(open: Map<Execution, Open>, execution: Execution): void {
    const run = open.get(execution);
    if (run) {
      run.end = Date.now();
      open.delete(execution);
    }
  }
}

/** A shell may report a command with other quotes and blanks than the task was given. */
function isSameCommand(one: string, other: string): boolean {
  const plain = (line: string) => line.replaceAll(/[\s'"\\]+/g, '');
  return plain(one) === plain(other);
}

/** What the engineer knows the task by: its own name, unless that says less than its command. */
function commandLineOf(task: vscode.Task): string {
  const { execution } = task;
  if (execution instanceof vscode.ShellExecution) {
    const parts = [execution.command ?? '', ...(execution.args ?? [])];
    return execution.commandLine ?? parts.map((part) => (typeof part === 'string' ? part : part.value)).join(' ');
  }
  if (execution instanceof vscode.ProcessExecution) {
    return [execution.process, ...execution.args].join(' ');
  }
  return task.name;
}
