/** A run: how it went, what it read and wrote, what wrote that before, and its events. */
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";

import { pathOf } from "../api/client";
import { jobId } from "../api/ids";
import { run, runEvents, runLineage } from "../api/queries";
import type { RunDatasetShape, RunShape } from "../api/schema";
import { State } from "../parts/badges";
import { countedOf, errorOf, parentOf } from "../parts/facets";
import { Icon } from "../parts/icons";
import { DatasetLink, JobLink, RunLink } from "../parts/links";
import { Facts, PageHead, Section } from "../parts/page";
import { Answer, Empty } from "../parts/states";
import { Ago, bytesOf, countOf, durationOf, exactOf } from "../parts/time";
import { JsonView } from "../parts/tree";
import { strings } from "../strings";

const words = strings.run;

export function RunPage() {
  const { id } = useSearch({ from: "/run" });
  const query = useQuery(run(id));
  const job = query.data?.job;
  return (
    <div className="page">
      <PageHead kind={strings.kinds.run} title={job?.name ?? id} under={id}>
        {job && (
          <Link to="/lineage" search={{ node: jobId(job) }} className="button primary">
            <Icon name="graph" />
            {strings.dataset.lineage}
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
      {read.length + written.length === 0 ? (
        <Section title={words.reads}>
          <Empty>{words.nothing}</Empty>
        </Section>
      ) : (
        <div className="two">
          <Used title={words.reads} of={read} />
          <Used title={words.writes} of={written} />
        </div>
      )}
      <Upstream id={of.id} />
      <Events of={of} />
      <Section title={words.facets}>
        <JsonView value={of.facets} name={`run-${of.id}.facets`} />
      </Section>
    </>
  );
}

function About({ of }: { of: RunShape }) {
  const parent = parentOf(of.facets);
  return (
    <section className="card" aria-label={strings.graph.details}>
      <Facts
        of={[
          [strings.job.state, <State state={of.state} />],
          [words.job, of.job && <JobLink of={of.job} />],
          [strings.job.started, of.startedAt && exactOf(of.startedAt)],
          [strings.job.ended, of.endedAt ? exactOf(of.endedAt) : words.running],
          [strings.job.took, of.durationMs !== null && durationOf(of.durationMs)],
          [words.nominal, of.nominalStartTime && exactOf(of.nominalStartTime)],
          [
            words.parent,
            parent && (
              <>
                <RunLink id={parent.runId} /> {parent.name && <JobLink of={parent} />}
              </>
            ),
          ],
          [words.restartOf, of.restartOf && <RunLink id={of.restartOf} />],
        ]}
      />
    </section>
  );
}

function Used({ title, of }: { title: string; of: RunDatasetShape[] }) {
  return (
    <Section title={title}>
      {of.length === 0 && <Empty>–</Empty>}
      <ul className="rows tight">
        {of.map(({ datasetVersionId: dataset, facets }) => {
          const { rows, bytes } = countedOf(facets);
          return (
            <li key={`${dataset.namespace} ${dataset.name}`}>
              <span className="row-main">
                <DatasetLink of={dataset} />
              </span>
              <span className="faint">{rows !== null && `${countOf(rows)} ${words.rows}`}</span>
              <span className="faint">{bytes !== null && bytesOf(bytes)}</span>
            </li>
          );
        })}
      </ul>
    </Section>
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
  const query = useQuery({ ...runEvents(of), enabled: Boolean(of.job) });
  return (
    <Section title={words.events} note={<a href={`/api/v1/jobs/runs/${pathOf(of.id)}`}>JSON</a>}>
      <Answer of={query}>
        {(events) =>
          events.length === 0 ? (
            <Empty>{words.noEvents}</Empty>
          ) : (
            <ul className="rows tight">
              {events.map((event, index) => (
                <li key={index}>
                  <details>
                    <summary>
                      <State state={String(event.eventType ?? "")} /> {exactOf(String(event.eventTime))}
                    </summary>
                    <JsonView value={event} name={`event-${of.id}-${index}`} />
                  </details>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </Section>
  );
}
