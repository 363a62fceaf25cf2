/** Small graphs for tests, as the API would answer. */
import type { GraphShape, NodeShape } from "../src/api/schema";
import type { Graph, GraphNode } from "../src/graph/model";
import { emptyGraph } from "../src/graph/model";

/** A graph of edges such as `a>j1`, `j1>b`; ids that begin with `j` are jobs. */
export function graphOf(focus: string, ...edges: string[]): Graph {
  const graph = emptyGraph(focus);
  for (const edge of edges) {
    const [from, to] = edge.split(">") as [string, string];
    for (const id of [from, to]) if (!graph.nodes.has(id)) graph.nodes.set(id, nodeOf(id));
    graph.edges.push({ from, to, kind: "observed", through: [] });
  }
  return graph;
}

export function nodeOf(id: string, part: Partial<GraphNode> = {}): GraphNode {
  const kind = id.startsWith("j") ? "job" : "dataset";
  return {
    id,
    kind,
    namespace: "n",
    name: id,
    system: "kafka",
    state: null,
    at: null,
    tags: [],
    columns: [],
    distance: 0,
    rest: { up: 0, down: 0 },
    ...part,
  };
}

export const edgesOf = (graph: Graph): string[] => graph.edges.map(({ from, to }) => `${from}>${to}`).sort();

/** An answer of the server with datasets and jobs joined by edges, as `a>job:j`. */
export function answerOf(node: string, edges: string[], more: Record<string, NodeShape["more"]> = {}): GraphShape {
  const pairs = edges.map((edge) => edge.split(">") as [string, string]);
  const ids = [...new Set([node, ...pairs.flat()])];
  const graph = ids.map((id) => ({
    id,
    type: id.startsWith("job:") ? "JOB" : "DATASET",
    data: dataOf(id, pairs),
    inEdges: pairs.filter(([, to]) => to === id).map(([origin, destination]) => ({ origin, destination })),
    outEdges: pairs.filter(([from]) => from === id).map(([origin, destination]) => ({ origin, destination })),
    distance: id === node ? 0 : 1,
    more: more[id],
  })) as NodeShape[];
  return { graph, node, asOf: null, isCut: false, incomplete: false };
}

function dataOf(id: string, pairs: [string, string][]): object {
  const common = { namespace: "n", name: id, system: "kafka", tags: [], updatedAt: null };
  if (!id.startsWith("job:")) return { ...common, fields: [], lastLifecycleState: null, lastModifiedAt: null };
  const named = (name: string) => ({ namespace: "n", name });
  return {
    ...common,
    latestRun: { state: "FAILED" },
    inputs: pairs.filter(([, to]) => to === id).map(([from]) => named(from)),
    outputs: pairs.filter(([from]) => from === id).map(([, to]) => named(to)),
  };
}
