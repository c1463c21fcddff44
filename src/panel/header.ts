import { element } from './dom.ts';
import type { CauseCount, RefusedRow, Totals } from './protocol.ts';
import { percent, shareWords } from './words.ts';

/** One line of state, and who moves files as a small bar. */
export function drawHeader(head: HTMLElement, stale: number, rows: readonly RefusedRow[], totals: Totals): void {
  const { applied, causes, staleRate } = totals;
  const cutOff = rows.filter(({ status }) => status === 'interrupted').length;
  const counts = [
    `${rows.length - cutOff} refused`,
    ...(cutOff > 0 ? [`${cutOff} cut off`] : []),
    `${applied} applied`,
  ];
  const all = causes.reduce((sum, { count }) => sum + count, 0);
  const words = causes.map((cause) => shareWords(cause, all)).join(' · ');
  head.replaceChildren(
    element('span', {
      class: 'counts',
      children: [
        element('b', { class: stale > 0 ? 'some' : '', text: `${stale} stale` }),
        element('span', { text: ` · ${counts.join(' · ')}` }),
      ],
    }),
    ...(all === 0 ? [] : [bar(causes, words), element('span', { class: 'legend', text: words, title: words })]),
    element('span', { class: 'space' }),
    ...(applied === 0 ? [] : [element('span', { class: 'rate', text: `stale rate ${percent(staleRate)} in 7 days` })]),
  );
}

function bar(causes: readonly CauseCount[], words: string): HTMLElement {
  const made = element('span', {
    class: 'bar',
    attributes: { role: 'img', 'aria-label': `Who moved files: ${words}` },
  });
  for (const { kind, count } of causes) {
    const part = element('i', { attributes: { 'data-cause': kind } });
    part.style.flexGrow = String(count);
    made.append(part);
  }
  return made;
}
