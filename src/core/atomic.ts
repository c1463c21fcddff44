import type { Author } from './applyRecord.ts';
import type { Documents, Outcome, RenameOutcome } from './documents.ts';
import type { EntryEdit } from './entryEdit.ts';
import type { Report } from './report.ts';
import type { Problem } from './status.ts';

type Ending = Outcome | RenameOutcome;

/** The order in which files are created, renamed and deleted: what is hardest to take back comes last. */
const ORDER = ['create', 'rename', 'delete'];

/**
 * Carries out all entries or none: every gate and every match first, then the edits of all texts as one step, then what
 * happens to files. Where a step fails, what came before it is taken back, and each file is read again to say where it is.
 *
 * Runs under the locks of all files. @returns a report for each edit, in their order.
 */
export async function editAtomically(
  edits: readonly EntryEdit[],
  documents: Documents,
  author: Author,
): Promise<Report[]> {
  let conclude: (isWhole: boolean) => void = () => {};
  const over = new Promise<boolean>((resolve) => {
    conclude = resolve;
  });
  const repeated = await Promise.all(edits.map((edit) => edit.repeated()));
  const open = edits.filter((_, index) => repeated[index] === undefined);
  try {
    const reports = new Map(
      zip(open, await editOpen(open, (parts) => documents.transactAll(parts, author, over), conclude)),
    );
    return edits.map((edit, index) => repeated[index] ?? reports.get(edit) ?? edit.skipped('it was never tried'));
  } finally {
    // Where that was not said before, something broke off.
    conclude(false);
    for (const edit of edits) {
      edit.account.withdraw();
    }
  }
}

type Transact = (parts: Parameters<Documents['transactAll']>[0]) => ReturnType<Documents['transactAll']>;

async function editOpen(
  edits: readonly EntryEdit[],
  transact: Transact,
  conclude: (isWhole: boolean) => void,
): Promise<Report[]> {
  await Promise.all(edits.map((edit) => edit.prepare()));
  const parts = edits.map((edit) => ({ file: edit.file, decide: edit.decide.bind(edit) }));
  const endings: Ending[] = [...(await transact(parts))];
  const failedAt = () => endings.findIndex(({ kind }) => kind !== 'applied' && kind !== 'held');
  if (failedAt() === -1) {
    await operateAll(edits, endings);
  }
  if (failedAt() !== -1) {
    return takeBackAll(edits, endings, failedAt(), conclude);
  }
  // All of them have their names before the first hook runs.
  for (const [index, edit] of edits.entries()) {
    edit.land(endings[index] as Ending);
  }
  conclude(true);
  const reports: Report[] = [];
  for (const [index, edit] of edits.entries()) {
    reports.push(await edit.conclude(endings[index] as Ending));
  }
  return reports;
}

/** Whether the entry was applied before: there is nothing to do for it. */
function isDone(edit: EntryEdit): boolean {
  return edit.asked.considered.kind === 'already_applied';
}

/** Up to the first that fails. Puts how each ended into `endings`. */
async function operateAll(edits: readonly EntryEdit[], endings: Ending[]): Promise<void> {
  const rank = (edit: EntryEdit) => ORDER.indexOf(edit.asked.considered.kind);
  const indexes = [...edits.keys()].filter((index) => rank(edits[index] as EntryEdit) !== -1);
  for (const index of indexes.sort((a, b) => rank(edits[a] as EntryEdit) - rank(edits[b] as EntryEdit))) {
    const edited = endings[index] as Outcome;
    const ending = await (edits[index] as EntryEdit).operateWhole(edited);
    endings[index] = ending;
    if (ending.kind !== 'applied') {
      return;
    }
  }
}

async function takeBackAll(
  edits: readonly EntryEdit[],
  endings: readonly Ending[],
  failed: number,
  conclude: (isWhole: boolean) => void,
): Promise<Report[]> {
  const name = edits[failed]?.file.path ?? 'another file';
  const isTouched = endings.some(({ kind }) => kind === 'applied');
  const reason = isTouched
    ? `${name} failed, and the call says all or nothing`
    : `${name} was refused, and the call says all or nothing`;
  const reports: Report[] = [];
  let isWhole = endings.every((ending) => ending.kind !== 'failed' || ending.isTakenBack);
  for (const [index, edit] of [...edits.entries()].reverse()) {
    try {
      const taken = await takeBack(edit, endings[index] as Ending, reason);
      isWhole &&= taken.isWhole;
      reports.unshift(taken.report);
    } catch (error) {
      isWhole = false;
      // One that breaks off must not keep the others from being taken back.
      const problem: Problem = {
        status: 'apply_failed',
        reason: `${reason}; taking this edit back broke off: ${error instanceof Error ? error.message : String(error)}`,
        next: `read ${edit.file.path} before you go on, and tell the engineer`,
      };
      reports.unshift(edit.account.problem(problem));
    }
  }
  conclude(isWhole);
  return reports;
}

async function takeBack(
  edit: EntryEdit,
  ending: Ending,
  reason: string,
): Promise<{ readonly report: Report; readonly isWhole: boolean }> {
  if (ending.kind === 'held') {
    return { report: isDone(edit) ? await edit.conclude(ending) : edit.skipped(reason), isWhole: true };
  }
  if (ending.kind !== 'applied') {
    return { report: await edit.conclude(ending), isWhole: true };
  }
  const back = (await ending.takeBack?.()) ?? { state: ending.state, isWhole: false };
  return { report: await edit.account.rolledBack(edit.asked.state, back, reason), isWhole: back.isWhole };
}

function zip<One, Other>(ones: readonly One[], others: readonly Other[]): [One, Other][] {
  return ones.map((one, index) => [one, others[index] as Other]);
}
