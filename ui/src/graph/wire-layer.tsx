/** All lines as one picture below the nodes. Of many, only those around the view are made. */
import { EdgeLabelRenderer, useStore } from "@xyflow/react";
import { memo, useMemo } from "react";
import type { Wire } from "./edge-paths";
import { tellWire } from "./edges";
import { INFERRED } from "./model";

export interface DrawnWire {
  wire: Wire;
  /** Whether it begins or ends at what is selected. */
  isLit: boolean;
}

export const WireLayer = memo(function WireLayer({ lines, areMany }: { lines: DrawnWire[]; areMany: boolean }) {
  const near = useStore(({ transform, width, height }) => (areMany ? windowAround(transform, width, height) : ""));
  const drawn = useMemo(() => (near ? within(lines, near) : lines), [lines, near]);
  return (
    // The library's place for labels of lines is the one below its nodes.
    <EdgeLabelRenderer>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: each line has a title of its own */}
      <svg className="wires">
        {drawn.map(({ wire, isLit }) => (
          <WireLine key={wire.id} wire={wire} isLit={isLit} />
        ))}
      </svg>
    </EdgeLabelRenderer>
  );
});

/** A window a little larger than the view, as text: it is compared at every step of a move, and seldom changes. */
export function windowAround([x, y, zoom]: readonly [number, number, number], width: number, height: number): string {
  const [left, right] = stretchAround(-x / zoom, width / zoom);
  const [top, bottom] = stretchAround(-y / zoom, height / zoom);
  return [left, top, right, bottom].join(" ");
}

function stretchAround(start: number, length: number): [number, number] {
  const step = Math.max(1, length / 4);
  const first = (Math.floor(start / step) - 1) * step;
  return [first, first + length + 3 * step];
}

/** The lines that may be seen in a window. */
export function within(lines: DrawnWire[], near: string): DrawnWire[] {
  const [left, top, right, bottom] = near.split(" ").map(Number) as [number, number, number, number];
  return lines.filter(
    ({ wire: { box } }) => box.left < right && box.right > left && box.top < bottom && box.bottom > top,
  );
}

const WireLine = memo(function WireLine({ wire, isLit }: DrawnWire) {
  return (
    <g className={classOf(wire, isLit)}>
      <title>{tellWire(wire)}</title>
      <path
        d={wire.path}
        className="wire-line"
        markerEnd={wire.edge ? (isLit ? "url(#arrow-lit)" : "url(#arrow)") : undefined}
      />
      <path d={wire.path} className="wire-hit" />
    </g>
  );
});

function classOf({ edge, column }: Wire, isLit: boolean): string {
  const kind = column ? (column.isIndirect ? "indirect" : "direct") : edge!.through.length ? "through" : edge!.kind;
  const isInferred = column ? column.isInferred : edge!.kind === INFERRED;
  return [
    "wire",
    column && "column",
    kind,
    isInferred && "inferred",
    column?.isMasked && "masked",
    isLit && "lit",
    edge?.change && `is-${edge.change}`,
  ]
    .filter(Boolean)
    .join(" ");
}
