/** One graph of several answers: each walked one way from one node, together they are what is shown. */
import { MOST_NODES } from "../api/queries";
import type { DatasetData, FieldShape, GraphShape, JobData, NodeShape } from "../api/schema";
import type { Graph, GraphEdge, GraphNode } from "./model";
import { edgeKey, emptyGraph } from "./model";
import type { Side } from "./view-state";

/** An answer, with the side it was walked to. */
export interface Walked {
  side: Side;
  answer: GraphShape;
}

export function mergeWalks(focus: string, walks: Walked[]): Graph {
  const graph = emptyGraph(focus);
  const edges = new Map<string, GraphEdge>();
  const totals = { up: new Map<string, number>(), down: new Map<string, number>() };
  const near = nearest(walks.slice(0, FROM_FOCUS));
  for (const [index, { side, answer }] of walks.entries()) {
    // The server knows the node by one name, whichever of its names was asked for.
    if (index === 0) graph.focus = answer.node;
    const shown = index < FROM_FOCUS ? answer.graph.filter(({ id }) => near.has(id)) : answer.graph;
    graph.isCut ||= shown.length < answer.graph.length || isCutBySize(answer);
    for (const node of shown) {
      addNode(graph, node);
      const { name, gapSummary } = node.data as JobData;
      if (gapSummary) graph.gaps.set(name, gapSummary);
      totals[side].set(node.id, edgesOf(node, side) + moreOf(node, side));
      for (const edge of [...node.inEdges, ...node.outEdges]) {
        const kept = { from: edge.origin, to: edge.destination, kind: edge.kind ?? "observed", through: [] };
        edges.set(edgeKey(kept), kept);
      }
    }
  }
  graph.edges = [...edges.values()].filter(({ from, to }) => graph.nodes.has(from) && graph.nodes.has(to));
  countRest(graph, totals);
  return graph;
}

// The first walks are those from the focus to its two sides; what follows was expanded by hand.
const FROM_FOCUS = 2;

/** The nodes nearest to the focus, as many as are drawn; before a dataset comes the job that leads to it. */
function nearest(walks: Walked[]): ReadonlySet<string> {
  const nodes = walks.flatMap(({ answer }) => answer.graph);
  const steps = ({ distance, type }: NodeShape) => 2 * distance + (type === "JOB" ? 0 : 1);
  const ids = new Set(nodes.sort((a, b) => steps(a) - steps(b)).map(({ id }) => id));
  return new Set([...ids].slice(0, MOST_NODES));
}

/** Whether nodes were left out that are not merely farther away than asked. */
function isCutBySize(answer: GraphShape): boolean {
  return answer.isCut && answer.graph.length >= CUT_SIZE;
}

// A little under what is asked for: the server shares the room between the neighbours of a node.
const CUT_SIZE = MOST_NODES - 10;

function addNode(graph: Graph, shape: NodeShape): void {
  const known = graph.nodes.get(shape.id);
  if (known && known.distance <= shape.distance) return;
  graph.nodes.set(shape.id, shape.type === "JOB" ? jobNode(shape) : datasetNode(shape));
}

function datasetNode(shape: NodeShape): GraphNode {
  const data = shape.data as DatasetData;
  return {
    ...common(shape, data),
    kind: "dataset",
    state: data.lastLifecycleState,
    at: data.updatedAt,
    writtenAt: data.lastModifiedAt,
    columnTags: tagsOf(data.fields),
    columns: data.fields.map(({ name, type, tags }) => ({ name, type, tags })),
  };
}

/** All tags of columns, nested ones too. */
function tagsOf(fields: FieldShape[]): string[] {
  return [...new Set(fields.flatMap(({ tags, fields }) => [...tags, ...tagsOf(fields ?? [])]))];
}

function jobNode(shape: NodeShape): GraphNode {
  const data = shape.data as JobData;
  const state = data.deleted ? "deleted" : (data.latestRun?.state ?? null);
  return { ...common(shape, data), kind: "job", state, at: data.updatedAt, columns: [], gaps: data.gapSummary };
}

function common(shape: NodeShape, data: DatasetData | JobData) {
  const { namespace, name, system, tags, owners } = data;
  const { id, distance, incomplete: isIncomplete } = shape;
  return { id, namespace, name, system, tags, owners, distance, isIncomplete, rest: restOf(data) };
}

/** A job tells all it uses: what of it is not shown is known without asking. */
function restOf(data: DatasetData | JobData): GraphNode["rest"] {
  return "inputs" in data ? { up: data.inputs.length, down: data.outputs.length } : { up: null, down: null };
}

/** What is left of each side: all neighbours there are, less those that are shown. */
function countRest(graph: Graph, totals: Record<Side, Map<string, number>>): void {
  const shown = { up: new Map<string, number>(), down: new Map<string, number>() };
  for (const { from, to } of graph.edges) {
    shown.down.set(from, (shown.down.get(from) ?? 0) + 1);
    shown.up.set(to, (shown.up.get(to) ?? 0) + 1);
  }
  for (const node of graph.nodes.values()) {
    for (const side of ["up", "down"] as const) {
      const total = totals[side].get(node.id) ?? node.rest[side];
      node.rest[side] = total === null ? null : Math.max(0, total - (shown[side].get(node.id) ?? 0));
    }
  }
}

function edgesOf(node: NodeShape, side: Side): number {
  return (side === "up" ? node.inEdges : node.outEdges).length;
}

function moreOf(node: NodeShape, side: Side): number {
  return (side === "up" ? node.more?.upstream : node.more?.downstream) ?? 0;
}
