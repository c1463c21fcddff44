import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import type { Evaluation, EvaluationResult } from './protocol.ts';

/**
 * Takes functions from the test's process and runs them here, in the extension host.
 * @returns the address to send them to, on this machine only.
 */
export async function openBridge(context: vscode.ExtensionContext): Promise<string> {
  const server = createServer((request, response) => {
    evaluate(request).then((result) => response.end(JSON.stringify(result)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  context.subscriptions.push({ dispose: () => server.close() });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function evaluate(request: IncomingMessage): Promise<EvaluationResult> {
  try {
    const { source, argument } = JSON.parse(await body(request)) as Evaluation;
    const compile = new Function(`return (${source}\n)`) as () => (api: typeof vscode, argument: unknown) => unknown;
    return { value: await compile()(vscode, argument) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function body(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
