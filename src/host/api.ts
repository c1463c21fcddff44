import * as vscode from 'vscode';
import type { CallOptions, Conflict, EditAnswer, EditArbiter, ReadPart } from '../../api.d.ts';
import type { Arbiter, Caller } from '../core/arbiter.ts';

/** Sessions of other extensions are none of the chat's, whatever they are named. */
const SESSION = 'extension:';

/**
 * What `activate` returns: the arbiter for other extensions.
 *
 * @param uriOf where a file is, by its key.
 * @param load brings back what was stored, once. Does not throw.
 */
export function makeApi(
  arbiter: Arbiter,
  uriOf: (key: string) => vscode.Uri,
  load: () => void,
): { readonly api: EditArbiter; readonly disposable: vscode.Disposable } {
  const conflicts = new vscode.EventEmitter<Conflict>();
  const stop = arbiter.conflicts.onDidAdd(({ key, path, status, expected, actual, changedBy, interruption }) => {
    // What a kill has left is for the engineer alone.
    if (interruption === undefined) {
      const found = actual === undefined ? {} : { actual };
      conflicts.fire({ uri: uriOf(key), path, status, expected, ...found, changedBy });
    }
  });
  const api: EditArbiter = {
    version: 1,
    // Reports have whatever their status asks for; the declarations name what a caller may count on.
    read: async (input, options) => {
      load();
      return (await arbiter.read(input, callerOf(options), async (text) => text.length)) as readonly ReadPart[];
    },
    edit: async (input, options) => {
      load();
      return (await arbiter.edit(input, callerOf(options))) as EditAnswer;
    },
    check: async (input, options) => {
      load();
      return (await arbiter.check(input ?? {}, callerOf(options))) as Awaited<ReturnType<EditArbiter['check']>>;
    },
    onDidConflict: conflicts.event,
  };
  return { api: Object.freeze(api), disposable: vscode.Disposable.from(conflicts, { dispose: stop }) };
}

function callerOf({ session, token }: CallOptions = {}): Caller {
  return {
    session: session === undefined ? undefined : SESSION + session,
    isCancelled: () => token?.isCancellationRequested ?? false,
  };
}
