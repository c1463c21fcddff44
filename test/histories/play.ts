import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { spansBetween } from '../../src/core/compare.ts';
import { applySpans, foldEndings, parseText, renderText } from '../../src/core/text.ts';
import { edit, type Part, type Result, read } from '../integration/support/agent.ts';
import { pathOf } from '../integration/support/disk.ts';
import { entryOf, type Form, formsFrom } from './calls.ts';
import type { Change, Repository } from './repository.ts';

/** What came of a history. */
export interface Played {
  commits: number;
  files: number;
  /** Changes that were not carried out, by the status that the arbiter gave; each was then made by hand. */
  readonly refused: Record<string, number>;
  /** Files that are not what git has, after the arbiter had applied the change. Must stay empty. */
  readonly mismatches: string[];
  milliseconds: number;
}

/** Most files of one call. */
const BATCH = 50;

/** Plays the newest commits of a repository through the arbiter, in a folder of the workspace. */
export async function playHistory(repository: Repository, folder: string, count: number): Promise<Played> {
  const played: Played = { commits: 0, files: 0, refused: {}, mismatches: [], milliseconds: 0 };
  const { start, commits } = repository.commits(count);
  for (const { path, mode, bytes } of start === undefined ? [] : repository.files(start)) {
    write(`${folder}/${path}`, bytes, mode);
  }
  const formOf = formsFrom(1);
  for (const commit of commits) {
    const changes = repository.changes(commit);
    for (let at = 0; at < changes.length; at += BATCH) {
      await playBatch(repository, commit, folder, changes.slice(at, at + BATCH), formOf, played);
    }
    played.commits += 1;
  }
  return played;
}

async function playBatch(
  repository: Repository,
  commit: string,
  folder: string,
  batch: readonly Change[],
  formOf: () => Form,
  played: Played,
): Promise<void> {
  const sent: { readonly change: Change; readonly patch: string }[] = [];
  for (const original of batch) {
    const change = { ...original, path: `${folder}/${original.path}`, target: `${folder}/${original.target}` };
    if (change.kind === 'edit' && change.before.equals(change.after)) {
      setMode(change);
    } else if (canBeSent(change)) {
      sent.push({ change, patch: change.kind === 'edit' ? repository.patch(commit, original) : '' });
    } else {
      refuse(change, 'another encoding or line ending', played);
    }
  }
  if (sent.length === 0) {
    return;
  }
  const parts = await read(...sent.map(({ change: { path } }) => path));
  const entries: object[] = [];
  const changes: Change[] = [];
  for (const [index, { change, patch }] of sent.entries()) {
    const { header, content } = parts[index] as Part;
    if (header.status !== 'ok' && header.status !== 'not_found') {
      refuse(change, header.status, played);
      continue;
    }
    const after = foldEndings(decode(change.after, header.encoding));
    // Of a file that mixes line endings, only a whole text leaves it to the arbiter which line keeps which.
    const form = styleOf(change.before).eol === 'mixed' ? 'content' : formOf();
    entries.push(entryOf(change, header.base ?? 'absent', form, { before: content, after, patch }));
    changes.push(change);
  }
  if (entries.length === 0) {
    return;
  }
  const began = performance.now();
  const { results } = await edit({ files: entries });
  played.milliseconds += performance.now() - began;
  for (const [index, change] of changes.entries()) {
    const { status, reason } = results[index] as Result;
    if (status !== 'applied') {
      refuse(change, status, played);
      continue;
    }
    played.files += 1;
    if (!isAsInGit(change)) {
      const told = JSON.stringify(entries[index]).slice(0, 500);
      played.mismatches.push(`${commit.slice(0, 8)} ${change.kind} ${change.path}: ${told} ${reason ?? ''}`);
      carryOut(change);
    }
    setMode(change);
  }
}

function refuse(change: Change, reason: string, played: Played): void {
  played.files += 1;
  played.refused[reason] = (played.refused[reason] ?? 0) + 1;
  carryOut(change);
}

/** What a text cannot say: an edit keeps encoding, BOM and line ending of its file, and a new file has those of the settings. */
function canBeSent({ kind, before, after }: Change): boolean {
  if (kind === 'delete' || before.equals(after)) {
    return true;
  }
  const [was, is] = [styleOf(before), styleOf(after)];
  if (kind === 'create' || before.length === 0) {
    return is.marks === 'utf8' && !['crlf', 'mixed'].includes(is.eol) && Buffer.from(after.toString()).equals(after);
  }
  if (was.marks !== is.marks) {
    return false;
  }
  if (was.eol === 'mixed' || is.eol === 'mixed') {
    return kind === 'edit' && keepsEndings(decode(before, encodingOf(was.marks)), decode(after, encodingOf(is.marks)));
  }
  return is.eol === 'none' || is.eol === (was.eol === 'none' ? 'lf' : was.eol);
}

/** Whether every line that stays keeps its ending, and new lines end as the line before them: no call can say another. */
function keepsEndings(before: string, after: string): boolean {
  const text = parseText(before);
  const spans = spansBetween(text.content, foldEndings(after));
  return renderText(applySpans(text, spans, '\n')) === after;
}

function encodingOf(marks: string): string {
  return marks === 'fffe' ? 'utf16le' : marks === 'feff' ? 'utf16be' : 'utf8';
}

function styleOf(bytes: Buffer): { readonly marks: string; readonly eol: 'lf' | 'crlf' | 'mixed' | 'none' } {
  const marks = ['efbbbf', 'fffe', 'feff'].find((mark) => bytes.toString('hex', 0, 3).startsWith(mark)) ?? 'utf8';
  const text = marks === 'fffe' ? bytes.toString('utf16le') : bytes.toString('latin1');
  const rest = text.replaceAll('\r\n', '');
  const hasCrlf = rest.length < text.length;
  if (rest.includes('\r') || (hasCrlf && rest.includes('\n'))) {
    return { marks, eol: 'mixed' };
  }
  return { marks, eol: hasCrlf ? 'crlf' : rest.includes('\n') ? 'lf' : 'none' };
}

function setMode({ kind, target, mode }: Change): void {
  if (kind !== 'delete') {
    chmodSync(pathOf(target), Number.parseInt(mode.slice(-3), 8));
  }
}

function isAsInGit({ kind, path, target, after }: Change): boolean {
  if (kind === 'delete') {
    return !existsSync(pathOf(path));
  }
  const isGone = kind !== 'rename' || !existsSync(pathOf(path));
  return isGone && existsSync(pathOf(target)) && readFileSync(pathOf(target)).equals(after);
}

/** What the arbiter would not do is done by another hand. */
function carryOut({ kind, path, target, after, mode }: Change): void {
  if (kind === 'delete' || kind === 'rename') {
    rmSync(pathOf(path), { force: true });
  }
  if (kind !== 'delete') {
    write(target, after, mode);
  }
}

function write(path: string, bytes: Buffer, mode: string): void {
  mkdirSync(dirname(pathOf(path)), { recursive: true });
  if (existsSync(pathOf(path))) {
    chmodSync(pathOf(path), statSync(pathOf(path)).mode | 0o200);
  }
  writeFileSync(pathOf(path), bytes);
  chmodSync(pathOf(path), Number.parseInt(mode.slice(-3), 8));
}

/** The text without its BOM. */
function decode(bytes: Buffer, encoding: unknown): string {
  const text =
    encoding === 'utf16le'
      ? bytes.toString('utf16le')
      : encoding === 'utf16be'
        ? Buffer.from(bytes).swap16().toString('utf16le')
        : bytes.toString('utf8');
  return text.replace(/^\uFEFF/, '');
}
