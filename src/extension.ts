import * as vscode from 'vscode';
import { Arbiter } from './core/arbiter.ts';
import { Ledger } from './core/ledger.ts';
import { BufferChanges } from './host/bufferChanges.ts';
import { registerCommands } from './host/commands.ts';
import { WorkspaceDocuments } from './host/documents.ts';
import { countEdits } from './host/editCounter.ts';
import { Observer } from './host/observer.ts';
import { Runs } from './host/runs.ts';
import { readLimits } from './host/settings.ts';
import { checkTool } from './host/tools/check.ts';
import { editTool } from './host/tools/edit.ts';
import { readTool } from './host/tools/read.ts';
import { makeTool } from './host/tools/tool.ts';
import { BaseContent } from './host/views/baseContent.ts';
import { ConflictTree } from './host/views/conflictTree.ts';
import { Writers } from './host/writers.ts';
import { SECTION, TOOLS, VIEWS } from './names.ts';

/** Builds the arbiter and registers everything that faces agents and engineers. Decides nothing. */
export function activate({ subscriptions, workspaceState }: vscode.ExtensionContext): void {
  const start = performance.now();
  const log = vscode.window.createOutputChannel('Edit Arbiter', { log: true });
  const runs = new Runs();
  const changes = new BufferChanges((document) => documents.isOnDisk(document));
  const documents = new WorkspaceDocuments(changes, new Writers(runs), log);
  const ledger = new Ledger();
  const arbiter = new Arbiter({
    documents,
    ledger,
    limits: readLimits(),
    now: Date.now,
    nextEdit: countEdits(workspaceState, log),
    onFault: (error, path) => log.error(`${path}:`, error instanceof Error ? error : String(error)),
  });
  const uriOf = (key: string) => documents.looks.uriOf(key);
  const content = new BaseContent(arbiter);
  const tree = new ConflictTree(arbiter.conflicts, uriOf);
  subscriptions.push(
    log,
    runs,
    changes,
    documents,
    new Observer(documents, ledger, log),
    content,
    tree,
    vscode.window.registerTreeDataProvider(VIEWS.conflicts, tree),
    vscode.lm.registerTool(TOOLS.read, makeTool(readTool(arbiter), log)),
    vscode.lm.registerTool(TOOLS.edit, makeTool(editTool(arbiter), log)),
    vscode.lm.registerTool(TOOLS.check, makeTool(checkTool(arbiter), log)),
    ...registerCommands({ arbiter, content, uriOf, log }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(SECTION)) {
        arbiter.limits = readLimits();
      }
    }),
  );
  log.info(`Ready after ${(performance.now() - start).toFixed(1)} ms`);
}
