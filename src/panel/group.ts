import { element } from './dom.ts';
import { icon } from './icons.ts';

/** A heading with a count, and the rows below it. */
export class Group {
  readonly root: HTMLElement;
  readonly head: HTMLElement;
  readonly rows: HTMLElement;
  readonly #count: HTMLElement;
  readonly #label: string;

  constructor(id: string, label: string) {
    this.#label = label;
    this.#count = element('span', { class: 'count' });
    this.head = element('div', {
      class: 'group-head',
      attributes: { role: 'treeitem', 'aria-level': '1', 'aria-expanded': 'true', tabindex: '-1', 'data-id': id },
      children: [
        element('span', { class: 'twistie', children: [icon('chevron')] }),
        element('span', { class: 'label', text: label }),
        this.#count,
      ],
    });
    this.rows = element('div', { class: 'rows', attributes: { role: 'group' } });
    this.root = element('div', { class: 'group', attributes: { role: 'none' }, children: [this.head, this.rows] });
  }

  update(count: number, isCollapsed: boolean): void {
    this.root.hidden = count === 0;
    this.rows.hidden = isCollapsed;
    this.head.setAttribute('aria-expanded', String(!isCollapsed));
    this.head.setAttribute('aria-label', `${this.#label}, ${count}`);
    this.#count.textContent = String(count);
  }
}
