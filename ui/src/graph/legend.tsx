/** What the lines of a drawing mean: those that are in it, if they need a word. */
import { strings } from "../strings";
import type { ColumnEdge, Graph } from "./model";
import { INFERRED } from "./model";
import type { DrawnWire } from "./wire-layer";

const words = strings.graph;

/** The kinds of lines that are drawn, in the order of the legend. */
export function kindsOf(lines: DrawnWire[]): ("direct" | "indirect" | "inferred")[] {
  const has = {
    direct: lines.some(({ wire: { column } }) => column && !column.isIndirect),
    indirect: lines.some(({ wire: { column } }) => column?.isIndirect),
    inferred: lines.some(({ wire: { column, edge } }) => column?.isInferred || edge?.kind === INFERRED),
  };
  return (["direct", "indirect", "inferred"] as const).filter((kind) => has[kind]);
}

export function Legend({ lines }: { lines: DrawnWire[] }) {
  const kinds = kindsOf(lines);
  if (kinds.length === 0) return null;
  return (
    <ul className="lines-legend" aria-label={words.lines.title}>
      {kinds.map((kind) => (
        <li key={kind} title={kind === "inferred" ? words.inferredHelp : undefined}>
          <svg width={26} height={8} aria-hidden="true">
            <path d="M1,4H25" className={`line-sample ${kind}`} />
          </svg>
          {words.lines[kind]}
        </li>
      ))}
    </ul>
  );
}

/** How much of what is drawn at a node was inferred. */
export function InferredNote({ graph, columnEdges, id }: { graph: Graph; columnEdges: ColumnEdge[]; id: string }) {
  const edges = graph.edges.filter(({ from, to, kind }) => kind === INFERRED && (from === id || to === id));
  const columns = columnEdges.filter(
    ({ from, to, isInferred }) => isInferred && (from.dataset === id || to.dataset === id),
  );
  const count = edges.length + columns.length;
  if (count === 0) return null;
  return (
    <p className="notice plain-notice" role="note" title={words.inferredHelp}>
      {words.inferredEdges(count)}
    </p>
  );
}
