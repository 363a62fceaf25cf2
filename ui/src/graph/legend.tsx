/** What shapes, fills and lines of a drawing mean. */
import { useState } from "react";

import { strings } from "../strings";
import type { ColumnEdge, Graph } from "./model";
import { INFERRED } from "./model";
import type { DrawnWire } from "./wire-layer";

const words = strings.graph;

const LINES = ["direct", "indirect", "masked", "inferred"] as const;

/** The kinds of lines that are drawn and need a word, in the order of the legend. */
export function kindsOf(lines: DrawnWire[]): (typeof LINES)[number][] {
  const has = {
    direct: lines.some(({ wire: { column } }) => column && !column.isIndirect),
    indirect: lines.some(({ wire: { column } }) => column?.isIndirect),
    masked: lines.some(({ wire: { column } }) => column?.isMasked),
    inferred: lines.some(({ wire: { column, edge } }) => column?.isInferred || edge?.kind === INFERRED),
  };
  return LINES.filter((kind) => has[kind]);
}

/** The lines that are drawn, if they need a word. */
export function LinesLegend({ lines }: { lines: DrawnWire[] }) {
  const kinds = kindsOf(lines);
  if (kinds.length === 0) return null;
  return (
    <ul className="lines-legend" aria-label={words.key.title}>
      {kinds.map((kind) => (
        <LineKey key={kind} kind={kind} />
      ))}
    </ul>
  );
}

function LineKey({ kind }: { kind: (typeof LINES)[number] | "through" | "past" }) {
  return (
    <li title={kind === "inferred" ? words.inferredHelp : undefined}>
      <svg width={26} height={8} aria-hidden="true">
        <path d="M1,4H25" className={`line-sample ${kind}`} />
      </svg>
      {words.key[kind]}
    </li>
  );
}

/** All that a graph may show. */
export function Legend({ isCompared }: { isCompared: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="graph-legend" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.key.title}</summary>
      {isOpen && <Keys isCompared={isCompared} />}
    </details>
  );
}

function Keys({ isCompared }: { isCompared: boolean }) {
  return (
    <ul>
      {(["dataset", "job", "group"] as const).map((kind) => (
        <NodeKey key={kind} kind={kind} name={kind} />
      ))}
      {(["focus", "bad", "warn"] as const).map((kind) => (
        <NodeKey key={kind} kind={kind === "focus" ? kind : `is-${kind}`} name={kind} />
      ))}
      {isCompared &&
        (["added", "removed", "changed"] as const).map((kind) => (
          <NodeKey key={kind} kind={`is-${kind}`} name={kind} />
        ))}
      {([...LINES, "through", "past"] as const).map((kind) => (
        <LineKey key={kind} kind={kind} />
      ))}
    </ul>
  );
}

function NodeKey({ kind, name }: { kind: string; name: keyof typeof words.key }) {
  return (
    <li>
      <span className={`node-sample node ${kind}`} aria-hidden="true" />
      {words.key[name]}
    </li>
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
