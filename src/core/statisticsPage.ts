import type { Period, Share, Statistics } from './statistics.ts';

/** How many days the chart over time shows, and how many rows a list. */
const MAX_DAYS = 60;
const MAX_ROWS = 20;

/**
 * The statistics as the body of a page: charts of plain markup without script or inline style. Widths and heights are
 * attributes of SVG; colours come from the page's style sheet by class. All text is escaped.
 *
 * @param exportLink address of what exports the data.
 */
export function statisticsPage(statistics: Statistics, exportLink: string): string {
  const { applies, stale, staleRate, refusals, causes, days, sessions, models } = statistics;
  const head = `<header><h1>Edit Arbiter: statistics</h1><a class="export" href="${escapeText(exportLink)}">Export…</a></header>`;
  if (applies === 0 && refusals.length === 0) {
    return `<main>${head}<p class="dim">No agent has edited a file of this workspace through the arbiter yet.</p></main>`;
  }
  return [
    `<main>${head}`,
    '<div class="tiles">',
    tile(String(applies - stale), 'edits applied'),
    tile(String(stale), 'on a stale base, refused'),
    tile(percent(staleRate), 'stale rate'),
    tile(String(sessions.length), sessions.length === 1 ? 'session' : 'sessions'),
    '</div>',
    section('Stale rate over time', overTime(days.slice(-MAX_DAYS)), 'wide'),
    '<div class="columns">',
    section(
      'Who had moved the file',
      bars(causes, (name) => `cause ${slug(name)}`),
    ),
    section(
      'Refusals',
      bars(
        refusals.map((share) => ({ ...share, name: share.name.replaceAll('_', ' ') })),
        () => 'plain',
      ),
    ),
    section('By session', periods(sessions)),
    // Where no chat tells its model, there is nothing to compare.
    ...(models.some(({ name }) => name !== 'model unknown') ? [section('By model', periods(models))] : []),
    '</div>',
    '<p class="dim">Counted on this machine, kept in this workspace’s storage, never sent anywhere.</p></main>',
  ].join('\n');
}

function tile(value: string, label: string): string {
  return `<div class="tile"><b>${escapeText(value)}</b><span>${escapeText(label)}</span></div>`;
}

function section(title: string, body: string, className = ''): string {
  return `<section class="${className}"><h2>${escapeText(title)}</h2>${body}</section>`;
}

const WIDTH = 720;
const HEIGHT = 150;
const LEFT = 34;
const BOTTOM = 18;
const TOP = 8;

/** Per day: what was applied and what was refused as stale, as a column; the share of the second as a line. */
function overTime(days: readonly Period[]): string {
  if (days.length === 0) {
    return NOTHING;
  }
  const most = Math.max(...days.map(({ applies }) => applies));
  const plotWidth = WIDTH - LEFT - 34;
  const plotHeight = HEIGHT - TOP - BOTTOM;
  const step = plotWidth / days.length;
  const bar = Math.min(28, step * 0.6);
  const x = (index: number) => round(LEFT + step * (index + 0.5));
  const y = (share: number) => round(TOP + plotHeight * (1 - share));
  const worst = Math.max(0.05, ...days.map(rateOf));
  const scale = Math.min(1, Math.ceil(worst * 20) / 20);
  const columns = days.map((day, index) => {
    const good = plotHeight * ((day.applies - day.stale) / most);
    const bad = plotHeight * (day.stale / most);
    const left = round(x(index) - bar / 2);
    const tooltip = `<title>${escapeText(`${day.name}: ${day.applies - day.stale} applied, ${day.stale} stale (${percent(rateOf(day))})`)}</title>`;
    const column = (name: string, top: number, height: number) =>
      height === 0
        ? ''
        : `<rect class="${name}" x="${left}" y="${round(top)}" width="${round(bar)}" height="${round(height)}"/>`;
    const bottom = TOP + plotHeight;
    return `<g>${tooltip}${column('applied', bottom - good, good)}${column('stale', bottom - good - bad, bad)}</g>`;
  });
  const points = days.map((day, index) => `${x(index)},${y(rateOf(day) / scale)}`);
  const line = days.length > 1 ? `<polyline class="rate" points="${points.join(' ')}"/>` : '';
  const dots = days.map(
    (day, index) => `<circle class="rate" cx="${x(index)}" cy="${y(rateOf(day) / scale)}" r="2.5"/>`,
  );
  const grid = [0, 0.5, 1].map(
    (share) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - 34}" y1="${y(share)}" y2="${y(share)}"/>` +
      `<text class="axis" x="${LEFT - 6}" y="${y(share) + 4}" text-anchor="end">${escapeText(count(most * share))}</text>` +
      `<text class="axis rate" x="${WIDTH - 28}" y="${y(share) + 4}">${Math.round(100 * scale * share)} %</text>`,
  );
  const labels = labelled(days.length).map(
    (index) =>
      `<text class="axis" x="${x(index)}" y="${HEIGHT - 3}" text-anchor="middle">${escapeText((days[index]?.name ?? '').slice(5))}</text>`,
  );
  const words = days.map((day) => `${day.name} ${percent(rateOf(day))}`).join(', ');
  return (
    `<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeText(`Stale rate: ${words}`)}">` +
    `${[...grid, ...columns, line, ...dots, ...labels].join('')}</svg>` +
    '<p class="key"><span class="applied">edits applied</span><span class="stale">stale, refused</span><span class="rate">stale rate</span></p>'
  );
}

/** Which days are named below the chart: as many as there is room for, the last one always. */
function labelled(count: number): number[] {
  const every = Math.ceil(count / 10);
  return Array.from({ length: count }, (_, index) => index).filter((index) => (count - 1 - index) % every === 0);
}

/** Horizontal bars, longest first, with count and share in words. */
function bars(rows: readonly Share[], classOfRow: (name: string) => string): string {
  if (rows.length === 0) {
    return NOTHING;
  }
  const most = Math.max(...rows.map((row) => row.count));
  const drawn = rows
    .slice(0, MAX_ROWS)
    .map(
      (row) =>
        `<tr><th scope="row" title="${escapeText(row.name)}">${escapeText(row.name)}</th><td class="bar">${bar([[classOfRow(row.name), row.count / most]])}</td>` +
        `<td class="number">${row.count}</td><td class="number dim">${percent(row.share)}</td></tr>`,
    );
  return `<table>${drawn.join('')}</table>${rest(rows.length)}`;
}

/** Applied and stale per session or model, as one bar each. */
function periods(rows: readonly Period[]): string {
  if (rows.length === 0) {
    return NOTHING;
  }
  const most = Math.max(...rows.map(({ applies }) => applies));
  const drawn = rows.slice(-MAX_ROWS).map((row) => {
    const parts = [
      ['applied', (row.applies - row.stale) / most],
      ['stale', row.stale / most],
    ] as const;
    return (
      `<tr><th scope="row" title="${escapeText(row.name)}">${escapeText(row.name)}</th><td class="bar">${bar(parts)}</td>` +
      `<td class="number">${row.applies - row.stale}</td><td class="number dim">${row.stale} stale</td></tr>`
    );
  });
  return `<table>${drawn.join('')}</table>${rest(rows.length)}`;
}

function bar(parts: readonly (readonly [className: string, share: number])[]): string {
  let at = 0;
  const drawn = parts.map(([className, share]) => {
    const from = at;
    at += share * 100;
    return share === 0
      ? ''
      : `<rect class="${className}" x="${round(from)}" y="0" width="${round(Math.max(0.5, share * 100))}" height="10"/>`;
  });
  return `<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${drawn.join('')}</svg>`;
}

const NOTHING = '<p class="dim">Nothing yet.</p>';

function rest(count: number): string {
  return count > MAX_ROWS ? `<p class="dim">${count - MAX_ROWS} more; the export has them all.</p>` : '';
}

function rateOf({ applies, stale }: Period): number {
  return applies === 0 ? 0 : stale / applies;
}

function count(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function slug(name: string): string {
  return name.replaceAll(/[^a-z]+/g, '-');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
