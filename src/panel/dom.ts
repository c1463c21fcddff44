/** What an element is made with. Text is only ever text, never markup. */
export interface Parts {
  readonly class?: string;
  readonly text?: string;
  readonly title?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children?: readonly Node[];
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  parts: Parts = {},
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (parts.class !== undefined) {
    made.className = parts.class;
  }
  if (parts.text !== undefined) {
    made.textContent = parts.text;
  }
  if (parts.title !== undefined) {
    made.title = parts.title;
  }
  for (const [key, value] of Object.entries(parts.attributes ?? {})) {
    made.setAttribute(key, value);
  }
  made.append(...(parts.children ?? []));
  return made;
}

/** Text of a file or a person in a line of ours: it may run from right to left, and must not turn the rest around. */
export function foreign(text: string, className: string): HTMLElement {
  return element('bdi', { class: className, text });
}

/** A name of a file: its parts keep their order, whatever script they are in. */
export function nameOf(name: string): HTMLElement {
  return element('bdi', { class: 'name', text: name, attributes: { dir: 'ltr' } });
}

/** A folder whose end matters most: what does not fit is cut at its beginning. */
export function folderOf(folder: string): HTMLElement {
  const inner = element('bdi', { text: folder, attributes: { dir: 'ltr' } });
  return element('span', { class: 'folder', attributes: { dir: 'rtl' }, children: [inner] });
}

/** Something that a list shows under a key. */
export interface Keyed {
  readonly root: HTMLElement;
}

/**
 * Brings the children of `container` in line with `items`: what stays, stays the same element, so that focus, selection and
 * scroll position stay where they are.
 */
export function reconcile<Item, View extends Keyed>(
  container: HTMLElement,
  views: Map<string, View>,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  create: (item: Item) => View,
  update: (view: View, item: Item) => void,
): void {
  const keys = new Set(items.map(keyOf));
  for (const [key, view] of views) {
    if (!keys.has(key)) {
      view.root.remove();
      views.delete(key);
    }
  }
  let next = container.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    const known = views.get(key);
    const view = known ?? create(item);
    views.set(key, view);
    update(view, item);
    if (view.root === next) {
      next = next.nextElementSibling;
    } else {
      container.insertBefore(view.root, next);
    }
  }
}
