import * as vscode from 'vscode';
import type { ModelInformation, ModelProvider, ReplyPart, RequestOptions } from './languageModelApi.ts';
import {
  type ModelMessage,
  type ModelPart,
  type ModelReply,
  type ModelRequest,
  scriptedModelId,
  utilityModelId,
} from './protocol.ts';

const roles: Readonly<Record<number, ModelMessage['role']>> = { 1: 'user', 2: 'assistant', 3: 'system' };

const information = {
  family: 'scripted',
  version: '1',
  maxInputTokens: 1_000_000,
  maxOutputTokens: 100_000,
  capabilities: { toolCalling: true },
} as const;

/** A chat model without a mind of its own: passes every request on to `ask` and says what comes back. */
export class ScriptedModel implements ModelProvider {
  readonly #ask: (request: ModelRequest, signal: AbortSignal) => Promise<ModelReply>;

  constructor(ask: (request: ModelRequest, signal: AbortSignal) => Promise<ModelReply>) {
    this.#ask = ask;
  }

  provideLanguageModelChatInformation(): ModelInformation[] {
    return [
      { ...information, id: scriptedModelId, name: 'Scripted', isUserSelectable: true },
      { ...information, id: utilityModelId, name: 'Scripted Utility', isUserSelectable: false },
    ];
  }

  /** A failure is said in the chat as well: an error alone is shown to the user as "something went wrong". */
  async provideLanguageModelChatResponse(
    model: ModelInformation,
    messages: readonly vscode.LanguageModelChatMessage[],
    options: RequestOptions,
    progress: vscode.Progress<ReplyPart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    if (model.id === utilityModelId) {
      progress.report(new vscode.LanguageModelTextPart('Scripted')); // Titles and the like: no concern of the test.
      return;
    }
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    const request = {
      model: model.id,
      messages: messages.map(plainMessage),
      tools: (options.tools ?? []).map(plainTool),
    };
    try {
      const reply = await this.#ask(request, abort.signal);
      for (const part of reply.parts) progress.report(replyPart(part));
    } catch (error) {
      if (token.isCancellationRequested) return;
      progress.report(new vscode.LanguageModelTextPart(`**The scripted model failed.** ${String(error)}`));
    }
  }

  /** Four characters a token, as is common. Nothing depends on it. */
  async provideTokenCount(_model: ModelInformation, text: string | vscode.LanguageModelChatMessage): Promise<number> {
    return Math.ceil((typeof text === 'string' ? text : JSON.stringify(text.content)).length / 4);
  }
}

function plainMessage(message: vscode.LanguageModelChatMessage): ModelMessage {
  return { role: roles[message.role] ?? 'user', parts: message.content.map(plainPart) };
}

function plainPart(part: unknown): ModelPart {
  if (part instanceof vscode.LanguageModelTextPart) return { type: 'text', value: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart) {
    return { type: 'toolCall', callId: part.callId, name: part.name, input: part.input };
  }
  if (part instanceof vscode.LanguageModelToolResultPart) {
    const text = part.content
      .map((inner) => (inner instanceof vscode.LanguageModelTextPart ? inner.value : ''))
      .join('');
    return { type: 'toolResult', callId: part.callId, text };
  }
  return { type: 'other', kind: (part as object).constructor.name };
}

function plainTool(tool: vscode.LanguageModelChatTool) {
  const { name, description, inputSchema } = tool;
  return { name, description, ...(inputSchema === undefined ? {} : { inputSchema }) };
}

function replyPart(part: ModelReply['parts'][number]): ReplyPart {
  if (part.type === 'text') return new vscode.LanguageModelTextPart(part.value);
  return new vscode.LanguageModelToolCallPart(part.callId, part.name, part.input);
}
