import * as vscode from 'vscode';
import { spansBetween } from '../core/compare.ts';
import type { BufferEdit } from '../core/landing.ts';
import { LineIndex, splitsCharacter } from '../core/lines.ts';
import type { Span } from '../core/text.ts';

/**
 * Content spans as edits of a buffer, whose line ends may be two units long. Each is cut down to what it really changes, so
 * that cursors, folds and marks beside it stay where they are.
 *
 * @param raw the buffer's text.
 * @param content the same with `\n` for every line end.
 */
export function toBufferEdits(raw: string, content: string, spans: readonly Span[]): BufferEdit[] {
  const isWide = raw.length !== content.length;
  const lines = isWide ? new LineIndex(content) : undefined;
  const toBuffer = (offset: number) => offset + (lines?.lineOf(offset) ?? 0);
  return spans.map((span) => {
    const { start, end, text } = trim(content, span);
    const offset = toBuffer(start);
    return { offset, length: toBuffer(end) - offset, text: isWide ? text.replaceAll('\n', '\r\n') : text };
  });
}

/** One replacement, with the text that it takes away. */
export interface Replaced {
  readonly range: vscode.Range;
  readonly old: string;
  readonly text: string;
}

/** Content spans as replacements. Positions are computed from the text given, so it must be the document's. */
export function toReplaced(content: string, spans: readonly Span[]): Replaced[] {
  const lines = new LineIndex(content);
  const positionOf = (offset: number) => {
    const line = lines.lineOf(offset);
    return new vscode.Position(line, offset - lines.lineStart(line));
  };
  return spans.map((span) => {
    const { start, end, text } = trim(content, span);
    return { range: new vscode.Range(positionOf(start), positionOf(end)), old: content.slice(start, end), text };
  });
}

/**
 * Hands replacements to the editor, in the caller's turn and as one undo step. Either way in, the editor compares the version
 * of the document.
 *
 * @returns whether the editor says that it applied them.
 */
export function applyToBuffer(document: vscode.TextDocument, edits: readonly Replaced[]): Thenable<boolean> {
  const editor = needsTextEditor(document, edits) ? shownIn(document) : undefined;
  if (editor) {
    return editor.edit(
      (builder) => {
        for (const { range, text } of edits) {
          builder.replace(range, text);
        }
      },
      { undoStopBefore: true, undoStopAfter: true },
    );
  }
  const edit = new vscode.WorkspaceEdit();
  for (const { range, text } of edits) {
    edit.replace(document.uri, range, text);
  }
  return vscode.workspace.applyEdit(edit);
}

/**
 * Whether edits may only be made through a text editor. The editor makes a WorkspaceEdit minimal where its document is shown,
 * unit by unit: characters of which both texts hold halves are torn apart. Edits of a text editor are left as they are.
 */
export function needsTextEditor(document: vscode.TextDocument, edits: readonly Replaced[]): boolean {
  return edits.some(({ old, text }) => SURROGATE.test(old) && SURROGATE.test(text)) && shownIn(document) !== undefined;
}

function shownIn(document: vscode.TextDocument): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find((visible) => visible.document === document);
}

const SURROGATE = /[\ud800-\udfff]/;

/** Makes a buffer hold exactly `raw`. @returns whether it does. */
export async function replaceBuffer(document: vscode.TextDocument, raw: string): Promise<boolean> {
  const before = document.getText().replaceAll('\r\n', '\n');
  const spans = spansBetween(before, raw.replaceAll('\r\n', '\n'));
  const eol = raw.includes('\r\n') ? vscode.EndOfLine.CRLF : vscode.EndOfLine.LF;
  if (raw.includes('\n') && document.eol !== eol) {
    const edit = new vscode.WorkspaceEdit();
    edit.set(document.uri, [vscode.TextEdit.setEndOfLine(eol)]);
    await vscode.workspace.applyEdit(edit);
    if (document.getText().replaceAll('\r\n', '\n') !== before) {
      return false;
    }
  }
  if (spans.length > 0) {
    await applyToBuffer(document, toReplaced(before, spans));
  }
  return document.getText() === raw;
}

/** Without what old and new text have in common at both ends; never inside a character. */
function trim(content: string, { start, end, text }: Span): Span {
  let head = 0;
  const longest = Math.min(end - start, text.length);
  while (head < longest && content.charCodeAt(start + head) === text.charCodeAt(head)) {
    head += 1;
  }
  if (splitsCharacter(text, head) || splitsCharacter(content, start + head)) {
    head -= 1;
  }
  let tail = 0;
  while (tail < longest - head && content.charCodeAt(end - 1 - tail) === text.charCodeAt(text.length - 1 - tail)) {
    tail += 1;
  }
  if (splitsCharacter(text, text.length - tail) || splitsCharacter(content, end - tail)) {
    tail -= 1;
  }
  return { start: start + head, end: end - tail, text: text.slice(head, text.length - tail) };
}
