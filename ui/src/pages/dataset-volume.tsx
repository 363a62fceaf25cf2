/** How many rows were written over time. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import type { Named } from "../api/ids";
import { samples } from "../api/queries";
import type { DatasetSamples } from "../api/schema";
import { Section } from "../parts/page";
import { Bars } from "../parts/plots";
import { Answer, Empty } from "../parts/states";
import { bytesOf, countOf } from "../parts/time";
import { strings } from "../strings";

const words = strings.dataset;
const STEPS = ["minute", "hour", "day"] as const;

export function Volume({ id, named, by = "hour" }: { id: string; named: Named; by?: string }) {
  const query = useQuery(samples(id, by));
  return (
    <Section title={words.volume} note={words.writtenRows}>
      <div className="card-tools">
        <span className="segments">
          {STEPS.map((step) => (
            <Link key={step} className="button" to="/dataset" search={{ ...named, by: step }} resetScroll={false} replace aria-current={step === by || undefined}>
              {words[step]}
            </Link>
          ))}
        </span>
      </div>
      <Answer of={query}>{(found) => <Plot of={found} by={by} />}</Answer>
    </Section>
  );
}

function Plot({ of, by }: { of: DatasetSamples; by: string }) {
  const told = of.samples.some(({ written, read }) => (written.rows ?? read.rows) !== null);
  if (!told) return <Empty>{words.noVolume}</Empty>;
  const bars = of.samples.map(({ at, written, read }) => ({
    label: `${labelOf(at, by)}: ${countOf(written.rows ?? read.rows)} ${words.rows}, ${bytesOf(written.bytes ?? read.bytes)}`,
    // A source that nobody here writes is measured by what is read of it.
    parts: [{ value: written.rows ?? read.rows ?? 0, tone: "busy" }],
  }));
  const total = of.samples.reduce((sum, { written, read }) => sum + (written.rows ?? read.rows ?? 0), 0);
  return (
    <>
      <Bars bars={bars} title={`${words.writtenRows}: ${countOf(total)}`} height={130} />
      <p className="axis">
        <span>{labelOf(of.samples[0]!.at, by)}</span>
        <span>
          {countOf(total)} {words.rows}
        </span>
        <span>{labelOf(of.samples[of.samples.length - 1]!.at, by)}</span>
      </p>
    </>
  );
}

function labelOf(at: string, by: string): string {
  return by === "day" ? at.slice(0, 10) : `${at.slice(5, 10)} ${at.slice(11, 16)}`;
}
