import { type DiffLine, diffLines } from './diffLines.ts';
import { element, foreign } from './dom.ts';
import { say } from './host.ts';
import { icon } from './icons.ts';
import type { Action, Cause, Details, RefusedRow } from './protocol.ts';
import { statusWords } from './words.ts';

/** Everything about a refused edit that its row has no room for. */
export function drawDetails(row: RefusedRow, details: Details | undefined): HTMLElement[] {
  const head = element('div', { class: 'timeline', children: timeline(row) });
  const said = [
    ...(row.explanation === undefined ? [] : [saying('The agent says', row.explanation)]),
    ...(row.reason === undefined ? [] : [saying('Refused because', row.reason)]),
  ];
  if (row.status === 'interrupted') {
    const since = column(
      'From before the edit to now',
      details?.since,
      'What was there before is no text, or not remembered',
    );
    const shown = details === undefined ? [] : [element('div', { class: 'columns', children: since })];
    return [head, saying('What is where', row.reason ?? ''), ...shown, actionsOf(row, true)];
  }
  const columns = [
    ...column('Changed since the agent read it', details?.since, 'Not remembered any more'),
    ...column('What the agent wanted to write', details?.wanted, 'It had no place in the text that it was planned on'),
  ];
  const hasMoved = row.causes.length > 0;
  return [
    head,
    ...said,
    ...(details === undefined
      ? []
      : [element('div', { class: 'columns', children: hasMoved ? columns : columns.slice(1) })]),
    actionsOf(row, hasMoved),
  ];
}

function saying(label: string, text: string): HTMLElement {
  return element('div', {
    class: 'said',
    children: [element('span', { class: 'dim', text: label }), foreign(text, 'quote')],
  });
}

/** More causes than this are folded in the middle. */
const MAX_CAUSES = 8;
const FIRST = 3;
const LAST = 4;

function timeline(row: RefusedRow): Node[] {
  const chips = row.causes.map((cause) => step(chip(cause)));
  const status = element('span', { class: 'dim', text: `${statusWords(row.status)}, turn ${row.turn}` });
  return [
    ...(chips.length === 0 ? [] : [element('span', { class: 'dim', text: 'read' })]),
    ...(chips.length > MAX_CAUSES ? folded(chips) : chips),
    chips.length === 0 ? status : step(status),
    ...(row.fit === undefined
      ? []
      : [element('span', { class: `fit ${row.fit.replaceAll(' ', '-')}`, text: row.fit, title: fitWords(row.fit) })]),
  ];
}

/** An arrow and where it leads, never torn apart by a line end. */
function step(target: HTMLElement): HTMLElement {
  return element('span', { class: 'step', children: [icon('arrow'), target] });
}

function folded(chips: readonly HTMLElement[]): HTMLElement[] {
  const middle = chips.slice(FIRST, -LAST);
  const more = element('button', { class: 'chip', text: `${middle.length} more`, attributes: { type: 'button' } });
  const fold = step(more);
  more.addEventListener('click', () => fold.replaceWith(...middle));
  return [...chips.slice(0, FIRST), fold, ...chips.slice(-LAST)];
}

function chip(cause: Cause): HTMLElement {
  return element('span', {
    class: 'chip',
    title: cause.evidence === undefined ? cause.text : `${cause.text}\n${cause.evidence}`,
    attributes: { 'data-cause': cause.kind },
    children: [icon(cause.kind), foreign(cause.text, 'cause')],
  });
}

function fitWords(fit: string): string {
  const words: Readonly<Record<string, string>> = {
    'already present': 'What the edit would write is there already',
    'no longer applicable': 'The text that the edit would replace is gone, or no longer unique',
    'overlaps the change': 'The edit and what changed since touch the same lines',
    'next to the change': 'What changed since is within three lines of the edit',
    untouched: 'The lines of the edit are as they were; that does not say that it is still wanted',
  };
  return words[fit] ?? fit;
}

function column(caption: string, diff: string | undefined, otherwise: string): HTMLElement[] {
  const [first, ...rest] = diff === undefined || diff === '' ? [] : diffLines(diff);
  const where = first?.kind === 'hunk' ? ` · ${first.text}` : '';
  const lines = first === undefined ? [] : where === '' ? [first, ...rest] : rest;
  const body =
    lines.length === 0
      ? element('p', { class: 'none', text: diff === '' ? 'No line differs' : otherwise })
      : element('div', {
          class: 'diff',
          attributes: { role: 'region', 'aria-label': caption, tabindex: '0' },
          children: [element('div', { class: 'lines', children: lines.map(drawLine) })],
        });
  return [element('section', { class: 'column', children: [element('h3', { text: caption + where }), body] })];
}

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = { added: '+', removed: '−', same: '', hunk: '', note: '' };

function drawLine({ kind, text, number }: DiffLine): HTMLElement {
  if (kind === 'hunk' || kind === 'note') {
    return element('div', { class: `line ${kind}`, text });
  }
  return element('div', {
    class: `line ${kind}`,
    children: [
      element('span', { class: 'number', text: String(number ?? ''), attributes: { 'aria-hidden': 'true' } }),
      element('span', { class: 'sign', text: SIGNS[kind] }),
      element('code', { text, attributes: { dir: 'auto' } }),
    ],
  });
}

function actionsOf({ id, status }: RefusedRow, hasMoved: boolean): HTMLElement {
  const button = (label: string, action: Action, className = 'button'): HTMLElement => {
    const made = element('button', {
      class: className,
      text: label,
      attributes: { type: 'button', 'data-action': action },
    });
    made.addEventListener('click', () => say({ type: 'act', action, id }));
    return made;
  };
  if (status === 'interrupted') {
    return element('div', {
      class: 'buttons',
      children: [
        button('Show Difference', 'showChanges', 'button primary'),
        button('Restore', 'restore'),
        button('Open File', 'openFile'),
        element('span', { class: 'space' }),
        button('Dismiss', 'dismiss', 'button quiet'),
      ],
    });
  }
  return element('div', {
    class: 'buttons',
    children: [
      button('Re-plan…', 'replan', 'button primary'),
      ...(hasMoved ? [button('Show Changes', 'showChanges')] : []),
      button('Show Intended Edit', 'showIntended'),
      button('Open File', 'openFile'),
      button('Copy Prompt', 'copyPrompt'),
      element('span', { class: 'space' }),
      button('Dismiss', 'dismiss', 'button quiet'),
    ],
  });
}
