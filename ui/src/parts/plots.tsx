/** Small plots, drawn as SVG: bars over time, each with its figures on hover. */

export interface Bar {
  label: string;
  /** Heights from the bottom up, each with the tone it is drawn in. */
  parts: { value: number; tone: string }[];
}

const HEIGHT = 100;

export function Bars({ bars, title, height = 90 }: { bars: Bar[]; title: string; height?: number }) {
  const most = Math.max(1, ...bars.map((bar) => bar.parts.reduce((sum, part) => sum + part.value, 0)));
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
