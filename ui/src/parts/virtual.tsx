/** A long list of which only the rows in view are made. */
import { useVirtualizer } from "@tanstack/react-virtual";
import type { ReactNode } from "react";
import { useLayoutEffect, useRef } from "react";

interface Props {
  count: number;
  /** Height of every row, in pixels. */
  height: number;
  /** The most the list itself takes, in pixels; above that it scrolls. */
  most: number;
  label: string;
  children: (index: number) => ReactNode;
}

export function VirtualRows({ count, height, most, label, children }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const room = Math.min(most, count * height);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => list.current,
    estimateSize: () => height,
    overscan: 6,
    // Known before it is drawn: the first rows need no second pass.
    initialRect: { width: 0, height: room },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights are asked for anew when they change
  useLayoutEffect(() => rows.measure(), [rows, height]);
  return (
    <div
      ref={list}
      className="virtual"
      style={{ height: room }}
      role="group"
      aria-label={label}
      tabIndex={count * height > most ? 0 : undefined}
    >
      <div style={{ height: rows.getTotalSize(), position: "relative" }}>
        {rows.getVirtualItems().map(({ key, index, start }) => (
          <div key={key} className="virtual-row" style={{ top: start, height }}>
            {children(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
