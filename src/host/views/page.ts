import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** Where the built scripts and style sheets of pages are. */
const FOLDER = 'dist';

export interface PageParts {
  readonly title: string;
  /** A file in {@link FOLDER}. */
  readonly style: string;
  readonly script?: string;
  /** Markup; whatever comes from files or people must have been escaped. */
  readonly body?: string;
}

/** What a webview may load and do: nothing but our own built files. */
export function pageOptions(extension: vscode.Uri): vscode.WebviewOptions & vscode.WebviewPanelOptions {
  return { localResourceRoots: [vscode.Uri.joinPath(extension, FOLDER)] };
}

/** A page that runs no inline script, has no inline style, and loads nothing from elsewhere. */
export function pageOf(webview: vscode.Webview, extension: vscode.Uri, parts: PageParts): string {
  const nonce = randomBytes(16).toString('base64');
  const address = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extension, FOLDER, name)).toString();
  const scripts = parts.script === undefined ? '' : `; script-src 'nonce-${nonce}'`;
  const script =
    parts.script === undefined ? '' : `<script nonce="${nonce}" src="${escapeText(address(parts.script))}"></script>`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}${scripts}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escapeText(address(parts.style))}">
<title>${escapeText(parts.title)}</title>
</head>
<body>${parts.body ?? ''}${script}</body>
</html>`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
