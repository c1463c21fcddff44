import * as vscode from 'vscode';
import { openBridge } from './bridge.ts';
import type { LanguageModels } from './languageModelApi.ts';
import { type Hello, type ModelReply, type ModelRequest, modelUrlVariable, vendor } from './protocol.ts';
import { ScriptedModel } from './scriptedModel.ts';

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const models = vscode.lm as unknown as LanguageModels;
  context.subscriptions.push(models.registerLanguageModelChatProvider(vendor, new ScriptedModel(ask)));
  const hello: Hello = { bridge: await openBridge(context) };
  await post('hello', hello);
}

async function ask(request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
  return (await post('model', request, signal)) as ModelReply;
}

async function post(what: string, content: unknown, signal?: AbortSignal): Promise<unknown> {
  const { [modelUrlVariable]: base } = process.env;
  if (base === undefined) {
    throw new Error(`${modelUrlVariable} is not set: it must name the server of the process that plays the model.`);
  }
  const response = await fetch(new URL(what, base), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(content),
    signal: signal ?? null,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${base} answered ${response.status} to ${what}: ${text}`);
  return JSON.parse(text);
}
