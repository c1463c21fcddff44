import type { ModelRequest, ToolCallPart, ToolResultPart } from '../companion/protocol.ts';

/** A tool call of the agent with what came back. */
export interface ToolStep {
  readonly call: ToolCallPart;
  readonly result: ToolResultPart;
}

/** What happened between a prompt and the end of the agent's work on it. */
export interface Transcript {
  /** The requests of the agent loop, oldest first; each holds the whole conversation so far. */
  readonly requests: readonly ModelRequest[];
  /** The tool calls with their results, in the order in which the model learnt of them. */
  readonly steps: readonly ToolStep[];
  /** The answer as the chat shows it. */
  readonly answer: string;
}

/** The tool calls that were answered during `requests`; those answered before the first of them are left out. */
export function toolSteps(requests: readonly ModelRequest[]): ToolStep[] {
  const [first, ...later] = requests;
  const known = new Set(first === undefined ? [] : results(first).map((result) => result.callId));
  const steps: ToolStep[] = [];
  for (const request of later) {
    const calls = partsOf(request).filter((part) => part.type === 'toolCall');
    for (const result of results(request)) {
      const call = calls.find(({ callId }) => callId === result.callId);
      if (call === undefined || known.has(result.callId)) continue;
      known.add(result.callId);
      steps.push({ call, result });
    }
  }
  return steps;
}

function results(request: ModelRequest): ToolResultPart[] {
  return partsOf(request).filter((part) => part.type === 'toolResult');
}

function partsOf(request: ModelRequest) {
  return request.messages.flatMap((message) => message.parts);
}
