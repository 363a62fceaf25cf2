/** A job: how its runs went, what it reads and writes, what it is part of, its code. */
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useState } from "react";
import type { Named } from "../api/ids";
import { jobId } from "../api/ids";
import { family, job, jobHealth, jobRuns } from "../api/queries";
import type { FamilyJob, JobFamily, JobShape } from "../api/schema";
import { AsOfChoice } from "../parts/as-of";
import { State } from "../parts/badges";
import { DeleteButton, GoneOrDeleted } from "../parts/deletion";
import { EditDetails } from "../parts/edit-details";
import { EditLog } from "../parts/edit-log";
import { codeOf, integrationOf, ownersOf, shownStateOf } from "../parts/facets";
import { GapNotice } from "../parts/gaps";
import { Icon, SystemIcon } from "../parts/icons";
import { JobLink, NamespaceLink, Owner, SystemLink, TagLink } from "../parts/links";
import { Fact, Facts, PageHead, Section } from "../parts/page";
import { useNoteViewed } from "../parts/recent";
import { Answer } from "../parts/states";
import { Ago, spanOf } from "../parts/time";
import { JsonView } from "../parts/tree";
import { UpstreamHealth } from "../parts/upstream";
import { UsedDatasets } from "../parts/used-datasets";
import { JobSql } from "../sql/job-sql";
import { strings } from "../strings";
import { systemOfJob } from "../systems";
import type { Step } from "./activity-figures";
import { Activity } from "./job-activity";
import { PastJob } from "./job-past";
import { Runs } from "./job-runs";
import { RunTrends } from "./run-trends";

const words = strings.job;
/** Jobs that go on: how long a run took says nothing of them. */
const LASTING = ["STREAM", "SERVICE"];
const FEW_RUNS = 50;
const MOST_RUNS = 1000;

export function JobPage() {
  const { by, asof, ...named } = useSearch({ from: "/job" });
  const query = useQuery(job(named));
  const system = integrationOf(query.data?.facets ?? {}) || systemOfJob(named.namespace);
  useNoteViewed(query.data && { kind: "job", ...named, system });
  return (
    <div className="page">
      <PageHead
        kind={strings.kinds.job}
        icon={<SystemIcon system={system} />}
        title={named.name || named.namespace}
        under={<NamespaceLink name={named.namespace} />}
      >
        <Link to="/lineage" search={{ node: jobId(named), asof }} className="button primary">
          <Icon name="graph" />
          {strings.dataset.lineage}
        </Link>
        <Link to="/impact" search={{ node: jobId(named), asof }} className="button">
          {strings.impact.button}
        </Link>
        <Link to="/compare" search={named} className="button">
          {strings.compare.button}
        </Link>
        <AsOfChoice />
        {query.data && !asof && <DeleteButton type="job" named={named} />}
      </PageHead>
      {asof ? (
        <PastJob named={named} asOf={asof} />
      ) : query.isError ? (
        <GoneOrDeleted type="job" named={named} error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Answer of={query} lines={8}>
          {(found) => <Found of={found} named={named} by={by} />}
        </Answer>
      )}
    </div>
  );
}

function Found({ of, named, by = "minute" }: { of: JobShape; named: Named; by?: Step }) {
  const [limit, setLimit] = useState(FEW_RUNS);
  const runs = useQuery(jobRuns(named, limit));
  const relatives = useQuery(family(jobId(of.id)));
  const isMore = runs.data && runs.data.totalCount > runs.data.runs.length && limit < MOST_RUNS;
  const latest = runs.data?.runs[0];
  const isStream = LASTING.includes(of.type);
  const sql = typeof of.context.sql === "string" ? of.context.sql : "";
  return (
    <>
      <UpstreamHealth id={jobId(of.id)} />
      <About of={of} parent={relatives.data?.parent ?? undefined} />
      {isStream && <Activity named={named} by={by} />}
      <Runs
        of={runs}
        hasTimeline={!isStream}
        askMore={isMore ? () => setLimit(Math.min(MOST_RUNS, limit * 4)) : undefined}
      />
      {!isStream && runs.data && <RunTrends runs={runs.data.runs} />}
      <div className="two">
        <UsedDatasets
          title={words.inputs}
          note={words.ofRun}
          none={words.noInputs}
          of={of.inputs}
          counted={latest?.inputDatasetVersions}
        />
        <UsedDatasets
          title={words.outputs}
          note={words.ofRun}
          none={words.noOutputs}
          of={of.outputs}
          counted={latest?.outputDatasetVersions}
        />
      </div>
      {relatives.data && relatives.data.children.length > 0 && <Children of={relatives.data} />}
      {sql && <JobSql text={sql} of={of.id} />}
      <EditLog type="job" named={of.id} />
      <Section title={words.facets}>
        <JsonView value={of.facets} name={`${of.name}.facets`} openDepth={0} />
      </Section>
    </>
  );
}

function About({ of, parent }: { of: JobShape; parent: FamilyJob | undefined }) {
  const health = useQuery(jobHealth({ namespace: of.namespace, name: of.name, all: true }));
  const own = health.data?.jobs[0];
  const owners = ownersOf(of.facets);
  return (
    <section className="card" aria-label={strings.graph.details}>
      <div className="card-head">
        {of.description ? (
          <p className="wrap">{of.description}</p>
        ) : (
          <p className="faint">{strings.dataset.noDescription}</p>
        )}
        <EditDetails
          entity={{ type: "job", namespace: of.namespace, name: of.name }}
          before={{ description: of.description ?? "", owners: owners.join("\n"), tags: of.tags }}
        />
      </div>
      {own && !["ok", "stopped"].includes(own.state) && (
        <p className="notice">
          <State state={own.state} /> {own.reason}
        </p>
      )}
      {of.gapSummary && <GapNotice summary={of.gapSummary} gaps={of.gaps} />}
      <Facts>
        <Fact name={strings.graph.system}>
          <SystemLink name={integrationOf(of.facets) || systemOfJob(of.namespace)} />
        </Fact>
        <Fact name={words.state}>{own && <State state={own.state} />}</Fact>
        <Fact name={words.type}>{of.type.toLowerCase()}</Fact>
        <Fact name={words.latest}>{of.latestRun && <State state={shownStateOf(of.latestRun)} />}</Fact>
        <Fact name={words.heartbeat}>
          <Ago time={own?.lastHeardAt ?? of.updatedAt} />
        </Fact>
        <Fact name={words.every}>{own?.everySeconds && spanOf(own.everySeconds)}</Fact>
        <Fact name={words.parent}>{parent && <JobLink of={parent} />}</Fact>
        <Fact name={words.code}>{of.location && <Code at={of.location} />}</Fact>
        <Fact name={strings.dataset.owners}>
          {owners.length > 0 && owners.map((owner) => <Owner key={owner} text={owner} />)}
        </Fact>
        <Fact name={strings.dataset.tags}>
          {of.tags.length > 0 && of.tags.map((tag) => <TagLink key={tag} name={tag} />)}
        </Fact>
      </Facts>
    </section>
  );
}

function Code({ at }: { at: string }): ReactNode {
  const address = codeOf(at);
  if (!address) return <span className="wrap">{at}</span>;
  return (
    <a href={address} rel="noreferrer noopener" target="_blank">
      {at}
    </a>
  );
}

function Children({ of: { children, totalCount } }: { of: JobFamily }) {
  return (
    <Section title={words.children} note={words.shownOf(children.length, totalCount)}>
      <ul className="rows tight">
        {children.map((child) => (
          <li key={child.id}>
            {child.state && <State state={child.state} />}
            <span className="row-main">
              <JobLink of={child} />
            </span>
            <Ago time={child.lastHeardAt} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
