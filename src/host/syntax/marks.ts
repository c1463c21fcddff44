import type { Node, Query, Tree } from '@vscode/tree-sitter-wasm';
import type { Declaration, Marks, Range } from '../../core/outline.ts';

/**
 * What the query of a language finds in a tree. Its captures: `code` (a function, class, method, type) or `data` (a value, a
 * field), with `name`, `parameters`, `owner` (the type of a receiver); `impl` is an implementation of a type (`name`), of what
 * `implements` says; `default` is exported without a name; `comment` and `attribute` may belong to what follows; `wrap` is a
 * statement around a declaration, `wrapped`; `error` is text that does not parse.
 *
 * @param isLate asked again and again; the search ends when it says yes.
 * @returns `undefined` where it took too long.
 */
export function marksIn(tree: Tree, query: Query, isLate: () => boolean): Marks | undefined {
  let isCut = false;
  const progressCallback = () => {
    isCut ||= isLate();
    return isCut;
  };
  const declarations: Declaration[] = [];
  const comments: Range[] = [];
  const attributes: Range[] = [];
  const errors: Range[] = [];
  const wraps: { outer: Range; inner: Range }[] = [];
  for (const { captures } of query.matches(tree.rootNode, { progressCallback })) {
    const nodes: Partial<Record<string, Node>> = {};
    for (const { name, node } of captures) {
      nodes[name] ??= node;
    }
    const { wrap, wrapped, comment, attribute, error } = nodes;
    if (wrap && wrapped) {
      wraps.push({ outer: rangeOf(wrap), inner: rangeOf(wrapped) });
    } else if (comment) {
      comments.push(rangeOf(comment));
    } else if (attribute) {
      attributes.push(rangeOf(attribute));
    } else if (error) {
      errors.push(rangeOf(error));
    } else {
      declarations.push(...declarationOf(nodes));
    }
    if (progressCallback()) {
      return undefined;
    }
  }
  const sure = errors.length === 0 ? declarations : declarations.map((one) => doubted(one, errors));
  return progressCallback() ? undefined : { declarations: sure, comments, attributes, wraps };
}

function declarationOf(nodes: Partial<Record<string, Node>>): Declaration[] {
  const { code, data, impl, default: unnamed, name, parameters, owner, implements: implemented } = nodes;
  const node = code ?? data ?? impl ?? unnamed;
  if (!node || (!name && !unnamed)) {
    return [];
  }
  return [
    {
      ...rangeOf(node),
      name: name && rangeOf(name),
      ...(parameters ? { parameters: rangeOf(parameters) } : {}),
      ...(owner ? { owner: rangeOf(owner) } : {}),
      ...(impl ? { implements: implemented ? rangeOf(implemented) : 'itself' } : {}),
      rank: data ? 'data' : 'code',
      isBroken: node.hasError,
    },
  ];
}

/** What stands in text that does not parse is no surer than what holds such text. */
function doubted(declaration: Declaration, errors: readonly Range[]): Declaration {
  const isInside = errors.some(({ start, end }) => start <= declaration.start && declaration.end <= end);
  return isInside ? { ...declaration, isBroken: true } : declaration;
}

function rangeOf({ startIndex, endIndex }: Node): Range {
  return { start: startIndex, end: endIndex };
}
