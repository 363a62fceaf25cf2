/** From what is known to what is shown: sides collapsed, nodes left out, groups drawn as one. */
import { foldFans } from "./fans";
import type { Graph, GraphEdge, GraphNode, Health } from "./model";
import { edgeKey, INFERRED, movedEdges, neighbours } from "./model";
import type { Side, View } from "./view-state";
import { sideKey, sideOfKey, unpackList } from "./view-state";

/** The steps, in their order; each gives a graph of its own. */
export function shapeGraph(graph: Graph, view: View, health: ReadonlyMap<string, Health> = new Map()): Graph {
  const closed = collapse(graph, new Set(unpackList(view.closed)));
  const kept = leaveOut(closed, (node) => isKept(node, view, health));
  if (view.group) return group(kept, view.group, new Set(unpackList(view.ungrouped)));
  return view.to ? kept : foldFans(kept, unfoldedBy(view));
}

/** What stays out of fans: what was unfolded, and nodes that were expanded by hand. */
function unfoldedBy(view: View): ReadonlySet<string> {
  const expanded = unpackList(view.open).map((key) => sideOfKey(key).id);
  return new Set([...unpackList(view.unfold), ...expanded]);
}

/** The states of a node by which it is found: that of its latest run, and what is wrong with it. */
export function statesOf(node: GraphNode, health: ReadonlyMap<string, Health>): string[] {
  const wrong = health.get(node.id)?.state;
  return [...(node.state ? [node.state] : []), ...(wrong ? [wrong] : [])];
}

export const allTagsOf = (node: GraphNode): string[] => [...node.tags, ...(node.columnTags ?? [])];

function isKept(node: GraphNode, view: View, health: ReadonlyMap<string, Health>): boolean {
  if (view.nojobs && node.kind === "job") return false;
  if (view.system && node.system !== view.system) return false;
  if (view.namespace && node.namespace !== view.namespace) return false;
  if (view.tag && !allTagsOf(node).includes(view.tag)) return false;
  return !view.state || statesOf(node, health).includes(view.state);
}

/** Hide what is reached from the focus only over a collapsed side. */
export function collapse(graph: Graph, closed: ReadonlySet<string>): Graph {
  if (closed.size === 0) return graph;
  const next = neighbours(graph.edges);
  const reached = new Set([graph.focus]);
  const waiting = [graph.focus];
  while (waiting.length > 0) {
    const id = waiting.pop()!;
    for (const side of ["up", "down"] as const) {
      if (closed.has(sideKey(id, side))) continue;
      for (const other of next[side].get(id) ?? []) {
        if (reached.has(other) || closed.has(sideKey(other, opposite(side)))) continue;
        reached.add(other);
        waiting.push(other);
      }
    }
  }
  const hidden = restrict(graph, reached);
  return withRest(hidden, graph);
}

const opposite = (side: Side): Side => (side === "up" ? "down" : "up");

function restrict(graph: Graph, kept: ReadonlySet<string>): Graph {
  const nodes = new Map([...graph.nodes].filter(([id]) => kept.has(id)));
  const edges = graph.edges.filter(({ from, to }) => nodes.has(from) && nodes.has(to));
  return { ...graph, nodes, edges };
}

/** Count what a collapse hid among what is not shown. */
function withRest(shown: Graph, all: Graph): Graph {
  const before = neighbours(all.edges);
  const after = neighbours(shown.edges);
  const nodes = new Map<string, GraphNode>();
  for (const [id, node] of shown.nodes) {
    const rest = { ...node.rest };
    for (const side of ["up", "down"] as const) {
      const hidden = (before[side].get(id)?.length ?? 0) - (after[side].get(id)?.length ?? 0);
      if (hidden > 0) rest[side] = (rest[side] ?? 0) + hidden;
    }
    nodes.set(id, { ...node, rest });
  }
  return { ...shown, nodes };
}

/** Leave nodes out and join what they connected: no way through the graph is lost. */
export function leaveOut(graph: Graph, isShown: (node: GraphNode) => boolean): Graph {
  const kept = new Set<string>();
  for (const [id, node] of graph.nodes) {
    if (id === graph.focus || isShown(node)) kept.add(id);
  }
  if (kept.size === graph.nodes.size) return graph;
  const down = neighbours(graph.edges).down;
  const direct = new Map(graph.edges.map((edge) => [edgeKey(edge), edge]));
  const edges = new Map<string, GraphEdge>();
  for (const from of kept) {
    for (const [to, through] of reachOver(from, down, kept)) {
      const names = through.map((id) => graph.nodes.get(id)?.name ?? id);
      const { change } = direct.get(edgeKey({ from, to })) ?? {};
      const edge = { from, to, kind: kindOver([from, ...through, to], direct), through: names, change };
      edges.set(edgeKey(edge), edge);
    }
  }
  return { ...restrict(graph, kept), edges: [...edges.values()] };
}

/** A way is what its only edge is; of several, inferred if one of them is. */
function kindOver(way: string[], direct: ReadonlyMap<string, GraphEdge>): string {
  const kinds = way.slice(1).map((to, index) => direct.get(edgeKey({ from: way[index]!, to }))?.kind ?? "observed");
  if (kinds.length === 1) return kinds[0]!;
  return kinds.includes(INFERRED) ? INFERRED : "observed";
}

/** The kept nodes that follow one, directly or over nodes that are left out, which are named. */
function reachOver(start: string, down: Map<string, string[]>, kept: ReadonlySet<string>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const seen = new Set<string>();
  const waiting: { id: string; through: string[] }[] = [{ id: start, through: [] }];
  // First come, first served: the shortest way is the one that is named.
  for (const { id, through } of waiting) {
    for (const next of down.get(id) ?? []) {
      if (kept.has(next)) {
        if (!found.has(next)) found.set(next, through);
      } else if (!seen.has(next)) {
        seen.add(next);
        waiting.push({ id: next, through: [...through, next] });
      }
    }
  }
  return found;
}

const groupId = (name: string): string => `group:${name}`;

/** Draw all nodes of a system or namespace as one, but for those groups that are open. */
export function group(graph: Graph, by: "system" | "namespace", open: ReadonlySet<string>): Graph {
  const members = new Map<string, GraphNode[]>();
  for (const node of graph.nodes.values()) {
    if (node.id === graph.focus || open.has(node[by])) continue;
    members.set(node[by], [...(members.get(node[by]) ?? []), node]);
  }
  const nodes = new Map(graph.nodes);
  const place = new Map<string, string>();
  for (const [name, some] of members) {
    if (some.length < 2) continue;
    nodes.set(groupId(name), groupNode(name, some));
    for (const { id } of some) {
      nodes.delete(id);
      place.set(id, groupId(name));
    }
  }
  return { ...graph, nodes, edges: movedEdges(graph.edges, place) };
}

function groupNode(name: string, members: GraphNode[]): GraphNode {
  const first = members[0]!;
  const distance = Math.min(...members.map((node) => node.distance));
  const worst = members.find((node) => node.state === "FAILED");
  const rest = { up: 0, down: 0 };
  return {
    ...first,
    id: groupId(name),
    kind: "group",
    name,
    distance,
    rest,
    columns: [],
    tags: [],
    state: worst?.state ?? null,
    size: members.length,
  };
}
