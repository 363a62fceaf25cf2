/** The ways between two nodes, as a graph. */
import { datasetId } from "../api/ids";
import type { DrawnNode, LineagePaths } from "../api/schema";
import type { Graph, GraphEdge, GraphNode } from "./model";
import { edgeKey, emptyGraph } from "./model";

export function pathGraph(answer: LineagePaths, focus: string): Graph {
  const gaps = new Map(answer.nodes.flatMap(({ name, gaps }) => (gaps ? [[name, gaps] as const] : [])));
  const graph = { ...emptyGraph(focus), isCut: answer.isCut, gaps };
  const datasets = new Map(answer.nodes.map((node) => [node.id, node.type === "JOB" ? node.id : datasetId(node)]));
  for (const node of answer.nodes) {
    const id = datasets.get(node.id)!;
    if (!graph.nodes.has(id)) graph.nodes.set(id, drawn(node, id));
    if (node.field) graph.nodes.get(id)!.columns.push({ name: node.field, type: null });
  }
  const edges = new Map<string, GraphEdge>();
  for (const path of answer.paths) {
    path.nodes.forEach((id, index) => {
      const node = graph.nodes.get(datasets.get(id) ?? "");
      if (node) node.distance = Math.min(node.distance, Math.ceil(index / 2));
    });
    for (const { origin, destination, kind } of path.edges) {
      const edge = {
        from: datasets.get(origin) ?? origin,
        to: datasets.get(destination) ?? destination,
        kind,
        through: [],
      };
      if (edge.from !== edge.to) edges.set(edgeKey(edge), edge);
    }
  }
  graph.edges = [...edges.values()];
  return graph;
}

function drawn(node: DrawnNode, id: string): GraphNode {
  const { namespace, name, system } = node;
  const kind = node.type === "JOB" ? "job" : "dataset";
  return {
    id,
    kind,
    namespace,
    name,
    system,
    state: node.state || null,
    at: null,
    tags: [],
    columns: [],
    distance: Number.MAX_SAFE_INTEGER,
    rest: { up: 0, down: 0 },
    gaps: node.gaps,
  };
}
