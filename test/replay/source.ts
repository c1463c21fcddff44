/** One replacement, as an agent sends it. */
export interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
}

/** How many functions a source file holds. */
export const FUNCTIONS = 24;

/** A source file of the service: functions, each with two values that a third line is computed from. */
export function makeSource(name: string, random: () => number): string {
  const functions = Array.from({ length: FUNCTIONS }, (_, index) => {
    const number = printNumber(index);
    const [rate, tiers] = [10 + Math.floor(random() * 80), 2 + Math.floor(random() * 8)];
    return [
      `def quote_${number}():`,
      `    rate_${number} = ${rate}`,
      `    tiers_${number} = ${tiers}`,
      `    # quoted_${number}`,
      `    return rate_${number} * tiers_${number}`,
    ].join('\n');
  });
  return `"""Quotes of ${name}."""\n\n\n${functions.join('\n\n\n')}\n`;
}

/** The edit that notes what a function quotes, as computed from the text that was read. */
export function note(text: string, index: number): Replacement {
  const place = placeOf(text, index);
  return { old_string: `${place}\n`, new_string: `    quoted = ${productIn(text, index)}\n${place}\n` };
}

/** The edit that raises a function's rate. */
export function raise(text: string, index: number, isFormatted = true): Replacement {
  const line = rateLineOf(text, index);
  const rate = Number(line.split('=')[1]) + 1;
  const assign = isFormatted ? ' = ' : '=';
  return { old_string: `${line}\n`, new_string: `    rate_${printNumber(index)}${assign}${rate}\n` };
}

/** The edit that words the line anew where notes are put. */
export function reword(text: string, index: number): Replacement {
  const place = placeOf(text, index);
  const other = place.includes('quoted') ? place.replace('quoted', 'quotes') : place.replace('quotes', 'quoted');
  return { old_string: `${place}\n`, new_string: `${other}\n` };
}

/** The text with replacements applied; each must occur exactly once. */
export function applyTo(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((current, { old_string: old, new_string: replacement }) => {
    if (!isOnce(current, old)) {
      throw new Error(`not exactly once in the text: ${JSON.stringify(old)}`);
    }
    return current.replace(old, () => replacement);
  }, text);
}

export function isOnce(text: string, old: string): boolean {
  return text.split(old).length === 2;
}

/** Whether the newest note of a function says what the function computes. */
export function isNoteRight(text: string, index: number): boolean {
  const lines = text.split('\n');
  const newest = lines[lines.indexOf(placeOf(text, index)) - 1] ?? '';
  return newest === `    quoted = ${productIn(text, index)}`;
}

/** The line of a function's rate, as it stands. */
export function rateLineOf(text: string, index: number): string {
  return lineOf(text, new RegExp(`^ {4}rate_${printNumber(index)} *= *\\d+$`, 'm'));
}

/** The line above which notes are put. */
export function placeOf(text: string, index: number): string {
  return lineOf(text, new RegExp(`^ {4}# quote[ds]_${printNumber(index)}$`, 'm'));
}

export function printNumber(index: number): string {
  return String(index).padStart(3, '0');
}

function productIn(text: string, index: number): number {
  const tiers = lineOf(text, new RegExp(`^ {4}tiers_${printNumber(index)} *= *\\d+$`, 'm'));
  return Number(rateLineOf(text, index).split('=')[1]) * Number(tiers.split('=')[1]);
}

function lineOf(text: string, pattern: RegExp): string {
  const [line] = pattern.exec(text) ?? [];
  if (line === undefined) {
    throw new Error(`no line is like ${pattern} in\n${text}`);
  }
  return line;
}
