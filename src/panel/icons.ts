import type { CauseKind } from './protocol.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** Strokes on a field of 16 by 16, drawn for this panel. Each cause has a shape of its own, so that colour is not needed. */
const STROKES = {
  'own edit': 'M3 13l.7-2.9L11 2.8a1.1 1.1 0 011.6 0l.6.6a1.1 1.1 0 010 1.6L5.9 12.300 3 13zM9.600 4.200l2.200 2.200',
  'other session': 'M2.500 3.500h7v5h-4l-2 2v-2h-1zM11.500 6.500h2v5h-1v2l-2-2h-3',
  hook: 'M8 1.800v2M8 12.200v2M1.800 8h2M12.200 8h2M3.600 3.600l1.400 1.400M11 11l1.400 1.400M12.400 3.600L11 5M5 11l-1.400 1.400M8 5.500a2.500 2.500 0 100 5 2.500 2.500 0 000-5z',
  'code generator':
    'M5.500 2.500c-2 0-1.500 2-1.500 3.500S3 8 2.500 8C3 8 4 8.500 4 10s-.5 3.500 1.500 3.500M10.500 2.500c2 0 1.500 2 1.500 3.500S13 8 13.500 8c-.5 0-1.500.5-1.500 2s.5 3.500-1.500 3.500',
  git: 'M5 5v6M5 5a1.500 1.500 0 100-3 1.500 1.500 0 000 3zM5 14a1.500 1.500 0 100-3 1.500 1.500 0 000 3zM11 7a1.500 1.500 0 100-3 1.500 1.500 0 000 3zM11 7c0 2.500-6 1.500-6 4',
  engineer:
    'M8 8a2.800 2.800 0 100-5.600A2.800 2.800 0 008 8zM2.800 13.800c.4-2.700 2.500-4.200 5.200-4.200s4.800 1.500 5.200 4.200',
  'chat edit': 'M2.500 2.500h11v8h-6l-3 3v-3h-2zM5 6.500h6',
  'other extension': 'M2.500 6.500h4v-1a1.300 1.300 0 112.600 0v1h2.400V9h1a1.300 1.300 0 110 2.600h-1v1.900h-9z',
  'external writer': 'M2.500 3.500h11v9h-11zM4.800 6l2 2-2 2M8.500 10.300h3',
  unknown: 'M6 6a2 2 0 113 1.700c-.7.500-1 .9-1 1.800M8 12v.3M8 14.500a6.500 6.500 0 100-13 6.500 6.500 0 000 13z',
  refused: 'M8 14.300A6.300 6.300 0 108 1.700a6.300 6.300 0 000 12.600zM3.600 3.600l8.800 8.800',
  chevron: 'M6 4l4 4-4 4',
  arrow: 'M2.500 8h10M9.500 5l3 3-3 3',
  diff: 'M2.500 2.500h11v11h-11zM8 2.500v11M4.300 8h2M9.800 8h2M10.800 7v2',
  intended: 'M8 13.500a5.500 5.500 0 100-11 5.500 5.500 0 000 11zM8 10a2 2 0 100-4 2 2 0 000 4z',
  replan: 'M13.300 7A5.400 5.400 0 003 6.500M3 3v3.500h3.500M2.700 9A5.400 5.400 0 0013 9.500M13 13V9.500H9.500',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  open: 'M9 2.500H3.500v11h9V6zM9 2.500V6h3.500',
  restore: 'M3 3v3.500h3.500M3.200 6.200A5.300 5.300 0 118 13.300M8 5.500V8l2 1.500',
  dismiss: 'M4 4l8 8M12 4l-8 8',
  law: 'M8 2v12M5 14h6M3 4.500h10M3 4.500L1.300 9h3.400zM13 4.500L11.300 9h3.400z',
} as const satisfies Readonly<Record<CauseKind, string>> & Readonly<Record<string, string>>;

export type IconName = keyof typeof STROKES;

/** A decoration: what it stands for is said in words beside it. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('icon');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', STROKES[name]);
  svg.append(path);
  return svg;
}
