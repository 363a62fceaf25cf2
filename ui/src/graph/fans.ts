/** Large fans: of a node with many neighbours on a side, those that lead nowhere else are drawn as one node. */
import { strings } from "../strings";
import type { Fan, Graph, GraphNode } from "./model";
import { movedEdges, neighbours } from "./model";
import type { Side } from "./view-state";
import { sideKey } from "./view-state";

/** Up to so many are drawn beside each other. */
export const FAN = 20;

type Neighbours = ReturnType<typeof neighbours>;

/**
 * Fold what hangs on one node alone, with all that is behind it, and neighbours that are connected to the same nodes.
 *
 * `unfolded` has the sides of nodes, and single nodes, that stay as they are.
 */
export function foldFans(graph: Graph, unfolded: ReadonlySet<string>): Graph {
  const next = neighbours(graph.edges);
  const folding: Folding = { graph, next, unfolded, place: new Map(), fans: [] };
  for (const id of outward(graph.focus, next)) {
    for (const side of ["up", "down"] as const) {
      if (unfolded.has(sideKey(id, side)) || folding.place.has(id)) continue;
      foldBranches(folding, id, side);
      foldAlike(folding, id, side);
    }
  }
  if (folding.fans.length === 0) return graph;
  const nodes = new Map([...graph.nodes].filter(([id]) => !folding.place.has(id)));
  for (const fan of folding.fans) nodes.set(fan.id, fan);
  return { ...graph, nodes, edges: movedEdges(graph.edges, folding.place) };
}

interface Folding {
  graph: Graph;
  next: Neighbours;
  unfolded: ReadonlySet<string>;
  /** The fan that a node is drawn in. */
  place: Map<string, string>;
  fans: GraphNode[];
}

/** The nodes from the focus outward: what a fan near it hides is not looked at. */
function* outward(focus: string, next: Neighbours): Iterable<string> {
  const seen = new Set([focus]);
  for (const id of seen) {
    yield id;
    for (const side of [next.up, next.down]) for (const other of side.get(id) ?? []) seen.add(other);
  }
}

/** The neighbours of a side that are still drawn, if they are too many. */
function crowdOf({ next, place }: Folding, hub: string, side: Side): string[] {
  const all = (next[side].get(hub) ?? []).filter((id) => !place.has(id));
  return all.length > FAN ? all : [];
}

/** Neighbours behind which all ends: without the hub they are no longer connected to the rest. */
function foldBranches(folding: Folding, hub: string, side: Side): void {
  const { next } = folding;
  const members: string[] = [];
  const behind: string[] = [];
  const seen = new Set([hub]);
  for (const start of crowdOf(folding, hub, side)) {
    if (seen.has(start)) continue;
    const branch = reach(start, seen, folding);
    const ends = branch.filter((id) => touches(next, hub, id));
    if (branch.some((id) => isKept(folding, id)) || ends.length !== 1) continue;
    members.push(start);
    behind.push(...branch.filter((id) => id !== start));
  }
  if (members.length > FAN) fold(folding, hub, side, members, behind);
}

/** The focus, what was taken out of a fan, and what came or went between two times. */
const isKept = ({ graph, unfolded }: Folding, id: string): boolean =>
  id === graph.focus || unfolded.has(id) || graph.nodes.get(id)?.change !== undefined;

const touches = (next: Neighbours, hub: string, id: string): boolean =>
  Boolean(next.up.get(id)?.includes(hub) || next.down.get(id)?.includes(hub));

/** All that is connected to a node, but for what was seen before. */
function reach(start: string, seen: Set<string>, { next, place }: Folding): string[] {
  const found = new Set([start]);
  for (const id of found) {
    seen.add(id);
    for (const side of [next.up, next.down]) {
      for (const other of side.get(id) ?? []) if (!seen.has(other) && !place.has(other)) found.add(other);
    }
  }
  return [...found];
}

/** Neighbours that are connected to the same nodes. */
function foldAlike(folding: Folding, hub: string, side: Side): void {
  const { next, graph } = folding;
  const alike = new Map<string, string[]>();
  for (const id of crowdOf(folding, hub, side)) {
    if (isKept(folding, id)) continue;
    const ways = [next.up, next.down].map((way) => [...(way.get(id) ?? [])].sort());
    const key = JSON.stringify([graph.nodes.get(id)!.kind, ...ways]);
    alike.set(key, [...(alike.get(key) ?? []), id]);
  }
  for (const ids of alike.values()) if (ids.length > FAN) fold(folding, hub, side, ids, []);
}

function fold({ graph, place, fans }: Folding, hub: string, side: Side, members: string[], behind: string[]): void {
  const id = `fan:${sideKey(hub, side)}${fans.some((fan) => fan.fan?.hub === hub && fan.fan.side === side) ? fans.length : ""}`;
  for (const one of [...members, ...behind]) place.set(one, id);
  const nodes = members.map((one) => graph.nodes.get(one)!).sort((a, b) => a.name.localeCompare(b.name));
  const fan = { hub, side, members: nodes, behind: behind.map((one) => graph.nodes.get(one)!) };
  fans.push(fanNode(id, fan, graph.nodes.get(hub)!));
}

function fanNode(id: string, fan: Fan, hub: GraphNode): GraphNode {
  const [first] = fan.members;
  const isOneSystem = fan.members.every(({ system }) => system === first!.system);
  const all = fan.members.length + (hub.rest[fan.side] ?? 0);
  return {
    ...first!,
    id,
    kind: "group",
    name: strings.graph.fan(fan.members.length, all, first!.kind === "job", fan.side),
    namespace: "",
    system: isOneSystem ? first!.system : "",
    state: fan.members.some(({ state }) => state === "FAILED") ? "FAILED" : null,
    at: null,
    columns: [],
    tags: [],
    columnTags: [],
    owners: [],
    rest: { up: 0, down: 0 },
    gaps: undefined,
    change: undefined,
    distance: Math.min(...fan.members.map(({ distance }) => distance)),
    size: fan.members.length,
    fan,
  };
}
