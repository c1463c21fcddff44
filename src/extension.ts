import * as vscode from 'vscode';
import type { EditArbiter } from '../api.d.ts';
import { Arbiter } from './core/arbiter.ts';
import type { LandedEdit } from './core/landedEdit.ts';
import { Ledger } from './core/ledger.ts';
import { makeApi } from './host/api.ts';
import { ApplyRecords } from './host/applyRecords.ts';
import { BufferChanges } from './host/bufferChanges.ts';
import { ChatEdits } from './host/chatEdits.ts';
import { WorkspaceDocuments } from './host/documents.ts';
import { countEdits } from './host/editCounter.ts';
import { openEngineerSide } from './host/engineerSide.ts';
import { Guard } from './host/guard.ts';
import { Interruptions } from './host/interruptions.ts';
import { Observer } from './host/observer.ts';
import { WindowExchange } from './host/otherWindows.ts';
import { askHuman, readProtection } from './host/protection.ts';
import { Runs } from './host/runs.ts';
import { STORY_SESSION } from './host/scratchStory.ts';
import { readLimits } from './host/settings.ts';
import { Storage } from './host/storage.ts';
import { Grammars, shippedGrammars } from './host/syntax/grammars.ts';
import { WorkspaceSyntax } from './host/syntax/workspaceSyntax.ts';
import { TallyBook } from './host/tallyBook.ts';
import { checkTool } from './host/tools/check.ts';
import { editTool } from './host/tools/edit.ts';
import { readTool } from './host/tools/read.ts';
import { makeTool } from './host/tools/tool.ts';
import { Writers } from './host/writers.ts';
import { SECTION, TOOLS } from './names.ts';

/** How long after the start stored causes are read, in milliseconds. */
const LOAD_DELAY = 2_000;

/** Builds the arbiter and registers everything that faces agents, engineers and other extensions. Decides nothing. */
export function activate(context: vscode.ExtensionContext): EditArbiter {
  const { subscriptions, workspaceState, storageUri, globalStorageUri } = context;
  const start = performance.now();
  const log = vscode.window.createOutputChannel('Edit Arbiter', { log: true });
  const runs = new Runs();
  const changes = new BufferChanges(
    (document) => documents.isOnDisk(document),
    (document) => documents.isBusy(document),
  );
  const records = new ApplyRecords(storageUri?.fsPath, log);
  const exchange = new WindowExchange(globalStorageUri.fsPath, log);
  const documents = new WorkspaceDocuments(changes, new Writers(runs), runs, exchange, records, log);
  const ledger = new Ledger();
  const guard = new Guard(context.asAbsolutePath('guard'), log);
  const chatEdits = new ChatEdits(() => guard.takeEdits());
  const storage = storageUri
    ? new Storage(
        storageUri.fsPath,
        ledger,
        () => readLimits().textMemory,
        (key, transition) => exchange.tell(key, transition),
        log,
      )
    : undefined;
  const tallies = new TallyBook(storage && (() => storage.readTallies()));
  const landings = new vscode.EventEmitter<LandedEdit>();
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
    onDidEdit: (tally) => {
      if (tally.session !== STORY_SESSION) {
        storage?.keepTally(tally);
        tallies.add(tally);
      }
    },
    onDidLand: (landed) => landings.fire(landed),
    onFault,
  });
  // Not while the window starts; at the latest when an agent calls.
  const interruptions = new Interruptions({ records, arbiter, looks: documents.looks, log });
  let isLoaded = false;
  const load = (): void => {
    storage?.load();
    if (!isLoaded) {
      isLoaded = true;
      interruptions.recognise();
    }
  };
  const { api, disposable } = makeApi(arbiter, (key) => documents.looks.uriOf(key), load);
  const onChatCall = (): void => guard.called();
  const loading = setTimeout(() => {
    load();
    void guard.start();
    void storage?.prune();
  }, LOAD_DELAY);
  subscriptions.push(
    log,
    runs,
    changes,
    guard,
    chatEdits,
    documents,
    new Observer(documents, ledger, chatEdits, () => storage?.settleSoon(), log),
    ...(storage ? [storage] : []),
    new vscode.Disposable(() => clearTimeout(loading)),
    tallies,
    interruptions,
    landings,
    disposable,
    vscode.lm.registerTool(TOOLS.read, makeTool(readTool(arbiter), load, onChatCall, log)),
    vscode.lm.registerTool(TOOLS.edit, makeTool(editTool(arbiter), load, onChatCall, log)),
    vscode.lm.registerTool(TOOLS.check, makeTool(checkTool(arbiter), load, onChatCall, log)),
    ...openEngineerSide({
      extension: context.extensionUri,
      storage: storageUri?.fsPath,
      arbiter,
      documents,
      tallies,
      interruptions,
      landings: landings.event,
      load,
      log,
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(SECTION)) {
        arbiter.limits = readLimits();
      }
    }),
  );
  log.info(`Ready after ${(performance.now() - start).toFixed(1)} ms`);
  return api;
}
