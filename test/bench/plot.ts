/** Something's size, and what it costs in milliseconds. */
export type Point = readonly [size: number, milliseconds: number];

/** How a cost grows: the steepest step between neighbours, as the exponent of a power of the size. 1 is linear. */
export function slopeOf(points: readonly Point[]): number {
  return Math.max(
    ...points.slice(1).map(([size, cost], index) => {
      const [before = Number.NaN, costBefore = Number.NaN] = points[index] ?? [];
      return Math.log(cost / costBefore) / Math.log(size / before);
    }),
  );
}

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [640, 320, 80, 48, 24, 56];

/** A plot with logarithmic axes, beside a dashed line that grows as the size does, as SVG. */
export function plot(title: string, unit: string, points: readonly Point[]): string {
  const axis = (values: readonly number[], from: number, to: number) => {
    const low = Math.floor(Math.log10(Math.min(...values)));
    const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
    const ticks = Array.from({ length: high - low + 1 }, (_, index) => low + index);
    return { ticks, at: (value: number) => from + ((Math.log10(value) - low) / (high - low)) * (to - from) };
  };
  const x = axis(
    points.map(([size]) => size),
    LEFT,
    WIDTH - RIGHT,
  );
  const y = axis(
    points.map(([, cost]) => cost),
    HEIGHT - BOTTOM,
    TOP,
  );
  const place = ([size, cost]: Point) => `${x.at(size).toFixed(1)},${y.at(cost).toFixed(1)}`;
  const [last = [1, 1] as Point] = points.slice(-1);
  const linear = points.map(([size]): Point => [size, (last[1] * size) / last[0]]);
  const isInside = ([, cost]: Point) => y.at(cost) <= HEIGHT - BOTTOM;
  const text = (at: string, anchor: string, words: string) => `<text ${at} text-anchor="${anchor}">${words}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(`x="${LEFT}" y="24" font-size="14"`, 'start', `${title} (steepest slope ${slopeOf(points).toFixed(2)})`),
    ...x.ticks.flatMap((tick) => [
      `<path d="M${x.at(10 ** tick).toFixed(1)} ${TOP}V${HEIGHT - BOTTOM}" stroke="#e0e0e0"/>`,
      text(
        `x="${x.at(10 ** tick).toFixed(1)}" y="${HEIGHT - BOTTOM + 18}"`,
        'middle',
        (10 ** tick).toLocaleString('en'),
      ),
    ]),
    ...y.ticks.flatMap((tick) => [
      `<path d="M${LEFT} ${y.at(10 ** tick).toFixed(1)}H${WIDTH - RIGHT}" stroke="#e0e0e0"/>`,
      text(
        `x="${LEFT - 8}" y="${(y.at(10 ** tick) + 4).toFixed(1)}"`,
        'end',
        `${Number((10 ** tick).toPrecision(1))} ms`,
      ),
    ]),
    text(`x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 16}"`, 'middle', unit),
    `<polyline points="${linear.filter(isInside).map(place).join(' ')}" fill="none" stroke="#9e9e9e" stroke-dasharray="4 4"/>`,
    `<polyline points="${points.map(place).join(' ')}" fill="none" stroke="#1f6feb" stroke-width="2"/>`,
    ...points.map((point) => {
      const [cx, cy] = place(point).split(',');
      return `<circle cx="${cx}" cy="${cy}" r="3" fill="#1f6feb"/>`;
    }),
    '</svg>',
    '',
  ].join('\n');
}
