import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { pathOf } from '../integration/support/disk.ts';
import type { Call, Entry } from './calls.ts';
import { marksIn, without } from './marks.ts';

/** Who changed what a file holds, as far as it can be seen from beside the editor. */
export type Hand =
  /** An edit of an agent lands in a buffer. */
  | 'lands'
  /** The adapter takes its own part out of a buffer again. */
  | 'takes back'
  /** The adapter creates, deletes or renames a file, or puts back what was on disk. */
  | 'operates'
  /** A buffer goes to disk: nobody can see from here whose save it is. */
  | 'saves'
  | 'hook'
  | 'save participant'
  | 'types'
  | 'undoes'
  | 'reverts'
  | 'renames in the editor'
  | 'extension'
  | 'reloads'
  | 'program'
  | 'generator'
  /** Nothing of that fits. */
  | 'unclear';

export interface Seen {
  /** Its place in the order of everything that was seen, from 1. */
  readonly at: number;
  readonly path: string;
  readonly hand: Hand;
  readonly where: 'disk' | 'buffer';
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Marks that are in no file and no buffer any more. */
  readonly lost: readonly string[];
  /** The entry whose doing it is, where it is an agent's. */
  readonly entry: Entry | undefined;
  /** Whether calls ran that name the file. */
  readonly isInCall: boolean;
  /** Whether somebody's save of the file was under way. */
  readonly isInSave: boolean;
}

/** What a file has held, and from when on. */
interface Held {
  readonly at: number;
  readonly text: string | undefined;
}

/** What save participants make of a text in this world. */
export function trimmed(text: string): string {
  return text.replaceAll(/[ \t]+(?=\r?$)/gm, '');
}

/** What the hook makes of a text. */
export function tidied(text: string): string {
  return text.replaceAll('~~', '~');
}

/** The files of one story as they really are: read from the disk and told by the editor, never by the arbiter. */
export class EditorTruth implements vscode.Disposable {
  readonly seen: Seen[] = [];
  readonly #paths: readonly string[];
  readonly #onDidSee: (seen: Seen) => void;
  readonly #disks = new Map<string, Held[]>();
  readonly #buffers = new Map<string, Held[]>();
  readonly #calls = new Set<Call>();
  /** When somebody's save of a file began that is not known to be over. */
  readonly #saving = new Map<string, number>();
  /** What the engineer does at this moment, where the editor's events do not tell it from other things. */
  engineer: { readonly path: string; readonly does: 'types' | 'reverts' | 'renames' } | undefined;
  readonly #subscriptions: readonly vscode.Disposable[];

  /** @param onDidSee told of each thing that is seen, in the turn in which it is. */
  constructor(paths: readonly string[], onDidSee: (seen: Seen) => void) {
    this.#paths = paths;
    this.#onDidSee = onDidSee;
    this.#subscriptions = [
      vscode.workspace.onDidOpenTextDocument((document) => this.#opened(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#closed(document)),
      vscode.workspace.onDidChangeTextDocument((event) => this.#changed(event)),
      vscode.workspace.onWillSaveTextDocument(({ document }) => this.#saves(document)),
      vscode.workspace.onDidSaveTextDocument((document) => this.#saved(document)),
    ];
    for (const path of paths) {
      this.#heldOf(this.#disks, path).push({ at: 0, text: readText(path) });
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  get now(): number {
    return this.seen.length;
  }

  begin(call: Call): void {
    this.#calls.add(call);
  }

  end(call: Call): void {
    this.#calls.delete(call);
  }

  disk(path: string): string | undefined {
    return this.#heldOf(this.#disks, path).at(-1)?.text;
  }

  buffer(path: string): string | undefined {
    return this.#heldOf(this.#buffers, path).at(-1)?.text;
  }

  /** What a file has held on disk, or in the editor, from a moment on. */
  heldSince(where: 'disk' | 'buffer', path: string, from: number): (string | undefined)[] {
    const held = this.#heldOf(where === 'disk' ? this.#disks : this.#buffers, path);
    const first = held.findLastIndex(({ at }) => at <= from);
    return held.slice(Math.max(0, first)).map(({ text }) => text);
  }

  /** What was seen of a file after a moment. */
  seenOf(path: string, after: number): Seen[] {
    return this.seen.slice(after).filter((seen) => seen.path === path);
  }

  /** Whether a mark is anywhere. */
  isAlive(mark: string): boolean {
    return this.#alive().has(mark);
  }

  /** Whether somebody's save of a file is, or may be, under way. */
  isSaving(path: string): boolean {
    return this.#saving.has(path);
  }

  /** Another program is about to write, and has written: everything before it is known by then. */
  programs(paths: readonly string[], hand: 'program' | 'renames in the editor', act: () => void): void {
    this.look();
    act();
    for (const path of paths) {
      this.#lookAt(path, hand);
    }
  }

  /** Sees what has happened to the disk. */
  look(): void {
    for (const path of this.#paths) {
      this.#lookAt(path);
    }
  }

  #lookAt(path: string, by?: Hand): void {
    const [before, after] = [this.disk(path), readText(path)];
    if (before === after) {
      return;
    }
    const { hand, entry } = by ? { hand: by, entry: undefined } : this.#writerOf(path, before, after);
    // A save of the editor empties the file before it fills it: the next look will tell.
    if (hand !== 'unclear' || !this.#saving.has(path)) {
      this.#add(this.#disks, { path, hand, where: 'disk', before, after, entry });
    }
  }

  /** Who has written the disk, by what stands there. */
  #writerOf(
    path: string,
    before: string | undefined,
    after: string | undefined,
  ): { readonly hand: Hand; readonly entry: Entry | undefined } {
    const entries = this.#entriesOf(path);
    const come = without(marksIn(after), marksIn(before));
    if (come.some((mark) => mark.startsWith('[g'))) {
      return { hand: 'generator', entry: undefined };
    }
    if (this.engineer?.does === 'renames') {
      return { hand: 'renames in the editor', entry: undefined };
    }
    if (after === undefined) {
      const taken = entries.filter(({ intended, target }) => intended === undefined || target !== undefined);
      const read = taken.find(({ known }) => before === undefined || known.text === fold(before));
      const entry = read ?? taken[0] ?? entries[0];
      return { hand: entry ? 'operates' : 'unclear', entry };
    }
    const written = entries.find(
      ({ path: source, known, intended, target }) =>
        (known.text === undefined && fold(after) === intended) ||
        (target === path && [known.text, intended].includes(fold(after))) ||
        (target !== undefined && source === path && before === undefined && fold(after) === known.text),
    );
    if (written) {
      return { hand: 'operates', entry: written };
    }
    const buffers = this.#heldOf(this.#buffers, path).map(({ text }) => text);
    if (buffers.includes(after)) {
      return { hand: 'saves', entry: undefined };
    }
    if (before !== undefined && (after === tidied(before) || buffers.some((text) => text && tidied(text) === after))) {
      return { hand: 'hook', entry: undefined };
    }
    const disks = this.#heldOf(this.#disks, path).map(({ text }) => text);
    const [entry] = entries;
    return entry && disks.includes(after) ? { hand: 'operates', entry } : { hand: 'unclear', entry: undefined };
  }

  #opened(document: vscode.TextDocument): void {
    const path = this.#pathOf(document);
    if (path !== undefined) {
      this.#heldOf(this.#buffers, path).push({ at: this.now, text: document.getText() });
    }
  }

  #closed(document: vscode.TextDocument): void {
    const path = this.#pathOf(document);
    if (path !== undefined) {
      this.look();
      this.#add(this.#buffers, {
        path,
        hand: 'reloads',
        where: 'buffer',
        before: this.buffer(path),
        after: undefined,
        entry: undefined,
      });
    }
  }

  #changed({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    const path = this.#pathOf(document);
    if (path === undefined) {
      return;
    }
    this.look();
    if (contentChanges.length === 0) {
      return;
    }
    const [before, after] = [this.buffer(path) ?? '', document.getText()];
    const { hand, entry } =
      reason === undefined
        ? this.#changerOf(path, before, after, document.isDirty)
        : { hand: 'undoes' as const, entry: undefined };
    this.#add(this.#buffers, { path, hand, where: 'buffer', before, after, entry });
  }

  /** Who has changed a buffer, by what it was and is. */
  #changerOf(
    path: string,
    before: string,
    after: string,
    isDirty: boolean,
  ): { readonly hand: Hand; readonly entry: Entry | undefined } {
    const come = without(marksIn(after), marksIn(before));
    const gone = without(marksIn(before), marksIn(after));
    const entries = this.#entriesOf(path);
    const landed = entries.find(({ marks }) => come.some((mark) => marks.has(mark)));
    const plain = (hand: Hand) => ({ hand, entry: undefined });
    if (this.engineer?.path === path && this.engineer.does === 'reverts' && after === this.disk(path)) {
      return plain('reverts');
    }
    if (!isDirty && after === this.disk(path)) {
      return plain('reloads');
    }
    if (landed) {
      return { hand: 'lands', entry: landed };
    }
    if (come.some((mark) => mark.startsWith('[x'))) {
      return plain('extension');
    }
    const back = entries.find(({ marks }) => gone.some((mark) => marks.has(mark)) || after === this.disk(path));
    const hasLanded = this.seen.some(({ hand, entry }) => hand === 'lands' && entry === back);
    // Key by key. With an edit to take back, nobody can tell from here.
    if (!hasLanded && this.engineer?.path === path && this.engineer.does === 'types') {
      return plain('types');
    }
    if (after === trimmed(before)) {
      return plain('save participant');
    }
    return back ? { hand: 'takes back', entry: back } : plain('unclear');
  }

  #saves(document: vscode.TextDocument): void {
    const path = this.#pathOf(document);
    if (path !== undefined) {
      this.look();
      this.#saving.set(path, this.now);
    }
  }

  #saved(document: vscode.TextDocument): void {
    const path = this.#pathOf(document);
    if (path !== undefined) {
      this.look();
      this.#saving.delete(path);
      this.look();
    }
  }

  #add(to: Map<string, Held[]>, seen: Omit<Seen, 'at' | 'lost' | 'isInCall' | 'isInSave'>): void {
    const alive = this.#alive();
    const at = this.now + 1;
    this.#heldOf(to, seen.path).push({ at, text: seen.after });
    const full: Seen = {
      ...seen,
      at,
      lost: without(alive, this.#alive()),
      isInCall: this.#entriesOf(seen.path).length > 0,
      isInSave: this.#saving.has(seen.path),
    };
    this.seen.push(full);
    this.#onDidSee(full);
  }

  #alive(): ReadonlySet<string> {
    return new Set(this.#paths.flatMap((path) => [...marksIn(this.disk(path)), ...marksIn(this.buffer(path))]));
  }

  #entriesOf(path: string): Entry[] {
    return [...this.#calls].flatMap(({ entries }) =>
      entries.filter((entry) => entry.path === path || entry.target === path),
    );
  }

  #pathOf(document: vscode.TextDocument): string | undefined {
    return this.#paths.find((path) => document.uri.fsPath === pathOf(path));
  }

  #heldOf(map: Map<string, Held[]>, path: string): Held[] {
    const held = map.get(path) ?? [];
    map.set(path, held);
    return held;
  }
}

/** What a file holds on disk; `undefined` where there is none. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(pathOf(path), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

export function fold(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
