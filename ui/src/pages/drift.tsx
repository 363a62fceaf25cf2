/** Where what is declared of jobs and what their runs observe differ, job by job. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { drift } from "../api/queries";
import type { Drift, DriftEdge, DriftingJob, DriftPair } from "../api/schema";
import { State } from "../parts/badges";
import { ColumnLink, DatasetLink, JobLink } from "../parts/links";
import { PageHead, Section } from "../parts/page";
import { Answer, Empty } from "../parts/states";
import { Ago } from "../parts/time";
import { strings } from "../strings";

const words = strings.drift;

export function DriftPage() {
  const query = useQuery(drift({ limit: 200 }));
  return (
    <div className="page">
      <PageHead kind={words.kind} title={words.title}>
        <Link to="/discovery" className="button">
          {strings.discovery.title}
        </Link>
      </PageHead>
      <Answer of={query} lines={8}>
        {(found) => <Found of={found} />}
      </Answer>
    </div>
  );
}

function Found({ of }: { of: Drift }) {
  const { jobs, totalCount, declaredCount, notRunCount, isCut } = of;
  return (
    <>
      <p className="faint">
        {declaredCount === 0 ? words.noneDeclared : words.summary(totalCount, declaredCount)}
        {notRunCount > 0 && ` ${words.notRun(notRunCount)}`}
      </p>
      {declaredCount > 0 && jobs.length === 0 && <Empty>{words.calm}</Empty>}
      {jobs.map((job) => (
        <JobDrift key={job.id} of={job} />
      ))}
      {isCut && <p className="faint">{words.cut(totalCount - jobs.length)}</p>}
    </>
  );
}

function JobDrift({ of }: { of: DriftingJob }) {
  return (
    <Section
      title={of.name}
      note={
        <span className="row-links">
          <JobLink of={of} />
          {of.run && (
            <Link to="/run" search={{ id: of.run }}>
              {strings.problems.toRun}
            </Link>
          )}
          <Link to="/lineage" search={{ node: of.id }}>
            {strings.graph.title}
          </Link>
        </span>
      }
    >
      <ul className="rows problem-rows">
        {of.edges.map((edge) => (
          <Edge key={`${edge.kind} ${edge.direction} ${edge.namespace} ${edge.name}`} of={edge} />
        ))}
        {of.columns.map((pair) => (
          <Pair key={`${pair.kind} ${JSON.stringify([pair.output, pair.input])}`} of={pair} />
        ))}
      </ul>
    </Section>
  );
}

function Edge({ of }: { of: DriftEdge }) {
  return (
    <li>
      <State state={of.kind} />
      <span className="row-main">
        <DatasetLink of={of} />
        <span className="faint">
          {words.directions[of.direction]}
          {of.kind === "notObserved" && of.lastObservedAt === null && `, ${words.never}`}
        </span>
      </span>
      <Ago time={of.since} />
    </li>
  );
}

function Pair({ of: { kind, output, input } }: { of: DriftPair }) {
  return (
    <li>
      <State state={kind} />
      <span className="row-main">
        <span className="wrap">
          <DatasetLink of={output} /> <ColumnLink of={output} field={output.field} /> {words.from}{" "}
          <DatasetLink of={input} /> <ColumnLink of={input} field={input.field} />
        </span>
      </span>
    </li>
  );
}
