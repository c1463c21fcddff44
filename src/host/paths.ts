import { lstatSync, realpathSync } from 'node:fs';
import * as nodePath from 'node:path';
import * as vscode from 'vscode';
import type { FileRef } from '../core/documents.ts';
import type { Problem } from '../core/status.ts';
import { codeOf, describe } from './errors.ts';
import { DISK, Spelling } from './spelling.ts';

/** A file of the workspace, and where the editor finds it. */
export interface WorkspaceFile extends FileRef {
  /** Spelled through the workspace folder, so that the editor sees one document whatever links lead there. */
  readonly uri: vscode.Uri;
}

/** A workspace folder on this machine's disk. */
interface Root {
  readonly name: string;
  readonly path: string;
  readonly realPath: string;
}

/**
 * Resolves a path as an agent wrote it: workspace-relative with forward slashes (in a multi-root workspace prefixed by the
 * folder's name), or absolute. Follows symbolic links; what resolves outside every folder is refused.
 */
export function resolvePath(path: string): WorkspaceFile | Problem {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path) || /^file:/i.test(path)) {
    return problem('invalid_input', `${quote(path)} is a URI`, 'send a plain path, relative to the workspace');
  }
  const roots = workspaceRoots();
  if (roots.length === 0) {
    return problem(
      'outside_workspace',
      'no folder on this machine is open',
      'ask the engineer to open the folder to work in',
    );
  }
  const absolute = toAbsolute(path, roots);
  if (absolute === undefined) {
    const names = roots.map(({ name }) => quote(name)).join(', ');
    return problem(
      'outside_workspace',
      `${quote(path)} names no folder of this workspace`,
      `several folders are open; begin the path with one of ${names} and a slash`,
    );
  }
  const real = realPathOf(absolute);
  if (typeof real !== 'string') {
    return real;
  }
  const root = roots.find(({ realPath }) => isInside(realPath, real));
  if (!root) {
    return problem(
      'outside_workspace',
      `${quote(path)} resolves outside the workspace`,
      'only files inside the open folders can be read or edited, symbolic links followed; ask the engineer if this one is needed',
    );
  }
  const relative = nodePath.relative(root.realPath, real);
  const shown = relative.split(nodePath.sep).join('/');
  return {
    key: real,
    path: nameOf(root, shown, real, roots),
    uri: vscode.Uri.file(nodePath.join(root.path, relative)),
  };
}

/** How a file is shown: whatever is shown leads to the same file when it is sent back. */
function nameOf(root: Root, shown: string, real: string, roots: readonly Root[]): string {
  if (roots.length === 1) {
    return shown === '' ? '.' : shown;
  }
  // Two folders of one name: only the whole path tells them apart.
  return roots.filter(({ name }) => name === root.name).length > 1 ? real : `${root.name}/${shown}`;
}

/** @returns what is wrong where a real path has come to lead elsewhere: it was resolved before, and must not be followed now. */
export function elsewhereProblem(realPath: string): Problem | undefined {
  const real = realPathOf(realPath);
  return real === realPath
    ? undefined
    : problem(
        'outside_workspace',
        'a symbolic link has been put in its place, or in that of a folder above it',
        'resolve the path again with arbiter_read, or ask the engineer',
      );
}

const spelling = new Spelling(DISK);

/** The real path of a file, or of what it would be: links are followed as far as there is something. */
export function realPathOf(absolute: string): string | Problem {
  let rest = '';
  for (let existing = absolute; ; existing = nodePath.dirname(existing)) {
    try {
      const real = realpathSync.native(existing);
      return nodePath.join(process.platform === 'linux' ? spelling.of(real) : real, rest);
    } catch (error) {
      const code = codeOf(error);
      // Some systems resolve what they can before they tell that the rest is too long.
      const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
      const link = isMissing ? isLink(existing) : false;
      if (code === 'ENAMETOOLONG' || link === 'too long') {
        return problem('invalid_input', 'the path, or a name in it, is longer than this system allows', 'shorten it');
      }
      if (!isMissing) {
        return problem(
          'outside_workspace',
          `${quote(absolute)} cannot be resolved: ${describe(error)}`,
          'send another path',
        );
      }
      if (link) {
        return problem(
          'outside_workspace',
          `${quote(existing)} is a symbolic link that leads nowhere`,
          'ask the engineer what it should point to; nothing is written through it',
        );
      }
      if (nodePath.dirname(existing) === existing) {
        return problem(
          'outside_workspace',
          `${quote(absolute)} cannot be resolved: ${describe(error)}`,
          'send another path',
        );
      }
      rest = nodePath.join(nodePath.basename(existing), rest);
    }
  }
}

function workspaceRoots(): Root[] {
  const roots: Root[] = [];
  for (const { name, uri } of vscode.workspace.workspaceFolders ?? []) {
    if (uri.scheme === 'file') {
      const realPath = realPathOf(uri.fsPath);
      if (typeof realPath === 'string') {
        roots.push({ name, path: uri.fsPath, realPath });
      }
    }
  }
  return roots;
}

function toAbsolute(path: string, roots: readonly Root[]): string | undefined {
  if (nodePath.isAbsolute(path)) {
    return nodePath.normalize(path);
  }
  const [only] = roots;
  if (roots.length === 1 && only) {
    return nodePath.resolve(only.path, path);
  }
  const normal = nodePath.sep === '\\' ? path.replaceAll('\\', '/') : path;
  // A folder's name may hold a slash, and two may have one name: only a name that leads to one folder counts.
  const named = roots.filter(({ name }) => normal === name || normal.startsWith(`${name}/`));
  const longest = Math.max(0, ...named.map(({ name }) => name.length));
  const [root, ...others] = named.filter(({ name }) => name.length === longest);
  return root && others.length === 0 ? nodePath.resolve(root.path, normal.slice(longest + 1)) : undefined;
}

function isInside(root: string, path: string): boolean {
  const relative = nodePath.relative(root, path);
  return (
    relative === '' ||
    (relative !== '..' && !relative.startsWith(`..${nodePath.sep}`) && !nodePath.isAbsolute(relative))
  );
}

function isLink(path: string): boolean | 'too long' {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (error) {
    switch (codeOf(error)) {
      case 'ENOENT':
      case 'ENOTDIR':
        return false;
      case 'ENAMETOOLONG':
        return 'too long';
      default:
        throw error;
    }
  }
}

function quote(text: string): string {
  return JSON.stringify(text);
}

function problem(status: Problem['status'], reason: string, next: string): Problem {
  return { status, reason, next };
}
