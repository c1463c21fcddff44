import { vendor } from '../companion/protocol.ts';
import { buildCompanion } from './buildForTesting.ts';
import { linkExtensions } from './extensionFolder.ts';
import { type Model, type ModelServer, startModelServer } from './modelServer.ts';
import { companionFolder, repositoryRoot } from './paths.ts';
import { type ServerOptions, startVSCodeServer, type VSCodeServer } from './vscodeServer.ts';
import { openWorkbench, type Workbench, type WorkbenchOptions } from './workbench.ts';

export interface EditorOptions
  extends Pick<ServerOptions, 'dataDir' | 'settings' | 'env' | 'trust' | 'port'>,
    Pick<WorkbenchOptions, 'folder' | 'workspaceFile' | 'viewport' | 'colorScheme'> {
  /** What the scripted model says when it is asked. It can be replaced while VS Code runs, see `ModelServer.play`. */
  readonly model: Model;
  /** The folders of the extensions under test: by default this repository; or that of an unpacked `.vsix`. */
  readonly extensions?: readonly string[];
}

/** A VS Code with a keyboard in front of it and a way into its extension host. */
export interface Editor {
  readonly workbench: Workbench;
  readonly server: VSCodeServer;
  /** Also the way into the extension host: `model.evaluate`. */
  readonly model: ModelServer;
  /** Opens one more window on the same folder, as a second browser tab does. */
  openWindow(): Promise<{ readonly workbench: Workbench; readonly evaluate: ModelServer['evaluate'] }>;
  stop(): Promise<void>;
}

/** Chat counts as set up when the user has a model of their own: then nobody is asked to sign in. */
export const ownModel = [{ name: 'Scripted', vendor }];

/** Starts VS Code with the extensions under test and the companion, and waits until both sides are up. */
export async function startEditor(options: EditorOptions): Promise<Editor> {
  await buildCompanion();
  const undo: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const extensions = linkExtensions([...(options.extensions ?? [repositoryRoot]), companionFolder]);
    undo.push(() => extensions.remove());
    const model = await startModelServer(options.model);
    undo.push(() => model.stop());
    const server = await startVSCodeServer({
      ...options,
      userFiles: { 'chatLanguageModels.json': ownModel },
      env: { ...options.env, ...model.env },
    });
    undo.push(() => server.stop());
    const workbench = await openWorkbench({ ...options, server, extensionDevelopmentPath: extensions.path });
    undo.push(() => workbench.close());
    await workbench.ready();
    await connected(model, workbench, server);
    const openWindow = async () => {
      const connecting = model.anotherWindow();
      const other = await openWorkbench({ ...options, server, extensionDevelopmentPath: extensions.path });
      undo.push(() => other.close());
      await other.ready();
      const { evaluate } = await connecting;
      return { workbench: other, evaluate };
    };
    return { workbench, server, model, openWindow, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The companion speaks first. When it does not, the reason is in the console or in the server's output. */
async function connected(model: ModelServer, workbench: Workbench, server: VSCodeServer): Promise<void> {
  const seconds = 60;
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    const told = () => `${workbench.log.slice(-40).join('\n')}\n${server.output().slice(-2000)}`;
    const fail = () =>
      reject(new Error(`The companion did not speak up within ${seconds} s. VS Code said:\n${told()}`));
    timer = setTimeout(fail, seconds * 1000);
  });
  try {
    await Promise.race([model.connected, silence, server.crashed]);
  } finally {
    clearTimeout(timer);
  }
}
