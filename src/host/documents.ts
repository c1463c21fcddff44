import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { Author } from '../core/applyRecord.ts';
import { type Base, printBase } from '../core/base.ts';
import { formatOf, isOwnEncoding } from '../core/codec.ts';
import type { Decision, Documents, FileRef, Outcome, RenameOutcome, State } from '../core/documents.ts';
import type { BufferEdit } from '../core/landing.ts';
import type { Move } from '../core/ledger.ts';
import type { Problem } from '../core/status.ts';
import { renderText, type Text } from '../core/text.ts';
import { appliedOnDisk } from './appliedOnDisk.ts';
import { Apply, type Tools } from './apply.ts';
import { ApplyDesk } from './applyDesk.ts';
import type { ApplyRecords, Intent } from './applyRecords.ts';
import type { BufferChange, BufferChanges } from './bufferChanges.ts';
import { ByteApply, needsBytes } from './byteApply.ts';
import { Conversions } from './conversions.ts';
import { digestOf } from './digests.ts';
import { FullDisks, readDisk } from './disk.ts';
import { DocumentSaver } from './documentSaver.ts';
import { codeOf, describe } from './errors.ts';
import { deleteExactly, type FileOutcome, renameExactly, restoreFile, statOrNothing } from './fileOperations.ts';
import { HookRunner } from './hookRunner.ts';
import { hasHooks } from './hooks.ts';
import { JointApply, type JointPart } from './jointApply.ts';
import { Looks } from './looks.ts';
import type { WindowExchange } from './otherWindows.ts';
import { elsewhereProblem } from './paths.ts';
import { Readiness, readOnlyProblem } from './readiness.ts';
import type { Runs } from './runs.ts';
import { closeTabs, moveTabs } from './tabs.ts';
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
  readonly #hookRunner: HookRunner;
  readonly #exchange: WindowExchange | undefined;
  readonly #conversions = new Conversions();
  readonly #readiness: Readiness;
  readonly #tools: Tools;
  readonly #desk: ApplyDesk;
  readonly #onDidChange = new vscode.EventEmitter<ForeignChange>();
  readonly onDidChange = this.#onDidChange.event;
  readonly #onDidNumber = new vscode.EventEmitter<NumberedEdit>();
  readonly onDidNumber = this.#onDidNumber.event;
  readonly #onDidSaveBeside = new vscode.EventEmitter<vscode.TextDocument>();
  /** Fires for a save during an apply of ours, and not by it, when that is over. */
  readonly onDidSaveBeside = this.#onDidSaveBeside.event;
  readonly #subscriptions: readonly vscode.Disposable[];
  readonly #lent = new Map<string, FileRef>();

  /** @param exchange what other windows tell, where there is a place for it. */
  constructor(
    changes: BufferChanges,
    writers: Writers,
    runs: Runs,
    exchange: WindowExchange | undefined,
    records: ApplyRecords,
    log: vscode.LogOutputChannel,
  ) {
    this.#changes = changes;
    this.#writers = writers;
    this.#exchange = exchange;
    this.looks = new Looks(changes, this.#conversions);
    this.#hookRunner = new HookRunner(this.looks, changes, runs, log);
    this.#readiness = new Readiness(this.looks, changes, this.#conversions, log);
    this.#tools = {
      looks: this.looks,
      changes,
      conversions: this.#conversions,
      saver: new DocumentSaver(this.#conversions, log),
      records,
      fullDisks: new FullDisks(),
      log,
      tell: (document, change) => this.#tell(document, change),
      tellSave: (document) => this.#onDidSaveBeside.fire(document),
      numbered: (document, edits, before, number) => this.#onDidNumber.fire({ document, edits, before, number }),
    };
    this.#desk = new ApplyDesk(this.looks, log);
    this.#subscriptions = [
      changes.onDidChange(({ document, change }) => {
        const apply = this.#desk.applyOn(document);
        if (apply) {
          apply.changes.push(change);
        } else {
          this.#desk.follow(document, change);
          this.#tell(document, change);
        }
      }),
      vscode.workspace.onDidSaveTextDocument((document) => this.#desk.applyOn(document)?.noteSave()),
      this.#onDidChange,
      this.#onDidNumber,
      this.#onDidSaveBeside,
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  /** Whether an apply of ours runs on the document: what happens to it is told when it is over. */
  isBusy(document: vscode.TextDocument): boolean {
    return this.#desk.applyOn(document) !== undefined || this.#changes.isQuiet(document);
  }

  /** Whether a document's text is what is on disk now. */
  isOnDisk(document: vscode.TextDocument): boolean {
    const key = this.looks.keyOf(document);
    return this.looks.textOn(key, readDisk(key), document) === document.getText();
  }

  resolve(path: string): FileRef | Problem {
    const lent = this.#lent.get(path);
    const own = this.looks.resolve(path);
    // A file of the workspace goes before one of that name that is lent.
    return lent && !('key' in own && existsSync(own.key)) ? lent : own;
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

  writersSince({ key }: FileRef, since: number, from: Base, to: Base): readonly Move[] {
    const way = this.#exchange?.wayFrom(key, since, from, to) ?? [];
    if (way.at(-1)?.to?.disk === to.disk) {
      return way;
    }
    return [...way, this.#isBeingSaved(key) ? { cause: { kind: 'save' } } : this.#writers.causeOf(key, since)];
  }

  /** Whether the disk holds what a save of the engineer's, which the editor has not told of yet, has written. */
  #isBeingSaved(key: string): boolean {
    const document = this.looks.documentOf(key);
    const raw = document && !this.isBusy(document) && this.looks.textOn(key, readDisk(key), document);
    return document !== undefined && typeof raw === 'string' && this.#changes.mayBeSaving(document, raw);
  }

  locksOf({ key }: FileRef): readonly string[] {
    const stats = statOrNothing(key);
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

  async transact(file: FileRef, decide: (state: State) => Decision, author: Author): Promise<Outcome> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const look = this.looks.lookNow(file);
      if ('convert' in look) {
        await look.convert();
        continue;
      }
      // From here to applyEdit nothing is awaited: what is compared is what is edited.
      const decision = decide(look.state);
      const obstacle = this.#readiness.obstacle(file, look, decision);
      if (obstacle) {
        const problem = obstacle.kind === 'problem' ? obstacle.problem : await obstacle.clear();
        if (problem) {
          return { kind: 'unfit', state: look.state, problem };
        }
        continue;
      }
      if (decision.kind !== 'apply') {
        return { kind: decision.kind === 'hold' ? 'held' : 'refused', state: look.state };
      }
      if (needsBytes(look)) {
        const apply = new ByteApply(this.#tools, file, look, decision, author);
        return this.#desk.guard(file, () => apply.run());
      }
      if (look.document === undefined) {
        throw new Error(`${file.path} is ready to be edited and yet not open`);
      }
      const apply = new Apply(this.#tools, file, look, look.document, decision, author);
      this.#desk.take(look.document, apply);
      return this.#desk.release(look.document, apply, await this.#desk.guard(file, () => apply.run()));
    }
    const reason = 'the file kept moving while it was made ready';
    return { kind: 'failed', status: 'apply_failed', reason, state: await this.look(file), isTakenBack: true };
  }

  async transactAll(parts: readonly JointPart[], author: Author, over: Promise<boolean>): Promise<readonly Outcome[]> {
    return new JointApply(this.#tools, this.#readiness, this.#desk).run(parts, author, over);
  }

  async create(file: FileRef, text: Text, author: Author): Promise<Outcome> {
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
    const recording = this.#tools.records.begin(author, [{ file, before: undefined, after: digestOf(bytes) }]);
    try {
      const elsewhere = elsewhereProblem(file.key);
      if (elsewhere) {
        return { kind: 'unfit', state: await this.look(file), problem: elsewhere };
      }
      // Unsaved text for it is something, too.
      const look = this.looks.lookNow(file);
      if ('state' in look && look.state.kind !== 'absent') {
        return { kind: 'moved', state: look.state };
      }
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
      recording.end();
      if (descriptor !== undefined) {
        closeSync(descriptor);
      }
    }
    const landed: Base = { disk: digestOf(bytes) };
    return appliedOnDisk(this.looks, file, landed, async () => {
      const { kind, state } = await this.remove(file, landed, author);
      return { state, isWhole: kind === 'applied' };
    });
  }

  async runHooks(file: FileRef, outcome: Applied): Promise<Outcome> {
    const uri = this.#uriOf(file);
    if (!vscode.workspace.isTrusted || !hasHooks(uri)) {
      return outcome;
    }
    try {
      return await this.#hookRunner.run(file, await vscode.workspace.openTextDocument(uri), outcome);
    } catch (error) {
      // The edit stands, whatever became of the file since.
      const reason = `it could not be run: ${describe(error)}`;
      this.#tools.log.error(`${file.path}: a hook ${reason}`);
      const { state } = await this.looks.look(file);
      return { ...outcome, state, foreign: true, hookFailures: [{ name: 'hooks', reason }] };
    }
  }

  async remove(file: FileRef, base: Base, author: Author): Promise<Outcome> {
    const uri = this.#uriOf(file);
    const outcome = await this.#operate(file, base, (bytes) =>
      this.#recorded(author, [{ file, before: bytes, after: 'absent' }], () => deleteExactly(file.key, bytes)),
    );
    if (!('bytes' in outcome)) {
      return outcome;
    }
    await this.#tidily(file, () => closeTabs(uri));
    return appliedOnDisk(this.looks, file, { disk: 'absent' }, async () => {
      let isWhole = true;
      try {
        restoreFile(file.key, outcome.bytes, outcome.mode);
      } catch (error) {
        this.#tools.log.error(`${file.path}: it was deleted and could not be put back: ${describe(error)}`);
        isWhole = false;
      }
      return { state: await this.look(file), isWhole };
    });
  }

  async rename(file: FileRef, target: FileRef, base: Base, author: Author): Promise<RenameOutcome> {
    const taken = await this.look(target);
    if (taken.kind !== 'absent') {
      return { kind: 'occupied', state: taken };
    }
    const uri = this.#uriOf(file);
    const outcome = await this.#operate(file, base, (bytes) => {
      const intents: Intent[] = [
        { file, before: bytes, after: 'absent' },
        { file: target, before: undefined, after: digestOf(bytes) },
      ];
      return this.#recorded(author, intents, () => renameExactly(file.key, target.key, bytes));
    });
    if (!('bytes' in outcome)) {
      return outcome;
    }
    if (outcome.kind === 'occupied') {
      return { kind: 'occupied', state: await this.look(target) };
    }
    await this.#tidily(file, () => moveTabs(uri, this.#uriOf(target)));
    return appliedOnDisk(this.looks, target, base, async () => {
      const { kind } = await this.rename(target, file, base, author);
      return { state: await this.look(file), isWhole: kind === 'applied' };
    });
  }

  /** Compares the file with its expected state, and operates on it, in one synchronous turn. */
  async #operate(
    file: FileRef,
    base: Base,
    operate: (bytes: Buffer) => FileOutcome,
  ): Promise<Extract<Outcome, { kind: 'moved' | 'failed' | 'unfit' }> | Operated> {
    const look = this.looks.lookNow(file);
    const state = 'convert' in look ? (await this.looks.look(file)).state : look.state;
    const disk = readDisk(file.key);
    const isSame =
      base.dirty === undefined &&
      disk.kind === 'file' &&
      digestOf(disk.bytes) === base.disk &&
      state.base !== undefined &&
      printBase(state.base) === printBase(base);
    if (!isSame) {
      return { kind: 'moved', state: await this.look(file) };
    }
    const problem = readOnlyProblem(file, disk, this.looks.documentOf(file.key));
    if (problem) {
      return { kind: 'unfit', state, problem };
    }
    try {
      const { kind } = operate(disk.bytes);
      return kind === 'moved'
        ? { kind, state: await this.look(file) }
        : { kind, bytes: disk.bytes, mode: disk.stats.mode };
    } catch (error) {
      if (!(error instanceof Error)) {
        throw error;
      }
      return {
        kind: 'failed',
        status: 'save_failed',
        reason: describe(error),
        state: await this.look(file),
        isTakenBack: true,
      };
    }
  }

  #recorded(author: Author, intents: readonly Intent[], operate: () => FileOutcome): FileOutcome {
    const recording = this.#tools.records.begin(author, intents);
    try {
      return operate();
    } finally {
      recording.end();
    }
  }

  /** As an open document spells it, where there is one. */
  #uriOf({ key }: FileRef): vscode.Uri {
    return this.looks.documentOf(key)?.uri ?? this.looks.uriOf(key);
  }

  /** Tabs are a courtesy: where the editor will not, the operation stands all the same. */
  async #tidily({ path }: FileRef, body: () => Promise<void>): Promise<void> {
    try {
      await body();
    } catch (error) {
      this.#tools.log.warn(`${path}: its tabs could not follow`, error instanceof Error ? error : String(error));
    }
  }

  #tell(document: vscode.TextDocument, change: BufferChange): void {
    this.#onDidChange.fire({ key: this.looks.recentKeyOf(document), document, change });
  }
}

/** A file operation that was carried out, or found its target taken: what the file had held. */
interface Operated {
  readonly kind: 'done' | 'occupied';
  readonly bytes: Buffer;
  readonly mode: number;
}

type Applied = Extract<Outcome, { kind: 'applied' }>;
