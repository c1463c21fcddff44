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

/** Positions are computed from the text given, not from the document, so both must be the same. */
export function toWorkspaceEdit(uri: vscode.Uri, content: string, spans: readonly Span[]): vscode.WorkspaceEdit {
  const lines = new LineIndex(content);
  const positionOf = (offset: number) => {
    const line = lines.lineOf(offset);
    return new vscode.Position(line, offset - lines.lineStart(line));
  };
  const edit = new vscode.WorkspaceEdit();
  for (const span of spans) {
    const { start, end, text } = trim(content, span);
    edit.replace(uri, new vscode.Range(positionOf(start), positionOf(end)), text);
  }
  return edit;
}

/** Makes a buffer hold exactly `raw`. @returns whether it does. */
export async function replaceBuffer(document: vscode.TextDocument, raw: string): Promise<boolean> {
  const before = document.getText().replaceAll('\r\n', '\n');
  const spans = spansBetween(before, raw.replaceAll('\r\n', '\n'));
  const edit = toWorkspaceEdit(document.uri, before, spans);
  const eol = raw.includes('\r\n') ? vscode.EndOfLine.CRLF : vscode.EndOfLine.LF;
  if (raw.includes('\n') && document.eol !== eol) {
    edit.set(document.uri, [...edit.get(document.uri), vscode.TextEdit.setEndOfLine(eol)]);
  }
  if (edit.size > 0) {
    await vscode.workspace.applyEdit(edit);
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
