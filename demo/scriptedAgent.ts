import type { ModelReply, ModelRequest } from '../test/companion/protocol.ts';
import type { Model } from '../test/hosts/modelServer.ts';

/** One call of a tool. */
export interface ToolUse {
  readonly tool: 'arbiter_read' | 'arbiter_edit' | 'arbiter_check';
  readonly input: object;
}

/** What the agent does next: says something, and calls tools side by side. */
export interface Step {
  readonly say?: string;
  readonly uses: readonly ToolUse[];
}

/** A plan of the agent: it yields steps, is given the texts that the tools answered with, and ends with its last words. */
export type Story = AsyncGenerator<Step, string, readonly string[]>;

export interface Role {
  /** Whether a prompt asks for this story. */
  readonly isAskedBy: (prompt: string) => boolean;
  readonly play: () => Story;
}

/** A model that plays stories by heart. Everything else of the agent loop is the real one. */
export function scriptedAgent(roles: readonly Role[], help: string): Model {
  let story: Story | undefined;
  let waiting: readonly string[] = [];
  let count = 0;

  return async (request) => {
    const results = waiting.map((callId) => resultOf(request, callId));
    const isAnswered = waiting.length > 0 && results.every((text) => text !== undefined);
    if (!story || !isAnswered) {
      const prompt = promptOf(request);
      story = roles.find(({ isAskedBy }) => isAskedBy(prompt))?.play();
    }
    if (!story) {
      return text(help);
    }
    const given = isAnswered ? results.filter((result) => result !== undefined) : [];
    const next = await story.next(given);
    if (next.done) {
      story = undefined;
      waiting = [];
      return text(next.value);
    }
    const calls = next.value.uses.map(({ tool, input }) => {
      count += 1;
      return { type: 'toolCall', callId: `call-${count}`, name: tool, input } as const;
    });
    waiting = calls.map(({ callId }) => callId);
    return { parts: [...(next.value.say === undefined ? [] : text(`${next.value.say}\n\n`).parts), ...calls] };
  };
}

function text(value: string): ModelReply {
  return { parts: [{ type: 'text', value }] };
}

function resultOf(request: ModelRequest, callId: string): string | undefined {
  const parts = request.messages.flatMap((message) => message.parts);
  const found = parts.find((part) => part.type === 'toolResult' && part.callId === callId);
  return found?.type === 'toolResult' ? found.text : undefined;
}

/** The last thing a person said. */
function promptOf({ messages }: ModelRequest): string {
  const last = messages.findLast(({ role, parts }) => role === 'user' && parts.some(({ type }) => type === 'text'));
  return last?.parts.map((part) => (part.type === 'text' ? part.value : '')).join('\n') ?? '';
}
