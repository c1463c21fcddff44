import { element, reconcile } from './dom.ts';
import { drawEmpty } from './empty.ts';
import { Group } from './group.ts';
import { drawHeader } from './header.ts';
import { recall, remember, say } from './host.ts';
import { Keyboard } from './keyboard.ts';
import type { Details, RefusedRow, StaleRow, ToPanel, Totals } from './protocol.ts';
import { createRow, expandRow, type RowView, updateRefused, updateStale } from './rows.ts';
import { ageLasts, ageOf } from './words.ts';

const STALE = 'group:stale';
const REFUSED = 'group:refused';

/** The page of the conflict panel: what the extension says is drawn, what a person does is told. */
export class Panel {
  readonly #head = element('header', { class: 'head' });
  readonly #tree = element('div', { class: 'tree', attributes: { role: 'tree', 'aria-label': 'Edit Arbiter' } });
  readonly #empty = drawEmpty();
  readonly #stale = new Group(STALE, 'Stale now');
  readonly #refused = new Group(REFUSED, 'Refused');
  readonly #keyboard: Keyboard;
  readonly #staleViews = new Map<string, RowView>();
  readonly #refusedViews = new Map<string, RowView>();
  readonly #details = new Map<string, { readonly time: number; readonly details: Details | undefined }>();
  readonly #expanded: Set<string>;
  readonly #collapsed: Set<string>;
  #staleRows: readonly StaleRow[] = [];
  #refusedRows: readonly RefusedRow[] = [];
  #totals: Totals = { applied: 0, staleRate: 0, causes: [] };
  #wanted: string | undefined;
  /** What a person has just expanded: shown whole once its details are there. */
  #opened: string | undefined;
  #timer: number | undefined;

  constructor(body: HTMLElement) {
    const { expanded, collapsed, active } = recall();
    this.#expanded = new Set(expanded);
    this.#collapsed = new Set(collapsed);
    this.#wanted = active;
    this.#tree.append(this.#stale.root, this.#refused.root);
    body.append(this.#head, this.#tree, this.#empty);
    this.#keyboard = new Keyboard(this.#tree, {
      activate: (line) => this.#activate(line),
      toggle: (line) => this.#toggle(line),
      dismiss: (line) => this.#act(line, 'dismiss'),
      setExpanded: (line, isExpanded) => this.#setExpanded(line, isExpanded),
      moved: () => this.#remember(),
    });
    this.#tree.addEventListener('click', (event) => this.#clicked(event));
    this.#tree.addEventListener('dblclick', (event) => {
      const line = lineAt(event);
      if (line) {
        this.#act(line, 'showChanges');
      }
    });
    this.#drawAll();
  }

  hear(message: ToPanel): void {
    switch (message.type) {
      case 'stale':
        this.#staleRows = message.rows;
        this.#drawAll();
        break;
      case 'refused':
        this.#refusedRows = message.rows;
        this.#drawAll();
        break;
      case 'totals':
        this.#totals = message.totals;
        this.#drawHead();
        break;
      case 'details':
        this.#tell(message.details);
        break;
      default:
        message satisfies never;
    }
  }

  /** Without scrolling: a click may be what has brought the keyboard here. */
  takeKeyboard(): void {
    this.#keyboard.active?.focus({ preventScroll: true });
  }

  #drawAll(): void {
    const now = Date.now();
    const { index } = this.#keyboard;
    const hadFocus = this.#tree.contains(document.activeElement);
    reconcile(
      this.#stale.rows,
      this.#staleViews,
      this.#staleRows,
      ({ id }) => id,
      ({ id }) => createRow(id, 'stale'),
      (view, row) => updateStale(view, row, now),
    );
    reconcile(
      this.#refused.rows,
      this.#refusedViews,
      this.#refusedRows,
      ({ id }) => id,
      ({ id }) => createRow(id, 'refused'),
      (view, row) => this.#updateRefused(view, row, now),
    );
    this.#stale.update(this.#staleRows.length, this.#collapsed.has(STALE));
    this.#refused.update(this.#refusedRows.length, this.#collapsed.has(REFUSED));
    const isEmpty = this.#staleRows.length + this.#refusedRows.length === 0;
    this.#tree.hidden = isEmpty;
    this.#empty.hidden = !isEmpty;
    const wanted = this.#wanted === undefined ? undefined : this.#lineOf(this.#wanted);
    if (wanted) {
      this.#wanted = undefined;
      this.#keyboard.activate(wanted);
    }
    this.#keyboard.refresh(hadFocus, index);
    this.#drawHead();
    this.#grow();
  }

  #updateRefused(view: RowView, row: RefusedRow, now: number): void {
    updateRefused(view, row, now);
    const isExpanded = this.#expanded.has(row.id);
    const known = this.#details.get(row.id);
    if (isExpanded && known?.time !== row.time) {
      this.#details.set(row.id, { time: row.time, details: known?.details });
      say({ type: 'details', id: row.id });
      expandRow(view, row, known?.details, true);
    } else if (isExpanded !== (view.line.getAttribute('aria-expanded') === 'true')) {
      expandRow(view, row, known?.details, isExpanded);
    }
  }

  #drawHead(): void {
    const { applied, causes } = this.#totals;
    this.#head.hidden = applied + causes.length + this.#staleRows.length + this.#refusedRows.length === 0;
    drawHeader(this.#head, this.#staleRows.length, this.#refusedRows, this.#totals);
  }

  #tell(details: Details): void {
    const row = this.#refusedRows.find(({ id }) => id === details.id);
    const view = this.#refusedViews.get(details.id);
    if (row && view) {
      this.#details.set(row.id, { time: row.time, details });
      if (this.#expanded.has(row.id)) {
        expandRow(view, row, details, true);
        if (this.#opened === row.id) {
          this.#opened = undefined;
          const isTall = view.root.offsetHeight > this.#tree.clientHeight;
          view.root.scrollIntoView({ block: isTall ? 'start' : 'nearest' });
        }
      }
    }
  }

  #lineOf(id: string): HTMLElement | undefined {
    const head = [this.#stale.head, this.#refused.head].find(({ dataset }) => dataset['id'] === id);
    return head ?? this.#staleViews.get(id)?.line ?? this.#refusedViews.get(id)?.line;
  }

  #clicked(event: Event): void {
    const line = lineAt(event);
    if (line) {
      this.#keyboard.activate(line);
      line.focus();
      this.#toggle(line);
    }
  }

  #activate(line: HTMLElement): void {
    const id = line.dataset['id'] ?? '';
    const refused = this.#refusedRows.find((row) => row.id === id);
    if (id === STALE || id === REFUSED) {
      this.#toggle(line);
    } else {
      this.#act(line, refused && refused.causes.length === 0 ? 'showIntended' : 'showChanges');
    }
  }

  #act(line: HTMLElement, action: 'dismiss' | 'showChanges' | 'showIntended'): void {
    const { id } = line.dataset;
    if (id !== undefined && id !== STALE && id !== REFUSED) {
      say({ type: 'act', action, id });
    }
  }

  #toggle(line: HTMLElement): void {
    const isExpanded = line.getAttribute('aria-expanded');
    if (isExpanded === null) {
      this.#act(line, 'showChanges');
    } else {
      this.#setExpanded(line, isExpanded === 'false');
    }
  }

  #setExpanded(line: HTMLElement, isExpanded: boolean): boolean {
    const now = line.getAttribute('aria-expanded');
    const id = line.dataset['id'];
    if (id === undefined || now === null || (now === 'true') === isExpanded) {
      return false;
    }
    const [set, isIn] = id === STALE || id === REFUSED ? [this.#collapsed, !isExpanded] : [this.#expanded, isExpanded];
    set[isIn ? 'add' : 'delete'](id);
    if (isExpanded) {
      // Whatever was shown before may be old by now.
      this.#details.delete(id);
      this.#opened = id;
    }
    this.#remember();
    this.#drawAll();
    return true;
  }

  #remember(): void {
    const active = this.#keyboard?.active?.dataset['id'];
    remember({
      expanded: [...this.#expanded].filter((id) => this.#refusedViews.has(id)),
      collapsed: [...this.#collapsed],
      ...(active === undefined ? {} : { active }),
    });
  }

  /** Ages are words that change by themselves; nothing runs where there are none. */
  #grow(): void {
    window.clearTimeout(this.#timer);
    const views = [...this.#staleViews.values(), ...this.#refusedViews.values()];
    if (views.length > 0) {
      const newest = Math.max(...views.map(({ time }) => time));
      this.#timer = window.setTimeout(
        () => {
          const now = Date.now();
          for (const { age, time } of views) {
            const words = ageOf(time, now);
            if (age.textContent !== words) {
              age.textContent = words;
            }
          }
          this.#grow();
        },
        ageLasts(newest, Date.now()),
      );
    }
  }
}

/** The line that was clicked itself, not something inside it that has a click of its own. */
function lineAt({ target }: Event): HTMLElement | undefined {
  return target instanceof Element && target.closest('button') === null
    ? (target.closest<HTMLElement>('[role="treeitem"]') ?? undefined)
    : undefined;
}
