/** Home: search first, then what needs attention, what changed, and how much there is. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";

import { changes, datasetHealth, eventsByHour, jobHealth, systems } from "../api/queries";
import type { EventMetric, LineageDiff, SystemCount } from "../api/schema";
import { SystemIcon } from "../parts/icons";
import { State } from "../parts/badges";
import { DatasetLink, JobLink } from "../parts/links";
import { Section, useTitle } from "../parts/page";
import { Bars } from "../parts/plots";
import { recentlyViewed } from "../parts/recent";
import { SiteSearch } from "../parts/search";
import { Answer, Empty, Failure, Loading } from "../parts/states";
import { Ago, countOf } from "../parts/time";
import { lookOf } from "../systems";
import { strings } from "../strings";
import { Changes } from "../parts/changes";

export function HomePage() {
  useTitle("");
  const counts = useQuery(systems());
  const isEmpty = counts.data?.systems.length === 0;
  return (
    <div className="page home">
      <div className="hero">
        <h1>{strings.home.lead}</h1>
        <SiteSearch isLarge />
      </div>
      {isEmpty ? (
        <Empty title={strings.home.empty}>{strings.home.emptyHelp}</Empty>
      ) : (
        <div className="home-grid">
          <div className="column-of-cards">
            <Attention />
            <Changed />
          </div>
          <div className="column-of-cards">
            <Activity />
            <Section title={strings.home.systems}>
              <Answer of={counts}>{({ systems }) => <Systems of={systems} />}</Answer>
            </Section>
            <Recent />
          </div>
        </div>
      )}
    </div>
  );
}

function Attention() {
  const jobs = useQuery(jobHealth());
  const datasets = useQuery(datasetHealth());
  const failure = jobs.error ?? datasets.error;
  return (
    <Section title={strings.home.attention}>
      {failure ? (
        <Failure error={failure} retry={() => void Promise.all([jobs.refetch(), datasets.refetch()])} />
      ) : !jobs.data || !datasets.data ? (
        <Loading />
      ) : jobs.data.jobs.length + datasets.data.datasets.length === 0 ? (
        <Empty>{strings.home.calm}</Empty>
      ) : (
        <ul className="rows">
          {jobs.data.jobs.slice(0, 20).map((job) => (
            <li key={job.id}>
              <State state={job.state} />
              <span className="row-main">
                <JobLink of={job} />
                <span className="faint wrap">{job.errorMessage ?? job.reason}</span>
              </span>
              <Ago time={job.since} />
            </li>
          ))}
          {datasets.data.datasets.slice(0, 20).map((dataset) => (
            <li key={dataset.id}>
              <State state={dataset.state} />
              <span className="row-main">
                <DatasetLink of={dataset} />
                <span className="faint wrap">{dataset.reason}</span>
              </span>
              <Ago time={dataset.since} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const DAY = 86_400_000;

function Changed() {
  // Of this minute, so that the question stays the same while the page is looked at.
  const to = useMemo(() => new Date(Math.floor(Date.now() / 60_000) * 60_000), []);
  const from = new Date(to.getTime() - DAY);
  const query = useQuery(changes({ from: from.toISOString(), to: to.toISOString(), limit: 200 }));
  return (
    <Section title={strings.home.changed}>
      <Answer of={query}>{(diff) => <ChangedOf diff={diff} />}</Answer>
    </Section>
  );
}

function ChangedOf({ diff }: { diff: LineageDiff }) {
  if (diff.changes.length === 0) return <Empty>{strings.home.unchanged}</Empty>;
  const shown = diff.changes.slice(0, 12);
  return (
    <>
      <Changes of={shown} nodes={diff.nodes} />
      {diff.totalCount > shown.length && <p className="faint">{strings.home.changedMore(diff.totalCount - shown.length)}</p>}
    </>
  );
}

function Activity() {
  const query = useQuery(eventsByHour());
  return (
    <Section title={strings.home.activity}>
      <Answer of={query}>{(hours) => <ActivityOf hours={hours} />}</Answer>
      <HealthCounts />
    </Section>
  );
}

function ActivityOf({ hours }: { hours: EventMetric[] }) {
  const total = hours.reduce((sum, hour) => sum + hour.complete + hour.fail + hour.abort, 0);
  if (total === 0) return <Empty>{strings.home.activityNone}</Empty>;
  const bars = hours.map((hour) => ({
    label: `${hour.startInterval.slice(11, 16)} UTC: ${hour.complete} ${strings.home.completed}, ${hour.fail + hour.abort} ${strings.home.failed}`,
    parts: [
      { value: hour.complete, tone: "good" },
      { value: hour.fail + hour.abort, tone: "bad" },
    ],
  }));
  return <Bars bars={bars} title={strings.home.activity} height={84} />;
}

function HealthCounts() {
  const { data } = useQuery(jobHealth());
  if (!data) return null;
  const states = ["ok", "failed", "silent", "late"] as const;
  return (
    <ul className="counts">
      {states.map((state) => (
        <li key={state}>
          <span className="count">{countOf(data.counts[state] ?? 0)}</span>
          <State state={state} />
        </li>
      ))}
    </ul>
  );
}

function Systems({ of }: { of: SystemCount[] }) {
  return (
    <ul className="system-list">
      {of.map(({ name, datasets, jobs, runningJobs }) => (
        <li key={name}>
          <Link to="/browse" search={{ system: name }} className="system-row">
            <SystemIcon system={name} size={20} />
            <span className="name">{lookOf(name).label}</span>
            <span className="faint">
              {[
                datasets && strings.home.datasets(datasets),
                jobs && strings.home.jobs(jobs),
                runningJobs && strings.home.running(runningJobs),
              ]
                .filter(Boolean)
                .join(", ")}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Recent() {
  const viewed = useMemo(recentlyViewed, []);
  return (
    <Section title={strings.home.recent}>
      {viewed.length === 0 ? (
        <Empty>{strings.home.recentNone}</Empty>
      ) : (
        <ul className="rows tight">
          {viewed.map((one) => (
            <li key={`${one.kind} ${one.namespace} ${one.name}`}>
              {one.kind === "job" ? <JobLink of={one} /> : <DatasetLink of={one} />}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
