import { accessSync, constants } from 'node:fs';
import * as vscode from 'vscode';
import { formatOf, isOwnEncoding, undecodable } from '../core/codec.ts';
import type { Candidate, Decision, FileRef } from '../core/documents.ts';
import type { Problem } from '../core/status.ts';
import { renderText } from '../core/text.ts';
import type { BufferChanges } from './bufferChanges.ts';
import { needsBytes } from './byteApply.ts';
import { type Conversions, firstDifference } from './conversions.ts';
import type { Disk } from './disk.ts';
import { codeOf, describe } from './errors.ts';
import type { Look, Looks } from './looks.ts';
import { hasSaveParticipants } from './saveParticipants.ts';
import { synchronize } from './synchronize.ts';
import { changesWithin } from './textChanges.ts';

/** What keeps something that was decided from being done at this moment. */
export type Obstacle =
  /** For good. */
  | { readonly kind: 'problem'; readonly problem: Problem }
  /** Until it is cleared; the file has to be looked at again afterwards. */
  | { readonly kind: 'passing'; readonly clear: () => Promise<Problem | undefined> };

/** How long the editor may take to reload a file that moved on disk, in milliseconds. */
const RELOAD_TIME = 2_000;

/** Makes files ready for an apply, so that nothing has to be awaited between the compare and the apply. */
export class Readiness {
  readonly #looks: Looks;
  readonly #changes: BufferChanges;
  readonly #conversions: Conversions;
  readonly #log: vscode.LogOutputChannel;

  constructor(looks: Looks, changes: BufferChanges, conversions: Conversions, log: vscode.LogOutputChannel) {
    this.#looks = looks;
    this.#changes = changes;
    this.#conversions = conversions;
    this.#log = log;
  }

  /** @returns `undefined` when what was decided can be done in this very turn. */
  obstacle(file: FileRef, look: Look, decision: Decision): Obstacle | undefined {
    switch (decision.kind) {
      case 'apply':
        return this.#obstacleToEdit(file, look, decision.candidate);
      case 'hold':
        return decision.plan && decision.plan.kind !== 'create' ? this.#obstacleToLeave(file, look) : undefined;
      case 'refuse':
        return undefined;
      default:
        return decision satisfies never;
    }
  }

  #obstacleToLeave(file: FileRef, look: Look): Obstacle | undefined {
    // Only of documents does the editor tell whether a setting makes them read only.
    if (look.document === undefined && hasReadOnlyPatterns(this.#looks.uriOf(file.key))) {
      return { kind: 'passing', clear: () => this.#open(file) };
    }
    return readOnlyObstacle(file, look);
  }

  #obstacleToEdit(file: FileRef, look: Look, candidate: Candidate): Obstacle | undefined {
    const { state, document } = look;
    if (state.kind !== 'text') {
      throw new Error(`${file.path}: only a text can be edited`);
    }
    const readOnly = readOnlyObstacle(file, look);
    if (readOnly) {
      return readOnly;
    }
    const unconverted = this.#unconverted(renderText(candidate.text), state.format.encoding);
    if (unconverted) {
      return unconverted;
    }
    if (needsBytes(look)) {
      return undefined;
    }
    if (state.base.dirty !== undefined && this.#looks.hasMixedEndings(file, look)) {
      return { kind: 'problem', problem: MIXED_AND_UNSAVED };
    }
    if (document === undefined) {
      return { kind: 'passing', clear: () => this.#open(file) };
    }
    if (look.isLagging) {
      return { kind: 'passing', clear: () => this.#catchUp(file, document, look) };
    }
    return this.#loss(look, document);
  }

  /** A legacy encoding has to be converted first, by the editor; our own never are an obstacle. */
  #unconverted(raw: string, encoding: string): Obstacle | undefined {
    const bytes = isOwnEncoding(encoding) ? undefined : this.#conversions.encoded(raw, encoding);
    if (isOwnEncoding(encoding) || Buffer.isBuffer(bytes)) {
      return undefined;
    }
    if (bytes !== undefined) {
      return { kind: 'problem', problem: bytes };
    }
    return {
      kind: 'passing',
      clear: async () => {
        await this.#conversions.encode(raw, encoding);
        return undefined;
      },
    };
  }

  async #open(file: FileRef): Promise<Problem | undefined> {
    try {
      await vscode.workspace.openTextDocument(this.#looks.uriOf(file.key));
      return undefined;
    } catch (error) {
      return {
        status: 'apply_failed',
        reason: `the editor cannot open it: ${describe(error)}`,
        next: 'leave it alone, or ask the engineer',
      };
    }
  }

  /** Saving the buffer would change bytes that nobody asked for: what it encodes to is not what is on disk. */
  #loss({ state, disk }: Look, document: vscode.TextDocument): Obstacle | undefined {
    if (state.kind !== 'text' || state.base.dirty !== undefined || disk.kind !== 'file') {
      return undefined;
    }
    const format = formatOf(document.encoding);
    const raw = document.getText();
    const unconverted = this.#unconverted(raw, format.encoding);
    if (unconverted) {
      return unconverted;
    }
    const bytes = this.#conversions.tryBytesOf(raw, format);
    if (Buffer.isBuffer(bytes) && bytes.equals(disk.bytes)) {
      return undefined;
    }
    const offset = Buffer.isBuffer(bytes) ? firstDifference(bytes, disk.bytes) : 0;
    const reason = `saving it through the editor as ${document.encoding} would change bytes nobody asked for, the first at offset ${offset}`;
    return { kind: 'problem', problem: { ...undecodable(document.encoding, offset), reason } };
  }

  /** Waits for the editor to reload a file that moved on disk; where it never does, brings its copy up to date. */
  async #catchUp(file: FileRef, document: vscode.TextDocument, look: Look): Promise<Problem | undefined> {
    if (await changesWithin(RELOAD_TIME, document)) {
      return undefined;
    }
    const now = this.#looks.lookNow(file);
    if ('convert' in now || !now.isLagging || now.document !== document || now.state.kind !== 'text') {
      return undefined;
    }
    if (look.state.base?.disk !== now.state.base.disk) {
      return undefined;
    }
    // Save participants would rewrite the disk by our hand.
    if (hasSaveParticipants(document)) {
      return LAGGING;
    }
    // With the text on disk in its buffer, the editor accepts the save, writes nothing new, and knows the disk again.
    this.#log.info(`${file.path}: the editor did not reload what is on disk; bringing its copy up to date`);
    await this.#changes.quietly(document, () => synchronize(this.#looks, file.key, document));
    // Whatever came of it, the next look tells.
    return undefined;
  }
}

/** What forbids to change a file, or to take it away, if anything. */
function readOnlyObstacle(file: FileRef, { disk, document }: Look): Obstacle | undefined {
  const problem = disk.kind === 'file' ? readOnlyProblem(file, disk, document) : undefined;
  return problem && { kind: 'problem', problem };
}

/** What forbids to change a file, if anything. Decided on the mode bits, because a privileged user could write a file that is meant to be read only. */
export function readOnlyProblem(
  file: FileRef,
  disk: Extract<Disk, { kind: 'file' }>,
  document: vscode.TextDocument | undefined,
): Problem | undefined {
  const next = 'ask the engineer to make it writable, or leave it alone';
  if ((disk.stats.mode & 0o222) === 0 || !isWritable(file.key)) {
    return { status: 'read_only', reason: 'read-only on disk', next };
  }
  if (document && isReadOnlyBySetting(document)) {
    return { status: 'read_only', reason: 'read-only by setting (files.readonlyInclude)', next };
  }
  return undefined;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    if (codeOf(error) === undefined) {
      throw error;
    }
    return false;
  }
}

/** Whether any setting makes files read only in the editor. */
function hasReadOnlyPatterns(uri: vscode.Uri): boolean {
  const patterns = vscode.workspace.getConfiguration('files', uri).get<Record<string, boolean>>('readonlyInclude', {});
  return Object.values(patterns).includes(true);
}

function isReadOnlyBySetting(document: vscode.TextDocument): boolean {
  const settings = vscode.workspace.getConfiguration('files', document.uri);
  const matches = (name: string) =>
    Object.entries(settings.get<Record<string, boolean>>(name, {})).some(
      ([pattern, isOn]) =>
        isOn && vscode.languages.match({ scheme: 'file', pattern: inAnyFolder(pattern, document) }, document) > 0,
    );
  return matches('readonlyInclude') && !matches('readonlyExclude');
}

/** The editor matches these patterns against the path relative to the workspace folder, and against the whole path. */
function inAnyFolder(pattern: string, document: vscode.TextDocument): vscode.GlobPattern {
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  return folder && !pattern.startsWith('/') ? new vscode.RelativePattern(folder, pattern) : pattern;
}

const MIXED_AND_UNSAVED: Problem = {
  status: 'unsaved_changes',
  reason:
    'the file on disk mixes line endings, which the editor cannot hold, and the editor has unsaved changes in it: saving them would rewrite every line end',
  next: 'ask the engineer to save or to revert the file first, then read it again',
};

const LAGGING: Problem = {
  status: 'apply_failed',
  reason: 'the file moved on disk, and the editor would not take its new text',
  next: 'ask the engineer to close or reload the file in the editor, then read it again',
};
