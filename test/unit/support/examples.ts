import { Story } from './story.ts';

/** One example of a page: what stands there, and what the arbiter really answers. */
export interface Example {
  readonly given: string;
  readonly actual: string;
}

/** What a page writes for a token: its first digits. */
const ABBREVIATED = /sha256:([0-9a-f]{8})…/g;

/**
 * Plays the blocks of a page in order, in one session of one workspace: ` ```text file PATH ` is written by another program,
 * ` ```json call TOOL ` is called, and the ` answer ` that follows is what it should have answered.
 */
export async function playExamples(page: string): Promise<Example[]> {
  const story = new Story({});
  const caller = { session: 'page', isCancelled: () => false, isChat: true };
  const seen = new Map<string, string>();
  const examples: Example[] = [];
  let answer = '';
  for (const [, what = '', text = ''] of page.matchAll(/^```\w+ ((?:file|call|answer).*)\n([\s\S]*?)^```$/gm)) {
    const [kind, name = ''] = what.split(' ');
    if (kind === 'file') {
      story.disk.writes(name, text);
    } else if (kind === 'answer') {
      examples.push({ given: text, actual: answer });
    } else {
      const input: unknown = JSON.parse(
        text.replace(ABBREVIATED, (whole, digits: string) => seen.get(digits) ?? whole),
      );
      const whole = await call(story, name, input, caller);
      for (const [token, digits = ''] of whole.matchAll(/sha256:([0-9a-f]{8})[0-9a-f]{56}/g)) {
        seen.set(digits, token);
      }
      answer = `${whole.replaceAll(/sha256:([0-9a-f]{8})[0-9a-f]{56}/g, 'sha256:$1…').trimEnd()}\n`;
    }
  }
  return examples;
}

async function call({ arbiter }: Story, tool: string, input: unknown, caller: Parameters<Story['arbiter']['edit']>[1]) {
  switch (tool) {
    case 'arbiter_read': {
      const parts = await arbiter.read(input, caller, async (text) => text.length);
      return parts.map(({ header, content = '' }) => `${JSON.stringify(header)}\n${content}`).join('\n');
    }
    case 'arbiter_edit':
      return JSON.stringify(await arbiter.edit(input, caller), undefined, 2);
    case 'arbiter_check':
      return JSON.stringify(await arbiter.check(input, caller), undefined, 2);
    default:
      throw new Error(`no such tool: ${tool}`);
  }
}
