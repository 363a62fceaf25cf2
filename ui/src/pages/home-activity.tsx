/** The last 24 hours: events and ends of runs by the hour, and how jobs are now. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { eventsByHour, jobHealth } from "../api/queries";
import type { EventMetric } from "../api/schema";
import { State } from "../parts/badges";
import { Section } from "../parts/page";
import type { Bar } from "../parts/plots";
import { Plot } from "../parts/plots";
import { Answer, Empty } from "../parts/states";
import { countOf } from "../parts/time";
import { clockOf } from "../parts/zone";
import { strings } from "../strings";

export function Activity() {
  const query = useQuery(eventsByHour());
  return (
    <Section title={strings.home.lastDay}>
      <Answer of={query}>{(hours) => <ActivityOf hours={hours} />}</Answer>
      <HealthCounts />
    </Section>
  );
}

function ActivityOf({ hours }: { hours: EventMetric[] }) {
  const total = totalOf(hours, eventsOf);
  if (total === 0) return <Empty>{strings.home.activityNone}</Empty>;
  const ended = ["complete", "fail", "abort"] as const;
  return (
    <>
      <Hourly
        hours={hours}
        title={strings.home.events(total)}
        partsOf={(hour) => [{ value: eventsOf(hour), tone: "busy" }]}
        tell={(hour) => strings.home.events(eventsOf(hour))}
      />
      <Hourly
        hours={hours}
        title={strings.home.endedRuns(totalOf(hours, endedOf))}
        partsOf={(hour) => ended.map((end) => ({ value: hour[end], tone: ENDS[end].tone }))}
        tell={(hour) => ended.map((end) => `${hour[end]} ${ENDS[end].word}`).join(", ")}
      />
      <ul className="legend">
        {ended.map((end) => (
          <li key={end} className={ENDS[end].tone}>
            {countOf(totalOf(hours, (hour) => hour[end]))} {ENDS[end].word}
          </li>
        ))}
      </ul>
    </>
  );
}

const ENDS = {
  complete: { tone: "good", word: strings.home.completed },
  fail: { tone: "bad", word: strings.home.failed },
  abort: { tone: "quiet", word: strings.home.aborted },
};

const endedOf = ({ complete, fail, abort }: EventMetric) => complete + fail + abort;
const eventsOf = (hour: EventMetric) => endedOf(hour) + hour.start + hour.running + hour.other;

function totalOf(hours: EventMetric[], count: (hour: EventMetric) => number): number {
  return hours.reduce((sum, hour) => sum + count(hour), 0);
}

interface HourlyProps {
  hours: EventMetric[];
  title: string;
  partsOf: (hour: EventMetric) => Bar["parts"];
  tell: (hour: EventMetric) => string;
}

/** A bar for each hour, under its sum. */
function Hourly({ hours, title, partsOf, tell }: HourlyProps) {
  const bars = hours.map((hour) => ({
    label: `${clockOf(hour.startInterval)}: ${tell(hour)}`,
    parts: partsOf(hour),
    search: { after: hour.startInterval, before: hour.endInterval },
  }));
  const ends: [string, string] = [clockOf(hours[0]!.startInterval), strings.times.now];
  return (
    <>
      <h3>{title}</h3>
      <Plot bars={bars} title={title} height={56} tell={countOf} ends={ends} />
    </>
  );
}

/** A count, which leads to what is counted where that is a problem. */
function CountOf({ state, count }: { state: string; count: number }) {
  const told = (
    <>
      <span className="count">{countOf(count)}</span> <State state={state} />
    </>
  );
  if (!["failed", "silent", "late"].includes(state) || count === 0) return told;
  return (
    <Link to="/problems" search={{ problem: state, acknowledged: "all" }} className="count-link">
      {told}
    </Link>
  );
}

function HealthCounts() {
  const { data } = useQuery(jobHealth({ limit: 0 }));
  if (!data) return null;
  const states = ["ok", "failed", "silent", "late", "stopped", "deleted"] as const;
  return (
    <>
      <h3>{strings.home.jobsNow}</h3>
      <ul className="counts">
        {states.map((state) => (
          <li key={state} className={data.counts[state] ? undefined : "none"}>
            <CountOf state={state} count={data.counts[state] ?? 0} />
          </li>
        ))}
      </ul>
    </>
  );
}
