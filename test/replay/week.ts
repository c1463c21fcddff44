import assert from 'node:assert/strict';
import { readFileSync, statSync, utimesSync } from 'node:fs';
import * as vscode from 'vscode';
import { pathOf, sha256, textOf, uriOf, writes } from '../integration/support/disk.ts';
import { documentOf, engineer, isOpen, type Place, until } from '../integration/support/engineer.ts';
import { runs } from '../integration/support/tasks.ts';
import { countWeek, type WeekResult } from './result.ts';
import type { Distraction, Episode, Mover, Touch } from './schedule.ts';
import {
  applyTo,
  FUNCTIONS,
  isNoteRight,
  makeSource,
  note,
  placeOf,
  printNumber,
  type Replacement,
  raise,
  rateLineOf,
  reword,
} from './source.ts';
import type { EditTool, Landing, View } from './tools.ts';

const SERVICES = ['billing', 'orders', 'tiers', 'tax', 'refunds', 'shipping', 'vouchers', 'ledger'];

/** The code generator, as a program that a test target starts. */
const GENERATOR = 'tools/generate.sh';

export interface WeekOptions {
  readonly tool: EditTool;
  /** The folder of the workspace that holds this week's copy of the service. */
  readonly folder: string;
  readonly random: () => number;
  /** Whether the agent goes on from the version that its last apply returned, rather than from what it believes to have written. */
  readonly isChained: boolean;
  /** How `changed_by` names the formatting hook. */
  readonly hookName: string;
}

/** How an apply relates to what moved the file before it. */
interface Expected {
  readonly mover: Mover | undefined;
  /** What `changed_by` must say; turns, which depend on everything else that ran in the window, are left out. */
  readonly causes: readonly string[];
}

/** Plays the episodes of a week on a copy of the service: one agent, a formatter, a generator, an engineer. */
export class Week {
  readonly #options: WeekOptions;
  readonly #random: () => number;
  readonly #result = countWeek();
  readonly #paths: readonly string[];

  constructor(options: WeekOptions) {
    this.#options = options;
    this.#random = options.random;
    this.#paths = SERVICES.map((service) => `${options.folder}/${service}.py`);
    for (const [index, path] of this.#paths.entries()) {
      writes(path, makeSource(SERVICES[index] ?? '', options.random));
    }
    writes(
      GENERATOR,
      '# generate.sh FILE PATTERN TEXT: writes what the schema says into a source file.\nsed -i "s/$2/$3/" "$1"\n',
    );
  }

  /** How many files {@link Episode.file} may name. */
  static readonly files = SERVICES.length;

  async play(episodes: readonly Episode[]): Promise<WeekResult> {
    for (const [index, episode] of episodes.entries()) {
      const path = this.#path(episode.file);
      try {
        await (episode.kind === 'calm' ? this.#calm(path, episode.distraction) : this.#moved(path, episode));
        await this.#settle(path);
      } catch (error) {
        throw new Error(`episode ${index} of the week failed: ${JSON.stringify(episode)}`, { cause: error });
      }
    }
    return this.#result;
  }

  async #calm(path: string, distraction: Distraction | undefined): Promise<void> {
    const view = await this.#distracted(path, distraction);
    const index = this.#function();
    const edit = this.#random() < 0.5 ? note(view.text, index) : raise(view.text, index);
    await this.#apply(path, view, edit, { mover: undefined, causes: [] });
  }

  /** The agent reads; something goes on, before or after; the file is what was read all the same. */
  async #distracted(path: string, distraction: Distraction | undefined): Promise<View> {
    const other = this.#path(this.#paths.indexOf(path) + 1);
    switch (distraction) {
      case undefined:
        return this.#options.tool.read(path);
      case 'time stamp touched': {
        const view = await this.#options.tool.read(path);
        const time = new Date(statSync(pathOf(path)).mtimeMs + 5_000);
        utimesSync(pathOf(path), time, time);
        return view;
      }
      case 'same bytes written again': {
        const view = await this.#options.tool.read(path);
        writes(path, readFileSync(pathOf(path)));
        return view;
      }
      case 'another file generated': {
        const view = await this.#options.tool.read(path);
        await this.#generates(other, this.#function(), 'inputs');
        return view;
      }
      case 'another file typed in': {
        const view = await this.#options.tool.read(path);
        await this.#types(other, this.#function(), 'inputs');
        await engineer.saves(other);
        return view;
      }
      case 'typed and undone': {
        const view = await this.#options.tool.read(path);
        await this.#types(path, this.#function(), 'inputs');
        await engineer.undoes(path);
        return view;
      }
      case 'unsaved text saved': {
        if (!this.#seesUnsaved) {
          return this.#options.tool.read(path);
        }
        await this.#types(path, this.#function(), 'inputs');
        const view = await this.#options.tool.read(path);
        await engineer.saves(path);
        return view;
      }
      default:
        return distraction satisfies never;
    }
  }

  async #moved(path: string, { by, touches }: Extract<Episode, { kind: 'moved' }>): Promise<void> {
    const view = await this.#options.tool.read(path);
    const index = this.#function();
    switch (by) {
      case 'own edit':
        return this.#movedByOwnEdit(path, view, index, touches);
      case 'hook':
        return this.#movedByHook(path, view, index, touches);
      case 'generator': {
        const commandLine = await this.#generates(path, index, touches);
        const causes = [`code generator: ${commandLine} (task)`];
        return this.#apply(path, view, note(view.text, index), { mover: by, causes }).then();
      }
      case 'engineer': {
        await this.#types(path, index, touches);
        const isSaved = touches !== 'inputs';
        if (isSaved) {
          await engineer.saves(path);
        }
        const causes = [`engineer: typed in the editor (1 edit, ${isSaved ? 'saved' : 'unsaved'})`];
        return this.#apply(path, view, note(view.text, index), { mover: by, causes }).then();
      }
      default:
        return by satisfies never;
    }
  }

  /** Two edits planned on one read: the first lands, and moves the file under the second. */
  async #movedByOwnEdit(path: string, view: View, index: number, touches: Touch): Promise<void> {
    const leads = {
      inputs: raise(view.text, index),
      elsewhere: raise(view.text, other(index)),
      place: reword(view.text, index),
    };
    const landing = await this.#apply(path, view, leads[touches], { mover: undefined, causes: [] });
    if (this.#options.isChained) {
      await this.#apply(path, landing, note(landing.text, index), { mover: undefined, causes: [] });
    } else {
      const causes = [`edit #${landing.edit} (session unknown)`];
      await this.#apply(path, view, note(view.text, index), { mover: 'own edit', causes });
    }
  }

  /** An edit lands unformatted, the hook formats it, and the agent goes on from what it wrote. */
  async #movedByHook(path: string, view: View, index: number, touches: Touch): Promise<void> {
    const lead = raise(view.text, index, false);
    const landing = await this.#apply(path, view, lead, { mover: undefined, causes: [] });
    const written = applyTo(view.text, [lead]);
    const next = this.#options.isChained ? landing : { text: written, base: sha256(written) };
    const edit = touches === 'place' ? raise(next.text, index) : note(next.text, other(index));
    const causes = [`post-write hook: ${this.#options.hookName}`];
    await this.#apply(
      path,
      next,
      edit,
      this.#options.isChained ? { mover: undefined, causes: [] } : { mover: 'hook', causes },
    );
  }

  /** Sends an edit, and holds what comes of it against what the file held before. */
  async #apply(
    path: string,
    view: View,
    edit: Replacement,
    { mover, causes }: Expected,
  ): Promise<View & { edit: number }> {
    const before = this.#effectiveText(path);
    const landing = await this.#options.tool.apply(path, view, [edit]);
    const isMoved = before !== view.text;
    assert.equal(isMoved, mover !== undefined, `the schedule and the file do not agree on who moved ${path}`);
    this.#count(path, landing, edit, before, mover, causes);
    return landing.kind === 'landed' ? { ...landing.view, edit: landing.edit } : { ...view, edit: 0 };
  }

  #count(
    path: string,
    landing: Landing,
    edit: Replacement,
    before: string,
    mover: Mover | undefined,
    causes: readonly string[],
  ): void {
    const result = this.#result;
    result.applies += 1;
    if (mover === undefined) {
      result.falseAlarms += landing.kind === 'landed' ? 0 : 1;
      if (landing.kind === 'landed' && this.#options.isChained) {
        assert.equal(this.#effectiveText(path), landing.view.text, `${path} is not what the agent was told`);
      }
      return;
    }
    result.stale += 1;
    switch (landing.kind) {
      case 'landed': {
        result.landedUnread += 1;
        const [, number] = /# quote[ds]_(\d+)/.exec(edit.new_string) ?? [];
        const isRight = number === undefined || isNoteRight(this.#effectiveText(path), Number(number));
        result.landedWrong += isRight ? 0 : 1;
        result.overUnsaved += textOf(path) !== before && this.#isDirty(path) ? 1 : 0;
        return;
      }
      case 'misplaced':
        result.misplaced += 1;
        return;
      case 'refused': {
        const told = landing.causes.map((cause) => cause.replace(/, turn \d+/, ''));
        result.caught += 1;
        const isRight = told.join('\n') === causes.join('\n');
        result.namedRight += isRight ? 1 : 0;
        result.named.push({ mover, as: told });
        return;
      }
      default:
        landing satisfies never;
    }
  }

  /** @returns the command line, as the task shows it. */
  async #generates(path: string, index: number, touches: Touch): Promise<string> {
    const text = textOf(path);
    const target = touches === 'elsewhere' ? other(index) : index;
    const { old_string: old, new_string: replacement } =
      touches === 'place' ? reword(text, target) : raise(text, target);
    const commandLine = `sh ${GENERATOR} ${path} '${old.trim()}' '${replacement.trim()}'`;
    await runs(commandLine);
    assert.notEqual(textOf(path), text, `the generator did not change ${path}`);
    return commandLine;
  }

  /** One key in the editor. */
  async #types(path: string, index: number, touches: Touch): Promise<void> {
    await engineer.opens(path);
    await until(() => this.#isDirty(path) || documentOf(path).getText() === textOf(path));
    const text = documentOf(path).getText();
    const target = touches === 'elsewhere' ? other(index) : index;
    const key = touches === 'place' ? this.#rewording(text, target) : this.#digit(text, target);
    await engineer.types(path, key.text, key.at);
  }

  #digit(text: string, index: number): { readonly text: string; readonly at: Place } {
    const line = rateLineOf(text, index);
    const digit = line.at(-1) ?? '';
    return {
      text: String((Number(digit) % 9) + 1),
      at: { line: text.split('\n').indexOf(line), character: line.length - 1, length: 1 },
    };
  }

  #rewording(text: string, index: number): { readonly text: string; readonly at: Place } {
    const line = placeOf(text, index);
    const character = line.indexOf(`_${printNumber(index)}`) - 1;
    return {
      text: line[character] === 'd' ? 's' : 'd',
      at: { line: text.split('\n').indexOf(line), character, length: 1 },
    };
  }

  /** Nothing of one episode is left unsaved for the next. */
  async #settle(path: string): Promise<void> {
    if (isOpen(path) && this.#isDirty(path)) {
      await engineer.opens(path);
      await vscode.commands.executeCommand(
        this.#seesUnsaved ? 'workbench.action.files.save' : 'workbench.action.files.revert',
      );
      await until(() => !this.#isDirty(path));
    }
  }

  /** The text that the engineer sees: unsaved where there is such, else what is on disk. */
  #effectiveText(path: string): string {
    return this.#isDirty(path) ? documentOf(path).getText() : textOf(path);
  }

  #isDirty(path: string): boolean {
    const uri = uriOf(path).toString();
    return vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri && document.isDirty);
  }

  /** Whether the tool reads what is in the editor. */
  get #seesUnsaved(): boolean {
    return this.#options.tool.seesUnsaved;
  }

  #path(file: number): string {
    return this.#paths[file % this.#paths.length] ?? '';
  }

  #function(): number {
    return Math.floor(this.#random() * FUNCTIONS);
  }
}

/** A function that is not next to this one. */
function other(index: number): number {
  return (index + FUNCTIONS / 2) % FUNCTIONS;
}
