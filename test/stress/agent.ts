import { applyPatch } from 'diff';
import type { Call, Entry, Known } from './calls.ts';
import { type Judge, type Result, short } from './judge.ts';
import { type Form, outcomeOf, plan } from './plans.ts';

export interface Answer {
  readonly results: readonly Result[];
  readonly also_changed?: readonly string[];
}

export interface Part {
  readonly header: Result;
  readonly content?: string;
}

/** The three tools, as the session of an agent calls them. */
export interface Tools {
  read(call: Call, input: { readonly files: readonly object[] }): Promise<readonly Part[]>;
  edit(call: Call, input: object): Promise<Answer>;
  check(call: Call, input: object): Promise<readonly Result[]>;
}

/** What an agent works with. */
export interface Office {
  readonly tools: Tools;
  readonly judge: Judge;
  /** A new mark of its own. */
  readonly mark: () => string;
  readonly tell: (line: string) => void;
  /** Told of the status of each entry that was answered. */
  readonly count: (status: string) => void;
}

/** One entry that an agent asks for. */
export interface Intent {
  readonly path: string;
  readonly form: Form;
  readonly at: number;
  /** How many bases back from the newest. */
  readonly age: number;
  readonly target: string;
  /** Another file, whose base and text are taken for this one's. */
  readonly of?: string;
  /** Whether the base is sent with twelve digits. */
  readonly isAbbreviated: boolean;
}

export type Mode = 'continue' | 'stop' | 'atomic';

/** What an agent knew of a file before a call. */
type Before = (path: string) => readonly Known[] | undefined;

interface Sent {
  readonly entries: readonly Entry[];
  readonly mode: Mode;
}

/** How an agent sends again what was refused as stale. */
export type Reflex = 'as it is' | 'with a reason' | 'planned again';

/** A careful agent: it takes for true only what answers have shown to it, and holds every answer against the truth. */
export class Agent {
  readonly name: string;
  readonly #office: Office;
  /** What it was shown, by path, the newest last. */
  readonly #known = new Map<string, Known[]>();
  /** Every text that it was shown at a token, whatever has become of it since. */
  readonly #shown = new Map<string, string | undefined>();
  /** The newest base of each file that a read or an applied edit gave. */
  readonly #held = new Map<string, Known>();
  /** Files of which it was told that they have moved, and which it has not read since. */
  readonly #stalePaths = new Set<string>();
  readonly #running = new Set<Call>();
  #sent: Sent | undefined;
  /** Its newest refused entry, and the state that it was told of. */
  #refused: { readonly entry: Entry; readonly actual: Known } | undefined;

  constructor(name: string, office: Office) {
    this.name = name;
    this.#office = office;
  }

  async reads(paths: readonly string[], lines: object = {}): Promise<void> {
    const { tools, tell } = this.#office;
    const call = this.#call([]);
    tell(`agent ${this.name} reads ${paths.join(', ')}${'end_line' in lines ? ', a part' : ''}`);
    const parts = await this.#during(call, tools.read(call, { files: paths.map((path) => ({ path, ...lines })) }));
    for (const [index, path] of paths.entries()) {
      const part = parts[index];
      if (part) {
        this.#shownBy(call, path, part);
      }
    }
  }

  /** Sends entries that it can plan; files that it does not know, it reads instead. A careful one reads all of them first. */
  async edits(intents: readonly Intent[], mode: Mode, isCareful: boolean): Promise<void> {
    if (isCareful) {
      await this.reads(intents.map(({ path }) => path));
    }
    // Mostly, it reads again what it knows to have moved.
    const isToRead = ({ path, at }: Intent) =>
      this.#at(path, 0) === undefined || (this.#stalePaths.has(path) && at % 3 !== 0);
    const unknown = intents.filter(isToRead).map(({ path }) => path);
    if (unknown.length > 0) {
      await this.reads(unknown);
      return;
    }
    const entries = intents.map(({ path, form, at, age, target, of = path, isAbbreviated }) => {
      const known = this.#at(of, age) ?? this.#at(of, 0) ?? (this.#at(path, 0) as Known);
      const entry = plan({ path, known, form, at, target, mark: this.#office.mark });
      const base = known.token.replaceAll(/([0-9a-f]{12})[0-9a-f]+/g, '$1');
      return isAbbreviated ? { ...entry, input: { ...entry.input, base } } : entry;
    });
    await this.#sends({ entries, mode });
  }

  /** Sends its last call once more, whatever has become of it. */
  async retries(): Promise<void> {
    if (this.#sent) {
      this.#office.tell(`agent ${this.name} sends its last call again`);
      const { entries, mode } = this.#sent;
      await this.#sends({ entries: entries.map((entry) => ({ ...entry })), mode });
    }
  }

  /** Sends its newest refused entry again. */
  async insists(how: Reflex): Promise<void> {
    const refused = this.#refused;
    if (!refused) {
      return;
    }
    this.#refused = undefined;
    const { entry, actual } = refused;
    const { path, input } = entry;
    if (how === 'planned again' || 'patch' in input || actual.text === undefined) {
      const wish = { path, known: actual, form: 'extends a line', at: 0, target: path } as const;
      await this.#sends({ entries: [plan({ ...wish, mark: this.#office.mark })], mode: 'continue' });
      return;
    }
    const reason = how === 'with a reason' ? { still_needed: 'it is still true' } : {};
    const { intended, isFit } = outcomeOf(input, actual.text);
    const again: Entry = {
      ...entry,
      known: actual,
      intended,
      isFit,
      form: `${entry.form}, as refused,`,
      input: { ...input, ...reason, base: actual.token },
    };
    await this.#sends({ entries: [again], mode: 'continue' });
  }

  async checks(paths: readonly string[]): Promise<void> {
    const { tools, tell } = this.#office;
    const call = this.#call([]);
    const before = this.#before();
    const known = paths.flatMap((path) => this.#at(path, 0) ?? []);
    const files = paths.filter((path) => this.#at(path, 0)).map((path, index) => ({ path, base: known[index]?.token }));
    tell(`agent ${this.name} checks ${files.map(({ path }) => path).join(', ') || 'all that it holds'}`);
    const results = await tools.check(call, files.length === 0 ? {} : { files });
    for (const result of results) {
      const path = String(result.path);
      if (result.status === 'fresh') {
        const checked = known.find((each) => files.some((file) => file.path === path && file.base === each.token));
        if (checked) {
          this.#learn(call, path, result['base'], checked.text);
        }
      } else if (result.status === 'stale_base') {
        this.#stale(call, before, path, result);
      }
      tell(`  → agent ${this.name} is told of ${path}: ${printResult(result)}`);
    }
  }

  async #sends(sent: Sent): Promise<void> {
    const { tools, tell, judge, count } = this.#office;
    this.#sent = sent;
    const { entries, mode } = sent;
    const call = this.#call(entries);
    const words = entries.map(({ form, path, known, target }) => {
      const to = target === undefined ? '' : ` to ${target}`;
      return `${form} in ${path}${to} on base ${short(known.token)}`;
    });
    tell(`agent ${this.name} ${words.join('; ')}${entries.length > 1 ? ` (${mode})` : ''}`);
    const heldBefore = new Map(this.#held);
    const before = this.#before();
    const { results, also_changed } = await this.#during(
      call,
      tools.edit(call, {
        files: entries.map(({ input }) => input),
        ...(mode === 'continue' ? {} : { on_conflict: mode }),
      }),
    );
    for (const [index, entry] of entries.entries()) {
      const result = results[index];
      if (!result) {
        judge.violations.push({ rule: 'answer', what: `${entry.path} was not answered` });
        continue;
      }
      tell(`  → agent ${this.name} is told of ${entry.path}: ${printResult(result)}`);
      count(result.status);
      judge.answered(call, entry, result);
      this.#told(call, before, entry, result);
    }
    for (const line of also_changed ?? []) {
      const [, path = '', causes = ''] = /^(\S+): (.*)$/.exec(line) ?? [];
      // An answer that comes meanwhile may give an older base than the one that was held.
      const held = [heldBefore.get(path), this.#held.get(path)].filter((known) => known !== undefined);
      if (held.length > 0) {
        judge.named(this.name, path, Math.min(...held.map(({ since }) => since)), causes.split('; '));
      }
    }
  }

  /** What it knows from a result of an edit, and nothing more. */
  #told(call: Call, before: Before, entry: Entry, result: Result): void {
    const { status, base } = result;
    const path = String(result.path ?? entry.path);
    switch (status) {
      case 'applied': {
        if (entry.target !== undefined) {
          this.#forget(entry.path);
        }
        const patch = result['diff_by_hooks'];
        const text = typeof patch === 'string' ? patched(entry.intended, patch) : entry.intended;
        if (base === undefined) {
          this.#forget(path);
          this.#office.judge.token(path, result['actual'], call.start);
        } else {
          this.#hold(call, path, this.#learn(call, path, base, text));
        }
        return;
      }
      case 'already_applied': {
        const shown = `${path} ${String(base)}`;
        // The answer that shows the text may be still on its way, where the same call was sent twice at once.
        if (base !== undefined && this.#shown.has(shown)) {
          this.#learn(call, path, base, this.#shown.get(shown));
        } else {
          this.#office.judge.token(path, base ?? result['actual'], call.start);
        }
        return;
      }
      case 'rolled_back':
        if (base === undefined) {
          this.#office.judge.token(path, result['actual'], call.start);
        } else {
          this.#learn(call, path, base, entry.known.text);
        }
        return;
      case 'stale_base':
      case 'unconsidered_retry':
      case 'disk_changed_during_save':
        this.#stale(call, before, path, result, path === entry.path ? entry : undefined);
        return;
      default:
        if (result['actual'] !== undefined) {
          this.#office.judge.token(path, result['actual'], call.start);
        }
    }
  }

  /** A stale answer: who moved the file must be right, and a diff that it may plan on must lead to what is there. */
  #stale(call: Call, before: Before, path: string, result: Result, entry?: Entry): void {
    const { judge } = this.#office;
    const { expected, actual, changed_by: causes, diff_since_read: diff, next } = result;
    if (typeof expected !== 'string' || !Array.isArray(causes)) {
      judge.violations.push({ rule: 'answer', what: `${path}: ${JSON.stringify(result)}` });
      return;
    }
    const known = before(path)?.findLast(({ token }) => token === expected);
    if (result.status !== 'unconsidered_retry') {
      judge.causes(call, path, { expected, actual, named: causes.map(String) }, known);
    }
    this.#stalePaths.add(path);
    if (actual === undefined) {
      return;
    }
    judge.token(path, actual, call.start);
    if (typeof diff !== 'string' || known === undefined || !String(next).includes('on this diff')) {
      return;
    }
    const text = String(actual) === 'absent' ? undefined : patched(known.text, diff);
    const learned = this.#learn(call, path, actual, text);
    if (entry && result.status === 'stale_base') {
      this.#refused = { entry, actual: learned };
    }
  }

  #shownBy(call: Call, path: string, { header, content }: Part): void {
    const { judge, tell } = this.#office;
    const { status, base } = header;
    tell(`  → agent ${this.name} is shown ${path}: ${status}${typeof base === 'string' ? ` ${short(base)}` : ''}`);
    if (status === 'not_found') {
      this.#hold(call, path, this.#learn(call, path, base, undefined));
      return;
    }
    if (status !== 'ok' || content === undefined || typeof base !== 'string') {
      return;
    }
    const [, first, last, total] = /^(\d+)-(\d+) of (\d+)$/.exec(String(header['lines'])) ?? [];
    const isWhole = first === '0' || (first === '1' && last === total);
    judge.token(path, base, call.start);
    const whole = isWhole ? content : judge.textAt(path, base, call.start);
    if (whole !== undefined && !whole.includes(content)) {
      judge.violations.push({
        rule: 'token',
        what: `${path}: ${short(base)} does not hold ${JSON.stringify(content)}`,
      });
    }
    // The base covers the whole file, whatever window was shown.
    if (whole !== undefined) {
      this.#hold(call, path, this.#learn(call, path, base, whole));
    }
    if (header['dirty'] !== undefined && !base.includes('+dirty:')) {
      judge.violations.push({ rule: 'answer', what: `${path}: said to be unsaved at ${short(base)}` });
    }
  }

  #learn(call: Call, path: string, token: unknown, text: string | undefined): Known {
    const { judge } = this.#office;
    const known: Known = { token: String(token), text, since: judge.since(path, String(token), call.start) };
    judge.vouched(path, known, call.start);
    const others = (this.#known.get(path) ?? []).filter((each) => each.token !== known.token);
    this.#known.set(path, [...others, known]);
    this.#shown.set(`${path} ${known.token}`, text);
    return known;
  }

  /** As the arbiter itself remembers it: what a read or an applied edit gave last. */
  #hold(call: Call, path: string, known: Known): void {
    const before = this.#held.get(path);
    this.#stalePaths.delete(path);
    this.#held.set(path, {
      ...known,
      since: before && call.isOverlapped ? Math.min(before.since, known.since) : known.since,
    });
  }

  #forget(path: string): void {
    this.#known.delete(path);
  }

  #at(path: string, age: number): Known | undefined {
    return this.#known.get(path)?.at(-1 - age);
  }

  /** What it knows now, whatever it will learn while a call runs. */
  #before(): Before {
    const known = new Map(this.#known);
    return (path) => known.get(path);
  }

  async #during<T>(call: Call, answer: Promise<T>): Promise<T> {
    call.isOverlapped = this.#running.size > 0;
    for (const other of this.#running) {
      other.isOverlapped = true;
    }
    this.#running.add(call);
    try {
      return await answer;
    } finally {
      this.#running.delete(call);
    }
  }

  #call(entries: readonly Entry[]): Call {
    return { agent: this.name, entries, start: this.#office.judge.now, numbers: [], isOverlapped: false };
  }
}

function patched(text: string | undefined, diff: string): string | undefined {
  if (diff === '') {
    return text ?? '';
  }
  const after = applyPatch(text ?? '', diff);
  return after === false ? undefined : after;
}

function printResult({ status, edit, base, actual, changed_by: causes, reason }: Result): string {
  const parts = [
    status,
    ...(edit === undefined ? [] : [`edit #${String(edit)}`]),
    ...(typeof base === 'string' ? [`base ${short(base)}`] : []),
    ...(typeof actual === 'string' ? [`actual ${short(actual)}`] : []),
    ...(Array.isArray(causes) ? [`by ${causes.join('; ')}`] : []),
    ...(typeof reason === 'string' ? [`(${reason})`] : []),
  ];
  return parts.join(', ');
}
