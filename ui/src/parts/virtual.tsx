/** A long list of which only the rows in view are made. */
import { useState } from "react";
import type { ReactNode } from "react";

const BEYOND = 6;

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
  const [top, setTop] = useState(0);
  const room = Math.min(most, count * height);
  const first = Math.max(0, Math.floor(top / height) - BEYOND);
  const last = Math.min(count, Math.ceil((top + room) / height) + BEYOND);
  return (
    <div
      className="virtual"
      style={{ height: room }}
      role="group"
      aria-label={label}
      tabIndex={count * height > most ? 0 : undefined}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div style={{ height: count * height, position: "relative" }}>
        {Array.from({ length: last - first }, (_, offset) => (
          <div key={first + offset} className="virtual-row" style={{ top: (first + offset) * height, height }}>
            {children(first + offset)}
          </div>
        ))}
      </div>
    </div>
  );
}
