import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installVSCodeServer } from '../../hosts/install.ts';

/** How current OpenAI models cut a text before they look pieces up (`o200k_base`). */
const UPPER = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const LOWER = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
const SHORT = "(?:'(?:[sdmtSDMT]|ll|LL|ve|VE|re|RE))?";
const LEAD = '[^\\r\\n\\p{L}\\p{N}]?';
const PIECES = new RegExp(
  [
    `${LEAD}${UPPER}*${LOWER}+${SHORT}`,
    `${LEAD}${UPPER}+${LOWER}*${SHORT}`,
    '\\p{N}{1,3}',
    ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*',
    '\\s*[\\r\\n]+',
    '\\s+(?!\\S)',
    '\\s+',
  ].join('|'),
  'gu',
);

/** Counts tokens as the chat does for such models, with the vocabulary that the built-in chat brings along. */
export async function tokenCounter(): Promise<(text: string) => number> {
  const path = join(await installVSCodeServer(), 'extensions/copilot/dist/o200k_base.tiktoken');
  const ranks = ranksIn(readFileSync(path));
  return (text) => (text.match(PIECES) ?? []).reduce((sum, piece) => sum + tokensIn(piece, ranks), 0);
}

/** The vocabulary's file: each token as its length and its bytes, in the order of their ranks. */
function ranksIn(file: Buffer): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (let at = 0; at < file.length; ) {
    const end = at + 1 + (file[at] ?? 0);
    ranks.set(file.toString('latin1', at + 1, end), ranks.size);
    at = end;
  }
  return ranks;
}

/** Joins the pair with the lowest rank until there is none. */
function tokensIn(piece: string, ranks: ReadonlyMap<string, number>): number {
  const bytes = Buffer.from(piece).toString('latin1');
  const parts = ranks.has(bytes) ? [bytes] : [...bytes];
  for (;;) {
    const joined = parts.map(
      (part, index) => ranks.get(part + (parts[index + 1] ?? '\0none')) ?? Number.POSITIVE_INFINITY,
    );
    const lowest = Math.min(...joined);
    if (lowest === Number.POSITIVE_INFINITY) {
      return parts.length;
    }
    const index = joined.indexOf(lowest);
    parts.splice(index, 2, `${parts[index]}${parts[index + 1]}`);
  }
}
