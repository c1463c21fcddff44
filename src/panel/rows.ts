import { drawDetails } from './details.ts';
import { element, folderOf, foreign, type Keyed, nameOf } from './dom.ts';
import { say } from './host.ts';
import { type IconName, icon } from './icons.ts';
import type { Action, Details, RefusedRow, StaleRow } from './protocol.ts';
import { ageOf, causesWords, linesWords, statusWords } from './words.ts';

/** One row of the list as it stands in the page. */
export interface RowView extends Keyed {
  readonly id: string;
  /** What has the keyboard. */
  readonly line: HTMLElement;
  readonly age: HTMLElement;
  /** Where details are shown; for rows that can be expanded. */
  readonly details: HTMLElement | undefined;
  time: number;
  /** What was drawn last, to draw nothing twice. */
  drawn: string;
}

const STALE_ACTIONS: readonly (readonly [Action, string, IconName])[] = [
  ['showChanges', 'Show Changes Since Read', 'diff'],
  ['openFile', 'Open File', 'open'],
  ['replan', 'Re-plan…', 'replan'],
  ['dismiss', 'Dismiss', 'dismiss'],
];

const REFUSED_ACTIONS: readonly (readonly [Action, string, IconName])[] = [
  ['showChanges', 'Show Changes Since Read', 'diff'],
  ['showIntended', 'Show Intended Edit', 'intended'],
  ['replan', 'Re-plan…', 'replan'],
  ['dismiss', 'Dismiss', 'dismiss'],
];

const INTERRUPTED_ACTIONS: readonly (readonly [Action, string, IconName])[] = [
  ['showChanges', 'Show Difference', 'diff'],
  ['restore', 'Restore', 'restore'],
  ['dismiss', 'Dismiss', 'dismiss'],
];

export function createRow(id: string, section: 'stale' | 'refused'): RowView {
  const line = element('div', {
    class: 'row',
    attributes: {
      role: 'treeitem',
      'aria-level': '2',
      tabindex: '-1',
      'data-id': id,
      'data-vscode-context': contextOf(id, section),
      ...(section === 'refused' ? { 'aria-expanded': 'false' } : {}),
    },
  });
  const details =
    section === 'refused' ? element('div', { class: 'details', attributes: { role: 'group', hidden: '' } }) : undefined;
  return {
    id,
    root: element('div', {
      class: 'item',
      attributes: { role: 'none' },
      children: details ? [line, details] : [line],
    }),
    line,
    age: element('span', { class: 'age' }),
    details,
    time: 0,
    drawn: '',
  };
}

/** What the extension's context menu goes by. */
function contextOf(row: string, webviewSection: string): string {
  return JSON.stringify({ webviewSection, row, preventDefaultContextMenuItems: true });
}

export function updateStale(view: RowView, row: StaleRow, now: number): void {
  view.time = row.time;
  if (!isNew(view, row)) {
    return;
  }
  const cause = causesWords(row.causes);
  const holder = `held by ${row.session} · turn ${row.turn}`;
  const lines = linesWords(row.added, row.removed);
  draw(view, row, now, {
    twistie: element('span', { class: 'twistie' }),
    mark: mark(row),
    text: foreign(cause, 'text'),
    lines: (['added', 'removed'] as const)
      .filter((side) => lines[side] !== '')
      .map((side) => element('span', { class: side, text: lines[side] })),
    meta: holder,
    actions: STALE_ACTIONS,
  });
  view.line.setAttribute(
    'aria-label',
    [pathOf(row), 'stale', cause, lines.added, lines.removed, holder].filter(Boolean).join(', '),
  );
}

export function updateRefused(view: RowView, row: RefusedRow, now: number): void {
  view.time = row.time;
  if (!isNew(view, row)) {
    return;
  }
  view.line.setAttribute(
    'data-vscode-context',
    contextOf(row.id, row.status === 'interrupted' ? 'interrupted' : 'refused'),
  );
  const status = statusWords(row.status);
  const why = row.explanation === undefined ? (row.reason ?? causesWords(row.causes)) : `“${row.explanation}”`;
  draw(view, row, now, {
    twistie: element('span', { class: 'twistie', children: [icon('chevron')] }),
    mark: mark(row),
    text: foreign(why, 'text'),
    lines:
      row.fit === undefined ? [] : [element('span', { class: `fit ${row.fit.replaceAll(' ', '-')}`, text: row.fit })],
    meta: `${status} · ${row.session} · turn ${row.turn}`,
    actions:
      row.status === 'interrupted'
        ? INTERRUPTED_ACTIONS
        : REFUSED_ACTIONS.filter(([action]) => action !== 'showChanges' || row.causes.length > 0),
  });
  view.line.setAttribute(
    'aria-label',
    [pathOf(row), status, ...row.causes.map(({ text }) => text), row.fit, why, `${row.session}, turn ${row.turn}`]
      .filter(Boolean)
      .join(', '),
  );
}

/** Shows or hides what is below a refused edit. */
export function expandRow(view: RowView, row: RefusedRow, details: Details | undefined, isExpanded: boolean): void {
  view.line.setAttribute('aria-expanded', String(isExpanded));
  if (view.details) {
    const focused = view.details.contains(document.activeElement)
      ? document.activeElement?.getAttribute('data-action')
      : undefined;
    view.details.hidden = !isExpanded;
    view.details.setAttribute('aria-label', `Details of ${row.name}`);
    view.details.replaceChildren(...(isExpanded ? drawDetails(row, details) : []));
    const again = focused && view.details.querySelector<HTMLElement>(`[data-action="${focused}"]`);
    if (again) {
      again.focus();
    }
  }
}

interface Drawing {
  readonly twistie: HTMLElement;
  readonly mark: HTMLElement;
  readonly text: HTMLElement;
  readonly lines: readonly HTMLElement[];
  readonly meta: string;
  readonly actions: readonly (readonly [Action, string, IconName])[];
}

function draw(view: RowView, row: StaleRow | RefusedRow, now: number, drawing: Drawing): void {
  const focused = view.line.contains(document.activeElement)
    ? document.activeElement?.getAttribute('data-action')
    : undefined;
  view.age.textContent = ageOf(row.time, now);
  const actions = element('span', {
    class: 'actions',
    attributes: { role: 'toolbar', 'aria-label': 'Actions' },
    children: drawing.actions.map(([action, label, name]) => actionButton(view.id, action, label, name)),
  });
  view.line.title = [pathOf(row), ...row.causes.map(({ text }) => text)].join('\n');
  view.line.replaceChildren(
    drawing.twistie,
    drawing.mark,
    nameOf(row.name),
    ...(row.folder === '' ? [] : [folderOf(row.folder)]),
    drawing.text,
    ...drawing.lines,
    element('span', { class: 'space' }),
    element('span', { class: 'meta', text: drawing.meta }),
    view.age,
    actions,
  );
  const again = focused && view.line.querySelector<HTMLElement>(`[data-action="${focused}"]`);
  if (again) {
    again.focus();
  }
}

function actionButton(id: string, action: Action, label: string, name: IconName): HTMLElement {
  const button = element('button', {
    class: 'action',
    title: label,
    attributes: { type: 'button', 'aria-label': label, 'data-action': action },
    children: [icon(name)],
  });
  button.addEventListener('click', (event) => {
    event.stopPropagation();
    say({ type: 'act', action, id });
  });
  return button;
}

/** The icon of the last cause; what was refused for another reason has one of its own. */
function mark(row: StaleRow | RefusedRow): HTMLElement {
  const kind = row.causes.at(-1)?.kind;
  return element('span', {
    class: 'mark',
    attributes: kind === undefined ? { 'data-cause': 'refused' } : { 'data-cause': kind },
    children: [icon(kind ?? 'refused')],
  });
}

function isNew(view: RowView, row: StaleRow | RefusedRow): boolean {
  const drawn = JSON.stringify(row);
  const isOther = drawn !== view.drawn;
  view.drawn = drawn;
  return isOther;
}

function pathOf({ folder, name }: StaleRow | RefusedRow): string {
  return folder === '' ? name : `${folder}/${name}`;
}
