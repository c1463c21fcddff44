import { type ApplyRecord, describeInterruption, type Fate, type Found, progressOf } from './applyRecord.ts';
import { printBase } from './base.ts';
import type { Desk } from './entryAccount.ts';
import type { Snapshot } from './texts.ts';

/** An edit that was cut off, as it was found when it was first recognised. */
export interface InterruptedEdit {
  /** The name of its record. */
  readonly id: string;
  readonly record: ApplyRecord;
  readonly fates: readonly Fate[];
  /** What each file held then; `null` where that could not be told. */
  readonly now: Found['now'];
  /** The number that the edit was given then, if this is not the first time. */
  readonly edit: number | undefined;
  /** What each file held before; `undefined` where that is no text. */
  readonly texts: readonly (Snapshot | undefined)[];
}

/** See `Arbiter.interrupted`. @returns the number of the edit; `undefined` where it had not begun. */
export function tellInterrupted(
  { id, record, fates, now, edit, texts }: InterruptedEdit,
  { memory, conflicts, nextEdit }: Pick<Desk, 'memory' | 'conflicts' | 'nextEdit'>,
): number | undefined {
  const progress = progressOf(fates);
  if (progress === 'not begun') {
    return undefined;
  }
  const { session, turn, time, files } = record;
  const number = edit ?? nextEdit();
  const reason = describeInterruption(record, fates);
  for (const [index, { key, path, before }] of files.entries()) {
    const disk = now[index];
    const fate = fates[index];
    if (fate === 'before') {
      continue;
    }
    const text = texts[index];
    if (text) {
      memory.rememberSnapshot({ key, path }, before, text);
    }
    // What is neither may be another program's: whoever looks next names it.
    if (edit === undefined && fate === 'after' && disk) {
      memory.ledger.moved(key, { kind: 'edit', number, session, turn }, time, { disk });
    }
    if (progress === 'finished') {
      continue;
    }
    const since = printBase({ disk: before });
    conflicts.add({
      time,
      key,
      path,
      session,
      turn,
      status: 'interrupted',
      expected: since,
      since,
      // What cannot be read cannot be restored over either.
      ...(disk ? { actual: printBase({ disk }) } : {}),
      changedBy: [`edit #${number} (cut off)`],
      diffSinceRead: null,
      reason,
      explanation: undefined,
      request: {
        path,
        base: { disk: before },
        wish: { kind: 'nothing' },
        signature: `interrupted ${id}`,
        parts: [],
      },
      ...(memory.isSecret({ key, path }) ? { isSecret: true } : {}),
      interruption: { record: id, edit: number, isSure: fate === 'after' },
    });
  }
  return number;
}
