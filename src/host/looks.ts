import { type BigIntStats, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { type Base, printBase } from '../core/base.ts';
import { decode, detectFormat, formatOf, isBinary, isOwnEncoding } from '../core/codec.ts';
import type { FileRef, Format, State } from '../core/documents.ts';
import type { Problem } from '../core/status.ts';
import { hasMixedEndings, parseText } from '../core/text.ts';
import type { BufferChanges } from './bufferChanges.ts';
import type { Conversions } from './conversions.ts';
import { digestOf } from './digests.ts';
import { type Disk, readDisk } from './disk.ts';
import { codeOf } from './errors.ts';
import { elsewhereProblem, resolvePath, type WorkspaceFile } from './paths.ts';

/** Documents of files on disk, and new ones that already have a place there. */
const SCHEMES = ['file', 'untitled'];

/** How long links are taken for unchanged where no one's work rests on it, in milliseconds. */
const LINK_TIME = 1_000;
/** How often a file may move while its encoding is converted. */
const MAX_ATTEMPTS = 20;

/** Everything seen of a file in one synchronous step. */
export interface Look {
  readonly state: State;
  readonly disk: Disk;
  /** The open document that holds the file, if any. */
  readonly document: vscode.TextDocument | undefined;
  /** The editor's clean copy is not what is on disk: it has not been reloaded yet. */
  readonly isLagging: boolean;
}

/** A look that needs the editor to convert a legacy encoding first; look again when it has. */
export interface Conversion {
  readonly convert: () => Promise<void>;
}

/** Looks at files: disk bytes and buffers together, each time anew. */
export class Looks {
  readonly #changes: BufferChanges;
  readonly #conversions: Conversions;
  readonly #files = new Map<string, WorkspaceFile>();
  readonly #seen = new Map<string, string>();
  readonly #recentKeys = new WeakMap<vscode.TextDocument, { readonly key: string; readonly time: number }>();
  readonly #byKey = new OncePerTurn(() => this.#documentsByKey());
  readonly #cameFrom = new WeakMap<vscode.TextDocument, Base>();

  constructor(changes: BufferChanges, conversions: Conversions) {
    this.#changes = changes;
    this.#conversions = conversions;
  }

  resolve(path: string): FileRef | Problem {
    const file = resolvePath(path);
    if ('key' in file) {
      this.#files.set(file.key, file);
    }
    return file;
  }

  uriOf(key: string): vscode.Uri {
    return this.#files.get(key)?.uri ?? vscode.Uri.file(key);
  }

  /** The file of a key that was resolved before. */
  fileOf(key: string): FileRef | undefined {
    return this.#files.get(key);
  }

  async look(file: FileRef): Promise<Look> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const look = this.lookNow(file);
      if (!('convert' in look)) {
        return look;
      }
      await look.convert();
    }
    throw new Error(`${file.path} kept moving while its encoding was converted`);
  }

  lookNow(file: FileRef): Look | Conversion {
    // A link may have been put in the place of the file, or of a folder above it, since its path was resolved.
    const elsewhere = elsewhereProblem(file.key);
    const disk: Disk = elsewhere ? { kind: 'other', problem: elsewhere } : readDisk(file.key);
    const document = this.documentOf(file.key);
    const look = this.#lookAt(file, disk, document);
    if ('state' in look && look.state.base !== undefined) {
      this.#seen.set(file.key, `${printBase(look.state.base)} ${this.#fingerprint(file)}`);
    }
    return look;
  }

  /** Whether an editor's copy of a file is not what is on disk, whoever is ahead. */
  isLagging(file: FileRef, document: vscode.TextDocument): boolean {
    const look = this.lookNow(file);
    return 'convert' in look || look.isLagging || (look.document === document && document.isDirty);
  }

  /** A cheap hint, for advice only. */
  isProbablyIn(file: FileRef, base: Base): boolean {
    return this.#seen.get(file.key) === `${printBase(base)} ${this.#fingerprint(file)}`;
  }

  /** The disk state that an open document was last seen to agree with: what its unsaved text came from. */
  cameFrom(document: vscode.TextDocument): Base | undefined {
    return this.#cameFrom.get(document);
  }

  /**
   * The document that holds a file: one with unsaved text before a clean one. A clean one is known by where its links led
   * a moment ago: where it is missed, the editor reloads it from what is written.
   */
  documentOf(key: string): vscode.TextDocument | undefined {
    const unsaved = dirtyTabs();
    const documents = openDocuments().filter(
      (document) =>
        (this.#mayHoldWork(document, unsaved) || this.recentKeyOf(document) === key) && this.keyOf(document) === key,
    );
    return documents.find((document) => this.#mayHoldWork(document, unsaved)) ?? documents[0];
  }

  /** The identity of a document's file, resolved anew each time: links can come to lead elsewhere. */
  keyOf(document: vscode.TextDocument): string {
    // A new document without a place is no file yet, whatever its name.
    if (!isAbsolute(document.uri.fsPath)) {
      return document.uri.toString();
    }
    const file = resolvePath(document.uri.fsPath);
    return 'key' in file ? file.key : document.uri.fsPath;
  }

  /** As {@link keyOf}, but resolved only now and then: for what is told on every keystroke, where nothing may touch the disk. */
  recentKeyOf(document: vscode.TextDocument): string {
    const recent = this.#recentKeys.get(document);
    if (recent && performance.now() - recent.time <= LINK_TIME) {
      return recent.key;
    }
    const key = this.keyOf(document);
    this.#recentKeys.set(document, { key, time: performance.now() });
    return key;
  }

  /** The encoding of an open document, or the one that the settings say for its file. */
  expectedEncoding(key: string, document: vscode.TextDocument | undefined): string {
    const configured = () =>
      vscode.workspace.getConfiguration('files', this.uriOf(key)).get<string>('encoding', 'utf8');
    return document?.encoding ?? configured();
  }

  /** @returns the text on disk as the document's buffer would hold it, where it can hold it. */
  textOn(key: string, disk: Disk, document: vscode.TextDocument): string | undefined {
    if (disk.kind !== 'file') {
      return undefined;
    }
    const format = detectFormat(disk.bytes, this.expectedEncoding(key, document));
    const raw = isBinary(disk.bytes, format) ? undefined : this.#decode(disk.bytes, digestOf(disk.bytes), format);
    const isHeldAsIs = typeof raw === 'string' && !hasMixedEndings(parseText(raw)) && !raw.startsWith('\uFEFF');
    return isHeldAsIs ? raw : undefined;
  }

  /** Whether the bytes on disk are a text whose line endings no editor can hold, whatever an editor holds now. */
  hasMixedEndings({ key }: FileRef, { disk, document }: Look): boolean {
    if (disk.kind !== 'file') {
      return false;
    }
    const format = detectFormat(disk.bytes, this.expectedEncoding(key, document));
    const raw = isBinary(disk.bytes, format) ? undefined : this.#decode(disk.bytes, digestOf(disk.bytes), format);
    return typeof raw === 'string' && hasMixedEndings(parseText(raw));
  }

  #lookAt(file: FileRef, disk: Disk, document: vscode.TextDocument | undefined): Look | Conversion {
    if (disk.kind === 'other') {
      return { state: { kind: 'unreadable', problem: disk.problem }, disk, document, isLagging: false };
    }
    const base: Base = { disk: disk.kind === 'file' ? digestOf(disk.bytes) : 'absent' };
    const unreadable = (problem: Problem): Look => ({
      state: { kind: 'unreadable', base, problem },
      disk,
      document,
      isLagging: false,
    });
    if (isNotebook(this.uriOf(file.key))) {
      return unreadable(NOTEBOOK);
    }
    const mayHoldWork = document !== undefined && this.#mayHoldWork(document);
    if (disk.kind === 'absent') {
      return mayHoldWork
        ? this.#lookAtBuffer(base, disk, document)
        : { state: { kind: 'absent', base }, disk, document, isLagging: false };
    }
    const format = detectFormat(disk.bytes, this.expectedEncoding(file.key, document));
    if (isBinary(disk.bytes, format)) {
      return unreadable(BINARY);
    }
    const raw = this.#decode(disk.bytes, base.disk, format);
    if (raw === undefined) {
      return { convert: () => this.#conversions.decode(disk.bytes, base.disk, format.encoding) };
    }
    if (typeof raw !== 'string') {
      return mayHoldWork ? this.#lookAtBuffer(base, disk, document) : unreadable(raw);
    }
    const text = parseText(raw);
    const isHeldAsIs = document === undefined || isSameText(document.getText(), raw);
    // The editor rewrites mixed line endings when it loads a file, so its clean copy is never the same text.
    const isHeldRewritten =
      !mayHoldWork &&
      !isHeldAsIs &&
      hasMixedEndings(text) &&
      parseText(document?.getText() ?? '').content === text.content;
    if (mayHoldWork && !isHeldAsIs) {
      return this.#lookAtBuffer(base, disk, document);
    }
    if (document && (isHeldAsIs || isHeldRewritten)) {
      this.#changes.settle(document);
      this.#cameFrom.set(document, base);
    }
    return {
      state: { kind: 'text', base, text, format },
      disk,
      document,
      isLagging: !isHeldAsIs && !isHeldRewritten,
    };
  }

  /** The state of a file whose editor holds text that is not on disk. */
  #lookAtBuffer(base: Base, disk: Disk, document: vscode.TextDocument): Look | Conversion {
    const raw = document.getText();
    const format = formatOf(document.encoding);
    const bytes = this.#conversions.tryBytesOf(raw, format);
    if (bytes === undefined) {
      return { convert: () => this.#conversions.encode(raw, format.encoding) };
    }
    if (!Buffer.isBuffer(bytes)) {
      return { state: { kind: 'unreadable', base, problem: bytes }, disk, document, isLagging: false };
    }
    const isOnDisk = disk.kind === 'file' && bytes.equals(disk.bytes);
    return {
      state: {
        kind: 'text',
        base: isOnDisk ? base : { ...base, dirty: digestOf(bytes) },
        text: parseText(raw),
        format,
      },
      disk,
      document,
      isLagging: false,
    };
  }

  #decode(bytes: Buffer, diskDigest: string, format: Format): string | Problem | undefined {
    return isOwnEncoding(format.encoding)
      ? decode(bytes, format)
      : this.#conversions.decoded(diskDigest, format.encoding);
  }

  /** Whether the document may hold text that only it holds. Compared with the disk before anything rests on it. */
  #mayHoldWork(document: vscode.TextDocument, unsaved = dirtyTabs()): boolean {
    return document.isDirty || this.#changes.isDoubtful(document) || unsaved.has(document.uri.toString());
  }

  /** As {@link documentOf} for every open file, but links are resolved only now and then: good enough for a hint. */
  #documentsByKey(): ReadonlyMap<string, vscode.TextDocument> {
    const documents = new Map<string, vscode.TextDocument>();
    for (const document of openDocuments()) {
      const key = this.recentKeyOf(document);
      const held = documents.get(key);
      documents.set(key, held?.isDirty ? held : document);
    }
    return documents;
  }

  #fingerprint(file: FileRef): string {
    const document = this.#byKey.get().get(file.key);
    const stats = tryStat(file.key);
    const onDisk = stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : 'absent';
    return document ? `${onDisk} ${document.version} ${document.isDirty}` : onDisk;
  }
}

/** @returns `undefined` where the system does not tell: that only makes the hint worthless. */
function tryStat(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true });
  } catch (error) {
    if (codeOf(error) === undefined) {
      throw error;
    }
    return undefined;
  }
}

/** What a hint may rest on for a turn of the event loop: asked for once. */
class OncePerTurn<T> {
  readonly #ask: () => T;
  #known: { readonly value: T } | undefined;

  constructor(ask: () => T) {
    this.#ask = ask;
  }

  get(): T {
    if (this.#known === undefined) {
      this.#known = { value: this.#ask() };
      queueMicrotask(() => {
        this.#known = undefined;
      });
    }
    return this.#known.value;
  }
}

function openDocuments(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(({ uri, isClosed }) => SCHEMES.includes(uri.scheme) && !isClosed);
}

/** Where tabs hold unsaved text: a document's own flag can lag behind after a save during which someone typed. */
function dirtyTabs(): ReadonlySet<string> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter(({ isDirty }) => isDirty));
  return new Set(tabs.flatMap(({ input }) => uriIn(input)?.toString() ?? []));
}

function uriIn(input: unknown): vscode.Uri | undefined {
  if (input instanceof vscode.TabInputText) {
    return input.uri;
  }
  return input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
}

function isNotebook(uri: vscode.Uri): boolean {
  return (
    uri.path.toLowerCase().endsWith('.ipynb') ||
    vscode.workspace.notebookDocuments.some((notebook) => notebook.uri.toString() === uri.toString())
  );
}

function isSameText(buffer: string, raw: string): boolean {
  return buffer.length === raw.length && buffer === raw;
}

const NOTEBOOK: Problem = {
  status: 'notebook',
  reason: 'notebooks are not edited as text',
  next: "use the editor's notebook tools, or ask the engineer",
};

const BINARY: Problem = {
  status: 'binary',
  reason: 'not a text file: it holds a NUL byte among its first bytes',
  next: 'only text files can be read or edited',
};
