/** The nodes of a graph in a list: from sources to targets, with how each is connected to the focus. */
import { layersOf } from "./layers";
import type { Graph, GraphNode } from "./model";
import { neighbours } from "./model";
import type { Sort } from "./view-state";

export type Way = "here" | "up" | "down" | "both" | "beside";

export interface ListedNode {
  node: GraphNode;
  way: Way;
  /** The layer in which it stands: after all that it comes from. */
  layer: number;
  state: string;
}

export function listNodes(graph: Graph, stateOf: (node: GraphNode) => string): ListedNode[] {
  const boxes = [...graph.nodes.keys()].map((id) => ({ id, width: 0, height: 0 }));
  const layers = layersOf(boxes, graph.edges);
  const ways = waysOf(graph);
  return [...graph.nodes.values()].map((node) => ({
    node,
    way: ways(node.id),
    layer: layers.get(node.id) ?? 0,
    state: stateOf(node),
  }));
}

function waysOf(graph: Graph): (id: string) => Way {
  const next = neighbours(graph.edges);
  const [up, down] = [reach(graph.focus, next.up), reach(graph.focus, next.down)];
  return (id) => {
    if (id === graph.focus) return "here";
    if (up.has(id)) return down.has(id) ? "both" : "up";
    return down.has(id) ? "down" : "beside";
  };
}

function reach(start: string, next: ReadonlyMap<string, string[]>): ReadonlySet<string> {
  const found = new Set([start]);
  for (const id of found) for (const other of next.get(id) ?? []) found.add(other);
  return found;
}

const WAYS: Way[] = ["up", "here", "down", "both", "beside"];

export function sortNodes(listed: ListedNode[], sort: Sort): ListedNode[] {
  const byName = (a: ListedNode, b: ListedNode) => a.node.name.localeCompare(b.node.name);
  const byPath = (a: ListedNode, b: ListedNode) => a.layer - b.layer || byName(a, b);
  const orders: Record<Sort, (a: ListedNode, b: ListedNode) => number> = {
    path: byPath,
    name: byName,
    // What nobody owns, and what has no state, comes last.
    owner: (a, b) => (a.node.owners?.[0] ?? "\uffff").localeCompare(b.node.owners?.[0] ?? "\uffff"),
    state: (a, b) => (a.state || "\uffff").localeCompare(b.state || "\uffff"),
    hops: (a, b) => a.node.distance - b.node.distance,
    way: (a, b) => WAYS.indexOf(a.way) - WAYS.indexOf(b.way),
  };
  return [...listed].sort((a, b) => orders[sort](a, b) || byPath(a, b));
}

/** Whether a node is found by a text: by its names, its system, owners and tags. */
export function isFound(node: GraphNode, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return false;
  const { name, namespace, system, owners = [], tags, columnTags = [] } = node;
  return [name, namespace, system, ...owners, ...tags, ...columnTags].some((one) => one.toLowerCase().includes(wanted));
}

export interface Found {
  node: GraphNode;
  /** The fan that it is drawn in. */
  fan?: string;
}

/** All that is found by a text, those in fans as well, in the order of the path. */
export function findNodes(graph: Graph, text: string): Found[] {
  if (!text.trim()) return [];
  return sortNodes(
    listNodes(graph, () => ""),
    "path",
  ).flatMap(({ node }) => {
    if (!node.fan) return isFound(node, text) ? [{ node }] : [];
    const { members, behind } = node.fan;
    return [...members, ...behind].filter((one) => isFound(one, text)).map((one) => ({ node: one, fan: node.id }));
  });
}
