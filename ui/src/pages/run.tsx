/** A run: how it went, what it read and wrote, what wrote that before, and its events. */
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";

import { jobId } from "../api/ids";
import { eventsOfRun, jobRuns, run, runLineage } from "../api/queries";
import type { RunShape } from "../api/schema";
import { State } from "../parts/badges";
import { errorOf, parentOf } from "../parts/facets";
import { GapNotice } from "../parts/gaps";
import { Icon, SystemIcon } from "../parts/icons";
import { JobLink, RunLink } from "../parts/links";
import { Fact, Facts, PageHead, Section } from "../parts/page";
import { Answer, Empty } from "../parts/states";
import { Ago, durationOf, exactOf } from "../parts/time";
import { JsonView } from "../parts/tree";
import { UsedDatasets } from "../parts/used-datasets";
import { RunSql } from "../sql/run-sql";
import { strings } from "../strings";
import { systemOfJob } from "../systems";

const words = strings.run;

export function RunPage() {
  const { id } = useSearch({ from: "/run" });
  const query = useQuery(run(id));
  const job = query.data?.job;
  return (
    <div className="page">
      <PageHead
        kind={strings.kinds.run}
        icon={job && <SystemIcon system={systemOfJob(job.namespace)} />}
        title={job?.name ?? id}
        under={job && <span className="mono">{id}</span>}
      >
        {job && (
          <Link to="/lineage" search={{ node: jobId(job) }} className="button primary">
            <Icon name="graph" />
            {strings.dataset.lineage}
          </Link>
        )}
        {job && (
          <Link to="/compare" search={{ namespace: job.namespace, name: job.name, b: id }} className="button">
            {strings.compare.withPrevious}
          </Link>
        )}
      </PageHead>
      <Answer of={query} lines={8}>
        {(found) => <Found of={found} />}
      </Answer>
    </div>
  );
}

function Found({ of }: { of: RunShape }) {
  const error = errorOf(of.facets);
  const { inputDatasetVersions: read = [], outputDatasetVersions: written = [] } = of;
  return (
    <>
      {error && (
        <section className="error-box" aria-label={words.error}>
          <p className="empty-title">{words.error}</p>
          <p>{error.message}</p>
          {error.trace && <pre tabIndex={0}>{error.trace}</pre>}
        </section>
      )}
      <About of={of} />
      <div className="two">
        <UsedDatasets
          title={words.reads}
          none={words.noReads}
          of={read.map(({ datasetVersionId: id }) => id)}
          counted={read}
        />
        <UsedDatasets
          title={words.writes}
          none={words.noWrites}
          of={written.map(({ datasetVersionId: id }) => id)}
          counted={written}
        />
      </div>
      {of.job && <RunSql run={of.id} of={of.job} asOf={of.endedAt ?? undefined} />}
      <Upstream id={of.id} />
      <Events of={of} />
      <Section title={words.facets}>
        <JsonView value={of.facets} name={`run-${of.id}.facets`} openDepth={0} />
      </Section>
    </>
  );
}

/** The run that goes on from where this one left off, if it is among the newest of the job. */
function useRestart(of: RunShape): RunShape | undefined {
  const query = useQuery({ ...jobRuns(of.job ?? { namespace: "", name: "" }, 50), enabled: Boolean(of.job) });
  return query.data?.runs.find((other) => other.restartOf === of.id);
}

function About({ of }: { of: RunShape }) {
  const parent = parentOf(of.facets);
  const restart = useRestart(of);
  return (
    <section className="card" aria-label={strings.graph.details}>
      {of.gapSummary && <GapNotice summary={of.gapSummary} gaps={of.gaps} />}
      <Facts>
        <Fact name={strings.job.state}>
          <State state={of.state} />
        </Fact>
        <Fact name={words.job}>{of.job && <JobLink of={of.job} />}</Fact>
        <Fact name={strings.job.started}>{of.startedAt && exactOf(of.startedAt)}</Fact>
        <Fact name={strings.job.ended}>
          {of.endedAt ? exactOf(of.endedAt) : of.state === "RUNNING" && words.running}
        </Fact>
        <Fact name={strings.job.took}>{of.durationMs !== null && durationOf(of.durationMs)}</Fact>
        <Fact name={words.nominal}>{of.nominalStartTime && exactOf(of.nominalStartTime)}</Fact>
        <Fact name={words.parent}>
          {parent && (
            <>
              <RunLink id={parent.runId} /> {parent.name && <JobLink of={parent} />}
            </>
          )}
        </Fact>
        <Fact name={words.restartOf}>{of.restartOf && <RunLink id={of.restartOf} />}</Fact>
        <Fact name={words.restartedBy}>{restart && <RunLink id={restart.id} />}</Fact>
      </Facts>
    </section>
  );
}

function Upstream({ id }: { id: string }) {
  const query = useQuery(runLineage(id));
  return (
    <Section title={words.upstream}>
      <Answer of={query}>
        {({ runs }) => {
          const others = runs.filter(({ run }) => run.id !== id);
          if (others.length === 0) return <Empty>{words.noUpstream}</Empty>;
          return (
            <ul className="rows tight">
              {others.map(({ run, job }) => (
                <li key={run.id}>
                  <State state={run.status} />
                  <span className="row-main">
                    <JobLink of={{ namespace: job.namespace ?? "", name: job.name ?? "" }} />
                  </span>
                  <RunLink id={run.id} />
                  <Ago time={run.end ?? run.start} />
                </li>
              ))}
            </ul>
          );
        }}
      </Answer>
    </Section>
  );
}

function Events({ of }: { of: RunShape }) {
  const query = useQuery(eventsOfRun(of.id));
  const told = query.data && words.counted(query.data.events.length, query.data.totalCount);
  return (
    <Section
      title={words.events}
      note={
        <>
          {told} ·{" "}
          <Link to="/events" search={{ run: of.id }}>
            {words.allEvents}
          </Link>
        </>
      }
    >
      <Answer of={query}>
        {({ events }) =>
          events.length === 0 ? (
            <Empty>{words.noEvents}</Empty>
          ) : (
            <ul className="rows tight">
              {events.map((event, index) => (
                <li key={index}>
                  <OneEvent of={event} name={`event-${of.id}-${index}`} />
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </Section>
  );
}

/** An event by its type and time; what is in it is drawn when it is opened. */
function OneEvent({ of, name }: { of: Record<string, unknown>; name: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="event" onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
      <summary>
        <State state={String(of.eventType ?? "")} /> {exactOf(String(of.eventTime))}
      </summary>
      {isOpen && <JsonView value={of} name={name} />}
    </details>
  );
}
