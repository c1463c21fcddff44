import type { Content } from '../unit/support/inMemoryFile.ts';
import { type Call, type Entry, entryFor, type Known } from './calls.ts';
import { editNamed, type Mover, moversNamed, moversOf } from './causes.ts';
import { type Judge, type Result, type Rule, short, type Told, type Violation } from './judge.ts';
import { marksIn, without } from './marks.ts';
import { effectiveText, fold, type Happening, isFreshFor, type Moment, type Shadow, tokenOf } from './shadow.ts';

/** The agent whose session nobody can tell. */
export const UNKNOWN = 'c';

/** The statuses of edits that may have touched something before it was taken back. */
const AFTER_APPLY = ['disk_changed_during_save', 'save_failed', 'apply_failed', 'rolled_back'];

/** Checks the rules against a shadow of all files: everything that happens, and everything that is answered. */
export class Checker implements Judge {
  readonly violations: Violation[] = [];
  readonly #shadow: Shadow;
  /** Whether the editor cannot be brought to call a buffer clean that is what is on disk: see `host/synchronize.ts`. */
  readonly #mayKeepFlag: (path: string) => boolean;
  /** Files that hold what could not be taken back, and what was said so of: it has no number, and so no name. */
  readonly #muddled = new Set<string>();
  /** Whose call landed the edit of a number. */
  readonly #numbered = new Map<number, Call>();

  constructor(shadow: Shadow, mayKeepFlag: (path: string) => boolean) {
    this.#shadow = shadow;
    this.#mayKeepFlag = mayKeepFlag;
  }

  get now(): number {
    return this.#shadow.now;
  }

  since(path: string, token: string, from: number): number {
    return this.#shadow.firstIn(path, token, from)?.at ?? from;
  }

  textAt(path: string, token: string, from: number): string | undefined {
    const moment = this.#shadow.firstIn(path, token, from);
    const text = moment && effectiveText(moment.content);
    return text === undefined ? undefined : fold(text);
  }

  numbered(number: number, call: Call | undefined): void {
    if (call) {
      this.#numbered.set(number, call);
      call.numbers.push(number);
    } else {
      this.#broken('answer', `edit #${number} was counted outside of any call`);
    }
  }

  // --- while it happens

  /** At each change that is made by nobody's own hand. */
  happened(happening: Happening): void {
    const { by, what, call, files } = happening;
    if (by === 'arbiter') {
      for (const file of files) {
        const entry = entryFor(call, file.path);
        if (!entry) {
          this.#broken('lost', `${file.path}: the arbiter ${what}, and nobody asked for it`);
        } else {
          this.#ownHand(what, entry, file, call);
          this.#wasFresh(what, entry, file.path, call);
        }
      }
      this.#lostByArbiter(happening);
    } else if (by === 'editor') {
      for (const { path, before, after } of files) {
        this.#reloaded(path, before, after);
      }
    } else if (by === 'save participant' || by === 'hook') {
      const lost = lostIn(happening);
      if (lost.length > 0) {
        this.#broken('lost', `the formatter of this test loses ${lost.join(' ')}`);
      }
    }
  }

  /** Text alone does not make a base fresh: the file must have been in its very state while the call ran. */
  #wasFresh(what: string, { path: source, known }: Entry, path: string, call: Call | undefined): void {
    const isGated = ['lands', 'creates', 'deletes', 'renames'].includes(what) && path === source;
    const moments = this.#shadow.since(path, call?.start ?? 0);
    if (isGated && !moments.some(({ token }) => isFreshFor(known.token, token))) {
      this.#broken('unread', `${path}: ${what} at ${short(known.token)}, which it never was while the call ran`);
    }
  }

  /** What the arbiter does must be what the entry asks for, on what its author has read. */
  #ownHand(
    what: string,
    entry: Entry,
    { path, before, after }: Happening['files'][number],
    call: Call | undefined,
  ): void {
    const { known, intended } = entry;
    const says = (text: string | undefined) => (text === undefined ? 'no file' : JSON.stringify(text));
    switch (what) {
      case 'lands':
        if (!isText(before.buffer, known.text)) {
          this.#broken('unread', `${path}: lands on ${says(before.buffer)}; its author has read ${says(known.text)}`);
        }
        if (!isText(after.buffer, intended)) {
          this.#broken('lost', `${path}: became ${says(after.buffer)}; asked for was ${says(intended)}`);
        }
        return;
      case 'saves': {
        const isKept = before.disk === after.disk;
        const [disk, effective] = known.token.split('+dirty:');
        // The engineer may have saved the very buffer meanwhile.
        const wasInBuffer = this.#shadow
          .since(path, call?.start ?? 0)
          .some(({ content }) => content.buffer === before.disk);
        const isAsRead = [disk, `sha256:${effective}`].includes(tokenOfDisk(before)) || wasInBuffer;
        if (!isKept && !isAsRead) {
          this.#broken('unread', `${path}: saved over ${says(before.disk)}, which its author has not read`);
        }
        return;
      }
      case 'creates':
        if (before.disk !== undefined || before.isDirty || known.text !== undefined) {
          this.#broken('unread', `${path}: created where ${says(effectiveText(before))} is`);
        }
        return;
      case 'deletes':
        // A file that was created is taken back by a delete.
        if (!isText(effectiveText(before), known.text ?? intended)) {
          this.#broken('unread', `${path}: deleted ${says(effectiveText(before))}, read was ${says(known.text)}`);
        }
        return;
      case 'renames': {
        // What is taken back goes the other way.
        const isLeaving = after.disk === undefined;
        const isRead = [known.text, intended].some((text) => isText(effectiveText(before), text));
        if (isLeaving && !isRead && this.#takenForHooks(call).size === 0) {
          this.#broken('unread', `${path}: renamed ${says(effectiveText(before))}, read was ${says(known.text)}`);
        }
        if (!isLeaving && before.disk !== undefined) {
          this.#broken('lost', `${path}: renamed over ${says(before.disk)}`);
        }
        return;
      }
      default:
        return;
    }
  }

  /** Marks go only by the hand of their author, or by an edit whose author has read them; what is taken back is only our own. */
  #lostByArbiter(happening: Happening): void {
    const { what, call, files } = happening;
    const entries = files.flatMap(({ path }) => entryFor(call, path) ?? []);
    const read = entries.map(({ known }) => marksIn(known.text));
    const own = entries.map(({ intended, marks }) => new Set([...marks, ...marksIn(intended)]));
    const lost = lostIn(happening);
    const isBack = what.includes('back');
    // A buffer that is made what is on disk loses what others have taken from the disk.
    const isReset = files.every(({ after }) => after.buffer === after.disk);
    const moments = files.flatMap(({ path }) => this.#shadow.since(path, call?.start ?? 0));
    const onDisk = moments.map(({ content }) => marksIn(content.disk));
    const wrong = isBack
      ? without(lost, ...entries.map(({ marks }) => marks), this.#takenForHooks(call), ...(isReset ? onDisk : []))
      : without(lost, ...read, ...own);
    if (wrong.length > 0) {
      this.#broken('lost', `${pathsOf(happening)}: the arbiter ${what}, and ${wrong.join(' ')} is gone`);
    }
    const returned = writtenIn(happening);
    // A save writes what the buffer held when it began.
    const inBuffer = what === 'saves' ? moments.map(({ content }) => marksIn(content.buffer)) : [];
    const strange = isBack ? without(returned, ...read, ...onDisk) : without(returned, ...own, ...inBuffer);
    if (strange.length > 0) {
      this.#broken('lost', `${pathsOf(happening)}: the arbiter ${what}, and ${strange.join(' ')} is there again`);
    }
  }

  /** What another extension wrote while our save ran is taken for a participant's. */
  #takenForHooks(call: Call | undefined): ReadonlySet<string> {
    const others = this.#shadow.happenings.slice(call?.start ?? 0);
    return new Set(
      others
        .filter(({ by, beside }) => by === 'extension' && beside === 'an apply')
        .flatMap((other) => writtenIn(other)),
    );
  }

  /** A buffer that the editor reloads, or closes, must hold nobody's work: somebody may have taken it from the disk, but not we. */
  #reloaded(path: string, before: Content, after: Content): void {
    if (before.isDirty) {
      this.#broken('lost', `${path}: the editor reloads over unsaved text`);
    }
    for (const mark of without(marksIn(before.buffer), marksOf(after))) {
      const taker = this.#shadow.happenings.findLast(({ files }) =>
        files.some(
          (file) => file.path === path && marksIn(file.before.disk).has(mark) && !marksIn(file.after.disk).has(mark),
        ),
      );
      const entry = taker && entryFor(taker.call, path);
      // A rename takes it along.
      const isKept = taker?.files.some((file) => marksOf(file.after).has(mark)) === true;
      const isOurs = entry?.marks.has(mark) === true || marksIn(entry?.known.text).has(mark);
      if (taker?.by === 'arbiter' && entry && !isKept && !isOurs) {
        this.#broken('lost', `${path}: ${mark} was on disk, the arbiter ${taker.what}, and the editor reloads`);
      }
    }
  }

  // --- when it is answered

  /** The token of a result is of a state that the file was really in while the call ran. */
  token(path: string, token: unknown, from: number): Moment | undefined {
    if (typeof token !== 'string') {
      this.#broken('token', `${path}: ${JSON.stringify(token)} is no token`);
      return undefined;
    }
    const moment = this.#shadow.firstIn(path, token, from);
    if (!moment) {
      const were = this.#shadow.since(path, from).map((each) => short(each.token));
      this.#broken('token', `${path}: ${short(token)} is not of a state of this file; those were ${were.join(', ')}`);
    }
    return moment;
  }

  /** A base vouches for a text only where its session has been shown all of it. */
  vouched(path: string, { token, text }: Known, from: number): void {
    const moment = this.token(path, token, from);
    if (moment && !isText(effectiveText(moment.content), text)) {
      const is = JSON.stringify(effectiveText(moment.content));
      this.#broken('token', `${path}: ${short(token)} stands for ${is}; the session was shown ${JSON.stringify(text)}`);
    }
  }

  /** One result of an edit. */
  answered(call: Call, entry: Entry, result: Result): void {
    const { status } = result;
    const paths = [entry.path, ...(entry.target === undefined ? [] : [entry.target])];
    for (const path of paths) {
      const happenings = this.#shadow.happeningsTo(path, call.start);
      const ours = happenings.filter((happening) => happening.call === call);
      const theirs = happenings.filter((happening) => happening.call !== call && happening.by !== 'editor');
      const before = this.#shadow.since(path, call.start)[0]?.content as Content;
      const after = this.#shadow.current(path).content;
      if (status === 'applied' || status === 'already_applied') {
        this.#leftClean(path, result, before, after, theirs);
      } else if (!AFTER_APPLY.includes(status) && !(status === 'stale_base' && entry.target !== undefined)) {
        const [touched] = ours.filter(({ by }) => by !== 'editor');
        if (touched) {
          this.#broken('left behind', `${path}: ${status}, and yet ${touched.by} ${touched.what}`);
        }
      } else if (isUntakenBack(result)) {
        this.#muddled.add(path);
      } else {
        this.#takenBack(path, entry, status, { before, after, ours, theirs });
      }
    }
    if (status === 'applied' && !entry.isFit) {
      this.#broken('answer', `${entry.path}: applied, although it ${entry.form}`);
    }
    if (status === 'applied' || status === 'already_applied') {
      this.#numberIn(call, result);
    } else if (typeof result['next'] !== 'string' || result['next'] === '') {
      this.#broken('answer', `${entry.path}: ${status} says nothing of what to do next`);
    }
  }

  /** Where something had been touched: nothing of the edit is left, and what others wrote stands. */
  #takenBack(
    path: string,
    entry: Entry,
    status: string,
    { before, after, ours, theirs }: Record<'before' | 'after', Content> & Record<'ours' | 'theirs', Happening[]>,
  ): void {
    // The same call may have been sent twice, and have landed once.
    const others = theirs.map(({ call }) => entryFor(call, path)?.marks ?? new Set<string>());
    const left = without(entry.marks, marksOf(before), ...others).filter((mark) => marksOf(after).has(mark));
    // Whoever undoes and redoes around it may bring it back, and whoever saves meanwhile may save it.
    const isReplayed = theirs.some(({ what }) => ['undoes', 'redoes', 'saves'].includes(what));
    if (left.length > 0 && !isReplayed) {
      this.#broken('left behind', `${path}: ${status}, and ${left.join(' ')} is still there`);
    }
    // What save participants did stays where the save failed.
    const isFormatted = ours.some(({ by }) => by === 'save participant');
    if (theirs.length === 0 && ours.length > 0 && !isFormatted) {
      // A copy that lagged behind the disk may have caught up with it.
      const isSame = before.disk === after.disk && effectiveText(before) === (after.buffer ?? after.disk);
      if (!isSame) {
        const [was, is] = [before, after].map((content) => JSON.stringify(content));
        this.#broken('left behind', `${path}: ${status}; it held ${was} and holds ${is}`);
      }
    }
    if (!isFormatted) {
      this.#leftClean(path, { status }, before, after, theirs);
    }
  }

  /** The editor's flag is nobody's but the engineer's. */
  #leftClean(path: string, { status, saved }: Result, before: Content, after: Content, theirs: Happening[]): void {
    const isTheirs = theirs.some(({ by }) => by === 'engineer' || by === 'extension' || by === 'arbiter');
    const isText = after.buffer !== undefined && after.buffer !== after.disk;
    // Text of a file that is gone cannot be called saved: see the head of `judge.ts`.
    const wasGone =
      after.disk === undefined || theirs.some(({ files }) => files.some((file) => file.after.disk === undefined));
    const isOurs = after.isDirty && !wasGone && !before.isDirty && !isTheirs && saved !== false;
    if (isOurs && isText && !this.#isFlagAlone(path, after)) {
      this.#broken('left behind', `${path}: ${status}, and its buffer is unsaved by no hand but ours`);
    }
  }

  /** Whether a buffer holds what was on disk before, and the editor could not be brought to call it clean. */
  #isFlagAlone(path: string, { buffer }: Content): boolean {
    return this.#mayKeepFlag(path) && this.#shadow.moments(path).some(({ content }) => content.disk === buffer);
  }

  #numberIn(call: Call, result: Result): void {
    const number = Number(result['edit']);
    const owner = this.#numbered.get(number);
    if (owner === undefined || owner.agent !== call.agent) {
      this.#broken('answer', `${result.path}: edit #${number} is not one of this session`);
    }
  }

  /** At the end, when no call runs: unsaved is only what somebody else has left unsaved. */
  settled(path: string): void {
    const { content, at } = this.#shadow.current(path);
    const clean = this.#shadow.moments(path).findLast((moment) => !moment.content.isDirty);
    const since = this.#shadow.happeningsTo(path, clean?.at ?? 0);
    const ours = since.findLast(({ by }) => by === 'arbiter');
    const during = ours?.call ? this.#shadow.happeningsTo(path, ours.call.start) : [];
    const isTheirs = [...since, ...during].some(({ by }) => by !== 'arbiter' && by !== 'program' && by !== 'hook');
    // Text of a file that is gone cannot be called saved: see the head of `judge.ts`.
    const isText = content.isDirty && content.disk !== undefined;
    // Where the engineer's unsaved text was read, ours stands beside it unsaved, also where they save theirs in that moment.
    const isBeside = since.some(({ call }) => entryFor(call, path)?.known.token.includes('+dirty:'));
    // Nor can text be called saved that the editor would not save: agents take it for somebody's, and leave it at that.
    const moments = this.#shadow.since(path, clean?.at ?? 0);
    const wasKept = moments.some(
      (moment) => moment.content.disk === undefined || this.#isFlagAlone(path, moment.content),
    );
    if (isText && !wasKept && !isTheirs && !isBeside) {
      this.#broken('left behind', `${path}: unsaved at the end (${at}) by no hand but ours`);
    }
  }

  /**
   * Who is named has acted since the session was given the base; and whoever alone has moved the file is named.
   *
   * @param known what the session was given; `undefined` where it was given no such thing for this file.
   * @param from when the call began.
   */
  causes(
    { agent, start: from }: Call,
    path: string,
    { expected, actual, named }: Told,
    known: Known | undefined,
  ): void {
    if (named.length === 0) {
      this.#broken('cause', `${path}: stale, and nobody is named`);
      return;
    }
    if (known === undefined || this.#muddled.has(path) || isFreshFor(expected, String(actual))) {
      return;
    }
    const acted = this.named(agent, path, known.since, named);
    const moments = this.#shadow.since(path, known.since);
    const ends = moments.filter(({ at, token }) => token === actual && at >= from);
    const starts = moments.filter(({ token }) => isFreshFor(expected, token));
    const [end] = ends;
    const [last] = starts;
    // Where it was in one of the two states more than once, nobody can tell which time is meant.
    if (ends.length !== 1 || starts.length !== 1 || !end) {
      return;
    }
    const between = acted.filter(({ at }) => at > (last?.at ?? known.since) && at <= end.at);
    // A save moves nothing but what it takes along of an edit that is not answered yet.
    const moving = between.filter(
      (each) => isMove(each, path) && (each.what !== 'saves' || (each.by === 'engineer' && each.beside === 'an apply')),
    );
    const movers = moving.map((each) => moversOf(each, path, each.files));
    const kinds = new Set(movers.filter(isSome).map(String));
    const [only] = kinds;
    const isNamed = named.some((cause) => moversNamed(cause).some((mover) => only?.split(',').includes(mover)));
    if (kinds.size === 1 && !isNamed) {
      this.#broken('cause', `${path}: only ${only} moved it, and ${JSON.stringify(named)} is named`);
    }
  }

  /** Whoever is named has done something to the file since a moment. @returns what has happened to it since. */
  named(agent: string, path: string, since: number, named: readonly string[]): Happening[] {
    const acted = this.#shadow.happeningsTo(path, since);
    if (this.#muddled.has(path)) {
      return acted;
    }
    const able = new Set(acted.flatMap((happening) => moversOf(happening, path, happening.files)));
    for (const cause of named) {
      const movers = moversNamed(cause);
      if (!movers.some((mover) => able.has(mover))) {
        const who = [...able].join(', ') || 'nobody';
        this.#broken('cause', `${path}: ${JSON.stringify(cause)} is named; since the base, ${who} acted`);
      }
      this.#editNamed(agent, path, cause, acted);
    }
    return acted;
  }

  #editNamed(agent: string, path: string, cause: string, acted: readonly Happening[]): void {
    const number = editNamed(cause);
    if (number === undefined) {
      return;
    }
    const owner = this.#numbered.get(number);
    if (!owner) {
      this.#broken('cause', `${path}: ${cause} is named, and there is no such edit`);
      return;
    }
    if (!cause.startsWith('edit')) {
      return;
    }
    if (!acted.some(({ call, by }) => call === owner && by === 'arbiter')) {
      this.#broken('cause', `${path}: ${cause} is named, and it was none of this file since the base`);
    }
    if (!cause.includes(this.#wordFor(owner.agent, agent))) {
      this.#broken('cause', `${path}: ${cause} is named, and it was by ${owner.agent}`);
    }
  }

  /** How a cause says whose session it was. */
  #wordFor(owner: string, asking: string): string {
    return owner === UNKNOWN ? 'session unknown' : owner === asking ? 'this session' : 'another session';
  }

  #broken(rule: Rule, what: string): void {
    this.violations.push({ rule, what });
  }
}

/** What could not be taken back is said to stand. */
function isUntakenBack({ reason, next }: Result): boolean {
  return /could not be taken back|taking this edit back broke off|may still stand/.test(`${reason} ${next}`);
}

function isSome(movers: readonly Mover[]): boolean {
  return movers.length > 0;
}

/** Whether something that happened moved the file, or a program wrote it: then it is the one that its time stamp tells of. */
function isMove({ by, files }: Happening, path: string): boolean {
  const file = files.find((each) => each.path === path);
  return (
    file !== undefined &&
    (by === 'program' ||
      file.before.disk !== file.after.disk ||
      effectiveText(file.before) !== effectiveText(file.after))
  );
}

function marksOf({ disk, buffer }: Content): ReadonlySet<string> {
  return new Set([...marksIn(disk), ...marksIn(buffer)]);
}

function lostIn({ files }: Happening): string[] {
  return without(
    files.flatMap(({ before }) => [...marksOf(before)]),
    ...files.map(({ after }) => marksOf(after)),
  );
}

function writtenIn({ files }: Happening): string[] {
  return without(
    files.flatMap(({ after }) => [...marksOf(after)]),
    ...files.map(({ before }) => marksOf(before)),
  );
}

function pathsOf({ files }: Happening): string {
  return files.map(({ path }) => path).join(' and ');
}

function isText(raw: string | undefined, text: string | undefined): boolean {
  return raw === undefined || text === undefined ? raw === text : fold(raw) === text;
}

function tokenOfDisk({ disk }: Content): string {
  return tokenOf({ disk, buffer: undefined, isDirty: false });
}
