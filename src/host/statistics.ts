import * as vscode from 'vscode';
import { computeStatistics, printCsv, type Tally } from '../core/statistics.ts';

/** Writes them where the engineer says, as JSON or CSV. */
export async function exportStatistics(tallies: readonly Tally[]): Promise<void> {
  const target = await vscode.window.showSaveDialog({
    title: 'Export Statistics',
    filters: { 'JSON, with totals': ['json'], 'CSV, a line per edit': ['csv'] },
  });
  if (target) {
    const isCsv = target.path.toLowerCase().endsWith('.csv');
    const json = JSON.stringify({ ...computeStatistics(tallies, dayOf), edits: tallies }, undefined, 2);
    await vscode.workspace.fs.writeFile(
      target,
      Buffer.from(isCsv ? printCsv(tallies, (time) => new Date(time).toISOString()) : `${json}\n`),
    );
  }
}

/** In the engineer's own calendar. */
export function dayOf(time: number): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
