import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

const linesPerFile = 60;

/**
 * The last lines of what the extension host and the extensions in it logged, for a person who has to find out why a run
 * failed; the extension host's own log comes last. Logs of VS Code's own extensions are left out.
 */
export function extensionHostLogs(dataDir: string): string {
  const logs = join(dataDir, 'data', 'logs');
  if (!existsSync(logs)) return '(none: no extension host was started)';
  const files = readdirSync(logs, { recursive: true, encoding: 'utf8' })
    .filter(
      (path) =>
        path.endsWith('.log') && /exthost\d+[\\/]/.test(path) && !/[\\/](vscode|github)\.[\w-]+[\\/]/i.test(path),
    )
    .sort((a, b) => Number(basename(a) === 'remoteexthost.log') - Number(basename(b) === 'remoteexthost.log'));
  return files.map((path) => `── ${relative(dataDir, join(logs, path))}\n${lastLines(join(logs, path))}`).join('\n');
}

function lastLines(file: string): string {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines
    .filter((line) => !isInsideVSCode(line))
    .slice(-linesPerFile)
    .join('\n');
}

/** Stack frames of VS Code and of Node, which would push out what is of interest. */
function isInsideVSCode(line: string): boolean {
  return /^\s+at .*(\.vscode-test|node:internal)/.test(line);
}
