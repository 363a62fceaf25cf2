/** How long the runs of a job took and how many rows they wrote, run by run. */
import type { RunShape } from "../api/schema";
import { toneOf } from "../parts/badges";
import { countedOf } from "../parts/facets";
import { Section } from "../parts/page";
import { Plot } from "../parts/plots";
import { countOf, durationOf, exactOf } from "../parts/time";
import { startOf } from "../parts/timeline";
import { strings } from "../strings";

const words = strings.trends;
/** With fewer there is no trend. */
const FEWEST = 3;

export function RunTrends({ runs }: { runs: RunShape[] }) {
  const oldestFirst = [...runs].reverse();
  const timed = oldestFirst.filter(({ durationMs }) => durationMs !== null);
  const counted = oldestFirst.filter((run) => rowsOf(run) !== null);
  if (timed.length < FEWEST && counted.length < FEWEST) return null;
  return (
    <Section title={words.title} note={words.note(runs.length)}>
      <div className="two">
        {timed.length >= FEWEST && (
          <Trend title={words.duration} of={timed} value={({ durationMs }) => durationMs ?? 0} tell={durationOf} />
        )}
        {counted.length >= FEWEST && (
          <Trend title={words.rows} of={counted} value={(run) => rowsOf(run) ?? 0} tell={countOf} />
        )}
      </div>
    </Section>
  );
}

interface TrendProps {
  title: string;
  of: RunShape[];
  value: (run: RunShape) => number;
  tell: (value: number) => string;
}

function Trend({ title, of, value, tell }: TrendProps) {
  const bars = of.map((run) => ({
    label: `${exactOf(startOf(run) ?? "")}: ${tell(value(run))}, ${run.state.toLowerCase()}`,
    parts: [{ value: value(run), tone: toneOf(run.state) }],
  }));
  return (
    <div>
      <h3>{title}</h3>
      <Plot bars={bars} title={title} tell={tell} ends={[words.oldest, words.newest]} />
    </div>
  );
}

/** Rows that a run wrote, of all its outputs together; null if it counted none. */
export function rowsOf({ outputDatasetVersions = [] }: RunShape): number | null {
  const counts = outputDatasetVersions.map(({ facets }) => countedOf(facets).rows).filter((rows) => rows !== null);
  return counts.length === 0 ? null : counts.reduce((sum, rows) => sum + rows, 0);
}
