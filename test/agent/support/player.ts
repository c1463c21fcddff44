import type { ModelRequest, ToolCallPart } from '../../companion/protocol.ts';
import type { AgentMode } from '../../hosts/agentMode.ts';
import type { Transcript } from '../../hosts/transcript.ts';

/** A call of a tool. */
export interface Use {
  readonly name: string;
  readonly input: object;
}

/** What an agent does next, made of what the calls before have answered: one call, or some side by side. */
export type Move = (answers: readonly string[]) => Use | readonly Use[];

/** Lets an agent begin to make its moves one after the other, whatever it is told. `done` settles when it is done with all. */
export async function begin(
  agent: AgentMode,
  moves: readonly Move[],
): Promise<{ readonly answers: readonly string[]; readonly done: Promise<Transcript> }> {
  const answers: string[] = [];
  let waiting: readonly string[] = [];
  let next = 0;
  const model = ({ messages }: ModelRequest) => {
    const parts = messages.flatMap((message) => message.parts);
    for (const callId of waiting) {
      const result = parts.find((part) => part.type === 'toolResult' && part.callId === callId);
      answers.push(result?.type === 'toolResult' ? result.text : '');
    }
    const move = moves[next];
    next += 1;
    if (move === undefined) {
      waiting = [];
      return { parts: [{ type: 'text' as const, value: 'done' }] };
    }
    const calls = [move(answers)].flat().map((use, index): ToolCallPart => {
      return { type: 'toolCall', callId: `call-${next}-${index}-${Math.random()}`, ...use };
    });
    waiting = calls.map(({ callId }) => callId);
    return { parts: calls };
  };
  agent.model.play(model);
  const { done } = await agent.chat.send('go');
  return { answers, done };
}

/** As {@link begin}, to the end. */
export async function play(
  agent: AgentMode,
  moves: readonly Move[],
): Promise<{ readonly answers: readonly string[]; readonly transcript: Transcript }> {
  const { answers, done } = await begin(agent, moves);
  return { transcript: await done, answers };
}
