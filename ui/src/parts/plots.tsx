/** Small plots, drawn as SVG: bars over time, each with its figures on hover. */

export interface Bar {
  label: string;
  /** Heights from the bottom up, each with the tone it is drawn in. */
  parts: { value: number; tone: string }[];
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
  return (
    <figure className="plot">
      <div className="plot-scale" aria-hidden="true">
        <span>{tell(most)}</span>
        <span>0</span>
      </div>
      <Bars bars={bars} title={title} height={height} most={most} />
      <figcaption className="axis">
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </figcaption>
    </figure>
  );
}

function highestOf(bars: Bar[]): number {
  return Math.max(1, ...bars.map((bar) => bar.parts.reduce((sum, part) => sum + part.value, 0)));
}

function Bars({ bars, title, height, most }: { bars: Bar[]; title: string; height: number; most: number }) {
  const step = 100 / Math.max(1, bars.length);
  return (
    <svg
      className="bars"
      role="img"
      aria-label={title}
      style={{ height }}
      viewBox={`0 0 100 ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {[0, HEIGHT / 2, HEIGHT].map((y) => (
        <line key={y} className="plot-line" x1={0} x2={100} y1={y} y2={y} vectorEffect="non-scaling-stroke" />
      ))}
      {bars.map((bar, index) => (
        <g key={index}>
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
