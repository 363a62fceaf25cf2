/** The server's answer for a text as a graph: tables with their columns, a node for each statement. */
import type { Named } from "../api/ids";
import type { Column, ColumnEdge, Graph, GraphNode } from "../graph/model";
import { edgeKey, emptyGraph, endKey } from "../graph/model";
import { strings } from "../strings";
import { systemOfNamespace } from "../systems";
import type { ColumnName, SqlAnswer, SqlStatement } from "./answer";

const words = strings.sql;

export interface SqlGraph extends Graph {
  /** Nodes that are datasets of this server. */
  datasets: Map<string, Named>;
}

/** The whole answer, with all that it says of columns; candidates are in it but are not to be drawn. */
export function graphOf(answer: SqlAnswer): SqlGraph {
  const builder = new Builder(answer.tables ?? {});
  for (const [index, statement] of statementsOf(answer).entries()) builder.add(statement, index);
  return builder.graph;
}

/** An answer without its statements is that of one. */
function statementsOf(answer: SqlAnswer): SqlStatement[] {
  return answer.statements ?? [{ ...answer, kind: "SQL", line: 1, column: 1 }];
}

class Builder {
  readonly graph: SqlGraph = { ...emptyGraph(""), datasets: new Map() };
  private readonly edges = new Set<string>();
  private readonly columns = new Map<string, Column>();

  private readonly known: Map<string, NonNullable<SqlAnswer["tables"]>[string]>;

  constructor(tables: NonNullable<SqlAnswer["tables"]>) {
    this.known = new Map(Object.entries(tables));
  }

  add(statement: SqlStatement, index: number): void {
    const { inputs, outputs, datasets = {}, schema = [] } = statement;
    // Not by an object's own properties: a table may be called `constructor`.
    const named = new Map(Object.entries(datasets));
    const result = `result:${index}`;
    const hasResult = outputs.length === 0 && statement.columns.some(({ out }) => out[0] === null);
    if (inputs.length + outputs.length === 0 && !hasResult) return;
    for (const name of [...inputs, ...outputs]) this.table(name, named.get(name));
    if (hasResult) this.node(result, "dataset", words.result(statement.line), "", words.query);
    const written = hasResult ? [result] : outputs.map(tableId);
    const idOf = (table: string | null) => (table === null ? result : tableId(table));
    for (const { table, name, type } of schema) this.column(idOf(table), name, type);
    this.connect(statement, index, inputs.map(tableId), written);
    for (const edge of columnEdgesOf(statement, idOf, written)) {
      this.graph.columnEdges.push(edge);
      // Which table has the column of a candidate is not known.
      const ends = edge.isCandidate ? [edge.to] : [edge.from, edge.to];
      for (const { dataset, field } of ends) if (field) this.column(dataset, field, null);
    }
    this.graph.focus ||= written[0] ?? tableId(inputs[0]!);
  }

  /** A statement that only defines or only fills a table from nothing needs no node. */
  private connect({ kind, line }: SqlStatement, index: number, inputs: string[], written: string[]): void {
    if (inputs.length === 0) return;
    const job = `job:${index}`;
    this.node(job, "job", words.statement(kind || "SQL", line), "", "sql");
    for (const from of inputs) this.edge(from, job);
    for (const to of written) this.edge(job, to);
  }

  private edge(from: string, to: string): void {
    const edge = { from, to, kind: "observed", through: [] };
    if (this.edges.has(edgeKey(edge))) return;
    this.edges.add(edgeKey(edge));
    this.graph.edges.push(edge);
  }

  private table(name: string, dataset: Named | undefined): void {
    const known = this.known.get(name);
    const named = known ?? dataset;
    const system = named ? systemOfNamespace(named.namespace) : words.table;
    this.node(tableId(name), "dataset", name, named ? `${named.namespace} ${named.name}` : "", system);
    if (!known) return;
    this.graph.datasets.set(tableId(name), { namespace: known.namespace, name: known.name });
    for (const column of known.columns) this.column(tableId(name), column.name, column.type ?? null);
  }

  private node(id: string, kind: "dataset" | "job", name: string, namespace: string, system: string): void {
    if (this.graph.nodes.has(id)) return;
    const rest = { up: 0, down: 0 };
    const node: GraphNode = {
      id,
      kind,
      namespace,
      name,
      system,
      state: null,
      at: null,
      tags: [],
      columns: [],
      distance: 0,
      rest,
    };
    this.graph.nodes.set(id, node);
  }

  private column(id: string, name: string, type: string | null): void {
    const key = endKey({ dataset: id, field: name });
    const known = this.columns.get(key);
    if (known) {
      known.type ??= type;
      return;
    }
    const column = { name, type };
    this.columns.set(key, column);
    this.graph.nodes.get(id)?.columns.push(column);
  }
}

// Names of tables are the same in any case.
const tableId = (name: string): string => `table:${name.toLowerCase()}`;

/** The edges of a statement; the same two columns are joined once directly and once indirectly. */
function columnEdgesOf(
  { columns, transformations }: SqlStatement,
  idOf: (table: string | null) => string,
  written: string[],
): ColumnEdge[] {
  const edges = new Map<string, ColumnEdge>();
  const add = (from: ColumnName, to: { dataset: string; field: string }, part: Partial<ColumnEdge>) => {
    const start = { dataset: idOf(from[0]), field: from[1] === "*" ? "" : from[1] };
    const edge: ColumnEdge = { from: start, to, job: null, ...FLAGS, how: [], ...part };
    const key = [endKey(start), endKey(to), edge.isIndirect, edge.isCandidate].join("\n");
    const known = edges.get(key);
    if (known) {
      known.how = [...new Set([...known.how, ...edge.how])];
      known.isMasked ||= edge.isMasked;
    } else edges.set(key, edge);
  };
  const ends = (out: ColumnName | null) =>
    out ? [{ dataset: idOf(out[0]), field: out[1] }] : written.map((dataset) => ({ dataset, field: "" }));
  for (const { out, in: from, type, subtype, masking, candidate } of transformations) {
    const part = { isIndirect: type === "INDIRECT", isMasked: masking, how: subtype ? [subtype] : [] };
    for (const to of ends(out)) add(from, to, { ...part, isCandidate: candidate ?? false });
  }
  for (const { out, in: sources, candidates = [] } of columns) {
    for (const from of sources) for (const to of ends(out)) add(from, to, { isCandidate: false });
    for (const from of candidates) for (const to of ends(out)) add(from, to, { isCandidate: true });
  }
  return [...edges.values()];
}

const FLAGS = { isIndirect: false, isMasked: false, isAssumed: false, isInferred: false, via: "" };

/** The tables that any statement reads, and that any fills; a definition alone does neither. */
export function tablesOf(answer: SqlAnswer): { read: string[]; written: string[] } {
  const filling = statementsOf(answer).filter(({ kind, inputs }) => inputs.length > 0 || !/^create\b/i.test(kind));
  return {
    read: [...new Set(statementsOf(answer).flatMap(({ inputs }) => inputs))],
    written: [...new Set(filling.flatMap(({ outputs }) => outputs))],
  };
}

/** Columns that are made from nothing have no edge, and are listed with the others. */
export function columnsWithoutSource(graph: Graph, answer: SqlAnswer): { dataset: string; field: string }[] {
  const reached = new Set(graph.columnEdges.map(({ to }) => endKey(to)));
  return statementsOf(answer).flatMap(({ columns }, index) =>
    columns
      .map(({ out: [table, field] }) => ({ dataset: table === null ? `result:${index}` : tableId(table), field }))
      .filter((end) => !reached.has(endKey(end))),
  );
}

/** The edges that lead to a column and on from it, all the way. */
export function pathOf(edges: ColumnEdge[], start: { dataset: string; field: string }): ColumnEdge[] {
  const kept = new Set<ColumnEdge>();
  for (const [near, far] of [["to", "from"] as const, ["from", "to"] as const]) {
    const byEnd = new Map<string, ColumnEdge[]>();
    for (const edge of edges) byEnd.set(endKey(edge[near]), [...(byEnd.get(endKey(edge[near])) ?? []), edge]);
    const waiting = [endKey(start)];
    const seen = new Set(waiting);
    for (const key of waiting) {
      for (const edge of byEnd.get(key) ?? []) {
        kept.add(edge);
        const next = endKey(edge[far]);
        if (!seen.has(next)) waiting.push(next);
        seen.add(next);
      }
    }
  }
  return [...kept];
}
