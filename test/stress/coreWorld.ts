import { AsyncLocalStorage } from 'node:async_hooks';
import { Arbiter, type Caller } from '../../src/core/arbiter.ts';
import type { Documents } from '../../src/core/documents.ts';
import { type Cause, Ledger } from '../../src/core/ledger.ts';
import { DEFAULT_LIMITS } from '../../src/core/memory.ts';
import { InMemoryDocuments } from '../unit/support/inMemoryDocuments.ts';
import type { Moment } from '../unit/support/moments.ts';
import { Agent, type Answer, type Tools } from './agent.ts';
import type { Call } from './calls.ts';
import { GENERATOR, HOOK } from './causes.ts';
import { Checker, UNKNOWN } from './checker.ts';
import type { Violation } from './judge.ts';
import { Marks } from './marks.ts';
import { count, type Numbers, noNumbers } from './numbers.ts';
import { COMMON } from './plans.ts';
import { Shadow } from './shadow.ts';
import { AGENTS, type AgentName, PATHS, type Schedule, type Setting, type Step } from './steps.ts';
import { typing, writing } from './texts.ts';

/** A port that breaks a promise, made of one that keeps them all. */
export type Mutant = (documents: InMemoryDocuments) => Documents;

/** What came of one schedule. */
export interface Played {
  readonly violations: readonly Violation[];
  /** What happened, a line each. */
  readonly story: readonly string[];
  readonly numbers: Numbers;
}

/** Something that waits at a point of the port. */
interface Waiting {
  readonly who: string;
  readonly moment: Moment;
  readonly path: string;
  readonly goOn: () => void;
}

/** Plays a schedule on the real arbiter and the editor in memory. The same schedule always gives the same story. */
export async function play({ setting, steps }: Schedule, mutant?: Mutant): Promise<Played> {
  const world = new CoreWorld(setting, mutant);
  for (const step of steps) {
    await world.plays(step);
    if (world.checker.violations.length > 0) {
      return world.ends();
    }
  }
  await world.settles();
  return world.ends();
}

class CoreWorld {
  readonly checker: Checker;
  readonly #shadow = new Shadow();
  readonly #marks = new Marks();
  readonly #documents: InMemoryDocuments;
  readonly #agents: Readonly<Record<AgentName, Agent>>;
  readonly #running = new AsyncLocalStorage<Call | undefined>();
  readonly #waiting: Waiting[] = [];
  readonly #story: string[] = [];
  readonly #numbers = noNumbers();
  readonly #wereStuck = new Set<string>();
  readonly #calls = new Set<Promise<unknown>>();
  #time = 1_000_000;
  #lastEdit = 0;

  constructor(setting: Setting, mutant: Mutant = (documents) => documents) {
    const ledger = new Ledger();
    const documents = new InMemoryDocuments(ledger, () => this.#time);
    this.#documents = documents;
    this.checker = new Checker(this.#shadow, (path) => setting.participants || this.#wereStuck.has(path));
    documents.isReloadLate = true;
    documents.onDidMutate = (mutation) => {
      const call = this.#running.getStore();
      const isAny = (is: (path: string) => boolean) => mutation.files.some(({ path }) => is(path));
      const beside = isAny((path) => documents.isHooking(path))
        ? 'hooks'
        : isAny((path) => documents.isBusy(path))
          ? 'an apply'
          : undefined;
      const happening = this.#shadow.observe(mutation, call, beside);
      this.#time += 1;
      count(this.#numbers.moves, mutation.by);
      for (const { path, after } of mutation.files) {
        const unsaved = after.isDirty ? `, unsaved ${JSON.stringify(after.buffer)}` : '';
        const disk = after.disk === undefined ? 'no file' : JSON.stringify(after.disk);
        this.#tell(`    ${path}: ${mutation.by} ${mutation.what}: ${disk}${unsaved}`);
      }
      this.checker.happened(happening);
    };
    this.#furnish(setting);
    documents.pause = (moment, path) =>
      new Promise((resolve) => {
        const call = this.#running.getStore();
        this.#numbers.points += 1;
        const who = call ? `the call of agent ${call.agent}` : 'the save';
        this.#waiting.push({ who, moment, path, goOn: resolve });
      });
    const arbiter = new Arbiter({
      documents: mutant(documents),
      ledger,
      limits: DEFAULT_LIMITS,
      now: () => this.#time,
      nextEdit: () => {
        this.#lastEdit += 1;
        this.checker.numbered(this.#lastEdit, this.#running.getStore());
        return this.#lastEdit;
      },
      protection: () => ({ more: [], less: [] }),
      ask: async () => false,
      onDidEdit: () => {},
      onFault: (error, path) => {
        const what = error instanceof Error ? error.message : String(error);
        this.checker.violations.push({ rule: 'answer', what: `${path}: an error inside: ${what}` });
      },
    });
    const agentOf = (name: AgentName) =>
      new Agent(name, {
        tools: this.#toolsOf(arbiter, name === UNKNOWN ? undefined : name),
        judge: this.checker,
        mark: () => this.#marks.next(name),
        tell: (line) => this.#tell(line),
        count: (status) => count(this.#numbers.entries, status),
      });
    this.#agents = { a: agentOf('a'), b: agentOf('b'), c: agentOf('c') };
  }

  /** One step, and all that follows from it without anybody else's doing. */
  async plays(step: Step): Promise<void> {
    this.#numbers.steps += 1;
    if (step.does === 'goes on') {
      await this.#passes(step.points, () => step.pick);
      return;
    }
    this.#act(step);
    await quiet();
    if (step.does === 'edits') {
      // The newest waits last.
      await this.#passes(step.points, () => this.#waiting.length - 1);
    }
  }

  /** Lets every call come to its end; then each agent looks at everything once more. */
  async settles(): Promise<void> {
    await this.#drains();
    for (const path of PATHS) {
      this.checker.settled(path);
    }
    for (const name of AGENTS) {
      for (const action of [() => this.#agents[name].checks([]), () => this.#agents[name].reads(PATHS)]) {
        if (this.checker.violations.length === 0) {
          this.#starts(action);
          await this.#drains();
        }
      }
    }
  }

  ends(): Played {
    const { violations } = this.checker;
    this.#numbers.schedules = 1;
    this.#numbers.violations = violations.length > 0 ? 1 : 0;
    return { violations, story: this.#story, numbers: this.#numbers };
  }

  async #drains(): Promise<void> {
    await quiet();
    while (this.#waiting.length > 0) {
      this.#goesOn(0);
      await quiet();
    }
    await quiet();
    if (this.#calls.size > 0) {
      this.checker.violations.push({ rule: 'answer', what: `${this.#calls.size} calls never end` });
    }
  }

  #furnish({ participants, hook, isWide, open, lines }: Setting): void {
    const documents = this.#documents;
    const ending = isWide ? '\r\n' : '\n';
    for (const [index, path] of PATHS.slice(0, 3).entries()) {
      const content = Array.from({ length: lines + index }, (_, line) =>
        line % 3 === 1 ? COMMON : `${this.#marks.next('i')} line ~~ ${line}`,
      );
      documents.write(path, `${content.join(ending)}${ending}`);
      if (index < open) {
        documents.open(path);
      }
    }
    documents.ending = ending;
    if (participants) {
      documents.saveParticipants = (raw) => raw.replaceAll(/[ \t]+(?=\r?$)/gm, '');
    }
    if (hook) {
      documents.hooks = [{ name: HOOK, run: (raw) => raw.replaceAll('~~', '~') }];
    }
  }

  #toolsOf(arbiter: Arbiter, session: string | undefined): Tools {
    const caller: Caller = { session, isCancelled: () => false, isChat: true };
    return {
      read: (call, input) => this.#running.run(call, () => arbiter.read(input, caller, async (text) => text.length)),
      edit: (call, input) => this.#running.run(call, () => arbiter.edit(input, caller) as Promise<Answer>),
      check: (call, input) => this.#running.run(call, async () => (await arbiter.check(input, caller)).results),
    };
  }

  #act(step: Exclude<Step, { readonly does: 'goes on' }>): void {
    const documents = this.#documents;
    switch (step.does) {
      case 'reads':
        this.#starts(() =>
          this.#agents[step.agent].reads(
            step.files.map((file) => PATHS[file] ?? ''),
            step.isPart ? { start_line: 1, end_line: 2 } : {},
          ),
        );
        return;
      case 'edits':
        this.#starts(() =>
          this.#agents[step.agent].edits(
            step.edits.map(({ file, to, of, ...edit }) => ({
              ...edit,
              path: PATHS[file] ?? '',
              target: PATHS[to] ?? '',
              ...(of === undefined ? {} : { of: PATHS[of] ?? '' }),
            })),
            step.mode,
            step.isCareful,
          ),
        );
        return;
      case 'retries':
        this.#starts(() => this.#agents[step.agent].retries());
        return;
      case 'insists':
        this.#starts(() => this.#agents[step.agent].insists(step.how));
        return;
      case 'checks':
        this.#starts(() => this.#agents[step.agent].checks(step.files.map((file) => PATHS[file] ?? '')));
        return;
      default:
        this.#actsBeside(step, PATHS[step.file] ?? this.#waiting.at(-1)?.path ?? PATHS[0], documents);
    }
  }

  /** What the engineer, the editor and other programs do. What cannot be done at that moment is left out. */
  #actsBeside(
    step: Exclude<Step, { readonly agent: string } | { readonly does: 'goes on' }>,
    path: string,
    documents: InMemoryDocuments,
  ): void {
    const { disk, buffer, isDirty } = documents.content(path);
    switch (step.does) {
      case 'types':
        if (disk === undefined && buffer === undefined) {
          return;
        }
        this.#tell(`the engineer types in ${path}`);
        documents.change(path, 'typed', (raw) => typing(raw, step.at, step.how, () => this.#marks.next('e')));
        return;
      case 'fixes':
        if (buffer === undefined) {
          return;
        }
        this.#tell(`a quick fix changes ${path}`);
        documents.change(path, 'not_typed', (raw) => typing(raw, step.at, 'into', () => this.#marks.next('x')));
        return;
      case 'undoes':
      case 'redoes': {
        const kind = step.does === 'undoes' ? 'undo' : 'redo';
        if (documents.undoSteps(path, kind) > 0) {
          this.#tell(`the engineer ${step.does} in ${path}`);
          documents.step(path, kind);
        }
        return;
      }
      case 'opens':
        if (disk !== undefined && buffer === undefined) {
          this.#tell(`the engineer opens ${path}`);
          documents.open(path);
        }
        return;
      case 'closes':
        if (buffer !== undefined && !isDirty && !documents.isBusy(path)) {
          this.#tell(`the engineer closes ${path}`);
          documents.close(path);
        }
        return;
      case 'reverts':
        if (isDirty && !documents.isBusy(path)) {
          this.#tell(`the engineer gives up what is unsaved in ${path}`);
          documents.revert(path);
        }
        return;
      case 'reloads':
        documents.reload(path);
        return;
      case 'saves':
        if (isDirty) {
          this.#tell(`the engineer saves ${path}${step.isForced ? ', whatever is on disk' : ''}`);
          this.#starts(() => documents.saveSlowly(path, step.isForced));
        }
        return;
      case 'renames in the editor': {
        const target = PATHS[step.to] ?? '';
        const taken = documents.content(target);
        const isFree = taken.disk === undefined && taken.buffer === undefined;
        if (disk !== undefined && isFree && !documents.isBusy(path)) {
          this.#tell(`the engineer renames ${path} to ${target}`);
          documents.renameInEditor(path, target);
        }
        return;
      }
      case 'writes':
        this.#writes(step, path, disk);
        return;
      case 'gets stuck':
        this.#tell(`saves of ${path} ${step.isStuck ? 'fail from now on' : 'work again'}`);
        documents.makeStuck(path, step.isStuck);
        this.#wereStuck.add(path);
        return;
      default:
        step satisfies never;
    }
  }

  #writes(
    { how, at, isGenerator, file }: Extract<Step, { does: 'writes' }>,
    path: string,
    disk: string | undefined,
  ): void {
    const documents = this.#documents;
    const who = isGenerator ? 'the generator' : 'another program';
    const cause: Cause | undefined = isGenerator ? { kind: 'generator', command: GENERATOR, via: 'task' } : undefined;
    const written = writing(disk, at, how, () => this.#marks.next(isGenerator ? 'g' : 'p'));
    const target = PATHS[(file + 1) % PATHS.length] ?? '';
    if (written === undefined) {
      return;
    }
    this.#tell(`${who} ${how}${written.isMoved ? ` ${target}` : ''}: ${path}`);
    if (written.isMoved) {
      documents.moveOver(path, target, cause);
    } else if (written.isRenamed) {
      documents.write('tmp', written.content, cause);
      documents.moveOver('tmp', path, cause);
    } else {
      documents.write(path, written.content, cause);
    }
  }

  /** Lets what waits go on, past some points. */
  async #passes(points: number, pick: () => number): Promise<void> {
    for (let point = 0; point < points; point += 1) {
      this.#goesOn(Math.max(0, pick()));
      await quiet();
    }
  }

  #goesOn(pick: number): void {
    const [waiting] = this.#waiting.splice(pick % Math.max(1, this.#waiting.length), 1);
    if (waiting) {
      this.#tell(`  ${waiting.who} goes on: ${waiting.moment}, ${waiting.path}`);
      waiting.goOn();
    }
  }

  #starts(action: () => Promise<unknown>): void {
    const ended: Promise<unknown> = action()
      .catch((error: unknown) => {
        const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.checker.violations.push({ rule: 'answer', what: `a call broke off: ${what}` });
      })
      .finally(() => this.#calls.delete(ended));
    this.#calls.add(ended);
  }

  #tell(line: string): void {
    this.#story.push(line);
  }
}

/** Everything that follows by itself has followed when this resolves. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
