/** Home: what needs attention first, then what changed, and how much there is. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";

import { changes, MOST_TROUBLES, problems, systems } from "../api/queries";
import type { LineageDiff, SystemCount } from "../api/schema";
import { Changes } from "../parts/changes";
import { SystemIcon } from "../parts/icons";
import { DatasetLink, JobLink } from "../parts/links";
import { Section, useTitle } from "../parts/page";
import { ProblemRows } from "../parts/problems";
import { recentlyViewed } from "../parts/recent";
import { Answer, Empty } from "../parts/states";
import { useTicking } from "../parts/tick";
import { strings } from "../strings";
import { lookOf } from "../systems";
import { Activity } from "./home-activity";

export function HomePage() {
  useTitle("");
  const counts = useQuery(systems());
  const isEmpty = counts.data?.systems.length === 0;
  return (
    <div className="page home">
      <h1 className="lead">{strings.home.lead}</h1>
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
  const query = useQuery(problems({ limit: MOST_TROUBLES }));
  return (
    <Section
      title={strings.home.attention}
      note={
        query.data &&
        query.data.totalCount > 0 && <Link to="/problems">{strings.problems.more(query.data.totalCount)}</Link>
      }
    >
      <Answer of={query}>
        {({ problems, acknowledgedCount }) => (
          <>
            {problems.length === 0 ? <Empty>{strings.home.calm}</Empty> : <ProblemRows of={problems} isShort />}
            {acknowledgedCount > 0 && (
              <p>
                <Link to="/problems" search={{ acknowledged: "true" }}>
                  {strings.problems.showKnown(acknowledgedCount)}
                </Link>
              </p>
            )}
          </>
        )}
      </Answer>
    </Section>
  );
}

const DAY = 86_400_000;
const MOST_CHANGES = 12;

function Changed() {
  // Of this minute, so that all who look at the page ask the same.
  const to = useTicking(() => new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString());
  const times = { from: new Date(Date.parse(to) - DAY).toISOString(), to };
  // How jobs fare is told above.
  const query = useQuery({
    ...changes({ ...times, limit: MOST_CHANGES, order: "newest", without: "state" }),
    placeholderData: keepPreviousData,
  });
  return (
    <Section title={strings.home.changed} note={<Link to="/changes">{strings.changesPage.all}</Link>}>
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
      {!diff.isCut && more > 0 && <p className="faint">{strings.home.changedMore(more)}</p>}
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
              {one.kind === "job" ? (
                <JobLink of={one} system={one.system} />
              ) : (
                <DatasetLink of={one} system={one.system} />
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
