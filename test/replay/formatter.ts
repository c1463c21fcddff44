import { spawn } from 'node:child_process';
import * as vscode from 'vscode';
import { pathOf, writes } from '../integration/support/disk.ts';

/** Where the formatter's program is put in the workspace. */
const PROGRAM = 'tools/format.mjs';

/** A formatter as a program of its own: spaces around `=`, none at the end of a line. Without a file: from input to output. */
const SOURCE = `import { readFileSync, writeFileSync } from 'node:fs';
const [file] = process.argv.slice(2);
const text = readFileSync(file ?? 0, 'utf8');
const formatted = text.replaceAll(/^( *\\w+) *= *(\\w+)[ \\t]*$/gm, '$1 = $2').replaceAll(/[ \\t]+$/gm, '');
if (file === undefined) process.stdout.write(formatted);
else if (formatted !== text) writeFileSync(file, formatted);
`;

/** Puts the formatter into the workspace. @returns its command line without a file. */
export function installFormatter(): readonly [string, ...string[]] {
  writes(PROGRAM, SOURCE);
  return [process.execPath, pathOf(PROGRAM)];
}

/** Runs a program to its end. @returns what it prints. */
export async function run([program, ...args]: readonly [string, ...string[]], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${program}: ${errors}`))));
    child.stdin.end(input);
  });
}

/** Offers the formatter to the editor, as a formatter's extension does, for the files of a folder. */
export function offerFormatter(command: readonly [string, ...string[]], folder: string): vscode.Disposable {
  const pattern = new vscode.RelativePattern(vscode.Uri.file(pathOf(folder)), '**/*.py');
  return vscode.languages.registerDocumentFormattingEditProvider(
    { pattern },
    {
      async provideDocumentFormattingEdits(document) {
        const text = document.getText();
        const formatted = await run(command, text);
        const all = new vscode.Range(document.positionAt(0), document.positionAt(text.length));
        return formatted === text ? [] : [vscode.TextEdit.replace(all, formatted)];
      },
    },
  );
}
