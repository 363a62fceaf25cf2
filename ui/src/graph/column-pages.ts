/** Which columns a dataset lists: those on a path, or a page of all that match what was searched. */
import type { ColumnEdge, Graph } from "./model";
import type { Opened } from "./sizes";
import { PAGE } from "./sizes";

export interface ColumnsAsked {
  text: string;
  page: number;
}

export interface OpenedColumns extends Opened {
  asked: ColumnsAsked;
  matching: number;
}

const FIRST: ColumnsAsked = { text: "", page: 0 };

export function openColumns(
  graph: Graph,
  shown: ReadonlySet<string>,
  asked: ReadonlyMap<string, ColumnsAsked>,
): Map<string, OpenedColumns> {
  const opened = new Map<string, OpenedColumns>();
  for (const id of shown) {
    const node = graph.nodes.get(id);
    if (node?.kind !== "dataset") continue;
    const { text, page } = asked.get(id) ?? FIRST;
    const wanted = text.trim().toLowerCase();
    const matching = wanted ? node.columns.filter(({ name }) => name.toLowerCase().includes(wanted)) : node.columns;
    const last = Math.max(0, Math.ceil(matching.length / PAGE) - 1);
    const at = Math.min(page, last);
    opened.set(id, {
      shown: matching.slice(at * PAGE, (at + 1) * PAGE),
      hasTools: node.columns.length > PAGE,
      asked: { text, page: at },
      matching: matching.length,
    });
  }
  return opened;
}

/** Columns that are an end of an edge but not listed now are meant by their dataset as a whole. */
export function toListed(edge: ColumnEdge, opened: ReadonlyMap<string, OpenedColumns>): ColumnEdge {
  return { ...edge, from: listed(edge.from), to: listed(edge.to) };

  function listed(end: ColumnEdge["from"]): ColumnEdge["from"] {
    const isListed = opened.get(end.dataset)?.shown.some(({ name }) => name === end.field);
    return isListed ? end : { ...end, field: "" };
  }
}
