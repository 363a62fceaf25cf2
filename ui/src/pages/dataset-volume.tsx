/** How many rows were written over time; of a source that nobody here writes, how many were read of it. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import type { Named } from "../api/ids";
import { samples } from "../api/queries";
import type { DatasetSamples, VolumeAt } from "../api/schema";
import { Section } from "../parts/page";
import { Plot } from "../parts/plots";
import { Answer, Empty } from "../parts/states";
import { bytesOf, countOf } from "../parts/time";
import { intervalOf } from "../parts/zone";
import { strings } from "../strings";

const words = strings.dataset;
const STEPS = ["minute", "hour", "day"] as const;

export function Volume({ id, named, by = "hour" }: { id: string; named: Named; by?: string }) {
  const query = useQuery(samples(id, by));
  return (
    <Section
      title={words.volume}
      note={
        <span className="segments">
          {STEPS.map((step) => (
            <Link
              key={step}
              className="button"
              to="/dataset"
              search={{ ...named, by: step }}
              resetScroll={false}
              replace
              aria-current={step === by || undefined}
            >
              {words[step]}
            </Link>
          ))}
        </span>
      }
    >
      <Answer of={query}>{(found) => <PlotOf found={found} by={by} />}</Answer>
    </Section>
  );
}

function PlotOf({ found: { samples }, by }: { found: DatasetSamples; by: string }) {
  const side = (["written", "read"] as const).find((side) => samples.some((sample) => sample[side].rows !== null));
  if (!side) return <Empty>{words.noVolume}</Empty>;
  const rowsOf = (sample: VolumeAt) => sample[side].rows ?? 0;
  const total = samples.reduce((sum, sample) => sum + rowsOf(sample), 0);
  const title = side === "written" ? words.writtenTotal(total) : words.readTotal(total);
  const bars = samples.map((sample) => ({
    label: `${intervalOf(sample.at, by)}: ${countOf(sample[side].rows)} ${words.rows}, ${bytesOf(sample[side].bytes)}`,
    parts: [{ value: rowsOf(sample), tone: "busy" }],
  }));
  const ends: [string, string] = [intervalOf(samples[0]!.at, by), intervalOf(samples[samples.length - 1]!.at, by)];
  return (
    <>
      <p className="faint">{title}</p>
      <Plot bars={bars} title={title} height={130} tell={countOf} ends={ends} />
    </>
  );
}
