/** Home: search first, then what needs attention, what changed, and how much there is. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMemo } from "react";

import { changes, datasetHealth, jobHealth, MOST_TROUBLES, systems } from "../api/queries";
import type { HealthDatasets, HealthJobs, LineageDiff, SystemCount } from "../api/schema";
import { State } from "../parts/badges";
import { Changes } from "../parts/changes";
import { SystemIcon } from "../parts/icons";
import { DatasetLink, JobLink } from "../parts/links";
import { Section, useTitle } from "../parts/page";
import { recentlyViewed } from "../parts/recent";
import { SiteSearch } from "../parts/search";
import { Answer, Empty, Failure, Loading } from "../parts/states";
import { Ago } from "../parts/time";
import { strings } from "../strings";
import { lookOf } from "../systems";
import { Activity } from "./home-activity";

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
            <Recent />
          </div>
          <div className="column-of-cards">
            <Activity />
            <Section title={strings.home.systems}>
              <Answer of={counts}>{({ systems }) => <Systems of={systems} />}</Answer>
            </Section>
          </div>
        </div>
      )}
    </div>
  );
}

function Attention() {
  const jobs = useQuery(jobHealth({ limit: MOST_TROUBLES }));
  const datasets = useQuery(datasetHealth({ limit: MOST_TROUBLES }));
  const failure = jobs.error ?? datasets.error;
  return (
    <Section title={strings.home.attention}>
      {jobs.data && datasets.data ? (
        <AttentionOf jobs={jobs.data} datasets={datasets.data} />
      ) : failure ? (
        <Failure error={failure} retry={() => void Promise.all([jobs.refetch(), datasets.refetch()])} />
      ) : (
        <Loading />
      )}
    </Section>
  );
}

function AttentionOf({ jobs, datasets }: { jobs: HealthJobs; datasets: HealthDatasets }) {
  const [wrongJobs, wrongDatasets] = [jobs.jobs, datasets.datasets];
  const shown = wrongJobs.length + wrongDatasets.length;
  const total = jobs.totalCount + datasets.totalCount;
  if (total === 0) return <Empty>{strings.home.calm}</Empty>;
  return (
    <>
      <ul className="rows">
        {wrongJobs.map((job) => (
          <Trouble key={job.id} of={job} why={job.errorMessage ?? job.reason}>
            <JobLink of={job} />
          </Trouble>
        ))}
        {wrongDatasets.map((dataset) => (
          <Trouble key={dataset.id} of={dataset} why={dataset.reason}>
            <DatasetLink of={dataset} />
          </Trouble>
        ))}
      </ul>
      {total > shown && <p className="faint">{strings.home.changedMore(total - shown)}</p>}
    </>
  );
}

function Trouble({
  of,
  why,
  children,
}: {
  of: { state: string; since: string | null };
  why: string;
  children: ReactNode;
}) {
  return (
    <li>
      <State state={of.state} />
      <span className="row-main">
        {children}
        <span className="faint wrap">{why}</span>
      </span>
      <Ago time={of.since} />
    </li>
  );
}

const DAY = 86_400_000;
const MOST_CHANGES = 12;

function Changed() {
  // Of this minute, so that the question stays the same while the page is looked at.
  const to = useMemo(() => new Date(Math.floor(Date.now() / 60_000) * 60_000), []);
  const from = new Date(to.getTime() - DAY);
  const times = { from: from.toISOString(), to: to.toISOString() };
  // How jobs fare is told above.
  const query = useQuery(changes({ ...times, limit: MOST_CHANGES, order: "newest", without: "state" }));
  return (
    <Section title={strings.home.changed}>
      <Answer of={query}>{(diff) => <ChangedOf diff={diff} />}</Answer>
    </Section>
  );
}

function ChangedOf({ diff }: { diff: LineageDiff }) {
  const more = diff.totalCount - diff.changes.length;
  if (diff.changes.length === 0)
    return <Empty>{diff.isCut ? strings.home.unchangedLately : strings.home.unchanged}</Empty>;
  return (
    <>
      <Changes of={diff.changes} nodes={diff.nodes} />
      {diff.isCut ? (
        <p className="faint">{strings.home.changedBefore}</p>
      ) : (
        more > 0 && <p className="faint">{strings.home.changedMore(more)}</p>
      )}
    </>
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
