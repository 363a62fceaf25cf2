/** Edges between columns: of a column's path alone, and between datasets that show their columns. */
import { datasetId } from "../api/ids";
import type { ColumnGraphShape, ColumnNodeShape, InputFieldShape } from "../api/schema";
import { systemOfNamespace } from "../systems";
import type { ColumnEdge, Graph, GraphNode } from "./model";
import { edgeKey, emptyGraph, endKey, INFERRED } from "./model";

export function columnEdges(answer: ColumnGraphShape): ColumnEdge[] {
  const edges = new Map<string, ColumnEdge>();
  for (const { data } of answer.graph) {
    const to = { dataset: datasetId({ namespace: data.namespace, name: data.dataset }), field: data.field };
    for (const input of data.inputFields) {
      const edge = columnEdge(input, to, answer.jobs);
      // The same two columns may be joined directly and, by a filter, indirectly: both are told.
      const key = [endKey(edge.from), endKey(to), input.job, edge.isIndirect, edge.via].join("\n");
      const known = edges.get(key);
      edges.set(key, known ? { ...known, how: [...new Set([...known.how, ...edge.how])] } : edge);
    }
  }
  return [...edges.values()];
}

function columnEdge(input: InputFieldShape, to: ColumnEdge["to"], jobs: ColumnGraphShape["jobs"]): ColumnEdge {
  const from = { dataset: datasetId({ namespace: input.namespace, name: input.dataset }), field: input.field };
  return {
    from,
    to,
    job: (input.job && jobs[input.job]) || null,
    how: input.transformations.map(({ subtype, type, description }) =>
      [subtype ?? type ?? "", description].filter(Boolean).join(": "),
    ),
    isIndirect: input.isIndirect,
    isMasked: input.transformations.some(({ masking }) => masking),
    isAssumed: input.isAssumed ?? false,
    via: input.via ?? "",
    isInferred: input.kind === INFERRED,
  };
}

/** What was not recognised of the jobs on the way, by the job's name. */
export function gapsOf(answer: ColumnGraphShape): Map<string, string> {
  const jobs = Object.values(answer.jobs);
  return new Map(jobs.flatMap(({ name, gapSummary }) => (gapSummary ? [[name, gapSummary]] : [])));
}

/** A graph of one column alone: the datasets on its way, each with the columns on it. */
export function columnPath(answer: ColumnGraphShape, focus: string): Graph {
  const graph = { ...emptyGraph(focus), columnEdges: columnEdges(answer), isCut: answer.isCut, gaps: gapsOf(answer) };
  for (const node of answer.graph) addColumn(graph, node);
  const edges = new Map<string, Graph["edges"][number]>();
  for (const { from, to, job, isInferred } of graph.columnEdges) {
    const kind = isInferred ? INFERRED : "observed";
    const edge = { from: from.dataset, to: to.dataset, kind, through: job ? [job.name] : [] };
    if (edge.from !== edge.to && graph.nodes.has(edge.from)) edges.set(edgeKey(edge), edge);
  }
  graph.edges = [...edges.values()];
  return graph;
}

function addColumn(graph: Graph, { data, distance, incomplete }: ColumnNodeShape): void {
  const { namespace, dataset: name, field } = data;
  const id = datasetId({ namespace, name });
  const node: GraphNode = graph.nodes.get(id) ?? {
    id,
    kind: "dataset",
    namespace,
    name,
    system: systemOfNamespace(namespace),
    state: null,
    at: null,
    tags: [],
    columns: [],
    distance,
    rest: { up: 0, down: 0 },
  };
  node.distance = Math.min(node.distance, distance);
  node.isIncomplete ||= incomplete;
  if (field) node.columns.push({ name: field, type: data.fieldType });
  graph.nodes.set(id, node);
}

/** Edges that can be drawn: both datasets are there, and at least one shows its columns. */
export function drawableEdges(
  edges: ColumnEdge[],
  graph: Graph,
  shown: ReadonlySet<string>,
  isDirect: boolean,
): ColumnEdge[] {
  const drawable: ColumnEdge[] = [];
  for (const edge of edges) {
    if (isDirect && edge.isIndirect) continue;
    if (!graph.nodes.has(edge.from.dataset) || !graph.nodes.has(edge.to.dataset)) continue;
    const from = { ...edge.from, field: shown.has(edge.from.dataset) ? edge.from.field : "" };
    const to = { ...edge.to, field: shown.has(edge.to.dataset) ? edge.to.field : "" };
    if (from.field || to.field) drawable.push({ ...edge, from, to });
  }
  return oneOfAKind(drawable);
}

/** Of what ends at a whole dataset one line is enough, and a direct one says more. */
export function oneOfAKind(edges: Iterable<ColumnEdge>): ColumnEdge[] {
  const kept = new Map<string, ColumnEdge>();
  for (const edge of edges) {
    const isWhole = !edge.from.field || !edge.to.field;
    const key = [endKey(edge.from), endKey(edge.to), edge.isIndirect && !isWhole].join("\n");
    if (!edge.isIndirect || !kept.has(key)) kept.set(key, edge);
  }
  return [...kept.values()];
}
