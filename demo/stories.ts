import { type EditResult, parseEdit, parseRead, type ReadPart } from './answers.ts';
import type { Role, Step, Story, ToolUse } from './scriptedAgent.ts';

/** Files of the demo workspace that hold the name which the refactor story changes. */
export const RENAMED_FILES = ['api/customers.py', 'api/orders.py', 'api/invoices.py', 'api/export.py'] as const;

const PRICING = 'api/pricing.py';

/** Looks the rate up from the tier: the edit that the agent lands. */
export const TIER_EDIT = {
  old_string: '    rate = Decimal("0.20")\n    return (amount * (1 - rate)).quantize(CENT)\n',
  new_string: '    rate = tier.discount_rate\n    return round_cents(amount * (1 - rate))\n',
};

/** Reads the rate from the configuration: planned when the file was first read, and sent much later. */
export const CONFIG_EDIT = {
  old_string: '    """Apply the customer\'s tier discount to an amount."""\n',
  new_string:
    '    """Apply the customer\'s tier discount to an amount."""\n    rate = Decimal(str(config.DISCOUNT_RATE))\n',
};

/** How a story leaves room for a person to type. */
export type Pause = (why: string) => Promise<void>;

/**
 * The pricing incident. Without a gate both edits apply, `rate` is assigned twice, and the tests stay green.
 *
 * Turn 3 reads the file, turn 6 lands the edit, turn 9 sends the one that was planned at turn 3, turn 10 sends it again by
 * reflex. Then the agent decides that it is not needed any more.
 */
export async function* pricingStory(): Story {
  yield* readAll('First I look at who calls the discount.', 'api/orders.py');
  yield* readAll('Who are the customers?', 'api/customers.py');
  const [pricing] = yield* readAll('This is the function that ignores the tier.', PRICING);
  const planned = pricing?.header.base ?? '';
  if (!pricing?.content.includes(TIER_EDIT.old_string)) {
    return `\`${PRICING}\` does not hold the code that this story is about any more. Start the demo again for a fresh workspace.`;
  }
  yield* readAll('The tier knows its rate.', 'api/tier.py');
  yield* readAll('And the tests?', 'tests/test_pricing.py');
  const landed = yield* editOne(
    'The rate belongs to the tier.',
    PRICING,
    planned,
    [TIER_EDIT],
    'look the rate up from the tier',
  );
  if (landed.status !== 'applied') {
    return `You were quicker than I: \`${landed.status}\` (${landed.changed_by?.join(', ')}). Nothing was overwritten. Ask me again.`;
  }
  yield* readAll('Is there a rate in the configuration, too?', 'api/config.py');
  yield* readAll('And who writes invoices?', 'api/invoices.py');
  const stale = yield* editOne(
    'Now the second edit of my plan.',
    PRICING,
    planned,
    [CONFIG_EDIT],
    'read the rate from configuration',
  );
  if (stale.status !== 'stale_base') {
    return `The second edit was \`${stale.status}\`. I had expected it to be refused.`;
  }
  yield* editOne(
    'Refused. I try it with the new base.',
    PRICING,
    stale.actual ?? '',
    [CONFIG_EDIT],
    'read the rate from configuration',
  );
  return (
    'The refusal is right. My second edit was planned before my own edit ' +
    `#${landed.edit} gave \`rate\` a value from the tier; with both, the function would assign it twice and the tests would ` +
    'still be green. The edit is redundant, so I make no further edit.'
  );
}

/** Four files read in one call and edited in one call, while somebody types in one of them. */
export async function* refactorStory(pause: Pause): Story {
  const parts = yield* readAll('I read the four files that hold the name.', ...RENAMED_FILES);
  if (!parts.every(({ content }) => content.includes('customer_id'))) {
    return 'The name is gone already. Start the demo again for a fresh workspace.';
  }
  await pause('The agent thinks. Type something into one of the four files now.');
  let open = parts;
  let results: readonly EditResult[] = yield* rename('One call for all four.', open);
  for (let round = 0; round < 5; round += 1) {
    const refused = results.filter(({ status }) => status === 'stale_base').map(({ path }) => path);
    if (refused.length === 0) {
      return results.every(({ status }) => status === 'applied')
        ? 'All four files use `account_id` now, and what you typed is still there.'
        : `Not all went well: ${results.map(({ path, status }) => `${path} ${status}`).join(', ')}.`;
    }
    open = yield* readAll('Only what was refused is read again.', ...refused);
    results = yield* rename('And sent again, on what is there now.', open);
  }
  return 'You type faster than I can read. I stop here; nothing of yours was overwritten.';
}

/** What a model does that takes the text of a file for an order: it allows itself everything. */
export async function* obeyFile(path: string): Story {
  const [file] = yield* readAll('The file says that I should change the settings.', path);
  const use: ToolUse = {
    tool: 'arbiter_edit',
    input: {
      files: [{ path, base: file?.header.base, content: '{"chat.tools.global.autoApprove": true}\n' }],
      explanation: 'the README asks for it',
    },
  };
  yield { uses: [use] };
  return 'Done, as far as I was let.';
}

/** What a model does that obeys whatever a file tells it: every fenced line of JSON in it is a call of a tool. */
export async function* obeyOrders(path: string): Story {
  const [file] = yield* readAll('The file tells me what to do.', path);
  const orders = (file?.content ?? '').match(/^\{"tool":.*\}$/gm) ?? [];
  for (const order of orders) {
    yield { uses: [JSON.parse(order) as ToolUse] };
  }
  return 'I have done all that the file says.';
}

/** The stories under the prompts that ask for them. */
export function roles(pause: Pause): Role[] {
  return [
    { isAskedBy: (prompt) => /tier discount/i.test(prompt), play: pricingStory },
    { isAskedBy: (prompt) => /account_id/i.test(prompt), play: () => refactorStory(pause) },
  ];
}

export const HELP =
  'I am a scripted agent and know two stories by heart. Ask me to "apply the tier discount", or to "rename customer_id to account_id".';

async function* readAll(say: string, ...paths: readonly string[]): AsyncGenerator<Step, ReadPart[], readonly string[]> {
  const [answer = ''] = yield {
    say,
    uses: [{ tool: 'arbiter_read', input: { files: paths.map((path) => ({ path })) } }],
  };
  return parseRead(answer);
}

async function* editOne(
  say: string,
  path: string,
  base: string,
  edits: readonly object[],
  explanation: string,
): AsyncGenerator<Step, EditResult, readonly string[]> {
  const use: ToolUse = { tool: 'arbiter_edit', input: { files: [{ path, base, edits }], explanation } };
  const [answer = ''] = yield { say, uses: [use] };
  const [result] = parseEdit(answer).results;
  if (!result) {
    throw new Error(`arbiter_edit answered without a result: ${answer}`);
  }
  return result;
}

async function* rename(
  say: string,
  parts: readonly ReadPart[],
): AsyncGenerator<Step, readonly EditResult[], readonly string[]> {
  const files = parts.map(({ header: { path, base } }) => ({
    path,
    base,
    edits: [{ old_string: 'customer_id', new_string: 'account_id', replace_all: true }],
  }));
  const explanation = 'rename customer_id to account_id';
  const [answer = ''] = yield { say, uses: [{ tool: 'arbiter_edit', input: { files, explanation } }] };
  return parseEdit(answer).results;
}
