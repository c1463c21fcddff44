import * as vscode from 'vscode';

/** The progress line of the chat: what is done to which files. The input may be anything. */
export function progressOf(verb: string, input: unknown): vscode.PreparedToolInvocation {
  return { invocationMessage: new vscode.MarkdownString(`${verb} ${pathsIn(input)}`) };
}

function pathsIn(input: unknown): string {
  const files =
    typeof input === 'object' && input !== null && 'files' in input && Array.isArray(input.files) ? input.files : [];
  const paths = files.flatMap((file: unknown) =>
    typeof file === 'object' && file !== null && 'path' in file && typeof file.path === 'string'
      ? [inlineCode(file.path)]
      : [],
  );
  const [first, second, third] = paths;
  if (first === undefined) {
    return 'files';
  }
  if (paths.length > 3) {
    return `${first}, ${second} and ${paths.length - 2} more files`;
  }
  return [first, second, third].filter((path) => path !== undefined).join(', ');
}

/** The line is Markdown: whatever a path holds stays plain text. */
export function inlineCode(path: string): string {
  return `\`${path.replaceAll(/[`\r\n]/g, ' ').slice(0, 200)}\``;
}
