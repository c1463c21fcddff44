import { closeSync, mkdirSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { type Base, digest, printBase } from '../core/base.ts';
import { formatOf, isOwnEncoding } from '../core/codec.ts';
import type { Decision, Documents, FileRef, Outcome, State } from '../core/documents.ts';
import type { BufferEdit } from '../core/landing.ts';
import type { Cause } from '../core/ledger.ts';
import type { Problem } from '../core/status.ts';
import { renderText, type Text } from '../core/text.ts';
import { Apply, type Tools } from './apply.ts';
import type { BufferChange, BufferChanges, Origin } from './bufferChanges.ts';
import { Conversions } from './conversions.ts';
import { readDisk } from './disk.ts';
import { hasHooks, hooksFor, runHook } from './hooks.ts';
import { Looks } from './looks.ts';
import { codeOf, describe } from './paths.ts';
import { Readiness } from './readiness.ts';
import type { Writers } from './writers.ts';

/** A change of a document that was not part of an apply of ours. */
export interface ForeignChange {
  readonly key: string;
  readonly document: vscode.TextDocument;
  readonly change: BufferChange;
}

/** An apply of ours that has its number: the change of the buffer, in offsets of the text before it. */
export interface NumberedEdit {
  readonly document: vscode.TextDocument;
  readonly edits: readonly BufferEdit[];
  readonly before: string;
  readonly number: number;
}

/** How often a file may move while it is made ready, before the call gives up. */
const MAX_ATTEMPTS = 20;

/** The real editor behind the port. */
export class WorkspaceDocuments implements Documents, vscode.Disposable {
  readonly looks: Looks;
  readonly #changes: BufferChanges;
  readonly #writers: Writers;
  readonly #conversions = new Conversions();
  readonly #readiness: Readiness;
  readonly #tools: Tools;
  readonly #applies = new Map<vscode.TextDocument, Apply>();
  readonly #onDidChange = new vscode.EventEmitter<ForeignChange>();
  readonly onDidChange = this.#onDidChange.event;
  readonly #onDidNumber = new vscode.EventEmitter<NumberedEdit>();
  readonly onDidNumber = this.#onDidNumber.event;
  readonly #subscription: vscode.Disposable;
  readonly #lent = new Map<string, FileRef>();

  constructor(changes: BufferChanges, writers: Writers, log: vscode.LogOutputChannel) {
    this.#changes = changes;
    this.#writers = writers;
    this.looks = new Looks(changes, this.#conversions);
    this.#readiness = new Readiness(this.looks, changes, this.#conversions, log);
    this.#tools = {
      looks: this.looks,
      changes,
      conversions: this.#conversions,
      log,
      tell: (document, change) => this.#tell(document, change),
      numbered: (document, edits, before, number) => this.#onDidNumber.fire({ document, edits, before, number }),
    };
    this.#subscription = changes.onDidChange(({ document, change }) => {
      const apply = this.#applies.get(document);
      if (apply) {
        apply.changes.push(change);
      } else {
        this.#tell(document, change);
      }
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
    this.#onDidNumber.dispose();
  }

  /** Whether an apply of ours runs on the document: what happens to it is told when it is over. */
  isBusy(document: vscode.TextDocument): boolean {
    return this.#applies.has(document) || this.#changes.isQuiet(document);
  }

  /** Whether a document's text is what is on disk now. */
  isOnDisk(document: vscode.TextDocument): boolean {
    const key = this.looks.keyOf(document);
    return this.looks.textOn(key, readDisk(key), document) === document.getText();
  }

  resolve(path: string): FileRef | Problem {
    return this.#lent.get(path) ?? this.looks.resolve(path);
  }

  /** Lets agents at one file outside the workspace, under a name of its own: for a story that is played on a scratch file. */
  lend(file: FileRef): void {
    this.#lent.set(file.path, file);
  }

  async look(file: FileRef): Promise<State> {
    return (await this.looks.look(file)).state;
  }

  async settled(file: FileRef): Promise<void> {
    const document = this.looks.documentOf(file.key);
    if (document) {
      await this.#changes.decided(document);
    }
  }

  writerSince({ key }: FileRef, since: number): Cause {
    return this.#writers.causeOf(key, since);
  }

  locksOf({ key }: FileRef): readonly string[] {
    const stats = statSync(key, { throwIfNoEntry: false });
    return stats?.isFile() && stats.nlink > 1 ? [key, `${stats.dev}:${stats.ino}`] : [key];
  }

  isProbablyIn(file: FileRef, base: Base): boolean {
    return this.looks.isProbablyIn(file, base);
  }

  endingFor(file: FileRef): '\n' | '\r\n' {
    const document = this.looks.documentOf(file.key);
    if (document) {
      return document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
    }
    const setting = vscode.workspace.getConfiguration('files', this.looks.uriOf(file.key)).get<string>('eol', 'auto');
    return setting === '\n' || setting === '\r\n' ? setting : process.platform === 'win32' ? '\r\n' : '\n';
  }

  async transact(file: FileRef, decide: (state: State) => Decision): Promise<Outcome> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const look = this.looks.lookNow(file);
      if ('convert' in look) {
        await look.convert();
        continue;
      }
      // From here to applyEdit nothing is awaited: what is compared is what is edited.
      const decision = decide(look.state);
      if (decision.kind === 'refuse') {
        return { kind: 'refused', state: look.state };
      }
      const obstacle = this.#readiness.obstacle(file, look, decision.candidate);
      if (obstacle === undefined) {
        if (look.document === undefined) {
          throw new Error(`${file.path} is ready to be edited and yet not open`);
        }
        return this.#run(file, new Apply(this.#tools, file, look, look.document, decision), look.document);
      }
      const problem = obstacle.kind === 'problem' ? obstacle.problem : await obstacle.clear();
      if (problem) {
        return { kind: 'unfit', state: look.state, problem };
      }
    }
    const reason = 'the file kept moving while it was made ready';
    return { kind: 'failed', status: 'apply_failed', reason, state: await this.look(file), isTakenBack: true };
  }

  async create(file: FileRef, text: Text): Promise<Outcome> {
    const format = formatOf(this.looks.expectedEncoding(file.key, undefined));
    const raw = renderText(text);
    if (!isOwnEncoding(format.encoding)) {
      await this.#conversions.encode(raw, format.encoding);
    }
    const bytes = this.#conversions.tryBytesOf(raw, format);
    if (!Buffer.isBuffer(bytes)) {
      const problem = bytes ?? { status: 'save_failed', reason: 'the text could not be encoded', next: 'try again' };
      return { kind: 'unfit', state: await this.look(file), problem };
    }
    let descriptor: number | undefined;
    try {
      mkdirSync(dirname(file.key), { recursive: true });
      try {
        // Exclusive: fails where anything is, a symbolic link included, whoever came first.
        descriptor = openSync(file.key, 'wx');
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') {
          throw error;
        }
        return { kind: 'moved', state: await this.look(file) };
      }
      writeFileSync(descriptor, bytes);
    } catch (error) {
      // What we began ourselves is ours to remove: nobody else could create it meanwhile.
      if (descriptor !== undefined) {
        rmSync(file.key, { force: true });
      }
      return {
        kind: 'failed',
        status: 'save_failed',
        reason: describe(error),
        state: await this.look(file),
        isTakenBack: true,
      };
    } finally {
      if (descriptor !== undefined) {
        closeSync(descriptor);
      }
    }
    const state = await this.look(file);
    const landed: Base = { disk: digest(bytes) };
    const foreign = state.base === undefined || printBase(state.base) !== printBase(landed);
    const outcome: Applied = {
      kind: 'applied',
      state,
      landed,
      saved: true,
      hooks: [],
      foreign,
      isSavedTogether: false,
      onDidNumber: () => {},
    };
    const uri = this.looks.uriOf(file.key);
    return foreign || !vscode.workspace.isTrusted || !hasHooks(uri)
      ? outcome
      : this.#runHooks(file, await vscode.workspace.openTextDocument(uri), outcome);
  }

  /** Must reach `apply.run` in the caller's turn. */
  async #run(file: FileRef, apply: Apply, document: vscode.TextDocument): Promise<Outcome> {
    this.#applies.set(document, apply);
    let outcome: Outcome | undefined;
    try {
      outcome = await apply.run();
    } catch (error) {
      this.#tools.log.error(`${file.path}: the apply broke off`, error instanceof Error ? error : describe(error));
      const reason = `the apply broke off: ${describe(error)}`;
      return { kind: 'failed', status: 'apply_failed', reason, state: await this.look(file), isTakenBack: false };
    } finally {
      this.#applies.delete(document);
      // What came beside an edit that landed is told once the edit has its number.
      if (outcome?.kind !== 'applied') {
        apply.tellRest();
      }
    }
    return outcome.kind === 'applied' && outcome.saved && !outcome.foreign
      ? this.#runHooks(file, document, outcome)
      : outcome;
  }

  /** The configured hooks, once, in order, after our own save. What they leave is looked at after each. */
  async #runHooks(file: FileRef, document: vscode.TextDocument, outcome: Applied): Promise<Outcome> {
    const commands = vscode.workspace.isTrusted ? hooksFor(document, this.#tools.log) : [];
    if (commands.length === 0) {
      return outcome;
    }
    const hooks = [...outcome.hooks];
    const hookFailures = [...(outcome.hookFailures ?? [])];
    let { state } = outcome;
    const others = new Others(document, this.#changes);
    let isMoved = false;
    try {
      for (const command of commands) {
        const before = await this.look(file);
        isMoved ||=
          before.base === undefined || state.base === undefined || printBase(before.base) !== printBase(state.base);
        const reason = await runHook(command, document);
        if (reason !== undefined) {
          hookFailures.push({ name: command.name, reason });
          this.#tools.log.warn(`${file.path}: the hook ${command.name} failed: ${reason}`);
        }
        const after = await this.look(file);
        if (after.base !== undefined && after.base.disk !== before.base?.disk) {
          hooks.push({ name: command.name, to: { disk: after.base.disk } });
        }
        state = after;
      }
      await this.#changes.decided(document);
      const foreign = isMoved || (await others.haveActed()) || state.kind !== 'text' || state.base.dirty !== undefined;
      return { ...outcome, hooks, hookFailures, state, foreign };
    } finally {
      others.dispose();
    }
  }

  #tell(document: vscode.TextDocument, change: BufferChange): void {
    this.#onDidChange.fire({ key: this.looks.recentKeyOf(document), document, change });
  }
}

type Applied = Extract<Outcome, { kind: 'applied' }>;

/** Whether anybody changes or saves a document while hooks run: a reload of what a hook wrote is nobody's doing. */
class Others implements vscode.Disposable {
  readonly #origins: Promise<Origin>[] = [];
  #hasSaved = false;
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(document: vscode.TextDocument, changes: BufferChanges) {
    this.#subscriptions = [
      changes.onDidChange((event) => {
        if (event.document === document) {
          this.#origins.push(event.change.origin);
        }
      }),
      vscode.workspace.onDidSaveTextDocument((saved) => {
        this.#hasSaved ||= saved === document;
      }),
    ];
  }

  async haveActed(): Promise<boolean> {
    const origins = await Promise.all(this.#origins);
    return this.#hasSaved || origins.some((origin) => origin !== 'reloaded');
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }
}
