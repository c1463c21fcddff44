import { join } from 'node:path';
import type * as vscode from 'vscode';
import type { Arbiter } from '../core/arbiter.ts';
import type { LandedEdit } from '../core/landedEdit.ts';
import { registerCommands } from './commands.ts';
import { ConflictFile } from './conflictFile.ts';
import type { WorkspaceDocuments } from './documents.ts';
import type { Interruptions } from './interruptions.ts';
import { LiveBases } from './liveBases.ts';
import { Openers } from './openers.ts';
import { ScratchStory } from './scratchStory.ts';
import { Subjects } from './subjects.ts';
import type { TallyBook } from './tallyBook.ts';
import { BaseContent } from './views/baseContent.ts';
import { ConflictsView } from './views/conflictsView.ts';
import { LandingMarks } from './views/landingMarks.ts';
import { StatisticsPage } from './views/statisticsPage.ts';
import { StatusBar } from './views/statusBar.ts';

/** What the engineer's side is built on. */
export interface EngineerSideTools {
  /** Where the extension is installed. */
  readonly extension: vscode.Uri;
  /** The workspace's own folder for what has to outlive the window, if any. */
  readonly storage: string | undefined;
  readonly arbiter: Arbiter;
  readonly documents: WorkspaceDocuments;
  readonly tallies: TallyBook;
  readonly interruptions: Interruptions;
  readonly landings: vscode.Event<LandedEdit>;
  /** Brings back what is remembered of files, once. */
  readonly load: () => void;
  readonly log: vscode.LogOutputChannel;
}

/** Builds and registers all that the engineer sees: panel, marks, status bar, diffs, statistics, commands. */
export function openEngineerSide(tools: EngineerSideTools): vscode.Disposable[] {
  const { extension, storage, arbiter, documents, tallies, interruptions, landings, load, log } = tools;
  const uriOf = (key: string) => documents.looks.uriOf(key);
  const content = new BaseContent(arbiter);
  const live = new LiveBases(arbiter, documents, log);
  const subjects = new Subjects(arbiter, live);
  const openers = new Openers(arbiter, content, uriOf);
  const marks = new LandingMarks(landings, arbiter.sessionNames, uriOf, extension, log);
  const statistics = new StatisticsPage(extension, tallies);
  const story = new ScratchStory(arbiter, documents, load);
  const file =
    storage === undefined ? undefined : new ConflictFile(join(storage, 'conflicts.json'), arbiter.conflicts, log);
  void file?.load().then((isAny) => {
    if (isAny) {
      // Their causes and texts are asked for as soon as somebody looks at them.
      load();
    }
  });
  return [
    content,
    live,
    marks,
    statistics,
    ...(file ? [file] : []),
    new StatusBar(arbiter, live, subjects, tallies),
    new ConflictsView({ extension, arbiter, live, tallies, subjects, openers, log }),
    ...registerCommands({ arbiter, subjects, openers, tallies, marks, statistics, story, interruptions, log }),
  ];
}
