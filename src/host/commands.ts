import * as vscode from 'vscode';
import type { Arbiter } from '../core/arbiter.ts';
import { type MovedFile, replanPrompt } from '../core/replan.ts';
import { COMMANDS, EXTENSION, VIEWS, WALKTHROUGH } from '../names.ts';
import { describe } from './errors.ts';
import type { Interruptions } from './interruptions.ts';
import { type Openers, plain } from './openers.ts';
import type { ScratchStory } from './scratchStory.ts';
import { exportStatistics } from './statistics.ts';
import type { Choice, Subject, SubjectKind, Subjects } from './subjects.ts';
import type { TallyBook } from './tallyBook.ts';
import type { LandingMarks } from './views/landingMarks.ts';
import type { StatisticsPage } from './views/statisticsPage.ts';

const ALL: readonly SubjectKind[] = ['interrupted', 'refused', 'stale'];
/** What an agent can plan again. */
const PLANNED: readonly SubjectKind[] = ['refused', 'stale'];

/** What the commands work with. */
export interface CommandTools {
  readonly arbiter: Arbiter;
  readonly subjects: Subjects;
  readonly openers: Openers;
  readonly tallies: TallyBook;
  readonly marks: LandingMarks;
  readonly statistics: StatisticsPage;
  readonly story: ScratchStory;
  readonly interruptions: Interruptions;
  readonly log: vscode.LogOutputChannel;
}

/** Registers every command of the palette and the views. */
export function registerCommands(tools: CommandTools): vscode.Disposable[] {
  const { arbiter, openers, log } = tools;
  const handlers: Record<(typeof COMMANDS)[keyof typeof COMMANDS], (argument?: unknown) => unknown> = {
    [COMMANDS.replan]: (argument) => replan(tools, argument),
    [COMMANDS.copyPrompt]: (argument) => copyPrompt(tools, argument),
    [COMMANDS.showConflicts]: () => vscode.commands.executeCommand(`${VIEWS.conflicts}.focus`),
    [COMMANDS.showChanges]: async (argument) => {
      for (const subject of await one(tools, argument, 'Show the changes of which file?', ALL)) {
        await openers.showChanges(subject);
      }
    },
    [COMMANDS.showIntended]: async (argument) => {
      for (const subject of await one(tools, argument, 'Show which intended edit?', ['refused'])) {
        await (subject.kind === 'stale' ? openers.showChanges(subject) : openers.showIntended(subject.conflict));
      }
    },
    [COMMANDS.openFile]: async (argument) => {
      for (const subject of await one(tools, argument, 'Open which file?', ALL)) {
        await openers.openFile(subject);
      }
    },
    [COMMANDS.dismiss]: (argument) => dismiss(tools, argument),
    [COMMANDS.restore]: (argument) => restore(tools, argument),
    [COMMANDS.clearResolved]: () => arbiter.conflicts.clearResolved(),
    [COMMANDS.clearMarks]: () => tools.marks.clear(),
    [COMMANDS.showStatistics]: () => tools.statistics.show(),
    [COMMANDS.exportStatistics]: () => exportStatistics(tools.tallies.all),
    [COMMANDS.tryStory]: () => tools.story.play(),
    [COMMANDS.getStarted]: () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', `${EXTENSION}#${WALKTHROUGH}`, false),
    [COMMANDS.showLog]: () => log.show(),
  };
  return Object.entries(handlers).map(([id, handler]) => vscode.commands.registerCommand(id, handler));
}

async function replan(tools: CommandTools, argument: unknown): Promise<void> {
  const chosen = await tools.subjects.choose(argument, {
    title: 'Re-plan which edits?',
    isMany: true,
    among: PLANNED,
  });
  if (chosen.length === 0) {
    return;
  }
  const prompt = await promptFor(tools, chosen);
  try {
    await vscode.commands.executeCommand('workbench.action.chat.open', {
      query: prompt,
      isPartialQuery: true,
      mode: 'agent',
    });
  } catch (error) {
    tools.log.warn('The chat could not be opened', error instanceof Error ? error : String(error));
    await vscode.env.clipboard.writeText(prompt);
    void vscode.window.showInformationMessage(
      'No chat could be opened here. The re-plan prompt is on the clipboard, for any agent.',
    );
  }
}

async function copyPrompt(tools: CommandTools, argument: unknown): Promise<void> {
  const choice = { title: 'Copy a prompt for which edits?', isMany: true, among: PLANNED };
  const chosen = await tools.subjects.choose(argument, choice);
  if (chosen.length > 0) {
    await vscode.env.clipboard.writeText(await promptFor(tools, chosen));
    void vscode.window.showInformationMessage('The re-plan prompt is on the clipboard.');
  }
}

async function promptFor({ openers }: CommandTools, chosen: readonly Subject[]): Promise<string> {
  const conflicts = chosen.flatMap((subject) => (subject.kind === 'stale' ? [] : [subject.conflict]));
  const moved = await Promise.all(
    chosen.flatMap((subject) => (subject.kind === 'stale' ? [movedFile(subject, openers)] : [])),
  );
  return replanPrompt(conflicts, moved);
}

async function movedFile(subject: Subject & { readonly kind: 'stale' }, openers: Openers): Promise<MovedFile> {
  const { path, causes } = subject.stale;
  return { path, changedBy: causes, diffSinceRead: (await openers.diffOf(subject)) ?? null };
}

async function dismiss({ arbiter, subjects }: CommandTools, argument: unknown): Promise<void> {
  const choice = { title: 'Dismiss which conflicts?', isMany: true, among: ALL };
  for (const subject of await subjects.choose(argument, choice)) {
    if (subject.kind === 'stale') {
      arbiter.held.release(subject.stale);
    } else {
      arbiter.dismiss(subject.conflict.id);
    }
  }
}

/** One after the other: each says for itself how it went. */
async function restore({ subjects, interruptions, log }: CommandTools, argument: unknown): Promise<void> {
  const choice: Choice = {
    title: 'Restore which files to what they held before the edit?',
    isMany: true,
    among: ['interrupted'],
  };
  const chosen = await subjects.choose(argument, choice);
  for (const conflict of chosen.flatMap((subject) => (subject.kind === 'stale' ? [] : [subject.conflict]))) {
    const { path } = conflict;
    try {
      await interruptions.restore(conflict);
      void vscode.window.showInformationMessage(`${plain(path)} holds again what it held before the edit.`);
    } catch (error) {
      log.warn(`${path} was not restored: ${describe(error)}`);
      void vscode.window.showWarningMessage(plain(describe(error)));
    }
  }
}

function one(
  { subjects }: CommandTools,
  argument: unknown,
  title: string,
  among: readonly SubjectKind[],
): Promise<readonly Subject[]> {
  return subjects.choose(argument, { title, isMany: false, among });
}
