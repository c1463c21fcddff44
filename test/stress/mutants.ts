import type { Decision, Documents, FileRef, Outcome, State } from '../../src/core/documents.ts';
import { renderText } from '../../src/core/text.ts';
import type { InMemoryDocuments } from '../unit/support/inMemoryDocuments.ts';
import type { InMemoryFile } from '../unit/support/inMemoryFile.ts';
import type { Mutant } from './coreWorld.ts';
import type { Rule } from './judge.ts';

type Applied = Extract<Outcome, { kind: 'applied' }>;
type Transact = (file: FileRef, decide: (state: State) => Decision) => Promise<Outcome>;

/** A broken port, and the rules of which it breaks one. */
export interface BrokenPort {
  readonly name: string;
  readonly breaks: readonly Rule[];
  /** From where on a story soon breaks it. */
  readonly seed: number;
  readonly mutant: Mutant;
}

/** Ports that break one promise each: the checker must catch every one of them. */
export const MUTANTS: readonly BrokenPort[] = [
  {
    name: 'ignores the base: decides on the state that it saw first',
    breaks: ['unread'],
    seed: 12,
    mutant: (documents) => {
      const first = new Map<string, State>();
      return like(documents, {
        transact: async (file, decide) => {
          const seen = first.get(file.key) ?? (await documents.look(file));
          first.set(file.key, seen);
          return overwrite(documents, file, decide(seen), seen);
        },
      });
    },
  },
  {
    name: 'lets others in between compare and write',
    breaks: ['unread'],
    seed: 34,
    mutant: (documents) =>
      like(documents, {
        transact: async (file, decide) => {
          const seen = await documents.look(file);
          const decision = decide(seen);
          await documents.look(file);
          return overwrite(documents, file, decision, seen);
        },
      }),
  },
  {
    name: 'loses what is typed while it saves',
    breaks: ['lost'],
    seed: 34,
    mutant: (documents) =>
      changing(documents, async (file, outcome) => {
        const entry = documents.file(file.path);
        if (outcome.kind === 'applied' && entry.buffer && entry.textOnDisk !== undefined && entry.isDirty) {
          replace(entry, entry.textOnDisk, 'tidies');
        }
        return outcome;
      }),
  },
  {
    name: 'takes back without a look at what others did since',
    breaks: ['lost', 'left behind'],
    seed: 508,
    mutant: (documents) => {
      const before = new Map<string, Uint8Array | undefined>();
      return like(documents, {
        transactAll: async (parts) => {
          for (const { file } of parts) {
            before.set(file.key, documents.file(file.path).bytes);
          }
          const outcomes = await documents.transactAll(parts);
          return outcomes.map((outcome, index) => {
            const file = parts[index]?.file;
            return outcome.kind === 'applied' && file
              ? { ...outcome, takeBack: async () => takeBackBlindly(documents, file, before.get(file.key)) }
              : outcome;
          });
        },
      });
    },
  },
  {
    name: 'vouches for whatever it finds',
    breaks: ['token'],
    seed: 70,
    mutant: (documents) =>
      changing(documents, async (_, outcome) =>
        outcome.kind === 'applied' && outcome.state.base
          ? { ...outcome, foreign: false, landed: outcome.state.base }
          : outcome,
      ),
  },
  {
    name: 'leaves the edit in the buffer where the disk has changed',
    breaks: ['left behind'],
    seed: 60,
    mutant: (documents) => {
      const wanted = new Map<string, string>();
      return like(documents, {
        transact: async (file, decide) => {
          const outcome = await documents.transact(file, (state) => {
            const decision = decide(state);
            if (decision.kind === 'apply') {
              wanted.set(file.key, renderText(decision.candidate.text));
            }
            return decision;
          });
          if (outcome.kind === 'disk_changed') {
            replace(documents.file(file.path), wanted.get(file.key) ?? '', 'tidies');
          }
          return outcome;
        },
      });
    },
  },
  {
    name: 'creates over what is there',
    breaks: ['unread', 'lost'],
    seed: 61,
    mutant: (documents) =>
      like(documents, {
        create: async (file, text) => {
          await documents.look(file);
          const entry = documents.file(file.path);
          entry.write(Buffer.from(renderText(text)), 'arbiter', 'creates');
          return applied(await documents.look(file));
        },
      }),
  },
  {
    name: 'says that the engineer wrote what another program wrote',
    breaks: ['cause'],
    seed: 1,
    mutant: (documents) => like(documents, { writersSince: () => [{ cause: { kind: 'typed', count: 1 } }] }),
  },
];

/** The same port, but for some of its methods. */
function like(documents: InMemoryDocuments, changed: Partial<Documents>): Documents {
  return {
    resolve: (path) => documents.resolve(path),
    look: (file) => documents.look(file),
    transact: (file, decide) => documents.transact(file, decide),
    transactAll: (parts) => documents.transactAll(parts),
    runHooks: (file, outcome) => documents.runHooks(file, outcome),
    create: (file, text) => documents.create(file, text),
    remove: (file, base) => documents.remove(file, base),
    rename: (file, target, base) => documents.rename(file, target, base),
    settled: (file) => documents.settled(file),
    writersSince: (file) => documents.writersSince(file),
    locksOf: (file) => documents.locksOf(file),
    isProbablyIn: (file, base) => documents.isProbablyIn(file, base),
    endingFor: () => documents.endingFor(),
    ...changed,
  };
}

/** The same port, with other outcomes of its transactions. */
function changing(
  documents: InMemoryDocuments,
  change: (file: FileRef, outcome: Outcome) => Promise<Outcome>,
): Documents {
  const transact: Transact = async (file, decide) => change(file, await documents.transact(file, decide));
  return like(documents, { transact });
}

async function overwrite(
  documents: InMemoryDocuments,
  file: FileRef,
  decision: Decision,
  seen: State,
): Promise<Outcome> {
  if (decision.kind !== 'apply') {
    return { kind: decision.kind === 'hold' ? 'held' : 'refused', state: seen };
  }
  const entry = documents.file(file.path);
  documents.reload(file.path);
  replace(entry, renderText(decision.candidate.text));
  decision.onDidLand();
  entry.saveAs(renderText(decision.candidate.text), entry.buffer?.undo.at(-1), 'arbiter');
  return applied(await documents.look(file));
}

function replace(entry: InMemoryFile, raw: string, what = 'lands'): void {
  const buffer = entry.open();
  entry.edit([{ offset: 0, length: buffer.raw.length, text: raw }], 'arbiter', what);
}

async function takeBackBlindly(documents: InMemoryDocuments, file: FileRef, bytes: Uint8Array | undefined) {
  const entry = documents.file(file.path);
  entry.write(bytes, 'arbiter', 'takes back on disk');
  entry.close('arbiter', 'takes back');
  return { state: await documents.look(file), isWhole: true };
}

function applied(state: State): Applied {
  return {
    kind: 'applied',
    state,
    landed: state.base ?? { disk: 'absent' },
    saved: true,
    hooks: [],
    foreign: false,
    isSavedTogether: false,
    onDidNumber: () => {},
    takeBack: async () => ({ state, isWhole: false }),
  };
}
