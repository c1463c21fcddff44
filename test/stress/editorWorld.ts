import { renameSync, rmSync } from 'node:fs';
import * as vscode from 'vscode';
import * as arbiter from '../integration/support/agent.ts';
import { pathOf, uriOf, writes } from '../integration/support/disk.ts';
import { closeEverything, until } from '../integration/support/engineer.ts';
import { runs } from '../integration/support/tasks.ts';
import { Agent, type Tools } from './agent.ts';
import type { Call } from './calls.ts';
import { EditorJudge } from './editorJudge.ts';
import { EditorTruth, readText } from './editorTruth.ts';
import type { Violation } from './judge.ts';
import { Marks } from './marks.ts';
import { count, type Numbers, noNumbers } from './numbers.ts';
import { COMMON } from './plans.ts';
import {
  type AgentName,
  PATHS,
  type Schedule,
  type Setting,
  type Step,
  type Typing,
  WHERE_A_CALL_WAITS,
} from './steps.ts';
import { typing, writing } from './texts.ts';

/** What came of one schedule in the real editor. */
export interface EditorPlayed {
  readonly violations: readonly Violation[];
  readonly story: readonly string[];
  readonly numbers: Numbers;
}

/** The glob of files that the configured hook is for. */
export const HOOKED = '**/hooked*/*';

/** How long a point of the schedule takes, in milliseconds: what happens in it is up to the editor. */
const POINT = 3;
/** How many calls run side by side at most. */
const CALLS = 3;
/** How long the engineer waits for the editor to tell of a key, in milliseconds. It may have come to nothing. */
const KEY_TIME = 1_000;
/** How long the editor may take to reload what has moved on disk, in milliseconds. */
const RELOAD_TIME = 2_000;

/** Plays a schedule in the real editor, in a folder of its own. The order of events is the editor's, so no two plays are the same. */
export async function playInEditor({ setting, steps }: Schedule, name: string): Promise<EditorPlayed> {
  const world = new EditorWorld(setting, name);
  try {
    for (const step of steps) {
      await world.plays(step);
    }
    await world.settles();
    return world.ends();
  } finally {
    await world.closes();
  }
}

class EditorWorld {
  readonly #paths: readonly string[];
  readonly #marks = new Marks();
  readonly #truth: EditorTruth;
  readonly #judge: EditorJudge;
  readonly #agents: Readonly<Record<AgentName, Agent>>;
  readonly #story: string[] = [];
  readonly #numbers = noNumbers();
  readonly #running = new Set<Promise<unknown>>();
  readonly #began = performance.now();
  /** The engineer has two hands and does one thing after the other. */
  #engineer: Promise<unknown> = Promise.resolve();
  /** The file of the newest call of an agent. */
  #newest = 0;
  #hasGenerated = false;

  constructor(setting: Setting, name: string) {
    const folder = `stress/${setting.hook ? 'hooked' : 'plain'}${name}`;
    this.#paths = PATHS.map((path) => `${folder}/${setting.participants ? path.replace('.txt', '.ini') : path}`);
    this.#furnish(setting);
    this.#truth = new EditorTruth(this.#paths, (seen) => {
      count(this.#numbers.moves, seen.hand);
      this.#tell(
        `    ${this.#short(seen.path)}: ${seen.hand}, ${seen.where}: ${JSON.stringify(seen.after) ?? 'no file'}`,
      );
      this.#judge.saw(seen);
    });
    this.#judge = new EditorJudge(this.#truth);
    const agentOf = (agent: AgentName) =>
      new Agent(agent, {
        tools: this.#tools(),
        judge: this.#judge,
        mark: () => this.#marks.next(agent),
        tell: (line) => this.#tell(line.replaceAll(`${folder}/`, '')),
        count: (status) => count(this.#numbers.entries, status),
      });
    this.#agents = { a: agentOf('a'), b: agentOf('b'), c: agentOf('c') };
    for (const path of this.#paths.slice(0, setting.open)) {
      this.#engineers(() => vscode.window.showTextDocument(uriOf(path), { preview: false }));
    }
  }

  async plays(step: Step): Promise<void> {
    this.#numbers.steps += 1;
    const points = step.does === 'goes on' || step.does === 'edits' ? step.points : 0;
    // What nobody has time to answer says little.
    while ('agent' in step && this.#running.size >= CALLS) {
      await Promise.race(this.#running);
    }
    if (step.does !== 'goes on') {
      this.#act(step);
    }
    this.#numbers.points += points;
    await new Promise((resolve) => setTimeout(resolve, points * POINT));
    this.#truth.look();
  }

  /** Lets every call come to its end, and the editor catch up with the disk; then an agent looks at everything once more. */
  async settles(): Promise<void> {
    await this.#drains();
    const isCaughtUp = () => vscode.workspace.textDocuments.every((document) => this.#isCaughtUp(document));
    await within(RELOAD_TIME, until(isCaughtUp));
    this.#truth.look();
    // All of them are of the session that nobody can tell.
    this.#starts(() => this.#agents.a.checks([]));
    await this.#drains();
    this.#starts(() => this.#agents.a.reads(this.#paths));
    await this.#drains();
    this.#judge.settled(this.#paths, (path) => this.#documentOf(path)?.isDirty === true);
  }

  ends(): EditorPlayed {
    const { violations, inWindow } = this.#judge;
    this.#numbers.schedules = 1;
    this.#numbers.violations = violations.length > 0 ? 1 : 0;
    this.#numbers.inWindow = inWindow;
    return { violations, story: this.#story, numbers: this.#numbers };
  }

  async closes(): Promise<void> {
    this.#truth.dispose();
    await closeEverything();
  }

  #furnish({ isWide, lines }: Setting): void {
    const ending = isWide ? '\r\n' : '\n';
    for (const [index, path] of this.#paths.slice(0, 3).entries()) {
      const content = Array.from({ length: lines + index }, (_, line) =>
        line % 3 === 1 ? COMMON : `${this.#marks.next('i')} line ~~ ${line}`,
      );
      writes(path, `${content.join(ending)}${ending}`);
    }
  }

  #tools(): Tools {
    const during = async <T>(call: Call, answer: () => Promise<T>): Promise<T> => {
      this.#judge.begin(call);
      this.#truth.begin(call);
      try {
        return await answer();
      } finally {
        this.#truth.look();
        this.#truth.end(call);
      }
    };
    return {
      read: (call, { files }) => during(call, () => arbiter.read(...files)),
      edit: (call, input) => during(call, () => arbiter.edit(input)),
      check: (call, input) =>
        during(call, async () => {
          const results = await arbiter.check(input);
          // The session is the same in every story, and holds bases of those before.
          return results.filter(({ path }) => this.#paths.some((own) => own === path));
        }),
    };
  }

  #act(step: Exclude<Step, { readonly does: 'goes on' }>): void {
    const pathOfIndex = (index: number) => this.#paths[index] ?? '';
    switch (step.does) {
      case 'reads': {
        // A part says nothing that can be checked from here.
        const paths = step.files.map(pathOfIndex);
        this.#starts(() => this.#agents[step.agent].reads(paths));
        return;
      }
      case 'edits': {
        this.#newest = step.edits[0]?.file ?? 0;
        const intents = step.edits.map(({ file, to, of, ...edit }) => ({
          ...edit,
          path: pathOfIndex(file),
          target: pathOfIndex(to),
          ...(of === undefined ? {} : { of: pathOfIndex(of) }),
        }));
        this.#starts(() => this.#agents[step.agent].edits(intents, step.mode, step.isCareful));
        return;
      }
      case 'retries':
        this.#starts(() => this.#agents[step.agent].retries());
        return;
      case 'insists':
        this.#starts(() => this.#agents[step.agent].insists(step.how));
        return;
      case 'checks': {
        const paths = step.files.map(pathOfIndex);
        this.#starts(() => this.#agents[step.agent].checks(paths));
        return;
      }
      default: {
        const file = step.file === WHERE_A_CALL_WAITS ? this.#newest : step.file;
        this.#actsBeside(step, pathOfIndex(file));
      }
    }
  }

  #actsBeside(step: Exclude<Step, { readonly agent: string } | { readonly does: 'goes on' }>, path: string): void {
    switch (step.does) {
      case 'types':
        this.#engineers(() => this.#types(path, step.at, step.how));
        return;
      case 'fixes':
        this.#engineers(() => this.#fixes(path, step.at));
        return;
      case 'undoes':
      case 'redoes':
        this.#engineers(() => this.#steps(path, step.does === 'undoes' ? 'undo' : 'redo'));
        return;
      case 'opens':
        this.#engineers(async () => this.#shows(path));
        return;
      case 'closes':
        this.#engineers(() => this.#closesTabs(path));
        return;
      case 'reverts':
        this.#engineers(() => this.#reverts(path));
        return;
      case 'saves':
        this.#engineers(async () => {
          const document = this.#documentOf(path);
          if (document?.isDirty) {
            this.#tell(`the engineer saves ${this.#short(path)}`);
            await document.save();
          }
        });
        return;
      case 'renames in the editor':
        this.#engineers(() => this.#renames(path, this.#paths[step.to] ?? ''));
        return;
      case 'writes':
        this.#writes(step, path);
        return;
      case 'reloads':
      case 'gets stuck':
        // The real editor reloads when it will, and saves.
        return;
      default:
        step satisfies never;
    }
  }

  // --- the engineer

  #engineers(action: () => Thenable<unknown>): void {
    this.#engineer = this.#engineer.then(action).catch((error: unknown) => {
      // What the engineer wants may be gone by the time they get to it.
      this.#tell(`  the engineer cannot: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  async #shows(path: string): Promise<vscode.TextEditor | undefined> {
    return readText(path) === undefined && this.#documentOf(path) === undefined
      ? undefined
      : vscode.window.showTextDocument(uriOf(path), { preview: false });
  }

  async #types(path: string, at: number, how: Typing): Promise<void> {
    const editor = await this.#shows(path);
    if (!editor) {
      return;
    }
    const { document } = editor;
    const [edit] = typing(document.getText(), at, how, () => this.#marks.next('e'));
    if (!edit) {
      return;
    }
    const [start, end] = [edit.offset, edit.offset + edit.length].map((offset) => document.positionAt(offset));
    editor.selection = new vscode.Selection(start as vscode.Position, end as vscode.Position);
    const isDeleting = edit.text === '';
    this.#tell(`the engineer types ${JSON.stringify(edit.text)} in ${this.#short(path)}`);
    await this.#doing(path, 'types', async () => {
      // Key by key, as people do.
      for (const key of isDeleting ? [''] : edit.text.replaceAll('\r\n', '\n')) {
        const { version } = document;
        await (isDeleting
          ? vscode.commands.executeCommand('deleteLeft')
          : vscode.commands.executeCommand('type', { text: key }));
        await within(
          KEY_TIME,
          until(() => document.version > version || document.isClosed),
        );
      }
    });
  }

  /** Another extension, as far as the arbiter can tell. */
  async #fixes(path: string, at: number): Promise<void> {
    const document = this.#documentOf(path);
    const [edit] = document ? typing(document.getText(), at, 'into', () => this.#marks.next('x')) : [];
    if (!document || !edit) {
      return;
    }
    this.#tell(`a quick fix changes ${this.#short(path)}`);
    const change = new vscode.WorkspaceEdit();
    change.insert(document.uri, document.positionAt(edit.offset), edit.text);
    await vscode.workspace.applyEdit(change);
  }

  async #steps(path: string, command: 'undo' | 'redo'): Promise<void> {
    if (this.#documentOf(path) && (await this.#shows(path))) {
      this.#tell(`the engineer asks for ${command} in ${this.#short(path)}`);
      await vscode.commands.executeCommand(command);
    }
  }

  async #closesTabs(path: string): Promise<void> {
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ input, isDirty }) => !isDirty && isOf(input, path));
    if (tabs.length > 0 && this.#documentOf(path)?.isDirty !== true) {
      this.#tell(`the engineer closes ${this.#short(path)}`);
      await vscode.window.tabGroups.close(tabs);
    }
  }

  async #reverts(path: string): Promise<void> {
    if (this.#documentOf(path)?.isDirty && readText(path) !== undefined && (await this.#shows(path))) {
      this.#tell(`the engineer gives up what is unsaved in ${this.#short(path)}`);
      await this.#doing(path, 'reverts', () => vscode.commands.executeCommand('workbench.action.files.revert'));
    }
  }

  async #renames(path: string, target: string): Promise<void> {
    const isFree = readText(target) === undefined && this.#documentOf(target) === undefined;
    if (readText(path) === undefined || !isFree || this.#documentOf(path)?.isDirty) {
      return;
    }
    this.#tell(`the engineer renames ${this.#short(path)} to ${this.#short(target)}`);
    const rename = new vscode.WorkspaceEdit();
    rename.renameFile(uriOf(path), uriOf(target));
    await this.#doing(path, 'renames', () => vscode.workspace.applyEdit(rename));
  }

  async #doing(path: string, does: 'types' | 'reverts' | 'renames', body: () => Thenable<unknown>): Promise<void> {
    this.#truth.engineer = { path, does };
    try {
      await body();
      this.#truth.look();
    } finally {
      this.#truth.engineer = undefined;
    }
  }

  // --- other programs

  #writes({ how, at, isGenerator, file }: Extract<Step, { does: 'writes' }>, path: string): void {
    const target = this.#paths[(file + 1) % this.#paths.length] ?? '';
    // A task takes its time, so there is one in a story.
    if (isGenerator && how === 'adds a line' && !this.#hasGenerated && readText(path)?.endsWith('\n')) {
      this.#hasGenerated = true;
      this.#generates(path);
      return;
    }
    const written = writing(readText(path), at, how, () => this.#marks.next('p'));
    if (written === undefined || (written.isMoved && target === path)) {
      return;
    }
    const { content, isMoved, isRenamed } = written;
    // The editor's own guard knows no other writes than those of another length.
    const isSameLength = how !== 'writes the same bytes' && content?.length === readText(path)?.length;
    const bytes = isSameLength ? `${content}+` : content;
    this.#tell(`another program ${how}: ${this.#short(path)}`);
    this.#truth.programs(isMoved ? [path, target] : [path], 'program', () => {
      if (isMoved) {
        renameSync(pathOf(path), pathOf(target));
      } else if (bytes === undefined) {
        rmSync(pathOf(path));
      } else if (isRenamed) {
        writes(`${path}.tmp`, bytes);
        renameSync(pathOf(`${path}.tmp`), pathOf(path));
      } else {
        writes(path, bytes);
      }
    });
  }

  #generates(path: string): void {
    const mark = this.#marks.next('g');
    this.#tell(`the generator adds ${mark} to ${this.#short(path)}`);
    this.#starts(async () => {
      const ending = readText(path)?.includes('\r\n') ? '\\r\\n' : '\\n';
      await runs(`printf '%s${ending}' '${mark}' >> '${pathOf(path)}'`);
      this.#truth.look();
    });
  }

  // --- inside

  async #drains(): Promise<void> {
    while (this.#running.size > 0) {
      await Promise.all(this.#running);
    }
    await this.#engineer;
  }

  #starts(action: () => Promise<unknown>): void {
    const ended: Promise<unknown> = action()
      .catch((error: unknown) => {
        const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.#judge.violations.push({ rule: 'answer', what: `a call broke off: ${what}` });
      })
      .finally(() => this.#running.delete(ended));
    this.#running.add(ended);
  }

  /** Whether the editor has nothing to reload. */
  #isCaughtUp(document: vscode.TextDocument): boolean {
    const path = this.#paths.find((each) => document.uri.fsPath === pathOf(each));
    const disk = path === undefined ? undefined : readText(path);
    return disk === undefined || document.isDirty || document.getText() === disk;
  }

  #documentOf(path: string): vscode.TextDocument | undefined {
    return vscode.workspace.textDocuments.find(({ uri, isClosed }) => uri.fsPath === pathOf(path) && !isClosed);
  }

  #short(path: string): string {
    return path.slice(path.lastIndexOf('/') + 1);
  }

  #tell(line: string): void {
    this.#story.push(`${String(Math.round(performance.now() - this.#began)).padStart(5)} ${line}`);
  }
}

function isOf(input: unknown, path: string): boolean {
  return input instanceof vscode.TabInputText && input.uri.fsPath === pathOf(path);
}

/** Waits for something that may never come. */
async function within(milliseconds: number, event: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([event, timeout]);
  clearTimeout(timer);
}
