/** The graph as it is drawn, listed and exported: nodes, edges between them, edges between columns. */

import type { Named } from "../api/ids";

export interface Column {
  name: string;
  type: string | null;
  tags?: string[];
}

/** What became of a node or an edge between two times. */
export type Change = "added" | "removed" | "changed";

export interface GraphNode {
  id: string;
  kind: "dataset" | "job" | "group";
  namespace: string;
  name: string;
  system: string;
  /** State of a job's latest run, or the mark on a dataset (ALTER, DROP). */
  state: string | null;
  /** When a job sent its last event, or any run last named a dataset. */
  at: string | null;
  /** When a dataset was last written; null where nobody reports it. */
  writtenAt?: string | null;
  tags: string[];
  /** The tags of a dataset's columns. */
  columnTags?: string[];
  owners?: string[];
  columns: Column[];
  /** Jobs away from the focus. */
  distance: number;
  /** Neighbours that are not shown, by side; null where nobody has asked yet. */
  rest: { up: number | null; down: number | null };
  /** What was not recognised of a job, in words. */
  gaps?: string;
  /** Whether more may lie behind this node than anybody knows. */
  isIncomplete?: boolean;
  /** Where two times are compared: what became of it. */
  change?: Change;
  /** Of a group: how many nodes are in it. */
  size?: number;
  /** Of a group: the neighbours of one node that are drawn as one. */
  fan?: Fan;
}

export interface Fan {
  hub: string;
  side: "up" | "down";
  /** The neighbours of the hub. */
  members: GraphNode[];
  /** What is connected to the hub by them alone. */
  behind: GraphNode[];
}

export interface GraphEdge {
  from: string;
  to: string;
  /** `observed`, `declared`, `past`, `succession`, `inferred`. */
  kind: string;
  /** Names of the nodes that are left out in between. */
  through: string[];
  change?: Change;
}

/** Where a column edge begins or ends; without a field it is the whole dataset. */
export interface ColumnEnd {
  dataset: string;
  field: string;
}

export interface ColumnEdge {
  from: ColumnEnd;
  to: ColumnEnd;
  job: Named | null;
  /** What is done, as `AGGREGATION: sum(revenue)`. */
  how: string[];
  isIndirect: boolean;
  isMasked: boolean;
  /** Whether the job states no columns, so that the whole dataset stands for them. */
  isAssumed: boolean;
  /** The field that the job states, where it is not this one but one inside or around it. */
  via: string;
  /** Whether the server derived it from the job's SQL, and no run reported it. */
  isInferred: boolean;
  /** Whether it is one of several that an ambiguous name may mean: told, and not drawn. */
  isCandidate?: boolean;
}

export interface Graph {
  focus: string;
  nodes: Map<string, GraphNode>;
  edges: GraphEdge[];
  columnEdges: ColumnEdge[];
  /** Whether there is more than the server would answer with. */
  isCut: boolean;
  /** What was not recognised of the jobs here, by the job's name. */
  gaps: Map<string, string>;
  /** Where two times are compared: how much came, went and changed. */
  compared?: Record<Change, number>;
}

/** What is wrong with a node. */
export interface Health {
  state: string;
  reason: string;
}

export const INFERRED = "inferred";

export const edgeKey = (edge: { from: string; to: string }): string => `${edge.from}\n${edge.to}`;
export const endKey = (end: ColumnEnd): string => `${end.dataset}\n${end.field}`;

export function emptyGraph(focus: string): Graph {
  return { focus, nodes: new Map(), edges: [], columnEdges: [], isCut: false, gaps: new Map() };
}

/** Neighbours of every node, by side. */
export function neighbours(edges: Iterable<GraphEdge>): Record<"up" | "down", Map<string, string[]>> {
  const found = { up: new Map<string, string[]>(), down: new Map<string, string[]>() };
  for (const { from, to } of edges) {
    push(found.down, from, to);
    push(found.up, to, from);
  }
  return found;
}

function push(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** The same edges between what some nodes are drawn as. */
export function movedEdges(edges: GraphEdge[], place: ReadonlyMap<string, string>): GraphEdge[] {
  const moved = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const from = place.get(edge.from) ?? edge.from;
    const to = place.get(edge.to) ?? edge.to;
    if (from !== to) moved.set(edgeKey({ from, to }), { ...edge, from, to });
  }
  return [...moved.values()];
}
