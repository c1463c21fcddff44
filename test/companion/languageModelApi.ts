import type * as vscode from 'vscode';

// The part of VS Code's API for chat models that the companion uses. It is younger than the oldest VS Code the extension
// supports, so the installed types do not have it.

export interface ModelInformation {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly version: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly capabilities: { readonly toolCalling: boolean };
  /** Of the proposed API `chatProvider`: shows the model in the picker without further ado. */
  readonly isUserSelectable: boolean;
}

export interface RequestOptions {
  readonly tools?: readonly vscode.LanguageModelChatTool[];
}

export type ReplyPart = vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart;

export interface ModelProvider {
  provideLanguageModelChatInformation(): ModelInformation[];
  provideLanguageModelChatResponse(
    model: ModelInformation,
    messages: readonly vscode.LanguageModelChatMessage[],
    options: RequestOptions,
    progress: vscode.Progress<ReplyPart>,
    token: vscode.CancellationToken,
  ): Promise<void>;
  provideTokenCount(model: ModelInformation, text: string | vscode.LanguageModelChatMessage): Promise<number>;
}

export interface LanguageModels {
  registerLanguageModelChatProvider(vendor: string, provider: ModelProvider): vscode.Disposable;
}
