/** A job: how its runs went, what it reads and writes, its code. */
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";

import { jobId } from "../api/ids";
import type { Named } from "../api/ids";
import { job, jobHealth, jobRuns } from "../api/queries";
import type { JobShape, RunDatasetShape, RunList, RunShape } from "../api/schema";
import { State, System, Tag, toneOf } from "../parts/badges";
import { codeOf, countedOf, errorOf, integrationOf, ownersOf } from "../parts/facets";
import { Icon, SystemIcon } from "../parts/icons";
import { DatasetLink, JobLink, RunLink } from "../parts/links";
import { Facts, PageHead, Section } from "../parts/page";
import { useNoteViewed } from "../parts/recent";
import { Sql } from "../parts/sql";
import { Answer, Empty } from "../parts/states";
import { Ago, bytesOf, countOf, durationOf, exactOf, spanOf } from "../parts/time";
import { JsonView } from "../parts/tree";
import { systemOfNamespace } from "../systems";
import { strings } from "../strings";

const words = strings.job;
const FEW_RUNS = 50;

export function JobPage() {
  const named = useSearch({ from: "/job" });
  const query = useQuery(job(named));
  useNoteViewed(query.data && { kind: "job", ...named });
  return (
    <div className="page">
      <PageHead
        kind={strings.kinds.job}
        icon={<SystemIcon system={systemOfNamespace(named.namespace)} />}
        title={named.name || named.namespace}
        under={named.namespace}
      >
        <Link to="/lineage" search={{ node: jobId(named) }} className="button primary">
          <Icon name="graph" />
          {strings.dataset.lineage}
        </Link>
      </PageHead>
      <Answer of={query} lines={8}>
        {(found) => <Found of={found} named={named} />}
      </Answer>
    </div>
  );
}

function Found({ of, named }: { of: JobShape; named: Named }) {
  const sql = typeof of.context.sql === "string" ? of.context.sql : "";
  return (
    <>
      <About of={of} named={named} />
      <Runs named={named} />
      <div className="two">
        <Datasets title={words.inputs} none={words.noInputs} of={of.inputs} counted={of.latestRun?.inputDatasetVersions} />
        <Datasets title={words.outputs} none={words.noOutputs} of={of.outputs} counted={of.latestRun?.outputDatasetVersions} />
      </div>
      {sql && (
        <Section title={words.sql}>
          <Sql text={sql} />
        </Section>
      )}
      <Section title={words.facets}>
        <JsonView value={of.facets} name={`${of.name}.facets`} />
      </Section>
    </>
  );
}

function About({ of, named }: { of: JobShape; named: Named }) {
  const health = useQuery(jobHealth({ namespace: named.namespace, all: true }));
  const own = health.data?.jobs.find(({ name }) => name === named.name);
  const code = codeOf(of.location);
  return (
    <section className="card" aria-label={strings.graph.details}>
      {of.description && <p className="wrap">{of.description}</p>}
      {own && own.state !== "ok" && (
        <p className="notice">
          <State state={own.state} /> {own.reason}
        </p>
      )}
      <Facts
        of={[
          [strings.graph.system, <System name={integrationOf(of.facets) || systemOfNamespace(of.namespace)} />],
          [words.type, of.type],
          [words.latest, of.latestRun && <State state={of.latestRun.state} />],
          [words.heartbeat, <Ago time={own?.lastHeardAt ?? of.updatedAt} />],
          [words.every, own?.everySeconds && spanOf(own.everySeconds)],
          [words.parent, of.parentJobName && <JobLink of={{ namespace: of.namespace, name: of.parentJobName }} />],
          [words.code, of.location && (code ? <a href={code} rel="noreferrer noopener" target="_blank">{of.location}</a> : of.location)],
          [strings.dataset.owners, ownersOf(of.facets).join("; ")],
          [strings.dataset.tags, of.tags.length > 0 && of.tags.map((tag) => <Tag key={tag} name={tag} />)],
        ]}
      />
    </section>
  );
}

function Runs({ named }: { named: Named }) {
  const [limit, setLimit] = useState(FEW_RUNS);
  const query = useQuery(jobRuns(named, limit));
  return (
    <Section title={words.runs} note={query.data && countOf(query.data.totalCount)}>
      <Answer of={query} lines={5}>
        {(list) => (list.runs.length === 0 ? <Empty>{words.noRuns}</Empty> : <RunsOf list={list} />)}
      </Answer>
      {query.data && query.data.totalCount > query.data.runs.length && limit < 1000 && (
        <button type="button" onClick={() => setLimit(limit * 4)}>
          {words.more}
        </button>
      )}
    </Section>
  );
}

function RunsOf({ list: { runs } }: { list: RunList }) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? runs : runs.slice(0, 8);
  return (
    <>
      <Timeline runs={[...runs].reverse()} />
      <div className="scroll">
        <table className="runs-table">
          <thead>
            <tr>
              <th scope="col">{words.state}</th>
              <th scope="col">{words.run}</th>
              <th scope="col">{words.started}</th>
              <th scope="col">{words.took}</th>
              <th scope="col">{words.error}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((run) => (
              <tr key={run.id}>
                <td>
                  <State state={run.state} />
                </td>
                <td>
                  <RunLink id={run.id} />
                </td>
                <td>
                  <Ago time={run.startedAt ?? run.createdAt} />
                </td>
                <td>{run.durationMs === null ? "–" : durationOf(run.durationMs)}</td>
                <td className="bad-text wrap">{errorOf(run.facets)?.message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {!isAll && runs.length > shown.length && (
        <button type="button" className="quiet-button" onClick={() => setAll(true)}>
          {strings.browse.of(shown.length, runs.length)}: {words.more.toLowerCase()}
        </button>
      )}
    </>
  );
}

/** A bar for each run: its height the duration, its colour the state. */
function Timeline({ runs }: { runs: RunShape[] }) {
  const most = Math.max(1, ...runs.map((run) => run.durationMs ?? 0));
  return (
    <>
      <div className="timeline" role="group" aria-label={words.lastRuns(runs.length)}>
        {runs.map((run) => (
          <Link
            key={run.id}
            to="/run"
            search={{ id: run.id }}
            preload={false}
            className={toneOf(run.state)}
            style={{ height: `${Math.max(8, ((run.durationMs ?? most) / most) * 100)}%` }}
            aria-label={tellRun(run)}
            title={tellRun(run)}
          />
        ))}
      </div>
      <p className="axis">
        <span>{words.lastRuns(runs.length)}</span>
      </p>
    </>
  );
}

function tellRun(run: RunShape): string {
  const took = run.durationMs === null ? "" : `, ${durationOf(run.durationMs)}`;
  return `${run.state.toLowerCase()} ${exactOf(run.startedAt ?? run.createdAt ?? "")}${took}`;
}

interface DatasetsProps {
  title: string;
  none: string;
  of: Named[];
  counted: RunDatasetShape[] | undefined;
}

function Datasets({ title, none, of, counted = [] }: DatasetsProps) {
  return (
    <Section title={title} note={of.length > 0 ? words.latest : undefined}>
      {of.length === 0 && <Empty>{none}</Empty>}
      <ul className="rows tight">
        {of.map((dataset) => {
          const told = counted.find(({ datasetVersionId: id }) => id.namespace === dataset.namespace && id.name === dataset.name);
          const { rows, bytes } = countedOf(told?.facets ?? {});
          return (
            <li key={`${dataset.namespace} ${dataset.name}`}>
              <span className="row-main">
                <DatasetLink of={dataset} />
              </span>
              <span className="faint">{rows !== null && `${countOf(rows)} ${strings.dataset.rows}`}</span>
              <span className="faint">{bytes !== null && bytesOf(bytes)}</span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
