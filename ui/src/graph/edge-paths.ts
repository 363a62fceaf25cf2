/** The lines that are drawn: from where to where, and how they bend. */

import type { OpenedColumns } from "./column-pages";
import type { Places } from "./layout";
import type { ColumnEdge, ColumnEnd, Graph, GraphEdge } from "./model";
import { rowMiddle, sizeOf } from "./sizes";

export interface Wire {
  id: string;
  from: string;
  to: string;
  path: string;
  /** What it lies within. */
  box: { left: number; top: number; right: number; bottom: number };
  edge?: GraphEdge;
  column?: ColumnEdge;
}

interface Drawing {
  graph: Graph;
  places: Places;
  opened: ReadonlyMap<string, OpenedColumns>;
  lanes?: number[];
}

export function tableWires(drawing: Drawing): Wire[] {
  return drawing.graph.edges.flatMap((edge) => {
    const start = endOf(drawing, { dataset: edge.from, field: "" }, "out");
    const end = endOf(drawing, { dataset: edge.to, field: "" }, "in");
    return start && end
      ? [{ id: `${edge.from}\n${edge.to}`, from: edge.from, to: edge.to, ...lineOf(start, end, drawing.lanes), edge }]
      : [];
  });
}

export function columnWires(drawing: Drawing, edges: ColumnEdge[]): Wire[] {
  return edges.flatMap((column, index) => {
    const start = endOf(drawing, column.from, "out");
    const end = endOf(drawing, column.to, "in");
    const { dataset: from } = column.from;
    const { dataset: to } = column.to;
    return start && end
      ? [{ id: `column ${index} ${from} ${to}`, from, to, ...lineOf(start, end, drawing.lanes), column }]
      : [];
  });
}

type Point = { x: number; y: number };

function endOf({ graph, places, opened }: Drawing, end: ColumnEnd, side: "in" | "out"): Point | undefined {
  const node = graph.nodes.get(end.dataset);
  const place = places.get(end.dataset);
  if (!node || !place) return undefined;
  const columns = opened.get(node.id);
  const { width, height } = sizeOf(node, columns);
  const row = end.field ? (columns?.shown.findIndex(({ name }) => name === end.field) ?? -1) : -1;
  const head = Math.min(height, sizeOf(node, undefined).height) / 2;
  const y = row >= 0 ? rowMiddle(row, columns!.hasTools) : head;
  return { x: place.x + (side === "out" ? width : 0), y: place.y + y };
}

function lineOf(start: Point, end: Point, lanes: number[] = []): Pick<Wire, "path" | "box"> {
  const aside = end.x > start.x ? PULL : AROUND;
  const box = {
    left: Math.min(start.x, end.x) - aside,
    top: Math.min(start.y, end.y) - aside,
    right: Math.max(start.x, end.x) + aside,
    bottom: Math.max(start.y, end.y) + aside,
  };
  return { path: bend(start, end, laneOf(start, end, lanes)), box };
}

/** Where a line leads from one row to another: between those that its end stands in. */
function laneOf(start: Point, end: Point, lanes: number[]): number | undefined {
  if (end.x > start.x) return undefined;
  const between = lanes.filter((lane) => lane > Math.min(start.y, end.y) && lane < Math.max(start.y, end.y));
  return end.y > start.y ? between[between.length - 1] : between[0];
}

/** How far a line may bend out, forward and on a way around. */
const PULL = 30;
const AROUND = 170;
const TURN = 50;

/** A line that leaves to the right and comes in from the left; one that leads back goes around. */
export function bend(start: Point, end: Point, lane?: number): string {
  const across = end.x - start.x;
  if (lane !== undefined) {
    const [right, left] = [start.x + TURN, end.x - TURN];
    return (
      `M${start.x},${start.y} C${right},${start.y} ${right},${lane} ${start.x},${lane} H${end.x} ` +
      `C${left},${lane} ${left},${end.y} ${end.x},${end.y}`
    );
  }
  if (across > 0) {
    const pull = Math.max(PULL, across / 2);
    return `M${start.x},${start.y} C${start.x + pull},${start.y} ${end.x - pull},${end.y} ${end.x},${end.y}`;
  }
  const out = Math.min(AROUND, 50 - across / 8);
  const under = Math.max(start.y, end.y) + 70;
  const middle = (start.x + end.x) / 2;
  return (
    `M${start.x},${start.y} C${start.x + out},${start.y} ${start.x + out},${under} ${middle},${under} ` +
    `S${end.x - out},${end.y} ${end.x},${end.y}`
  );
}
