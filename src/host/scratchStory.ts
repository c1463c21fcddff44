import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Arbiter, Caller } from '../core/arbiter.ts';
import type { Room } from '../core/reading.ts';
import { COMMANDS } from '../names.ts';
import type { WorkspaceDocuments } from './documents.ts';

/** The session of the story's agent. What it does is not counted in the statistics. */
export const STORY_SESSION = 'edit-arbiter:scratch-story';

const PRICING = `from decimal import Decimal

CENT = Decimal("0.01")


def apply_discount(amount: Decimal, tier) -> Decimal:
    """Apply the customer's tier discount to an amount."""
    rate = Decimal("0.20")
    return (amount * (1 - rate)).quantize(CENT)
`;

const TIER = `from decimal import Decimal


class Tier:
    discount_rate = Decimal("0.20")
`;

const everything: Room = async (text) => text.length;

/**
 * Plays the stale-edit story on scratch files of its own, without any agent: two edits are planned on one read, the first
 * lands, the second is refused; and another program writes a file that was read.
 */
export class ScratchStory {
  readonly #arbiter: Arbiter;
  readonly #documents: WorkspaceDocuments;
  readonly #load: () => void;

  /** @param load brings back what is remembered of files, before anything new is. */
  constructor(arbiter: Arbiter, documents: WorkspaceDocuments, load: () => void) {
    this.#load = load;
    this.#arbiter = arbiter;
    this.#documents = documents;
  }

  async play(): Promise<void> {
    this.#load();
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'edit-arbiter-scratch-')));
    const pricing = this.#file(folder, 'pricing.py', PRICING);
    const tier = this.#file(folder, 'tier.py', TIER);
    await vscode.window.showTextDocument(vscode.Uri.file(pricing.key), { preview: false });
    const base = await this.#read(pricing.path);
    await this.#read(tier.path);
    await this.#edit(
      pricing.path,
      base,
      '    rate = Decimal("0.20")\n    return (amount * (1 - rate)).quantize(CENT)\n',
      '    rate = tier.discount_rate\n    return (amount * (1 - rate)).quantize(CENT)\n',
      'look the rate up from the tier',
    );
    writeFileSync(tier.key, TIER.replace('0.20', '0.25'));
    await this.#edit(
      pricing.path,
      base,
      '    """Apply the customer\'s tier discount to an amount."""\n',
      '    """Apply the customer\'s tier discount to an amount."""\n    rate = Decimal(str(config.DISCOUNT_RATE))\n',
      'read the rate from configuration',
    );
    await vscode.commands.executeCommand(COMMANDS.showConflicts);
  }

  #file(folder: string, name: string, content: string): { readonly key: string; readonly path: string } {
    const file = { key: join(folder, name), path: `scratch/${name}` };
    writeFileSync(file.key, content);
    this.#documents.lend(file);
    return file;
  }

  async #read(path: string): Promise<string> {
    const [part] = await this.#arbiter.read({ files: [{ path }] }, CALLER, everything);
    return String(part?.header['base']);
  }

  async #edit(path: string, base: string, old: string, replacement: string, explanation: string): Promise<void> {
    const edits = [{ old_string: old, new_string: replacement }];
    await this.#arbiter.edit({ files: [{ path, base, edits }], explanation }, CALLER);
  }
}

const CALLER: Caller = { session: STORY_SESSION, isCancelled: () => false, isChat: false };
