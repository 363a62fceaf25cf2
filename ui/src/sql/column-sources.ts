/** What columns are made from, column by column; and what is lit with the one that is looked at. */
import type { ColumnEdge, ColumnEnd } from "../graph/model";
import { endKey } from "../graph/model";

/** An output column, with the edges that lead to it; without a field it is all columns of the dataset. */
export interface ColumnSources {
  to: ColumnEnd;
  direct: ColumnEdge[];
  /** Columns that only decide over rows or values: filters, joins, groupings, conditions. */
  indirect: ColumnEdge[];
  /** Of an ambiguous name: what it may mean. */
  candidates: ColumnEdge[];
  isInferred: boolean;
}

/** In the order of the edges; edges that no column lineage states are left out. */
export function sourcesByColumn(edges: ColumnEdge[]): ColumnSources[] {
  const rows = new Map<string, ColumnSources>();
  for (const edge of withCommonApart(edges.filter(({ isAssumed }) => !isAssumed))) {
    const key = endKey(edge.to);
    const row = rows.get(key) ?? { to: edge.to, direct: [], indirect: [], candidates: [], isInferred: false };
    (edge.isCandidate ? row.candidates : edge.isIndirect ? row.indirect : row.direct).push(edge);
    row.isInferred ||= edge.isInferred;
    rows.set(key, row);
  }
  // What holds for all columns of a dataset is told once, after them.
  const datasets = [...new Set(edges.map(({ to }) => to.dataset))];
  const place = new Map(datasets.map((id, index) => [id, index]));
  const order = ({ to }: ColumnSources) => 2 * place.get(to.dataset)! + Number(!to.field);
  return [...rows.values()].sort((a, b) => order(a) - order(b));
}

/** What decides over whole rows leads to every column of a dataset: it is one edge to the dataset. */
function withCommonApart(edges: ColumnEdge[]): ColumnEdge[] {
  const columns = new Map<string, Set<string>>();
  const reached = new Map<string, Set<string>>();
  const keyOf = ({ from, to, how }: ColumnEdge) => [to.dataset, endKey(from), ...how].join("\n");
  for (const edge of edges) {
    if (!edge.to.field) continue;
    add(columns, edge.to.dataset, edge.to.field);
    if (edge.isIndirect) add(reached, keyOf(edge), edge.to.field);
  }
  const told = new Set<string>();
  return edges.flatMap((edge) => {
    const all = columns.get(edge.to.dataset)?.size ?? 0;
    if (!edge.isIndirect || !edge.to.field || all < 2 || reached.get(keyOf(edge))!.size < all) return [edge];
    if (told.has(keyOf(edge))) return [];
    told.add(keyOf(edge));
    return [{ ...edge, to: { ...edge.to, field: "" } }];
  });
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}

/** Why a column is lit: it is looked at, it is a source of that (or only decides over it), it is made from that. */
export type Light = "self" | "source" | "indirect" | "target";

export function lightOf(edges: ColumnEdge[], active: ColumnEnd | null): Map<string, Light> {
  const lights = new Map<string, Light>();
  if (!active) return lights;
  const key = endKey(active);
  const note = (end: ColumnEnd, light: Light) => {
    if (end.field && (light !== "indirect" || !lights.has(endKey(end)))) lights.set(endKey(end), light);
  };
  for (const { from, to, isAssumed, isCandidate, isIndirect } of edges) {
    if (isAssumed || isCandidate) continue;
    if (endKey(to) === key) note(from, isIndirect ? "indirect" : "source");
    if (endKey(from) === key && !isIndirect) note(to, "target");
  }
  return lights.set(key, "self");
}
