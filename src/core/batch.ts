import type { FileRef } from './documents.ts';
import type { EditRequest, OnConflict } from './input.ts';
import { type Report, reportProblem } from './report.ts';
import type { Problem } from './status.ts';

/** An entry that can be judged. */
export interface OpenEntry {
  readonly kind: 'open';
  readonly request: EditRequest;
  readonly file: FileRef;
  /** Where the entry renames the file to. */
  readonly target?: FileRef;
}

/** An entry with its file, or the report that already answers it. */
export type Entry = OpenEntry | { readonly kind: 'answered'; readonly report: Report };

/**
 * Edits the entries of one call as `onConflict` says: all at once, or one after the other up to the first that is refused.
 *
 * @param edit never rejects; called at most once for each open entry, in their order.
 * @returns a report for each entry, in their order.
 */
export async function editAll(
  entries: readonly Entry[],
  onConflict: Exclude<OnConflict, 'atomic'>,
  edit: (entry: OpenEntry) => Promise<Report>,
): Promise<Report[]> {
  const answer = async (entry: Entry) => (entry.kind === 'open' ? edit(entry) : entry.report);
  if (onConflict === 'continue' || entries.length === 1) {
    return Promise.all(entries.map(answer));
  }
  const reports: Report[] = [];
  for (const entry of entries) {
    const refused = reports.find(({ status }) => status !== 'applied' && status !== 'already_applied');
    const path = entry.kind === 'open' ? entry.file.path : entry.report.path;
    reports.push(refused ? reportProblem(path, skippedAfter(refused)) : await answer(entry));
  }
  return reports;
}

function skippedAfter(refused: Report): Problem {
  return {
    status: 'skipped',
    reason: `${refused.path ?? 'an entry'} before it was refused (${refused.status}), and the call says to stop`,
    next: 'nothing of this entry was touched; settle the refused one, then send this one again',
  };
}
