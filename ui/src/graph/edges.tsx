/** What lines tell: between which ends, what is done on the way, and by whom. */
import { readableId, shortName } from "../api/ids";
import { strings } from "../strings";
import type { Wire } from "./edge-paths";
import type { ColumnEdge, GraphEdge } from "./model";
import { INFERRED } from "./model";

export function tellWire({ edge, column }: Wire): string {
  return column ? tellColumn(column) : edge ? tellEdge(edge) : "";
}

function tellColumn(column: ColumnEdge): string {
  const ends = `${column.from.field || readableId(column.from.dataset)} → ${column.to.field || readableId(column.to.dataset)}`;
  const by = column.job ? [`${strings.graph.by} ${column.job.name}`] : [];
  return [ends, howOf(column), ...by].join("\n");
}

/** What is done on the way, with whether it is direct. */
export function howOf(column: ColumnEdge): string {
  return [...column.how, marksOf(column)].filter(Boolean).join(" · ");
}

function marksOf(column: ColumnEdge): string {
  const marks = [
    column.isIndirect ? strings.graph.isIndirect : strings.graph.direct,
    column.isMasked && strings.graph.masked,
    column.isAssumed && strings.graph.assumed,
    column.via && strings.graph.via(column.via),
    column.isInferred && strings.graph.inferred,
  ];
  return marks.filter(Boolean).join(", ");
}

/** The same with direct and indirect told apart at a glance. */
export function How({ of: column }: { of: ColumnEdge }) {
  return (
    <span className="name" title={howOf(column)}>
      <span className={`state ${column.isIndirect ? "warn" : "busy"}`}>{marksOf(column)}</span> {column.how.join(" · ")}
    </span>
  );
}

function tellEdge(edge: GraphEdge): string {
  const kind = edge.kind === "observed" ? [] : [edge.kind === INFERRED ? strings.graph.inferred : edge.kind];
  const through = edge.through.map(shortName);
  return [...kind, ...(through.length ? [`${strings.graph.through} ${through.join(", ")}`] : [])].join("\n");
}
