import type * as vscode from 'vscode';
import type { FileRef, Outcome } from '../core/documents.ts';
import type { Apply } from './apply.ts';
import type { BufferChange } from './bufferChanges.ts';
import { describe } from './errors.ts';
import type { Looks } from './looks.ts';

/** The applies that are under way, at most one for each document. */
export class ApplyDesk {
  readonly #looks: Looks;
  readonly #log: vscode.LogOutputChannel;
  readonly #applies = new Map<vscode.TextDocument, Apply>();
  readonly #followed = new Map<vscode.TextDocument, Apply>();

  constructor(looks: Looks, log: vscode.LogOutputChannel) {
    this.#looks = looks;
    this.#log = log;
  }

  applyOn(document: vscode.TextDocument): Apply | undefined {
    return this.#applies.get(document);
  }

  /** From now on, what happens to the document is told to the apply. In the turn of the apply. */
  take(document: vscode.TextDocument, apply: Apply): void {
    this.#applies.set(document, apply);
  }

  /** Whatever breaks off in the middle is told to the log and to the agent, with the state that is left. */
  async guard<Result extends Outcome | undefined>(
    file: FileRef,
    body: () => Promise<Result>,
  ): Promise<Result | Outcome> {
    try {
      return await body();
    } catch (error) {
      this.#log.error(`${file.path}: the apply broke off`, error instanceof Error ? error : describe(error));
      const reason = `the apply broke off: ${describe(error)}`;
      return {
        kind: 'failed',
        status: 'apply_failed',
        reason,
        state: (await this.#looks.look(file)).state,
        isTakenBack: false,
      };
    }
  }

  /** What happens to a document after an apply has ended, and before its outcome is settled, is somebody else's doing. */
  follow(document: vscode.TextDocument, change: BufferChange): void {
    this.#followed.get(document)?.follow(change);
  }

  /**
   * From now on, what happens to the document is somebody else's doing. Until the outcome has its number or is taken back, the
   * apply still follows it: our part must be found again below what came later.
   */
  release(document: vscode.TextDocument, apply: Apply, outcome: Outcome): Outcome {
    apply.end();
    this.#applies.delete(document);
    // What came beside an edit that landed is told once the edit has its number.
    if (outcome.kind !== 'applied') {
      apply.tellRest();
      return outcome;
    }
    this.#followed.set(document, apply);
    return {
      ...outcome,
      onDidNumber: (number) => {
        this.#unfollow(document, apply);
        outcome.onDidNumber(number);
      },
      takeBack: async () => {
        this.#applies.set(document, apply);
        try {
          return await apply.takeBack();
        } catch (error) {
          this.#log.error('An edit could not be taken back', error instanceof Error ? error : describe(error));
          return { state: (await this.#looks.look(apply.file)).state, isWhole: false };
        } finally {
          this.#applies.delete(document);
          this.#unfollow(document, apply);
          apply.tellRest();
        }
      },
    };
  }

  #unfollow(document: vscode.TextDocument, apply: Apply): void {
    if (this.#followed.get(document) === apply) {
      this.#followed.delete(document);
    }
  }
}
