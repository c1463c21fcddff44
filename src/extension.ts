import * as vscode from 'vscode';
import { Arbiter } from './core/arbiter.ts';
import { Ledger } from './core/ledger.ts';
import { BufferChanges } from './host/bufferChanges.ts';
import { ChatEdits } from './host/chatEdits.ts';
import { registerCommands } from './host/commands.ts';
import { WorkspaceDocuments } from './host/documents.ts';
import { countEdits } from './host/editCounter.ts';
import { Observer } from './host/observer.ts';
import { WindowExchange } from './host/otherWindows.ts';
import { askHuman, readProtection } from './host/protection.ts';
import { Runs } from './host/runs.ts';
import { readLimits } from './host/settings.ts';
import { Storage } from './host/storage.ts';
import { Grammars, shippedGrammars } from './host/syntax/grammars.ts';
import { WorkspaceSyntax } from './host/syntax/workspaceSyntax.ts';
import { checkTool } from './host/tools/check.ts';
import { editTool } from './host/tools/edit.ts';
import { readTool } from './host/tools/read.ts';
import { makeTool } from './host/tools/tool.ts';
import { BaseContent } from './host/views/baseContent.ts';
import { ConflictTree } from './host/views/conflictTree.ts';
import { Writers } from './host/writers.ts';
import { SECTION, TOOLS, VIEWS } from './names.ts';

/** How long after the start stored causes are read, in milliseconds. */
const LOAD_DELAY = 2_000;

/** Builds the arbiter and registers everything that faces agents and engineers. Decides nothing. */
export function activate(context: vscode.ExtensionContext): void {
  const { subscriptions, workspaceState, storageUri, globalStorageUri } = context;
  const start = performance.now();
  const log = vscode.window.createOutputChannel('Edit Arbiter', { log: true });
  const runs = new Runs();
  const changes = new BufferChanges((document) => documents.isOnDisk(document));
  const exchange = new WindowExchange(globalStorageUri.fsPath, log);
  const documents = new WorkspaceDocuments(changes, new Writers(runs), runs, exchange, log);
  const ledger = new Ledger();
  const chatEdits = new ChatEdits();
  const storage = storageUri
    ? new Storage(storageUri.fsPath, ledger, (key, transition) => exchange.tell(key, transition), log)
    : undefined;
  const onFault = (error: unknown, what: string) =>
    log.error(`${what}:`, error instanceof Error ? error : String(error));
  const grammars = new Grammars(shippedGrammars(context.asAbsolutePath('dist/syntax')), onFault);
  const arbiter = new Arbiter({
    documents,
    ledger,
    limits: readLimits(),
    now: Date.now,
    nextEdit: countEdits(workspaceState, () => Math.max(storage?.lastEdit ?? 0, exchange.lastEdit), log),
    ...(storage ? { store: storage } : {}),
    protection: readProtection,
    syntax: new WorkspaceSyntax(grammars, documents.looks, log),
    ask: askHuman,
    onDidEdit: (tally) => storage?.keepTally(tally),
    onFault,
  });
  // Not while the window starts; at the latest when an agent calls.
  const load = () => storage?.load();
  const loading = setTimeout(() => {
    load();
    void storage?.prune(readLimits().textMemory);
  }, LOAD_DELAY);
  const uriOf = (key: string) => documents.looks.uriOf(key);
  const content = new BaseContent(arbiter);
  const tree = new ConflictTree(arbiter.conflicts, uriOf);
  subscriptions.push(
    log,
    runs,
    changes,
    chatEdits,
    documents,
    new Observer(documents, ledger, chatEdits, () => storage?.settleSoon(), log),
    ...(storage ? [storage] : []),
    new vscode.Disposable(() => clearTimeout(loading)),
    content,
    tree,
    vscode.window.registerTreeDataProvider(VIEWS.conflicts, tree),
    vscode.lm.registerTool(TOOLS.read, makeTool(readTool(arbiter), load, log)),
    vscode.lm.registerTool(TOOLS.edit, makeTool(editTool(arbiter), load, log)),
    vscode.lm.registerTool(TOOLS.check, makeTool(checkTool(arbiter), load, log)),
    ...registerCommands({ arbiter, content, uriOf, log, tallies: () => storage?.readTallies() ?? [] }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(SECTION)) {
        arbiter.limits = readLimits();
      }
    }),
  );
  log.info(`Ready after ${(performance.now() - start).toFixed(1)} ms`);
}
