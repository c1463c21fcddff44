import { type ApplyRecord, describeInterruption, type Fate, type OnDisk, progressOf } from './applyRecord.ts';
import { printBase } from './base.ts';
import type { Desk } from './entryAccount.ts';
import type { Snapshot } from './texts.ts';

/** An edit that was cut off, as it was found at the next start. */
export interface InterruptedEdit {
  /** The name of its record. */
  readonly id: string;
  readonly record: ApplyRecord;
  readonly fates: readonly Fate[];
  /** What each file holds now. */
  readonly now: readonly OnDisk[];
  /** What each file held before; `undefined` where that is no text. */
  readonly texts: readonly (Snapshot | undefined)[];
}

/** See `Arbiter.interrupted`. */
export function tellInterrupted(
  { id, record, fates, now, texts }: InterruptedEdit,
  { memory, conflicts, nextEdit }: Pick<Desk, 'memory' | 'conflicts' | 'nextEdit'>,
): void {
  const progress = progressOf(fates);
  if (progress === 'not begun') {
    return;
  }
  const { session, turn, time, files } = record;
  const number = nextEdit();
  const reason = describeInterruption(record, fates);
  for (const [index, { key, path, before }] of files.entries()) {
    const to = { disk: now[index] ?? before };
    if (to.disk === before) {
      continue;
    }
    const text = texts[index];
    if (text) {
      memory.rememberSnapshot({ key, path }, before, text);
    }
    memory.ledger.moved(key, { kind: 'edit', number, session, turn }, time, to);
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
      actual: printBase(to),
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
      interruption: { record: id, edit: number },
    });
  }
}
