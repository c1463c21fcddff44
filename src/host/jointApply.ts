import * as vscode from 'vscode';
import type { Author } from '../core/applyRecord.ts';
import type { Digest } from '../core/base.ts';
import { formatOf } from '../core/codec.ts';
import type { Decision, FileRef, Outcome, State } from '../core/documents.ts';
import { renderText, type Text } from '../core/text.ts';
import { Apply, type Tools } from './apply.ts';
import type { ApplyDesk } from './applyDesk.ts';
import type { Intent } from './applyRecords.ts';
import { ByteApply, needsBytes } from './byteApply.ts';
import { digestOf } from './digests.ts';
import type { Look } from './looks.ts';
import type { Readiness } from './readiness.ts';

/** How often files may move while they are made ready, before the call gives up. */
const MAX_ATTEMPTS = 20;

/** One file of a joint transaction. */
export interface JointPart {
  readonly file: FileRef;
  readonly decide: (state: State) => Decision;
}

/** One file of a joint transaction, as it was seen in the turn of the apply. */
interface Judged {
  readonly file: FileRef;
  readonly look: Look;
  readonly decision: Decision;
}

interface ByteRun {
  readonly kind: 'bytes';
  readonly file: FileRef;
  readonly apply: ByteApply;
  readonly look: Look;
}

interface Run {
  readonly kind: 'run';
  readonly file: FileRef;
  readonly document: vscode.TextDocument;
  readonly apply: Apply;
  /** Where the edit cannot stand in a WorkspaceEdit. */
  readonly alone: Thenable<boolean> | undefined;
}

type Held = Extract<Outcome, { kind: 'held' }>;

/** Edits of several files that land as one: compared in one turn, handed to the editor as one step, saved together. */
export class JointApply {
  readonly #tools: Tools;
  readonly #readiness: Readiness;
  readonly #desk: ApplyDesk;

  constructor(tools: Tools, readiness: Readiness, desk: ApplyDesk) {
    this.#tools = tools;
    this.#readiness = readiness;
    this.#desk = desk;
  }

  async run(parts: readonly JointPart[], author: Author, over: Promise<boolean>): Promise<readonly Outcome[]> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const looks = parts.map(({ file }) => this.#tools.looks.lookNow(file));
      const conversions = looks.filter((look) => 'convert' in look);
      if (conversions.length > 0) {
        await Promise.all(conversions.map(({ convert }) => convert()));
        continue;
      }
      // From here to applyEdit nothing is awaited: what is compared is what is edited.
      const judged = parts.map(({ file, decide }, index): Judged => {
        const look = looks[index] as Look;
        return { file, look, decision: decide(look.state) };
      });
      const untouched = ({ look, decision }: Judged): Outcome => ({
        kind: decision.kind === 'refuse' ? 'refused' : 'held',
        state: look.state,
      });
      if (judged.some(({ decision }) => decision.kind === 'refuse')) {
        return judged.map(untouched);
      }
      const obstacles = judged.map(({ file, look, decision }) => this.#readiness.obstacle(file, look, decision));
      if (obstacles.every((obstacle) => obstacle === undefined)) {
        return this.#runAll(judged, author, over);
      }
      const problems = await Promise.all(
        obstacles.map((obstacle) => (obstacle?.kind === 'passing' ? obstacle.clear() : obstacle?.problem)),
      );
      if (problems.some((problem) => problem !== undefined)) {
        return judged.map((one, index) => {
          const problem = problems[index];
          return problem ? { kind: 'unfit', state: one.look.state, problem } : untouched(one);
        });
      }
    }
    const reason = 'the files kept moving while they were made ready';
    const states = await Promise.all(parts.map(async ({ file }) => (await this.#tools.looks.look(file)).state));
    return states.map((state) => ({ kind: 'failed', status: 'apply_failed', reason, state, isTakenBack: true }));
  }

  /** Must be called in the turn of the compare: hands everything to the editor before it returns its promise. */
  async #runAll(judged: readonly Judged[], author: Author, over: Promise<boolean>): Promise<readonly Outcome[]> {
    const edit = new vscode.WorkspaceEdit();
    const runs = judged.map(({ file, look, decision }): Run | ByteRun | Held => {
      if (decision.kind !== 'apply') {
        return { kind: 'held', state: look.state };
      }
      if (needsBytes(look)) {
        return { kind: 'bytes', file, look, apply: new ByteApply(this.#tools, file, look, decision, author) };
      }
      if (look.document === undefined) {
        throw new Error(`${file.path} is ready to be edited and yet not open`);
      }
      const apply = new Apply(this.#tools, file, look, look.document, decision, author);
      this.#desk.take(look.document, apply);
      return { kind: 'run', file, document: look.document, apply, alone: apply.join(edit) };
    });
    const recording = this.#tools.records.begin(author, [
      ...judged.flatMap((one, index) => {
        const run = runs[index];
        return this.#intents(one, run === undefined || run.kind === 'held' ? undefined : run.apply);
      }),
    ]);
    void over.then((isWhole) => {
      if (!isWhole) {
        recording.leave();
      }
      recording.end();
    });
    const isAccepted = edit.size === 0 ? Promise.resolve(true) : vscode.workspace.applyEdit(edit);
    const isLanded = await Promise.all(
      runs.map(async (run) => {
        if (run.kind !== 'run') {
          return undefined;
        }
        return this.#desk.guard(run.file, async () =>
          run.apply.land((await isAccepted) && ((await run.alone) ?? true)),
        );
      }),
    );
    const hasFailed = isLanded.some((outcome) => outcome !== undefined && outcome.kind !== 'applied');
    return Promise.all(
      runs.map(async (run, index): Promise<Outcome> => {
        if (run.kind === 'held') {
          return run;
        }
        if (run.kind === 'bytes') {
          return hasFailed
            ? { kind: 'held', state: run.look.state }
            : this.#desk.guard(run.file, () => run.apply.run());
        }
        const { file, document, apply } = run;
        const landed = isLanded[index];
        const outcome =
          landed ?? (await this.#desk.guard(file, () => (hasFailed ? apply.unfinished() : apply.finish())));
        return this.#desk.release(document, apply, outcome);
      }),
    );
  }

  /** What is about to happen to the disk for one file: the edits of its text, and its plan. */
  #intents({ file, look, decision }: Judged, apply: Apply | ByteApply | undefined): Intent[] {
    const before = look.disk.kind === 'file' ? look.disk.bytes : undefined;
    const plan = decision.kind === 'refuse' ? undefined : decision.plan;
    switch (plan?.kind) {
      case 'create':
        return [{ file, before, after: this.#digestOf(file, plan.text) }];
      case 'delete':
        return [{ file, before, after: 'absent' }];
      case 'rename':
        return [
          { file, before, after: 'absent' },
          { file: plan.target, before: undefined, after: apply?.intent().after ?? (before && digestOf(before)) },
        ];
      case undefined:
        return apply?.savesToDisk ? [apply.intent()] : [];
      default:
        return plan satisfies never;
    }
  }

  /** @returns `undefined` where only the editor can encode the text. */
  #digestOf({ key }: FileRef, text: Text): Digest | undefined {
    const format = formatOf(this.#tools.looks.expectedEncoding(key, undefined));
    const bytes = this.#tools.conversions.tryBytesOf(renderText(text), format);
    return Buffer.isBuffer(bytes) ? digestOf(bytes) : undefined;
  }
}
