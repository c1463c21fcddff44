import * as vscode from 'vscode';
import type { LandedEdit } from '../../core/landedEdit.ts';
import type { LineRange } from '../../core/landedLines.ts';
import { followLines, withoutLines } from '../../core/markLines.ts';
import type { SessionNames } from '../../core/sessionNames.ts';
import { CONTEXTS } from '../../names.ts';
import { readFollow } from '../settings.ts';
import { MarkStyles } from './markStyles.ts';

/** How long the background is strong, and then faint, in milliseconds. What is left in the gutter stays. */
const STRONG_TIME = 3_000;
const FAINT_TIME = 7_000;
/** How long the editor may take to reload what a hook wrote, in milliseconds. */
const RELOAD_TIME = 2_000;
/** How many edits are marked in one file; the oldest go first. */
const MAX_PER_FILE = 50;
/** Nobody who typed this recently is taken to another file, in milliseconds. */
const TYPING_TIME = 5_000;

export type Freshness = 'strong' | 'faint' | 'settled';

interface Mark {
  /** What a hover says; without the texts. */
  readonly landed: Omit<LandedEdit, 'content' | 'lines'>;
  edited: readonly LineRange[];
  hooked: readonly LineRange[];
  freshness: Freshness;
}

/** Marks the lines of visible editors that agents' edits have just changed, and tells on hover whose they are. */
export class LandingMarks implements vscode.Disposable {
  readonly #names: SessionNames;
  readonly #uriOf: (key: string) => vscode.Uri;
  readonly #styles: MarkStyles;
  readonly #marks = new Map<vscode.TextDocument, Mark[]>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #subscriptions: readonly vscode.Disposable[];
  #typed: { readonly document: vscode.TextDocument; readonly time: number } | undefined;

  constructor(
    landings: vscode.Event<LandedEdit>,
    names: SessionNames,
    uriOf: (key: string) => vscode.Uri,
    extension: vscode.Uri,
    log: vscode.LogOutputChannel,
  ) {
    this.#names = names;
    this.#uriOf = uriOf;
    this.#styles = new MarkStyles(extension);
    this.#subscriptions = [
      this.#styles,
      landings((landed) => {
        this.#landed(landed).catch((error: unknown) =>
          log.error(`${landed.path}: the edit could not be shown`, error instanceof Error ? error : String(error)),
        );
      }),
      vscode.workspace.onDidChangeTextDocument((event) => this.#changed(event)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#forget(document)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#drawAll()),
      vscode.window.onDidChangeTextEditorSelection(({ kind, textEditor: { document } }) => {
        if (kind === vscode.TextEditorSelectionChangeKind.Keyboard) {
          this.#typed = { document, time: Date.now() };
        }
      }),
    ];
  }

  /** Takes all marks away. */
  clear(): void {
    this.#marks.clear();
    this.#drawAll();
    this.#tell();
  }

  dispose(): void {
    for (const timer of this.#timers) {
      clearTimeout(timer);
    }
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  async #landed(landed: LandedEdit): Promise<void> {
    const follow = readFollow();
    if (follow === 'off') {
      return;
    }
    // The agent's answer goes out first.
    await new Promise((resolve) => setImmediate(resolve));
    const { edited, hooked } = landed.lines();
    const lines = [...edited, ...hooked];
    const [first] = lines;
    if (first === undefined) {
      return;
    }
    if (follow === 'reveal') {
      await this.#reveal(landed.key, first[0] - 1);
    }
    const uri = this.#uriOf(landed.key).toString();
    const document = vscode.workspace.textDocuments.find((candidate) => candidate.uri.toString() === uri);
    // Where somebody has typed since, the lines are not those any more.
    if (document && (await comesToHold(document, landed.content))) {
      const { content: _, lines: __, ...told } = landed;
      const mark: Mark = { landed: told, edited, hooked, freshness: 'strong' };
      const older = this.#marks.get(document) ?? [];
      for (const other of older) {
        other.edited = withoutLines(other.edited, lines);
        other.hooked = withoutLines(other.hooked, lines);
      }
      this.#marks.set(document, [...older, mark].slice(-MAX_PER_FILE));
      this.#draw(document);
      this.#tell();
      this.#after(STRONG_TIME, document, mark, 'faint');
      this.#after(FAINT_TIME, document, mark, 'settled');
    }
  }

  /** Shows where the edit landed, but takes nobody's keyboard, and nobody who types to another file. */
  async #reveal(key: string, line: number): Promise<void> {
    const uri = this.#uriOf(key);
    const shown = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
    if (!shown && this.#isTyping) {
      return;
    }
    const editor = shown ?? (await vscode.window.showTextDocument(uri, { preview: true, preserveFocus: true }));
    editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  get #isTyping(): boolean {
    const active = vscode.window.activeTextEditor?.document;
    return active === this.#typed?.document && Date.now() - (this.#typed?.time ?? 0) < TYPING_TIME;
  }

  #after(time: number, document: vscode.TextDocument, mark: Mark, freshness: Freshness): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      mark.freshness = freshness;
      this.#draw(document);
    }, time);
    this.#timers.add(timer);
  }

  #changed({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    for (const mark of this.#marks.get(document) ?? []) {
      for (const { range, text } of contentChanges) {
        const [start, end] = [range.start.line, range.end.line];
        const change = { start, end, delta: text.split('\n').length - 1 - (end - start) };
        mark.edited = followLines(mark.edited, change);
        mark.hooked = followLines(mark.hooked, change);
      }
    }
  }

  #forget(document: vscode.TextDocument): void {
    if (this.#marks.delete(document)) {
      this.#tell();
    }
  }

  #draw(document: vscode.TextDocument): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) {
        this.#drawIn(editor);
      }
    }
  }

  #drawAll(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      this.#drawIn(editor);
    }
  }

  #drawIn(editor: vscode.TextEditor): void {
    const marks = this.#marks.get(editor.document) ?? [];
    for (const who of ['edited', 'hooked'] as const) {
      for (const freshness of ['strong', 'faint', 'settled'] as const) {
        const options = marks
          .filter((mark) => mark.freshness === freshness)
          .flatMap((mark) => mark[who].map((lines) => this.#optionsFor(mark, who, lines)));
        editor.setDecorations(this.#styles.of(who, freshness), options);
      }
    }
  }

  #optionsFor({ landed }: Mark, who: 'edited' | 'hooked', [first, last]: LineRange): vscode.DecorationOptions {
    return {
      range: new vscode.Range(first - 1, 0, last - 1, Number.MAX_SAFE_INTEGER),
      hoverMessage: this.#hover(landed, who),
    };
  }

  /** Text that comes from agents or settings is appended as text, never as Markdown. */
  #hover({ edit, session, turn, explanation, hooks }: Mark['landed'], who: 'edited' | 'hooked'): vscode.MarkdownString {
    const hover = new vscode.MarkdownString();
    const author = `${this.#names.nameOf(session)} · turn ${turn}`;
    if (who === 'hooked') {
      hover
        .appendMarkdown('**Hook** ')
        .appendText(hooks.join(', '))
        .appendMarkdown(`\n\nafter edit #${edit} · ${author}`);
    } else {
      hover.appendMarkdown(`**Edit #${edit}** · ${author}`);
    }
    if (explanation !== undefined) {
      hover.appendMarkdown('\n\n').appendText(`“${explanation}”`);
    }
    return hover;
  }

  #tell(): void {
    void vscode.commands.executeCommand('setContext', CONTEXTS.hasMarks, this.#marks.size > 0);
  }
}

/** Whether the document holds a content, or does so once the editor has reloaded what a hook wrote. */
function comesToHold(document: vscode.TextDocument, content: string): Promise<boolean> {
  const holds = () => document.getText().replaceAll('\r\n', '\n') === content;
  if (holds()) {
    return Promise.resolve(true);
  }
  return new Promise((resolve) => {
    const finish = (isHeld: boolean) => {
      clearTimeout(timer);
      subscription.dispose();
      resolve(isHeld);
    };
    const timer = setTimeout(() => finish(false), RELOAD_TIME);
    const subscription = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && holds()) {
        finish(true);
      }
    });
  });
}
