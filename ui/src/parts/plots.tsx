/** Small plots, drawn as SVG: bars over time, with the figures of the one that is pointed at, and of all as a list. */
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { strings } from "../strings";

export interface Bar {
  label: string;
  /** Heights from the bottom up, each with the tone it is drawn in. */
  parts: { value: number; tone: string }[];
  /** The events that it counts, where it counts events. */
  search?: { after: string; before: string };
}

const HEIGHT = 100;

interface Props {
  bars: Bar[];
  title: string;
  height?: number;
  /** How a value of the scale is written. */
  tell: (value: number) => string;
  /** What is at the left and at the right end. */
  ends: [string, string];
}

/** Bars with their scale: the highest value at the top, where they begin and end below. */
export function Plot({ bars, title, height = 90, tell, ends }: Props) {
  const most = highestOf(bars);
  const [pointed, setPointed] = useState<number>();
  const told = bars[pointed ?? -1];
  return (
    <figure className="plot">
      <div className="plot-scale" aria-hidden="true">
        <span>{tell(most)}</span>
        <span>0</span>
      </div>
      <Bars bars={bars} title={title} height={height} most={most} point={setPointed} />
      <figcaption>
        <span className="axis">
          <span>{ends[0]}</span>
          {told && <strong className="plot-told">{told.label}</strong>}
          <span>{ends[1]}</span>
        </span>
        <Figures of={bars} />
      </figcaption>
    </figure>
  );
}

/** The same as text: for who cannot point, and to copy. */
export function Figures({ of: bars }: { of: Pick<Bar, "label" | "search">[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="figures" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{strings.plot.figures}</summary>
      {isOpen && (
        <ol reversed className="plain" tabIndex={0} aria-label={strings.plot.figures}>
          {bars.toReversed().map(({ label, search }, index) => (
            <li key={index}>
              {search ? (
                <Link to="/events" search={search}>
                  {label}
                </Link>
              ) : (
                label
              )}
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}

function highestOf(bars: Bar[]): number {
  return Math.max(1, ...bars.map((bar) => bar.parts.reduce((sum, part) => sum + part.value, 0)));
}

interface BarsProps {
  bars: Bar[];
  title: string;
  height: number;
  most: number;
  /** Tells which bar is pointed at. */
  point: (index: number | undefined) => void;
}

function Bars({ bars, title, height, most, point }: BarsProps) {
  const navigate = useNavigate();
  const step = 100 / Math.max(1, bars.length);
  return (
    <svg
      className="bars"
      role="img"
      aria-label={title}
      style={{ height }}
      viewBox={`0 0 100 ${HEIGHT}`}
      preserveAspectRatio="none"
      onPointerLeave={() => point(undefined)}
    >
      {[0, HEIGHT / 2, HEIGHT].map((y) => (
        <line key={y} className="plot-line" x1={0} x2={100} y1={y} y2={y} vectorEffect="non-scaling-stroke" />
      ))}
      {bars.map((bar, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the same links are in the list of figures, which the keyboard reaches
        <g
          key={index}
          className={bar.search && "bar-link"}
          onPointerEnter={() => point(index)}
          onClick={() => bar.search && void navigate({ to: "/events", search: bar.search })}
        >
          <title>{bar.label}</title>
          <rect className="bar-room" x={index * step} y={0} width={step} height={HEIGHT} />
          {stacked(bar, most).map((part, order) => (
            <rect
              key={order}
              className={`bar-part ${part.tone}`}
              x={index * step + step * 0.12}
              width={step * 0.76}
              y={part.y}
              height={part.height}
            />
          ))}
        </g>
      ))}
    </svg>
  );
}

/** Where the parts of a bar begin and end; the smallest that is not nothing can still be seen. */
function stacked(bar: Bar, most: number) {
  let y = HEIGHT;
  return bar.parts
    .filter((part) => part.value > 0)
    .map(({ value, tone }) => {
      const height = Math.max(2, (value / most) * (HEIGHT - 2));
      y -= height;
      return { y, height, tone };
    });
}
