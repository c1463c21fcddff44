import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as vscode from 'vscode';
import {
  type Evaluation,
  type EvaluationResult,
  type Hello,
  type ModelReply,
  type ModelRequest,
  modelUrlVariable,
} from '../companion/protocol.ts';

/** The mind of the scripted agent: answers each request of the agent loop with text, tool calls, or both. */
export type Model = (request: ModelRequest) => ModelReply | Promise<ModelReply>;

export interface ModelServer {
  readonly url: string;
  /** To be put into the environment of the VS Code that the companion runs in. */
  readonly env: Readonly<Record<string, string>>;
  /** Every request so far, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** Replaces the model: the next request is answered by the new one. */
  play(model: Model): void;
  /** Resolves when the companion is up: then its model is registered and `evaluate` works. */
  readonly connected: Promise<void>;
  /**
   * Runs `body` in VS Code's extension host. It is sent as source text: it sees its parameters and nothing else.
   * Arguments and result travel as JSON.
   */
  evaluate<Result, Argument = undefined>(
    body: (api: typeof vscode, argument: Argument) => Result,
    argument?: Argument,
  ): Promise<Awaited<Result>>;
  /** Waits for one more window of the same VS Code. @returns a way into its extension host. */
  anotherWindow(): Promise<Pick<ModelServer, 'evaluate'>>;
  stop(): Promise<void>;
}

/** Plays a model for the companion: a server on this machine that the companion passes every chat request on to. */
export async function startModelServer(model: Model): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  let current = model;
  let bridge: string | undefined;
  const waiting: ((bridge: string) => void)[] = [];
  let connect: () => void = () => {};
  const connected = new Promise<void>((resolve) => {
    connect = resolve;
  });
  const routes: Readonly<Record<string, (content: unknown) => unknown>> = {
    '/model': (content) => {
      const request = content as ModelRequest;
      requests.push(request);
      return current(request);
    },
    '/hello': (content) => {
      const hello = content as Hello;
      const next = waiting.shift();
      if (next === undefined) {
        bridge = hello.bridge;
        connect();
      } else {
        next(hello.bridge);
      }
      return {};
    },
  };
  const server = createServer((request, response) => void answer(routes, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    env: { [modelUrlVariable]: url },
    requests,
    connected,
    play(next) {
      current = next;
    },
    async evaluate(body, argument) {
      await connected;
      return (await evaluateAt(bridge ?? '', { source: body.toString(), argument })) as never;
    },
    async anotherWindow() {
      const other = await new Promise<string>((resolve) => waiting.push(resolve));
      return {
        evaluate: async (body, argument) => (await evaluateAt(other, { source: body.toString(), argument })) as never,
      };
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An error of the model is its author's: it goes to the chat through the companion, with its stack. */
async function answer(
  routes: Readonly<Record<string, (content: unknown) => unknown>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const route = routes[request.url ?? ''];
  try {
    if (route === undefined) throw new Error(`No such address: ${request.url}.`);
    const content: unknown = JSON.parse(await textOf(request));
    response.end(JSON.stringify(await route(content)));
  } catch (error) {
    response.statusCode = 500;
    response.end(error instanceof Error ? error.stack : String(error));
  }
}

async function evaluateAt(bridge: string, evaluation: Evaluation): Promise<unknown> {
  const response = await fetch(bridge, { method: 'POST', body: JSON.stringify(evaluation) });
  const result = (await response.json()) as EvaluationResult;
  if ('error' in result) throw new Error(`In the extension host: ${result.error}`);
  return result.value;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
