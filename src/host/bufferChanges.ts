import * as vscode from 'vscode';
import type { BufferEdit } from '../core/landing.ts';

/** Who moved a buffer, as far as the editor's stable events tell. */
export type Origin = 'typed' | 'not_typed' | 'reloaded';

/** One content change of a document. */
export interface BufferChange {
  readonly edits: readonly BufferEdit[];
  readonly reason: 'undo' | 'redo' | undefined;
  /** Whether the document was dirty when it changed. The first change of a clean document says no, too. */
  readonly wasDirty: boolean;
  /** Whether it is of the shape that trimming and final newlines on save have, where the settings ask for those. */
  readonly mayBeParticipant: boolean;
  /** Settles when the events that follow a change have told, or when they have not come in time. */
  readonly origin: Promise<Origin>;
}

/** The origin of most keys, known at once. */
export const TYPED: Promise<Origin> = Promise.resolve('typed');

/** How long the events that tell typing from other changes may take to follow, in milliseconds. */
const FOLLOW_TIME = 100;

/** How long a save takes at most, as far as its texts are kept, in milliseconds. */
const SAVE_TIME = 5_000;

/** A save that runs. */
interface Saving {
  /** In milliseconds of `performance.now()`. */
  readonly begun: number;
  /** What the document has held since; `undefined` for a save of ours, of which nobody else has to be told. */
  readonly texts: string[] | undefined;
  /** Whether its text was changed meanwhile. */
  isChanged: boolean;
}

/** A save that has failed is never told to be over. */
function isUnderWay({ begun }: Saving): boolean {
  return performance.now() - begun < SAVE_TIME;
}

/**
 * Tells what the editor's change events mean.
 *
 * Keys change the text at the caret, or what is selected, of the editor that has the keyboard; printable ones are also
 * followed by a selection event of kind keyboard. A document that is changed while it is clean, and stays clean, was
 * reloaded from disk.
 */
export class BufferChanges implements vscode.Disposable {
  readonly #onDidChange = new vscode.EventEmitter<{ document: vscode.TextDocument; change: BufferChange }>();
  /** Fires synchronously, in order, once per content change of a document on disk. */
  readonly onDidChange = this.#onDidChange.event;
  readonly #undecided = new Map<vscode.TextDocument, Undecided>();
  readonly #doubtful = new Set<vscode.TextDocument>();
  /** Documents that are being saved. */
  readonly #saving = new Map<vscode.TextDocument, Saving>();
  /** Changes at the caret that a save which follows at once will turn out to have made. */
  readonly #unsure = new Map<vscode.TextDocument, Set<Undecided>>();
  readonly #quiet = new Set<vscode.TextDocument>();
  readonly #isOnDisk: (document: vscode.TextDocument) => boolean;
  readonly #isOurs: (document: vscode.TextDocument) => boolean;
  readonly #subscriptions: vscode.Disposable[];

  /**
   * @param isOnDisk whether the document's text is what is on disk. Called for clean documents only.
   * @param isOurs whether an apply of ours runs on the document.
   */
  constructor(
    isOnDisk: (document: vscode.TextDocument) => boolean,
    isOurs: (document: vscode.TextDocument) => boolean,
  ) {
    this.#isOnDisk = isOnDisk;
    this.#isOurs = isOurs;
    this.#subscriptions = [
      vscode.workspace.onDidChangeTextDocument((event) => this.#changed(event)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.#selected(event)),
      vscode.workspace.onWillSaveTextDocument(({ document }) => this.#saves(document)),
      vscode.workspace.onDidSaveTextDocument((document) => this.#saved(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#closed(document)),
      this.#onDidChange,
    ];
  }

  /**
   * Whether the document may hold somebody's work although the editor calls it clean: it was changed during a save, after
   * which the flag can go on saying clean while the disk lacks the text.
   */
  isDoubtful(document: vscode.TextDocument): boolean {
    return this.#doubtful.has(document);
  }

  /** Whether a save of the document that runs just now may have written a text: bytes are on disk before the editor tells of it. */
  mayBeSaving(document: vscode.TextDocument, text: string): boolean {
    const saving = this.#saving.get(document);
    return saving?.texts?.includes(text) === true && isUnderWay(saving);
  }

  /** Whether we bring the document up to date with the disk just now: nobody's change. */
  isQuiet(document: vscode.TextDocument): boolean {
    return this.#quiet.has(document);
  }

  /** Runs `body`, which brings the document up to date with the disk; what that changes is not told. */
  async quietly<T>(document: vscode.TextDocument, body: () => Promise<T>): Promise<T> {
    this.#quiet.add(document);
    try {
      return await body();
    } finally {
      this.#quiet.delete(document);
    }
  }

  /** To be called when the document's text was seen to be what is on disk: what has just changed a clean one was a reload. */
  settle(document: vscode.TextDocument): void {
    this.#doubtful.delete(document);
    const undecided = this.#undecided.get(document);
    if (undecided && !document.isDirty && !undecided.wasDirty && !undecided.isFollowedByFlag) {
      undecided.decide('reloaded');
    }
  }

  /**
   * Waits until every change of the document so far has its origin.
   *
   * @param within milliseconds after which a change that nothing has followed counts as decided.
   */
  async decided(document: vscode.TextDocument, within = FOLLOW_TIME): Promise<void> {
    await Promise.all([...(this.#unsure.get(document) ?? [])].map(({ origin }) => origin));
    const undecided = this.#undecided.get(document);
    if (undecided) {
      const timer = setTimeout(() => undecided.decide(this.#withoutSelection(document, undecided)), within);
      await undecided.origin;
      clearTimeout(timer);
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
    for (const undecided of [...this.#undecided.values(), ...[...this.#unsure.values()].flatMap((all) => [...all])]) {
      undecided.decide(undecided.isByHand ? 'typed' : 'not_typed');
    }
  }

  #changed({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    if (document.uri.scheme !== 'file') {
      return;
    }
    const before = this.#undecided.get(document);
    if (document.isDirty) {
      this.#doubtful.delete(document);
    }
    if (contentChanges.length === 0) {
      // The first change of a clean document is told before its dirty flag.
      if (document.isDirty && before) {
        before.isFollowedByFlag = true;
        if (before.isByHand && !before.mayBeParticipant) {
          before.decide('typed');
        }
      }
      return;
    }
    const isByHand = isAtCaret(document, contentChanges);
    if (this.#quiet.has(document) && !isByHand) {
      return;
    }
    const saving = this.#saving.get(document);
    if (saving) {
      saving.isChanged = true;
      if (isUnderWay(saving)) {
        saving.texts?.push(document.getText());
      }
    }
    this.#decideUnfollowed(document);
    const mayBeParticipant = isLikeParticipant(document, contentChanges);
    const kind =
      reason === vscode.TextDocumentChangeReason.Undo
        ? 'undo'
        : reason === vscode.TextDocumentChangeReason.Redo
          ? 'redo'
          : undefined;
    const change = { contentChanges, reason: kind, wasDirty: document.isDirty, mayBeParticipant } as const;
    // Most keys are decided here: whoever types at the caret of a dirty document need not be waited for.
    if (isByHand && document.isDirty && !mayBeParticipant) {
      this.#onDidChange.fire({ document, change: new Change(change, TYPED) });
      return;
    }
    const undecided = new Undecided(contentChanges, document.isDirty, mayBeParticipant);
    let timer: NodeJS.Timeout | undefined;
    undecided.onDecided(() => {
      clearTimeout(timer);
      if (this.#undecided.get(document) === undecided) {
        this.#undecided.delete(document);
      }
    });
    this.#undecided.set(document, undecided);
    this.#onDidChange.fire({ document, change: new Change(change, undecided.origin) });
    if (isByHand && mayBeParticipant && kind === undefined) {
      this.#unsureOf(document, undecided, saving !== undefined);
    } else if (isByHand) {
      this.#byHand(document, undecided);
    }
    if (!undecided.isDecided) {
      timer = setTimeout(() => undecided.decide(this.#withoutSelection(document, undecided)), FOLLOW_TIME);
    }
  }

  /** A key, or a participant of a save: a save that runs, or begins in the next moment, tells. */
  #unsureOf(document: vscode.TextDocument, undecided: Undecided, isSaving: boolean): void {
    if (isSaving) {
      undecided.decide('not_typed');
      return;
    }
    undecided.isByHand = true;
    const unsure = this.#unsure.get(document) ?? new Set();
    this.#unsure.set(document, unsure.add(undecided));
    undecided.onDecided(() => unsure.delete(undecided));
  }

  #saves(document: vscode.TextDocument): void {
    const texts = this.#isOurs(document) ? undefined : [document.getText()];
    this.#saving.set(document, { begun: performance.now(), texts, isChanged: false });
    // Trimming and final newlines come right before this is told.
    for (const undecided of [...(this.#unsure.get(document) ?? [])]) {
      undecided.decide('not_typed');
    }
  }

  #selected({ textEditor, kind, selections }: vscode.TextEditorSelectionChangeEvent): void {
    const undecided = this.#undecided.get(textEditor.document);
    const isByHand =
      kind === vscode.TextEditorSelectionChangeKind.Keyboard || kind === vscode.TextEditorSelectionChangeKind.Mouse;
    if (
      undecided &&
      isByHand &&
      !undecided.mayBeParticipant &&
      selections.some(({ active }) => undecided.touches(active.line))
    ) {
      this.#byHand(textEditor.document, undecided);
    }
  }

  /** Whoever types makes the document dirty: a reload under a moving caret is nobody's typing. */
  #byHand(document: vscode.TextDocument, undecided: Undecided): void {
    undecided.isByHand = true;
    if (undecided.wasDirty || document.isDirty) {
      undecided.decide('typed');
    }
  }

  #saved(document: vscode.TextDocument): void {
    const saving = this.#saving.get(document);
    this.#saving.delete(document);
    if (document.uri.scheme !== 'file' || document.isDirty || !saving?.isChanged) {
      return;
    }
    if (this.#isOnDisk(document)) {
      this.#doubtful.delete(document);
    } else {
      this.#doubtful.add(document);
    }
  }

  #closed(document: vscode.TextDocument): void {
    for (const undecided of [this.#undecided.get(document), ...(this.#unsure.get(document) ?? [])]) {
      undecided?.decide(undecided.isByHand ? 'typed' : 'not_typed');
    }
    this.#unsure.delete(document);
    this.#doubtful.delete(document);
    this.#saving.delete(document);
  }

  /** The next change has come, or the document goes: what has not followed by now will not. */
  #decideUnfollowed(document: vscode.TextDocument): void {
    const undecided = this.#undecided.get(document);
    if (undecided && !this.#unsure.get(document)?.has(undecided)) {
      undecided.decide(this.#withoutSelection(document, undecided));
    }
  }

  /** A document that is dirty by now may have become so by a later change: after a reload, say. */
  #withoutSelection(document: vscode.TextDocument, { wasDirty, isByHand, isFollowedByFlag }: Undecided): Origin {
    const isDirty = wasDirty || isFollowedByFlag;
    if (isDirty && isByHand) {
      return 'typed';
    }
    return isDirty || document.isClosed || this.#doubtful.has(document) ? 'not_typed' : 'reloaded';
  }
}

/** Whether every change stands where a key would make it: at a caret, or in place of what is selected. */
function isAtCaret(document: vscode.TextDocument, changes: readonly vscode.TextDocumentContentChangeEvent[]): boolean {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document !== document) {
    return false;
  }
  // The selection is told after the change, so this is where it was before.
  const { selections } = editor;
  // A line that is left takes its indentation with it, in the same event.
  const isUnindent = ({ range, text }: vscode.TextDocumentContentChangeEvent) =>
    text === '' &&
    range.isSingleLine &&
    range.start.character === 0 &&
    selections.some(({ active }) => active.isEqual(range.end));
  const keys = changes.length > selections.length ? changes.filter((change) => !isUnindent(change)) : changes;
  return (
    keys.length > 0 &&
    keys.length <= selections.length &&
    keys.every((change) => selections.some((selection) => isAt(selection, change)))
  );
}

function isAt(selection: vscode.Selection, { range, text }: vscode.TextDocumentContentChangeEvent): boolean {
  if (!selection.isEmpty) {
    return range.isEqual(selection);
  }
  // Without a selection, a whole line can be cut from around the caret.
  const isCut = text === '' && range.contains(selection.active);
  return isCut || range.start.isEqual(selection.active) || range.end.isEqual(selection.active);
}

/** Whether changes are what the editor itself makes of a text on save, where its settings ask for that. */
function isLikeParticipant(
  document: vscode.TextDocument,
  changes: readonly vscode.TextDocumentContentChangeEvent[],
): boolean {
  const lastLine = document.lineCount - 1;
  const isTrim = ({ range, text }: vscode.TextDocumentContentChangeEvent) =>
    text === '' &&
    range.isSingleLine &&
    range.start.line <= lastLine &&
    document.lineAt(range.start.line).text.length === range.start.character;
  const isFinal = ({ range, text }: vscode.TextDocumentContentChangeEvent) =>
    (text === '\n' || text === '\r\n') &&
    range.isEmpty &&
    range.start.line + 1 === lastLine &&
    document.lineAt(lastLine).text === '';
  const isFinalTrim = ({ range, text }: vscode.TextDocumentContentChangeEvent) =>
    text === '' && !range.isSingleLine && range.start.line === lastLine;
  const files = () => vscode.workspace.getConfiguration('files', document);
  return (
    (changes.every(isTrim) && files().get<boolean>('trimTrailingWhitespace', false)) ||
    (changes.every(isFinal) && files().get<boolean>('insertFinalNewline', false)) ||
    (changes.every(isFinalTrim) && files().get<boolean>('trimFinalNewlines', false))
  );
}

/** What {@link Change} is made of. */
interface ChangeParts extends Omit<BufferChange, 'edits' | 'origin'> {
  readonly contentChanges: readonly vscode.TextDocumentContentChangeEvent[];
}

/** Its edits are made only where somebody asks for them: for most keys, nobody does. */
class Change implements BufferChange {
  readonly reason: BufferChange['reason'];
  readonly wasDirty: boolean;
  readonly mayBeParticipant: boolean;
  readonly origin: Promise<Origin>;
  readonly #contentChanges: readonly vscode.TextDocumentContentChangeEvent[];
  #edits: readonly BufferEdit[] | undefined;

  constructor({ contentChanges, reason, wasDirty, mayBeParticipant }: ChangeParts, origin: Promise<Origin>) {
    this.#contentChanges = contentChanges;
    this.reason = reason;
    this.wasDirty = wasDirty;
    this.mayBeParticipant = mayBeParticipant;
    this.origin = origin;
  }

  get edits(): readonly BufferEdit[] {
    this.#edits ??= this.#contentChanges.map(({ rangeOffset, rangeLength, text }) => ({
      offset: rangeOffset,
      length: rangeLength,
      text,
    }));
    return this.#edits;
  }
}

/** A change whose origin is not known yet. */
class Undecided {
  /** Whether the document was told to be dirty right after the change. */
  isFollowedByFlag = false;
  readonly origin: Promise<Origin>;
  /** Whether the document was dirty when it changed. The first change of a clean document says no, too. */
  readonly wasDirty: boolean;
  readonly mayBeParticipant: boolean;
  /** Whether it looks as if somebody did it by hand. */
  isByHand = false;
  readonly #changes: readonly vscode.TextDocumentContentChangeEvent[];
  readonly #listeners: ((origin: Origin) => void)[] = [];
  #isDecided = false;

  get isDecided(): boolean {
    return this.#isDecided;
  }

  constructor(changes: readonly vscode.TextDocumentContentChangeEvent[], wasDirty: boolean, mayBeParticipant: boolean) {
    this.wasDirty = wasDirty;
    this.mayBeParticipant = mayBeParticipant;
    this.#changes = changes;
    this.origin = new Promise((resolve) => this.onDecided(resolve));
  }

  touches(line: number): boolean {
    const first = Math.min(...this.#changes.map(({ range }) => range.start.line));
    const last = Math.max(...this.#changes.map(({ range, text }) => range.start.line + text.split('\n').length - 1));
    return line >= first && line <= last;
  }

  onDecided(listener: (origin: Origin) => void): void {
    this.#listeners.push(listener);
  }

  decide(origin: Origin): void {
    if (!this.#isDecided) {
      this.#isDecided = true;
      for (const listener of this.#listeners) {
        listener(origin);
      }
    }
  }
}
