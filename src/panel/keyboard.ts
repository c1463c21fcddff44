/** What the keys do in the list. */
export interface ListActions {
  readonly activate: (line: HTMLElement) => void;
  readonly toggle: (line: HTMLElement) => void;
  readonly dismiss: (line: HTMLElement) => void;
  /** @returns whether the line was collapsed or expanded, that is, was not so before. */
  readonly setExpanded: (line: HTMLElement, isExpanded: boolean) => boolean;
  readonly moved: (line: HTMLElement) => void;
}

/**
 * One line of a tree has the tab stop; arrows, Home and End move it, as in every list of the editor. Keys inside a line's
 * buttons, or in what is below it, are theirs, but for Escape, which leads back to the line.
 */
export class Keyboard {
  readonly #tree: HTMLElement;
  readonly #actions: ListActions;
  #active: HTMLElement | undefined;

  constructor(tree: HTMLElement, actions: ListActions) {
    this.#tree = tree;
    this.#actions = actions;
    tree.addEventListener('keydown', (event) => this.#pressed(event));
    tree.addEventListener('focusin', (event) => {
      const line = lineOf(event.target);
      if (line) {
        this.activate(line);
      }
    });
  }

  get active(): HTMLElement | undefined {
    return this.#active;
  }

  /** Gives a line the tab stop, without the keyboard. */
  activate(line: HTMLElement): void {
    if (line !== this.#active) {
      this.#active?.setAttribute('tabindex', '-1');
      this.#active?.removeAttribute('aria-selected');
      this.#active = line;
      this.#actions.moved(line);
    }
    line.setAttribute('tabindex', '0');
    line.setAttribute('aria-selected', 'true');
  }

  focus(line: HTMLElement | undefined = this.#active): void {
    const target = line ?? this.#lines()[0];
    target?.focus();
    target?.scrollIntoView({ block: 'nearest' });
  }

  /** To be called when lines have come or gone: there is always one with the tab stop, and the keyboard is not lost. */
  refresh(hadFocus: boolean, index: number): void {
    const lines = this.#lines();
    if (this.#active === undefined || !lines.includes(this.#active)) {
      this.#active = undefined;
      const next = lines[Math.min(Math.max(index, 0), lines.length - 1)];
      if (next) {
        this.activate(next);
        if (hadFocus) {
          next.focus();
        }
      }
    }
  }

  /** Where the line with the tab stop is among all lines. */
  get index(): number {
    return this.#active ? this.#lines().indexOf(this.#active) : 0;
  }

  #pressed(event: KeyboardEvent): void {
    const line = this.#active;
    if (!line || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    if (event.target !== line) {
      if (event.key === 'Escape') {
        line.focus();
        event.preventDefault();
      }
      return;
    }
    if (this.#handle(event.key, line)) {
      event.preventDefault();
    }
  }

  #handle(key: string, line: HTMLElement): boolean {
    const lines = this.#lines();
    const at = lines.indexOf(line);
    switch (key) {
      case 'ArrowDown':
        this.focus(lines[Math.min(at + 1, lines.length - 1)]);
        return true;
      case 'ArrowUp':
        this.focus(lines[Math.max(at - 1, 0)]);
        return true;
      case 'Home':
        this.focus(lines[0]);
        return true;
      case 'End':
        this.focus(lines.at(-1));
        return true;
      case 'ArrowRight':
        if (!this.#actions.setExpanded(line, true) && line.getAttribute('aria-level') === '1') {
          this.focus(lines[at + 1]);
        }
        return true;
      case 'ArrowLeft':
        if (!this.#actions.setExpanded(line, false)) {
          this.focus(lines.slice(0, at).findLast((other) => other.getAttribute('aria-level') === '1'));
        }
        return true;
      case 'Enter':
        this.#actions.activate(line);
        return true;
      case ' ':
        this.#actions.toggle(line);
        return true;
      case 'Delete':
        this.#actions.dismiss(line);
        return true;
      default:
        return false;
    }
  }

  #lines(): HTMLElement[] {
    const all = this.#tree.querySelectorAll<HTMLElement>('[role="treeitem"]');
    return [...all].filter((line) => line.closest('[hidden]') === null);
  }
}

function lineOf(target: EventTarget | null): HTMLElement | undefined {
  return target instanceof HTMLElement
    ? (target.closest<HTMLElement>('[role="treeitem"]') ??
        target.closest('.item')?.querySelector<HTMLElement>('[role="treeitem"]') ??
        undefined)
    : undefined;
}
