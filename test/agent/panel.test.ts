import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ConflictPanel } from '../hosts/conflictPanel.ts';
import { type Editor, startEditor } from '../hosts/editor.ts';
import { readBases, sendEdit } from './support/tools.ts';

const PICTURES = 'out/screenshots/panel';
const HOSTILE = '<img src=x onerror=alert(1)>.txt';

const PRICING = `from decimal import Decimal


def apply_discount(subtotal: Decimal, tier: Tier) -> Decimal:
    """Apply the customer's tier discount to a subtotal."""
    rate = Decimal("0.20")
    return subtotal * (1 - rate)
`;

describe('The conflict panel', function () {
  this.timeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), 'edit-arbiter-panel-'));
  let editor: Editor;
  let panel: ConflictPanel;
  const dialogs: string[] = [];

  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };

  before(async () => {
    put('api/pricing.py', PRICING);
    put('src/auth/session.ts', 'export function open() {\n  return 1;\n}\n');
    put('api/schema.py', 'a = 1\nb = 2\n');
    put(HOSTILE, 'one\n<b>two</b>\n');
    put('code.shout', 'one\ntwo\n');
    put(
      'shout.cjs',
      'const fs = require("fs"); const [, , f] = process.argv; fs.writeFileSync(f, "top\\n" + fs.readFileSync(f));',
    );
    const file = ['$', '{file}'].join('');
    const shout = { name: 'shout', files: '**/*.shout', command: [process.execPath, join(folder, 'shout.cjs'), file] };
    editor = await startEditor({
      folder,
      model: () => ({ parts: [] }),
      colorScheme: 'dark',
      settings: { 'editArbiter.hooks': [shout] },
    });
    editor.workbench.page.on('dialog', async (dialog) => {
      dialogs.push(dialog.message());
      await dialog.dismiss();
    });
    panel = new ConflictPanel(editor.workbench);
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      await editor.workbench.screenshot(`${PICTURES}/failed.png`);
    }
  });

  after(async () => {
    await editor?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('says what it is for, and offers first steps, while there is nothing to show', async () => {
    await panel.open();
    const empty = panel.page.locator('.empty');
    await empty.getByText('Nothing is stale, and nothing was refused').waitFor();
    assert.deepEqual(await empty.getByRole('button').allInnerTexts(), [
      'Try it on a scratch file',
      'Get started',
      'Show statistics',
    ]);
    await editor.workbench.screenshot(`${PICTURES}/empty.png`);
  });

  it('shows a held base that moves, with its cause, the moment somebody types, and no longer once that is undone', async () => {
    const { workbench } = editor;
    await readBases(editor, 'src/auth/session.ts', 'api/schema.py');
    await workbench.openFile('session.ts');
    await workbench.type('ab');
    const row = panel.stale('session.ts');
    await row.waitFor();
    await row.getByText('you typed in the editor · 2 edits, unsaved').waitFor();
    const label = (await row.getAttribute('aria-label')) ?? '';
    assert.match(label, /^src\/auth\/session\.ts, stale, you typed .*, held by session unknown · turn 1$/);
    await workbench.page.keyboard.press('Control+z');
    await row.waitFor({ state: 'detached' });
    await panel.page.locator('.empty').waitFor();
  });

  it('shows what another program writes, of files that are not open, until the agent reads it', async () => {
    put('api/schema.py', 'a = 1\nb = 3\nc = 4\n');
    const row = panel.stale('schema.py');
    await row.getByText('external writer').waitFor();
    assert.deepEqual(await row.locator('.added, .removed').allInnerTexts(), ['+2', '−1']);
    await readBases(editor, 'api/schema.py');
    await row.waitFor({ state: 'detached' });
  });

  it('moves a base from stale to refused when the agent tries, and shows causes, diff and intended edit', async () => {
    const { workbench } = editor;
    const [base] = await readBases(editor, 'api/pricing.py');
    const rate = ['    rate = Decimal("0.20")', '    rate = tier.discount_rate'] as const;
    await sendEdit(editor, 'api/pricing.py', base, rate, 'look the rate up');
    const doc = 'to a subtotal."""\n';
    const config = `${doc}    rate = Decimal(str(config.DISCOUNT_RATE))\n`;
    const refused = await sendEdit(editor, 'api/pricing.py', base, [doc, config], 'read the rate from configuration');
    assert.equal(refused.status, 'stale_base');
    const row = panel.refused('pricing.py');
    await row.click();
    await panel.details.locator('.chip', { hasText: 'edit #1' }).waitFor();
    assert.equal(await panel.details.locator('.fit').textContent(), 'next to the change');
    const [since, wanted] = [panel.details.locator('.column').nth(0), panel.details.locator('.column').nth(1)];
    await Promise.all([since, wanted].map((column) => column.locator('.line.added').first().waitFor()));
    assert.deepEqual(await since.locator('.line.added code, .line.removed code').allInnerTexts(), [
      '    rate = Decimal("0.20")',
      '    rate = tier.discount_rate',
    ]);
    assert.deepEqual(await wanted.locator('.line.added code, .line.removed code').allInnerTexts(), [
      '    rate = Decimal(str(config.DISCOUNT_RATE))',
    ]);
    assert.equal(await panel.stale('pricing.py').count(), 0);
    await workbench.screenshot(`${PICTURES}/refused.png`);
  });

  it('opens the right diffs', async () => {
    const { page } = editor.workbench;
    await panel.details.getByRole('button', { name: 'Show Changes', exact: true }).click();
    const tab = (title: string) => page.locator('.tab', { hasText: title });
    await tab("pricing.py (at the agent's read ↔ now)").waitFor();
    await page.locator('.monaco-diff-editor .line-insert').first().waitFor();
    await page.locator('.monaco-diff-editor .line-delete').first().waitFor();
    await panel.details.getByRole('button', { name: 'Show Intended Edit' }).click();
    await tab("pricing.py (at the agent's read ↔ what it wanted)").waitFor();
    await tab('pricing.py (now ↔ what it wanted)').waitFor();
    await page.locator('.monaco-diff-editor .line-insert', { hasNotText: '~' }).nth(1).waitFor();
    await editor.workbench.screenshot(`${PICTURES}/intended.png`);
    await editor.workbench.command('workbench.action.closeAllEditors');
  });

  it('marks the lines of an edit that lands, and says on hover whose they are', async () => {
    const { workbench } = editor;
    await workbench.openFile('schema.py');
    const [base] = await readBases(editor, 'api/schema.py');
    await sendEdit(editor, 'api/schema.py', base, ['b = 3', 'b = *3*'], 'why *not*');
    const line = workbench.page.locator('.view-line', { hasText: 'b = *3*' });
    await workbench.page.locator('.glyph-margin-widgets .cgmr').first().waitFor();
    await line.locator('span span').first().hover();
    const hover = workbench.page.locator('.monaco-hover:visible', { hasText: /Edit #2 · session unknown/ });
    await hover.waitFor();
    assert.match((await hover.textContent())?.replaceAll('\u00a0', ' ') ?? '', /“why \*not\*”/);
    await workbench.screenshot(`${PICTURES}/marks.png`);
    const status = workbench.page.locator('[id="edit-arbiter.edit-arbiter.editArbiter.status"]');
    assert.match((await status.locator('a').getAttribute('aria-label')) ?? '', /2 edits applied in this window/);
    await workbench.command('Edit Arbiter: Clear Edit Marks');
    await workbench.page.locator('.glyph-margin-widgets .cgmr').first().waitFor({ state: 'detached' });
  });

  it('marks what a hook wrote apart from the edit, with its name', async () => {
    const { workbench } = editor;
    await workbench.openFile('code.shout');
    const [base] = await readBases(editor, 'code.shout');
    const landed = await sendEdit(editor, 'code.shout', base, ['two', '2']);
    assert.deepEqual(landed['hooks'], ['shout']);
    await workbench.page.locator('.glyph-margin-widgets .cgmr').nth(1).waitFor();
    const styles = await workbench.page
      .locator('.glyph-margin-widgets .cgmr')
      .evaluateAll((found) => found.map((mark) => mark.className));
    assert.equal(new Set(styles).size, 2);
    await workbench.page.locator('.view-line', { hasText: 'top' }).locator('span span').first().hover();
    await workbench.page.locator('.monaco-hover:visible', { hasText: /Hook.*shout.*after edit #3/ }).waitFor();
    await workbench.screenshot(`${PICTURES}/hook.png`);
    await workbench.command('Edit Arbiter: Clear Edit Marks');
    await readBases(editor, 'code.shout');
  });

  it('shows a path and a content that look like markup as the text they are', async () => {
    const [base] = await readBases(editor, HOSTILE);
    put(HOSTILE, 'other\n<b>two</b><script>alert(2)</script>\n');
    await sendEdit(editor, HOSTILE, base, ['<b>two', '<i>2'], '<img src=x onerror=alert(3)>');
    const row = panel.refused(HOSTILE);
    await row.click();
    await panel.details.getByText('<b>two</b><script>alert(2)</script>').first().waitFor();
    assert.equal(
      await panel.page.locator('img, i:not(.bar i), b:not(.counts b), script:not([src], #_vscodeApiScript)').count(),
      0,
    );
    assert.deepEqual(dialogs, []);
    await row.click();
  });

  it('can be used with the keyboard alone, and keeps the keyboard where it is when rows come and go', async () => {
    const { workbench } = editor;
    const { keyboard } = workbench.page;
    await panel.open();
    const focused = panel.page.locator('[role="treeitem"]:focus');
    await focused.waitFor();
    await keyboard.press('Home');
    await panel.page.locator('[data-id="group:refused"]:focus').waitFor();
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowDown');
    const pricing = panel.refused('pricing.py');
    await pricing.and(panel.page.locator(':focus')).waitFor();
    assert.equal(await pricing.getAttribute('aria-expanded'), 'true');
    await keyboard.press('ArrowLeft');
    assert.equal(await pricing.getAttribute('aria-expanded'), 'false');
    await keyboard.press('ArrowRight');
    await panel.details.locator('.diff').first().waitFor();
    put('api/schema.py', 'moved\n');
    await panel.stale('schema.py').waitFor();
    await pricing.and(panel.page.locator(':focus')).waitFor();
    const names: string[] = [];
    for (let press = 0; press < 12; press += 1) {
      await keyboard.press('Tab');
      const name = await panel.page
        .locator(':focus')
        .first()
        .evaluate((found) => found.getAttribute('aria-label') ?? found.textContent);
      names.push(name ?? '');
    }
    for (const action of ['Re-plan…', 'Show Changes', 'Show Intended Edit', 'Open File', 'Copy Prompt', 'Dismiss']) {
      assert.ok(names.includes(action), `${action} is not among ${names.join(', ')}`);
    }
    await keyboard.press('Escape');
    await pricing.and(panel.page.locator(':focus')).waitFor();
    await keyboard.press('Enter');
    await workbench.page.locator('.tab', { hasText: "pricing.py (at the agent's read ↔ now)" }).waitFor();
    await workbench.command('workbench.action.closeAllEditors');
  });

  it('forgets a row that is dismissed, and with it the base', async () => {
    await panel.open();
    const row = panel.stale('schema.py');
    await row.hover();
    await row.getByRole('button', { name: 'Dismiss' }).click();
    await row.waitFor({ state: 'detached' });
    put('api/schema.py', 'moved again\n');
    const hostile = panel.refused(HOSTILE);
    await hostile.hover();
    await hostile.getByRole('button', { name: 'Dismiss' }).click();
    await hostile.waitFor({ state: 'detached' });
    assert.equal(await panel.stale('schema.py').count(), 0);
  });

  it('plays a refused edit on a scratch file without an agent, and does not count it', async () => {
    await editor.workbench.command('Edit Arbiter: Try It on a Scratch File');
    const row = panel.refused('pricing.py').filter({ hasText: 'scratch' });
    await row.waitFor();
    await panel.stale('tier.py').waitFor();
    assert.match((await panel.page.locator('.counts').textContent()) ?? '', /1 stale · 2 refused · 3 applied/);
    await row.click();
    await row.hover();
    await row.getByRole('button', { name: 'Dismiss' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('draws the statistics as a page of its own', async () => {
    const { workbench } = editor;
    await workbench.command('workbench.action.closePanel');
    await workbench.command('Edit Arbiter: Show Statistics');
    const page = workbench.webview('edit-arbiter.edit-arbiter');
    await page.getByRole('heading', { name: 'Edit Arbiter: statistics' }).waitFor();
    assert.deepEqual(await page.locator('.tile b').allInnerTexts(), ['3', '2', '40.0 %', '1']);
    const chart = (await page.locator('.chart').boundingBox()) ?? { width: 0, height: 0 };
    assert.ok(chart.width > 300 && chart.height > 80, JSON.stringify(chart));
    await workbench.screenshot(`${PICTURES}/statistics.png`);
    await workbench.command('workbench.action.closeAllEditors');
  });

  it('still has the open conflicts after the window was reloaded', async () => {
    const { workbench } = editor;
    await panel.open();
    await panel.refused('pricing.py').waitFor();
    const stored = () =>
      editor.model.evaluate((api) => api.extensions.getExtension('edit-arbiter.edit-arbiter')?.isActive ?? false);
    assert.equal(await stored(), true);
    const host = await editor.model.evaluate(() => process.pid);
    await workbench.page.reload();
    await workbench.ready();
    while ((await editor.model.evaluate(() => process.pid).catch(() => host)) === host) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await panel.open();
    const row = panel.refused('pricing.py');
    await row.waitFor();
    assert.match((await row.getAttribute('aria-label')) ?? '', /edit #1 .*next to the change.*read the rate/);
    await panel.details.locator('.line.added').first().waitFor();
    const [base] = await readBases(editor, 'api/pricing.py');
    const landed = await sendEdit(editor, 'api/pricing.py', base, ['tier.discount_rate', 'tier.rate']);
    assert.equal(landed.status, 'applied');
    await row.waitFor({ state: 'detached' });
  });

  it('shows a row soon after the keystroke with 500 bases outstanding', async () => {
    const { workbench } = editor;
    const paths = Array.from({ length: 500 }, (_, index) => `many/d${index % 50}/f${index}.txt`);
    for (const path of paths) {
      put(path, `${path}\n`);
    }
    for (let from = 0; from < paths.length; from += 50) {
      await readBases(editor, ...paths.slice(from, from + 50));
    }
    await workbench.openFile('f77.txt');
    await workbench.page.evaluate(watchKeys);
    const row = panel.stale('f77.txt');
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      await panel.page.locator('body').evaluate(watchFor, 'f77.txt');
      await workbench.type('x');
      await row.waitFor();
      const shownAt = await panel.page.locator('body').evaluate(seenAt);
      times.push(shownAt - (await workbench.page.evaluate(seenAt)));
      await workbench.page.keyboard.press('Control+z');
      await row.waitFor({ state: 'detached' });
    }
    const median = times.toSorted((a, b) => a - b)[2] ?? Number.POSITIVE_INFINITY;
    console.log(`      from key to row with 500 bases: ${times.join(', ')} ms, median ${median} ms`);
    assert.ok(median < 1_000, `the row came ${times.join(', ')} ms after the key`);
    assert.equal(readFileSync(join(folder, 'many/d27/f77.txt'), 'utf8'), 'many/d27/f77.txt\n');
  });
});

// What follows runs in pages, each function by itself.

interface Watching {
  seenAt: number;
  readonly document: {
    readonly body: { readonly textContent: string };
    addEventListener(type: string, listener: (event: { readonly key: string }) => void, isFirst: boolean): void;
  };
  readonly MutationObserver: new (
    listener: () => void,
  ) => { observe(node: unknown, what: object): void; disconnect(): void };
}

/** Notes when the key `x` goes down. */
function watchKeys(): void {
  const page = globalThis as unknown as Watching;
  page.document.addEventListener(
    'keydown',
    ({ key }) => {
      if (key === 'x') {
        page.seenAt = Date.now();
      }
    },
    true,
  );
}

/** Notes when a text is there for the first time. */
function watchFor(_: unknown, text: string): void {
  const page = globalThis as unknown as Watching;
  const observer = new page.MutationObserver(() => {
    if (page.document.body.textContent.includes(text)) {
      observer.disconnect();
      page.seenAt = Date.now();
    }
  });
  observer.observe(page.document.body, { childList: true, subtree: true });
}

function seenAt(): number {
  return (globalThis as unknown as Watching).seenAt;
}
