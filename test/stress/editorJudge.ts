import type { Call, Entry, Known } from './calls.ts';
import { editNamed, type Mover, moversNamed } from './causes.ts';
import { digestOf, type EditorTruth, fold, type Hand, type Seen, tidied, trimmed } from './editorTruth.ts';
import { type Judge, type Result, type Rule, short, type Told, type Violation } from './judge.ts';
import { marksIn, without } from './marks.ts';

/** As whom somebody may be named. A save alone counts as what was typed before it. */
const MOVERS: Readonly<Record<Hand, readonly Mover[]>> = {
  lands: ['edit'],
  // A key may look like it.
  'takes back': ['edit', 'typed'],
  operates: ['edit', 'rename', 'not typed'],
  saves: ['typed', 'not typed'],
  hook: ['post-write hook'],
  'save participant': ['save participant of an edit', 'save participant of the engineer', 'not typed'],
  types: ['typed'],
  undoes: ['undo', 'typed'],
  reverts: ['not typed'],
  // A file that an agent makes at the same time looks like one that comes by a rename.
  'renames in the editor': ['rename', 'program', 'not typed', 'typed', 'edit'],
  extension: ['not typed', 'save participant of an edit', 'save participant of the engineer'],
  reloads: [],
  program: ['program'],
  generator: ['generator', 'program'],
  unclear: ['edit', 'not typed', 'program'],
};

/** The statuses of entries that may have touched something before it was taken back. */
const AFTER_APPLY = ['disk_changed_during_save', 'save_failed', 'apply_failed', 'rolled_back'];

/**
 * Checks the rules against what is seen of the real editor and the real disk. Where only the core with the editor in memory
 * tells for sure, it is the milder one: a token may be of any text that the disk and the buffer held while the call ran.
 */
export class EditorJudge implements Judge {
  readonly violations: Violation[] = [];
  /** Writes of others that got lost between the editor's last look at the disk and its own write: its limit, not ours. */
  inWindow = 0;
  readonly #truth: EditorTruth;
  readonly #numbers = new Map<number, string>();
  readonly #namedNumbers = new Set<number>();
  readonly #landed = new Map<Entry, Seen>();
  readonly #sent = new Set<string>();
  readonly #answered = new Set<Entry>();
  /** What a save of the editor has written over: somebody has to put it back before the end. */
  readonly #writtenOver: { readonly seen: Seen; readonly marks: readonly string[] }[] = [];
  /** Entries that were sent again: of two that write the same, nobody can tell which has landed. */
  readonly #repeated = new Set<Entry>();

  constructor(truth: EditorTruth) {
    this.#truth = truth;
  }

  get now(): number {
    return this.#truth.now;
  }

  since(_: string, __: string, from: number): number {
    return from;
  }

  textAt(): undefined {
    return undefined;
  }

  // --- while it happens

  begin({ entries }: Call): void {
    for (const entry of entries) {
      const isRepeated = [...entry.marks].some((mark) => this.#sent.has(mark));
      if (isRepeated) {
        this.#repeated.add(entry);
      }
      for (const mark of entry.marks) {
        this.#sent.add(mark);
      }
    }
  }

  saw(seen: Seen): void {
    const { path, hand, before, after, lost, entry } = seen;
    switch (hand) {
      case 'lands':
        if (entry) {
          this.#landed.set(entry, seen);
          this.#landing(path, entry, before, after);
        }
        return;
      case 'takes back':
        this.#lost(seen, without(lost, entry?.marks ?? new Set(), this.#wereOnDisk(path)));
        return;
      case 'operates':
        this.#lost(seen, without(lost, entry?.marks ?? new Set(), marksIn(entry?.known.text)));
        return;
      case 'saves':
        this.#losesInEditor(seen, lost);
        return;
      case 'reloads':
        // An edit whose call still runs is ours to take back.
        this.#losesInEditor(seen, without(lost, this.#underWay(path)));
        return;
      case 'save participant':
      case 'unclear':
        this.#lost(seen, lost);
        return;
      default:
        return;
    }
  }

  #losesInEditor(seen: Seen, lost: readonly string[]): void {
    this.#lost(
      seen,
      lost.filter((mark) => !this.#isTaken(seen.path, mark, seen)),
    );
  }

  #underWay(path: string): ReadonlySet<string> {
    const entries = [...this.#landed].filter(([entry, seen]) => seen.path === path && !this.#answered.has(entry));
    return new Set(entries.flatMap(([{ marks }]) => [...marks]));
  }

  #landing(path: string, { known, intended }: Entry, before: string | undefined, after: string | undefined): void {
    if (before === undefined || fold(before) !== known.text) {
      const [was, read] = [before, known.text].map((text) => JSON.stringify(text));
      this.#broken('unread', `${path}: lands on ${was}; its author has read ${read}`);
    }
    if (after === undefined || fold(after) !== intended) {
      this.#broken('lost', `${path}: became ${JSON.stringify(after)}; asked for was ${JSON.stringify(intended)}`);
    }
  }

  #lost(seen: Seen, marks: readonly string[]): void {
    if (marks.length === 0) {
      return;
    }
    if (seen.hand === 'saves') {
      this.#writtenOver.push({ seen, marks });
    } else {
      this.#tellLost(seen, marks);
    }
  }

  #tellLost({ path, hand, where }: Seen, marks: readonly string[]): void {
    this.#broken('lost', `${path}: ${hand} on the ${where}, and ${marks.join(' ')} is gone`);
  }

  /** What is not back by now is lost, unless nobody could have seen it: it came while the editor wrote. */
  #tellWrittenOver(): void {
    for (const { seen, marks } of this.#writtenOver) {
      const later = this.#truth.seenOf(seen.path, seen.at).flatMap(({ after }) => [...marksIn(after)]);
      const gone = without(marks, new Set(later));
      if (gone.length > 0 && this.#truth.seenOf(seen.path, 0).some(isInSave(gone))) {
        this.inWindow += 1;
      } else if (gone.length > 0) {
        this.#tellLost(seen, gone);
      }
    }
  }

  /** Whether somebody has taken a mark out of the buffer, or off the disk, whose right that was. */
  #isTaken(path: string, mark: string, now: Seen): boolean {
    return this.#truth.seenOf(path, 0).some((seen) => {
      if (seen === now || !marksIn(seen.before).has(mark) || marksIn(seen.after).has(mark)) {
        return false;
      }
      switch (seen.hand) {
        case 'lands':
        case 'operates':
        case 'takes back':
          return marksIn(seen.entry?.known.text).has(mark) || seen.entry?.marks.has(mark) === true;
        case 'saves':
        case 'reloads':
        case 'unclear':
          return false;
        default:
          return true;
      }
    });
  }

  #wereOnDisk(path: string): ReadonlySet<string> {
    return new Set(this.#truth.heldSince('disk', path, 0).flatMap((text) => [...marksIn(text)]));
  }

  // --- when it is answered

  token(path: string, token: unknown, from: number): void {
    this.#truth.look();
    const [disk = '', dirty] = String(token).split('+dirty:');
    const disks = this.#truth.heldSince('disk', path, from);
    const buffers = this.#truth.heldSince('buffer', path, from).filter((text) => text !== undefined);
    // What was on disk between two looks came from the buffer, from participants and from the hook.
    const texts = [...disks.filter((text) => text !== undefined), ...buffers].flatMap((text) => [
      text,
      trimmed(text),
      tidied(text),
      tidied(trimmed(text)),
    ]);
    const isOnDisk =
      disk === 'absent' ? disks.includes(undefined) : texts.some((text) => disk === `sha256:${digestOf(text)}`);
    const isInBuffer = dirty === undefined || buffers.some((text) => dirty === digestOf(text));
    // A save of the editor empties the file before it fills it.
    const isTorn =
      disk === `sha256:${digestOf('')}` && this.#truth.seenOf(path, from).some(({ hand }) => hand === 'saves');
    if (!(isOnDisk || isTorn) || !isInBuffer) {
      this.#broken('token', `${path}: ${short(String(token))} is of no state that was seen while the call ran`);
    }
  }

  vouched(path: string, { token, text }: Known, from: number): void {
    this.token(path, token, from);
    const effective = token.split('+dirty:').at(-1)?.replace('sha256:', '');
    const digests = text === undefined ? ['absent'] : [text, text.replaceAll('\n', '\r\n')].map(digestOf);
    if (!digests.some((digest) => digest === effective)) {
      this.#broken('token', `${path}: ${short(token)} does not stand for ${JSON.stringify(text)}, which was shown`);
    }
  }

  answered(call: Call, entry: Entry, result: Result): void {
    this.#truth.look();
    this.#answered.add(entry);
    const { status } = result;
    const landed = this.#repeated.has(entry) ? undefined : this.#landed.get(entry);
    if (status === 'applied') {
      this.#applied(call, entry, result);
    } else if (status !== 'already_applied') {
      if (typeof result['next'] !== 'string' || result['next'] === '') {
        this.#broken('answer', `${entry.path}: ${status} says nothing of what to do next`);
      }
      if (landed && !AFTER_APPLY.includes(status) && entry.target === undefined) {
        this.#broken('left behind', `${entry.path}: ${status}, and yet the edit has landed`);
      }
      if (landed && !isUntakenBack(result)) {
        this.#takenBack(call, entry, status);
      }
    }
  }

  #applied(call: Call, entry: Entry, result: Result): void {
    if (!entry.isFit) {
      this.#broken('answer', `${entry.path}: applied, although it ${entry.form}`);
    }
    const number = Number(result['edit']);
    if (this.#numbers.has(number)) {
      this.#broken('answer', `${entry.path}: edit #${number} was counted twice`);
    }
    this.#numbers.set(number, call.agent);
    const [disk = '', dirty] = entry.known.token.split('+dirty:');
    const disks = this.#truth.heldSince('disk', entry.path, call.start);
    const digests = [disk, ...(dirty === undefined ? [] : [`sha256:${dirty}`])];
    const wasRead =
      disks.some((text) => digests.includes(text === undefined ? 'absent' : `sha256:${digestOf(text)}`)) ||
      this.#truth
        .heldSince('buffer', entry.path, call.start)
        .some((text) => text && digests.includes(`sha256:${digestOf(text)}`));
    if (!wasRead) {
      this.#broken('unread', `${entry.path}: applied at ${short(entry.known.token)}, which it never was meanwhile`);
    }
  }

  #takenBack(call: Call, entry: Entry, status: string): void {
    const paths = [entry.path, ...(entry.target === undefined ? [] : [entry.target])];
    for (const path of paths) {
      const others = this.#truth.seenOf(path, call.start);
      // Whoever undoes and redoes around it may bring it back, and whoever saves meanwhile may save it.
      const isReplayed = others.some(({ hand }) => hand === 'undoes' || hand === 'saves');
      const texts = [this.#truth.disk(path), this.#truth.buffer(path)];
      const left = [...entry.marks].filter((mark) => texts.some((text) => marksIn(text).has(mark)));
      // A program that writes between our write and the save that confirms it may build on ours: its bytes are not taken back.
      const isBuiltOn = others.some(
        ({ hand, before }) =>
          (hand === 'program' || hand === 'generator') && left.every((mark) => marksIn(before).has(mark)),
      );
      if (left.length > 0 && !isReplayed && !(status === 'disk_changed_during_save' && isBuiltOn)) {
        this.#broken('left behind', `${path}: ${status}, and ${left.join(' ')} is still there`);
      }
    }
  }

  causes(call: Call, path: string, { expected, actual, named }: Told, known: Known | undefined): void {
    if (named.length === 0) {
      this.#broken('cause', `${path}: stale, and nobody is named`);
      return;
    }
    if (known !== undefined && expected !== actual) {
      this.named(call.agent, path, known.since, named);
      const seen = this.#truth.seenOf(path, known.since).filter(({ hand }) => hand !== 'saves');
      const kinds = new Set(
        seen
          .map(({ hand }) => MOVERS[hand])
          .filter((movers) => movers.length > 0)
          .map(String),
      );
      const [only] = kinds;
      const isNamed = named.some((cause) => moversNamed(cause).some((mover) => only?.split(',').includes(mover)));
      if (kinds.size === 1 && !isNamed) {
        this.#broken('cause', `${path}: only ${only} moved it, and ${JSON.stringify(named)} is named`);
      }
    }
  }

  named(_: string, path: string, since: number, named: readonly string[]): void {
    this.#truth.look();
    const seen = this.#truth.seenOf(path, since);
    const able = new Set(seen.flatMap(({ hand, isInCall }) => [...MOVERS[hand], ...(isInCall ? IN_A_CALL : [])]));
    for (const cause of named) {
      const movers = moversNamed(cause);
      if (!movers.some((mover) => able.has(mover))) {
        const hands = [...new Set(seen.map(({ hand }) => hand))].join(', ') || 'nobody';
        this.#broken('cause', `${path}: ${JSON.stringify(cause)} is named; since the base, ${hands} acted`);
      }
      const number = editNamed(cause);
      if (number !== undefined) {
        this.#namedNumbers.add(number);
      }
    }
  }

  /** At the end, when no call runs. */
  settled(paths: readonly string[], isDirty: (path: string) => boolean): void {
    this.#tellWrittenOver();
    for (const path of paths) {
      const seen = this.#truth.seenOf(path, 0);
      const isTheirs = seen.some(
        ({ hand }) => !['lands', 'takes back', 'operates', 'saves', 'program', 'reloads'].includes(hand),
      );
      const wasGone = this.#truth.heldSince('disk', path, 0).includes(undefined);
      const isText = this.#truth.buffer(path) !== this.#truth.disk(path);
      if (isDirty(path) && isText && !isTheirs && !wasGone) {
        this.#broken('left behind', `${path}: unsaved at the end by no hand but ours`);
      }
    }
    for (const number of this.#namedNumbers) {
      if (!this.#numbers.has(number)) {
        this.#broken('cause', `edit #${number} was named, and there is no such edit`);
      }
    }
  }

  #broken(rule: Rule, what: string): void {
    this.violations.push({ rule, what });
  }
}

/** While a call runs, hooks and save participants are told from others by time alone. */
const IN_A_CALL: readonly Mover[] = ['post-write hook', 'save participant of an edit'];

function isUntakenBack({ reason, next }: Result): boolean {
  return /could not be taken back|taking this edit back broke off|may still stand/.test(`${reason} ${next}`);
}

/** Whether a program wrote one of these marks while a save was under way. */
function isInSave(marks: readonly string[]): (seen: Seen) => boolean {
  return ({ hand, isInSave: isSaving, before, after }) =>
    isSaving &&
    (hand === 'program' || hand === 'generator') &&
    without(marksIn(after), marksIn(before)).some((mark) => marks.includes(mark));
}
