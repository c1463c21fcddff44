import * as vscode from 'vscode';
import type { Caller } from '../../core/arbiter.ts';

/**
 * Who calls a tool. The chat session is a URI inside the invocation's token: undocumented, so whatever else stands there
 * counts as not known, and so does the model, which not every chat tells. Outside a chat there is no token.
 */
export function callerOf(
  options: vscode.LanguageModelToolInvocationOptions<unknown>,
  cancellation: vscode.CancellationToken,
): Caller {
  const token: unknown = options.toolInvocationToken;
  const model = modelOf(options);
  return {
    session: sessionOf(token),
    ...(model === undefined ? {} : { model }),
    isCancelled: () => cancellation.isCancellationRequested,
    isChat: token !== undefined && token !== null,
  };
}

function modelOf(options: object): string | undefined {
  const model: unknown = 'model' in options ? options.model : undefined;
  const id: unknown = typeof model === 'object' && model !== null && 'id' in model ? model.id : model;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function sessionOf(token: unknown): string | undefined {
  if (typeof token !== 'object' || token === null || !('sessionResource' in token)) {
    return undefined;
  }
  const { sessionResource } = token;
  if (sessionResource instanceof vscode.Uri) {
    return sessionResource.toString();
  }
  // Across the process boundary a URI may arrive as its parts.
  const isParts =
    typeof sessionResource === 'object' &&
    sessionResource !== null &&
    'scheme' in sessionResource &&
    'path' in sessionResource;
  return isParts ? `${String(sessionResource.scheme)}:${String(sessionResource.path)}` : undefined;
}
