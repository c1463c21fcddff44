import type { Node, Tree } from '@vscode/tree-sitter-wasm';
import type { FaultSite, Token } from '../../core/fault.ts';

const OPENERS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>': '<' };

/** How many tokens of an error are looked at. */
const MAX_TOKENS = 2_000;

/** The first place, in the order of the text, where the parser of a tree came to its limits. */
export function firstFault(tree: Tree): FaultSite | undefined {
  let node: Node | undefined = tree.rootNode;
  while (node?.hasError) {
    if (node.isError) {
      return { kind: 'unexpected', range: { start: node.startIndex, end: node.endIndex }, tokens: tokensOf(node) };
    }
    const parent: Node = node;
    node = parent.children.find((child) => child?.hasError || child?.isMissing) ?? undefined;
    if (node?.isMissing) {
      return missing(parent, node);
    }
  }
  return undefined;
}

function missing(parent: Node, node: Node): FaultSite {
  const { type, startIndex, id } = node;
  const before = parent.children.slice(
    0,
    parent.children.findIndex((child) => child?.id === id),
  );
  const opener = before.findLast((child) => child?.type === OPENERS[type]);
  return { kind: 'missing', type, at: startIndex, ...(opener ? { opener: tokenOf(opener) } : {}) };
}

function tokensOf(node: Node): Token[] {
  const tokens: Token[] = [];
  const cursor = node.walk();
  try {
    for (let isMore = true; isMore && tokens.length < MAX_TOKENS; ) {
      if (cursor.gotoFirstChild()) {
        continue;
      }
      tokens.push({ type: cursor.nodeType, start: cursor.startIndex, end: cursor.endIndex });
      isMore = cursor.gotoNextSibling();
      while (!isMore && cursor.gotoParent()) {
        isMore = cursor.gotoNextSibling();
      }
    }
  } finally {
    cursor.delete();
  }
  return tokens;
}

function tokenOf({ type, startIndex, endIndex }: Node): Token {
  return { type, start: startIndex, end: endIndex };
}
