// What the companion (inside VS Code) and the process that plays the model (a test, a demo) say to each other.

/** The address of that process, given to the companion through the environment. */
export const modelUrlVariable = 'EDIT_ARBITER_MODEL_URL';

/** The vendor of both models, as package.json spells it. */
export const vendor = 'scripted';

/** The model that the test plays. */
export const scriptedModelId = 'scripted';

/** What chat asks for titles and summaries beside the conversation; the companion answers by itself. */
export const utilityModelId = 'utility';

/** POST `/model`: a chat request of VS Code, answered with a {@link ModelReply}. */
export interface ModelRequest {
  /** The id of the model that was picked. */
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** The tools that the model may call, as it is told of them. */
  readonly tools: readonly ModelTool[];
}

export interface ModelMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly ModelPart[];
}

export type ModelPart = TextPart | ToolCallPart | ToolResultPart | OtherPart;

export interface TextPart {
  readonly type: 'text';
  readonly value: string;
}

export interface ToolCallPart {
  readonly type: 'toolCall';
  readonly callId: string;
  readonly name: string;
  readonly input: object;
}

/** What a tool gave back, reduced to its text: the only thing a model gets to see of it. */
export interface ToolResultPart {
  readonly type: 'toolResult';
  readonly callId: string;
  readonly text: string;
}

/** Pictures, thinking, cache marks: named, but not passed on. */
export interface OtherPart {
  readonly type: 'other';
  readonly kind: string;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: object;
}

export interface ModelReply {
  readonly parts: readonly (TextPart | ToolCallPart)[];
}

/** POST `/hello`: the companion is up, and takes requests for the extension host at `bridge`. */
export interface Hello {
  readonly bridge: string;
}

/** POST to the bridge: a function `(vscode, argument) => result` as source text, to be run in the extension host. */
export interface Evaluation {
  readonly source: string;
  readonly argument?: unknown;
}

/** The result as far as JSON can hold it, or the error's stack. */
export type EvaluationResult = { readonly value?: unknown } | { readonly error: string };
