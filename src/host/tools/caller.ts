import * as vscode from 'vscode';
import type { Caller } from '../../core/arbiter.ts';

/**
 * Who calls a tool. The chat session is a URI inside the invocation's token: undocumented, so whatever else stands there
 * counts as not known. Outside a chat there is no token.
 */
export function callerOf(token: unknown, cancellation: vscode.CancellationToken): Caller {
  const isCancelled = () => cancellation.isCancellationRequested;
  return { session: sessionOf(token), isCancelled, isChat: token !== undefined && token !== null };
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
