import assert from 'node:assert/strict';
import { Arbiter, type Caller, type EditAnswer } from '../../../src/core/arbiter.ts';
import { Ledger } from '../../../src/core/ledger.ts';
import { DEFAULT_LIMITS, type Limits, type Question, type Surroundings } from '../../../src/core/memory.ts';
import type { Room } from '../../../src/core/reading.ts';
import type { Report } from '../../../src/core/report.ts';
import type { Tally } from '../../../src/core/statistics.ts';
import { InMemoryDocuments } from './inMemoryDocuments.ts';
import type { Moment } from './moments.ts';

/** The JSON of one file's result, with the keys that stories look at. */
export interface Result extends Report {
  readonly base?: string;
  readonly actual?: string;
  readonly expected?: string;
  readonly edit?: number;
  readonly saved?: boolean;
  readonly changed_by?: readonly string[];
  readonly diff_since_read?: string | null;
  readonly format_changed?: readonly string[];
  readonly your_edit?: string;
  readonly changed_lines?: readonly (readonly [number, number])[];
  readonly line_shifts?: readonly (readonly [number, number])[];
  readonly hooks?: readonly string[];
  readonly diff_by_hooks?: string;
  readonly note?: string;
  readonly reason?: string;
  readonly next?: string;
  readonly content?: string;
}

export interface Answer extends EditAnswer {
  readonly results: readonly Result[];
}

/** What one edit replaces: old text by new text. */
export type Replacements = Readonly<Record<string, string>>;

/** One entry of `arbiter_edit`, as an agent writes it. */
export type Entry = Readonly<Record<string, unknown>>;

const fitAll: Room = async (text) => text.length;

/** An agent with a memory for bases, as a careful one has. */
class Agent {
  readonly #arbiter: Arbiter;
  readonly #session: string | undefined;
  readonly #bases = new Map<string, string>();
  #isCancelled = false;

  constructor(arbiter: Arbiter, session: string | undefined) {
    this.#arbiter = arbiter;
    this.#session = session;
  }

  /** From now on every call of the agent counts as cancelled. */
  cancels(): void {
    this.#isCancelled = true;
  }

  /** The base it would carry. */
  baseOf(path: string): string | undefined {
    return this.#bases.get(path);
  }

  /** Reads one file and remembers its base. */
  async reads(path: string, lines: object = {}): Promise<Result> {
    const [part, ...others] = await this.#arbiter.read({ files: [{ path, ...lines }] }, this.#caller(), fitAll);
    assert.equal(others.length, 0);
    assert.ok(part);
    this.#remember(path, part.header);
    return { ...part.header, ...(part.content === undefined ? {} : { content: part.content }) };
  }

  /** Sends edits of one file with the base it remembers. */
  async edits(path: string, replacements: Replacements, more: Entry = {}): Promise<Result> {
    return only(await this.sends([this.plans(path, replacements, more)]));
  }

  /** An entry with the base it remembers. */
  plans(path: string, replacements: Replacements, more: Entry = {}): Entry {
    return { path, base: this.baseOf(path), edits: editsOf(replacements), ...more };
  }

  /** Creates a file, or replaces its whole text. */
  async writes(
    path: string,
    content: string,
    base: string | undefined = this.baseOf(path) ?? 'absent',
  ): Promise<Result> {
    return only(await this.sends([{ path, base, content }]));
  }

  /** One call of `arbiter_edit`. */
  async sends(files: readonly Entry[], more: object = {}): Promise<Answer> {
    const answer = (await this.#arbiter.edit({ files, ...more }, this.#caller())) as Answer;
    for (const [index, result] of answer.results.entries()) {
      this.#remember(String(files[index]?.['path']), result);
    }
    return answer;
  }

  /** One call of `arbiter_check`: of all bases it holds, or of these files at the bases it remembers. */
  async checks(...paths: readonly string[]): Promise<readonly Result[]> {
    const files = paths.map((path) => ({ path, base: this.baseOf(path) }));
    const { results } = await this.#arbiter.check(paths.length === 0 ? {} : { files }, this.#caller());
    return results;
  }

  #remember(path: string, { base }: Result): void {
    if (base !== undefined) {
      this.#bases.set(path, base);
    }
  }

  #caller(): Caller {
    return { session: this.#session, isCancelled: () => this.#isCancelled, isChat: this.#session !== undefined };
  }
}

/** A workspace in memory and everybody who writes in it. Nothing happens but what the story tells. */
export class Story {
  readonly ledger = new Ledger();
  readonly documents: InMemoryDocuments;
  /** Errors that no rule foresees. */
  readonly faults: unknown[] = [];
  readonly tallies: Tally[] = [];
  /** Texts that were stored beyond the window. */
  readonly stored: string[] = [];
  /** What the human was asked. */
  readonly questions: Question[] = [];
  answer: (question: Question) => boolean = () => false;
  readonly arbiter: Arbiter;
  readonly #agents = new Map<string | undefined, Agent>();
  #time = 1_000_000;
  #lastEdit = 0;

  constructor(
    files: Readonly<Record<string, string>>,
    limits: Partial<Limits> = {},
    { onDidLand = () => {}, syntax }: Partial<Pick<Surroundings, 'onDidLand' | 'syntax'>> = {},
  ) {
    this.documents = new InMemoryDocuments(this.ledger, () => this.#time);
    for (const [path, content] of Object.entries(files)) {
      this.documents.write(path, content);
    }
    this.arbiter = new Arbiter({
      documents: this.documents,
      ledger: this.ledger,
      limits: { ...DEFAULT_LIMITS, ...limits },
      store: { keepText: (_, { text }) => this.stored.push(text.content), findText: () => undefined },
      now: () => this.#time,
      nextEdit: () => ++this.#lastEdit,
      protection: () => ({ more: [], less: [] }),
      ...(syntax ? { syntax } : {}),
      ask: async (question) => {
        this.questions.push(question);
        return this.answer(question);
      },
      onDidLand,
      onDidEdit: (tally) => this.tallies.push(tally),
      onFault: (error) => this.faults.push(error),
    });
  }

  /** The agent of a chat session; `undefined` for one whose session the editor cannot tell. */
  agent(session: string | undefined): Agent {
    const agent = this.#agents.get(session) ?? new Agent(this.arbiter, session);
    this.#agents.set(session, agent);
    return agent;
  }

  readonly human = {
    opens: (path: string) => this.documents.open(path),
    /** Replaces texts in the editor, one change for each. */
    types: (path: string, replacements: Replacements) => this.#changeBuffer(path, 'typed', replacements),
    /** Runs a command that changes the text: nobody types. */
    quickFixes: (path: string, replacements: Replacements) => this.#changeBuffer(path, 'not_typed', replacements),
    saves: (path: string) => this.documents.save(path),
    undoes: (path: string) => this.documents.step(path, 'undo'),
    redoes: (path: string) => this.documents.step(path, 'redo'),
  };

  readonly disk = {
    writes: (path: string, content: string | Uint8Array) => this.documents.write(path, content),
    deletes: (path: string) => this.documents.write(path, undefined),
    text: (path: string) => this.documents.textOnDisk(path),
  };

  /** What the editor shows of a file. */
  text(path: string): string | undefined {
    return this.documents.text(path);
  }

  /** The token of the state now. */
  base(path: string): string {
    return this.documents.base(path);
  }

  /** Lets somebody act in the middle of the next transaction. */
  at(moment: Moment, action: () => void): void {
    this.documents.at(moment, action);
  }

  passes(milliseconds: number): void {
    this.#time += milliseconds;
  }

  #changeBuffer(path: string, cause: 'typed' | 'not_typed', replacements: Replacements): void {
    for (const [oldText, text] of Object.entries(replacements)) {
      this.documents.change(path, cause, (raw) => {
        const offset = raw.indexOf(oldText);
        assert.ok(offset !== -1, `${JSON.stringify(oldText)} is not in ${path}: ${JSON.stringify(raw)}`);
        return [{ offset, length: oldText.length, text }];
      });
    }
  }
}

export function editsOf(replacements: Replacements): object[] {
  return Object.entries(replacements).map(([old_string, new_string]) => ({ old_string, new_string }));
}

export function only(answer: Answer): Result {
  assert.equal(answer.results.length, 1, JSON.stringify(answer));
  return answer.results[0] as Result;
}

/** Asserts a status, and shows the whole result where it is another. */
export function assertStatus(result: Result | undefined, status: string): asserts result {
  assert.equal(result?.status, status, JSON.stringify(result));
}
