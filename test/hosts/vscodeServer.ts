import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atProcessEnd } from './cleanup.ts';
import { installVSCodeServer } from './install.ts';
import { killTree, killTreeNow, ownGroup } from './processTree.ts';
import { pinnedSettings, type Settings } from './settings.ts';

/** The Node that the pinned VS Code runs on; another one fails to load it. */
const nodeMajor = 24;

const startTimeout = 60_000;

export interface ServerOptions {
  /** The user's folder: settings, state, logs. By default a fresh one, removed at `stop()`: a fresh user. */
  readonly dataDir?: string;
  /** User settings on top of the pinned ones. */
  readonly settings?: Settings;
  /** More files of the user, by name, beside settings.json; each is written as JSON. */
  readonly userFiles?: Readonly<Record<string, unknown>>;
  /** Environment variables on top of our own. The extension host sees them. */
  readonly env?: Readonly<Record<string, string>>;
  /** `everything` by default. With `nothing`, folders open in Restricted Mode, and nobody is asked. */
  readonly trust?: 'everything' | 'nothing' | undefined;
  /** By default a free one. A workspace's storage belongs to it: a server that comes back needs the old one. */
  readonly port?: number;
}

/** A running VS Code that pages can be opened on, one after the other. */
export interface VSCodeServer {
  readonly port: number;
  readonly url: string;
  readonly dataDir: string;
  /** Rejects when the server ends without having been stopped. */
  readonly crashed: Promise<never>;
  /** What the server printed so far; the place to look when something did not start. */
  output(): string;
  /** Ends the server with all its processes and removes its data folder unless one was given. */
  stop(): Promise<void>;
}

/** Installs VS Code when needed, starts it on a free port of 127.0.0.1 and waits until it accepts connections. */
export async function startVSCodeServer(options: ServerOptions = {}): Promise<VSCodeServer> {
  requireNode();
  const vscode = await installVSCodeServer();
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'edit-arbiter-user-')));
  await writeUserFiles(dataDir, options);

  const child = spawn(process.execPath, serverArguments(vscode, dataDir, options), {
    ...ownGroup,
    env: { ...environment(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const forget = atProcessEnd(() => {
    killTreeNow(child);
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });
  let stopping = false;
  const crashed = new Promise<never>((_, reject) => {
    child.once('exit', (code, signal) => {
      if (!stopping) reject(new Error(`VS Code's server ended with ${code ?? signal}. It printed:\n${tail(output)}`));
    });
  });
  crashed.catch(() => {}); // Told to whoever awaits it.
  const stop = async () => {
    stopping = true;
    await killTree(child);
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    forget();
  };
  try {
    const port = await listeningPort(child, () => output);
    return { port, url: `http://127.0.0.1:${port}`, dataDir, crashed, output: () => output, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function requireNode(): void {
  if (Number.parseInt(process.versions.node, 10) === nodeMajor) return;
  throw new Error(
    `The test VS Code runs on Node ${nodeMajor} only, and this is Node ${process.versions.node} (${process.execPath}).\n` +
      `Start it through an npm script (\`npm run test:integration\`): the repository's own Node ${nodeMajor} comes first there. ` +
      'If it does not, run `npm install` once.',
  );
}

function serverArguments(vscode: string, dataDir: string, options: ServerOptions): string[] {
  const args = [
    join(vscode, 'out', 'server-main.js'),
    ...['--host', '127.0.0.1', '--port', String(options.port ?? 0)],
    ...['--server-data-dir', dataDir],
    '--without-connection-token',
    '--accept-server-license-terms',
    '--disable-telemetry',
    '--enable-smoke-test-driver', // Without it the page ignores extensionDevelopmentPath.
  ];
  if (options.trust !== 'nothing') args.push('--disable-workspace-trust');
  return args;
}

/** Our environment without what a surrounding VS Code terminal put there: it would talk to that VS Code. */
function environment(): NodeJS.ProcessEnv {
  const foreign = (name: string) => name.startsWith('VSCODE_') || name === 'ELECTRON_RUN_AS_NODE';
  const ours = Object.entries(process.env).filter(([name]) => !foreign(name));
  return { ...Object.fromEntries(ours), EXTENSIONS_GALLERY: '{}' }; // No marketplace: a test asks no network.
}

async function writeUserFiles(dataDir: string, options: ServerOptions): Promise<void> {
  const userFolder = join(dataDir, 'data', 'User');
  await mkdir(userFolder, { recursive: true });
  const files = { 'settings.json': { ...pinnedSettings, ...options.settings }, ...options.userFiles };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(userFolder, name), JSON.stringify(content, undefined, 2));
  }
}

/** The port the server chose itself: asking for a free one beforehand would be a race with everyone else. */
function listeningPort(child: ChildProcess, output: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`VS Code's server ${what}. It printed:\n${tail(output())}`));
    const timer = setTimeout(() => fail(`was not ready within ${startTimeout / 1000} s`), startTimeout);
    const settle = (end: () => void) => {
      clearTimeout(timer);
      child.stdout?.off('data', look);
      end();
    };
    const look = () => {
      const port = /Extension host agent listening on (\d+)/.exec(output())?.[1];
      const started = output().includes('Extension host agent started');
      if (port !== undefined && started) settle(() => resolve(Number(port)));
    };
    child.stdout?.on('data', look);
    child.once('error', (error) => settle(() => fail(`could not be started: ${error.message}`)));
    child.once('exit', (code, signal) => settle(() => fail(`ended at once with ${code ?? signal}`)));
  });
}

function tail(text: string): string {
  return text.trim().split('\n').slice(-30).join('\n');
}
