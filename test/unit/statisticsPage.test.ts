import assert from 'node:assert/strict';
import { computeStatistics, type Tally } from '../../src/core/statistics.ts';
import { statisticsPage } from '../../src/core/statisticsPage.ts';

const DAY = 24 * 60 * 60 * 1_000;

function tallies(days: number): Tally[] {
  return Array.from({ length: days * 4 }, (_, index) => ({
    time: Math.floor(index / 4) * DAY,
    session: `s${index % 3}`,
    status: index % 4 === 0 ? 'stale_base' : 'applied',
    causes: index % 4 === 0 ? ['external writer'] : [],
  }));
}

function pageOf(all: readonly Tally[]): string {
  return statisticsPage(
    computeStatistics(all, (time) => new Date(time).toISOString().slice(0, 10)),
    'command:x',
  );
}

describe('statisticsPage', () => {
  it('says so where nothing is counted yet', () => {
    assert.match(pageOf([]), /No agent has edited a file/);
    assert.match(pageOf([]), /<a class="export" href="command:x">/);
  });

  it('draws a column for each of the last sixty days, names some of them, and never leaves its field', () => {
    const page = pageOf(tallies(90));
    const chart = /<svg class="chart".*?<\/svg>/s.exec(page)?.[0] ?? '';
    assert.equal(chart.match(/<rect class="applied"/g)?.length, 60);
    assert.equal(chart.match(/<rect class="stale"/g)?.length, 60);
    const labels = chart.match(/text-anchor="middle">/g)?.length ?? 0;
    assert.ok(labels > 5 && labels <= 11, String(labels));
    assert.match(chart, />03-31</);
    for (const [, name, value] of chart.matchAll(/ (x|y|width|height|cx|cy)="(-?[\d.]+)"/g)) {
      assert.ok(Number(value) >= 0 && Number(value) <= 720, `${name}=${value}`);
    }
    assert.doesNotMatch(page, /NaN|Infinity|undefined/);
  });

  it('lists causes, refusals, sessions and, where they are known, models', () => {
    const statistics = computeStatistics(tallies(2), () => '2026-01-01');
    const page = statisticsPage({ ...statistics, models: [{ name: 'm <b>', applies: 2, stale: 1 }] }, 'command:x');
    for (const words of ['external writer', 'stale base', 'session 1', 'By model', 'm &lt;b&gt;', '1 stale']) {
      assert.ok(page.includes(words), words);
    }
    assert.doesNotMatch(pageOf(tallies(2)), /By model/);
  });

  it('holds no script, no style and no markup from outside', () => {
    const hostile = [{ time: 0, session: 'a', status: '<script>"x"</script>', causes: [] }];
    const page = pageOf(hostile);
    assert.doesNotMatch(page, /<script|style=| on\w+=/);
    assert.ok(page.includes('&lt;script&gt;&quot;x&quot;'));
  });
});
