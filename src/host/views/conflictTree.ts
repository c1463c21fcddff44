import * as vscode from 'vscode';
import type { Conflict, Conflicts } from '../../core/conflict.ts';
import { CONTEXTS } from '../../names.ts';

/** A line below a conflict. */
interface Detail {
  readonly conflict: Conflict;
  readonly label: string;
  readonly icon: string;
}

export type ConflictNode = { readonly conflict: Conflict } | Detail;

/** The open conflicts as a tree: file, status and cause at a glance; explanation and causes below. */
export class ConflictTree implements vscode.TreeDataProvider<ConflictNode>, vscode.Disposable {
  readonly #conflicts: Conflicts;
  readonly #uriOf: (key: string) => vscode.Uri;
  readonly #onDidChange = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#onDidChange.event;
  readonly #stop: () => void;

  constructor(conflicts: Conflicts, uriOf: (key: string) => vscode.Uri) {
    this.#conflicts = conflicts;
    this.#uriOf = uriOf;
    this.#stop = conflicts.onDidChange(() => {
      this.#onDidChange.fire(undefined);
      void vscode.commands.executeCommand('setContext', CONTEXTS.hasConflicts, conflicts.open.length > 0);
    });
  }

  dispose(): void {
    this.#stop();
    this.#onDidChange.dispose();
  }

  getChildren(node?: ConflictNode): ConflictNode[] {
    if (node === undefined) {
      return this.#conflicts.open.map((conflict) => ({ conflict }));
    }
    return 'label' in node ? [] : details(node.conflict);
  }

  getTreeItem(node: ConflictNode): vscode.TreeItem {
    if ('label' in node) {
      const detail = new vscode.TreeItem(node.label);
      detail.iconPath = new vscode.ThemeIcon(node.icon);
      detail.tooltip = node.label;
      return detail;
    }
    const { conflict } = node;
    const item = new vscode.TreeItem(this.#uriOf(conflict.key), vscode.TreeItemCollapsibleState.Collapsed);
    const name = conflict.path.split('/').at(-1) ?? conflict.path;
    item.label = name;
    item.id = String(conflict.id);
    item.description = [conflict.status, conflict.changedBy.at(-1), conflict.explanation && `“${conflict.explanation}”`]
      .filter(Boolean)
      .join(' · ');
    item.tooltip = `${conflict.path}\n${item.description}`;
    item.contextValue = conflict.changedBy.length > 0 ? 'conflict.moved' : 'conflict';
    item.accessibilityInformation = { label: `${conflict.path}, ${item.description}` };
    return item;
  }
}

function details(conflict: Conflict): Detail[] {
  const rows: Detail[] = conflict.changedBy.map((cause) => ({ conflict, label: cause, icon: 'history' }));
  if (conflict.yourEdit !== undefined) {
    rows.push({ conflict, label: `the edit is ${conflict.yourEdit}`, icon: 'target' });
  }
  if (conflict.reason !== undefined) {
    rows.push({ conflict, label: conflict.reason, icon: 'info' });
  }
  rows.push({
    conflict,
    label: `turn ${conflict.turn}, ${new Date(conflict.time).toLocaleTimeString()}`,
    icon: 'comment',
  });
  return rows;
}
