import { element } from './dom.ts';
import { say } from './host.ts';
import { icon } from './icons.ts';
import type { Offer } from './protocol.ts';

/** What stands in the panel while there is nothing to show. */
export function drawEmpty(): HTMLElement {
  return element('section', {
    class: 'empty',
    children: [
      icon('law'),
      element('h2', { text: 'Nothing is stale, and nothing was refused' }),
      element('p', {
        text: 'Agents edit the version they have read. When a file moves after an agent read it, it appears here at once; when an agent tries to edit it all the same, the edit is refused and stays here until it is settled.',
      }),
      element('p', {
        class: 'links',
        children: [
          link('Try it on a scratch file', 'tryStory'),
          link('Get started', 'getStarted'),
          link('Show statistics', 'showStatistics'),
        ],
      }),
    ],
  });
}

function link(text: string, offer: Offer): HTMLElement {
  const made = element('button', { class: 'link', text, attributes: { type: 'button' } });
  made.addEventListener('click', () => say({ type: 'offer', offer }));
  return made;
}
