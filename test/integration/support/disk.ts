import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';

/** The only workspace folder. */
export function root(): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!folder) {
    throw new Error('the suite needs an open folder');
  }
  return folder.uri.fsPath;
}

export function pathOf(path: string): string {
  return join(root(), path);
}

export function uriOf(path: string): vscode.Uri {
  return vscode.Uri.file(pathOf(path));
}

/** Another program writes a file. */
export function writes(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(pathOf(path)), { recursive: true });
  writeFileSync(pathOf(path), content);
}

/** Another program puts a new file in the place of one, as many do to save. */
export function replaces(path: string, content: string | Uint8Array): void {
  writes(`${path}.tmp`, content);
  renameSync(pathOf(`${path}.tmp`), pathOf(path));
}

export function bytesOf(path: string): Buffer {
  return readFileSync(pathOf(path));
}

export function textOf(path: string): string {
  return bytesOf(path).toString('utf8');
}

/** What `sha256sum` prints, as a base. */
export function sha256(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

let count = 0;

/** A file of its own for each test, written by another program. */
export function fresh(content: string | Uint8Array, name = 'file.txt'): string {
  count += 1;
  const path = `t${count}/${name}`;
  writes(path, content);
  return path;
}
