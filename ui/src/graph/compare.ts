/** Two graphs of the same view as of two times, as one: what came, what went, what is not as it was. */
import type { Change, Graph, GraphEdge, GraphNode } from "./model";
import { edgeKey } from "./model";

/** The newer graph, with what is only in the older one, each marked. */
export function compareGraphs(before: Graph, now: Graph): Graph {
  const nodes = new Map<string, GraphNode>();
  for (const [id, node] of now.nodes) {
    const old = before.nodes.get(id);
    nodes.set(id, { ...node, change: old ? changeOf(old, node) : "added" });
  }
  for (const [id, node] of before.nodes) {
    if (!nodes.has(id)) nodes.set(id, { ...node, rest: { up: 0, down: 0 }, change: "removed" });
  }
  const old = new Set(before.edges.map(edgeKey));
  const edges: GraphEdge[] = now.edges.map((edge) => (old.has(edgeKey(edge)) ? edge : { ...edge, change: "added" }));
  const current = new Set(now.edges.map(edgeKey));
  for (const edge of before.edges) if (!current.has(edgeKey(edge))) edges.push({ ...edge, change: "removed" });
  return { ...now, nodes, edges, isCut: now.isCut || before.isCut, compared: countChanges(nodes, edges) };
}

/** Whether a dataset has other columns, or a column another type. */
function changeOf(before: GraphNode, now: GraphNode): Change | undefined {
  const columns = (node: GraphNode) =>
    node.columns
      .map(({ name, type }) => `${name} ${type}`)
      .sort()
      .join("\n");
  return columns(before) === columns(now) ? undefined : "changed";
}

function countChanges(nodes: ReadonlyMap<string, GraphNode>, edges: GraphEdge[]): Record<Change, number> {
  const counts = { added: 0, removed: 0, changed: 0 };
  for (const { change } of [...nodes.values(), ...edges]) if (change) counts[change] += 1;
  return counts;
}
