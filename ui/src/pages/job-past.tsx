/** A job as it was at a time: what it read and wrote, its newest run until then, and the SQL of that. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import type { Named } from "../api/ids";
import { jobId } from "../api/ids";
import { nodeAt } from "../api/queries";
import type { JobData, RunShape } from "../api/schema";
import { AsOfNotice } from "../parts/as-of";
import { State } from "../parts/badges";
import { shownStateOf } from "../parts/facets";
import { GapNotice } from "../parts/gaps";
import { RunLink, SystemLink } from "../parts/links";
import { Fact, Facts } from "../parts/page";
import { NotThen } from "../parts/past";
import { Answer } from "../parts/states";
import { exactOf } from "../parts/time";
import { UsedDatasets } from "../parts/used-datasets";
import { RunSql } from "../sql/run-sql";
import { strings } from "../strings";

const words = strings.job;

export function PastJob({ named, asOf }: { named: Named; asOf: string }) {
  const query = useQuery(nodeAt(jobId(named), asOf));
  return (
    <>
      <AsOfNotice time={asOf} />
      <Answer of={query} lines={8}>
        {({ graph, node }) => {
          const found = graph.find(({ id }) => id === node);
          return found ? <Then id={node} of={found.data as JobData} asOf={asOf} /> : <NotThen time={asOf} />;
        }}
      </Answer>
    </>
  );
}

function Then({ id, of, asOf }: { id: string; of: JobData; asOf: string }) {
  return (
    <>
      {of.gapSummary && <GapNotice summary={of.gapSummary} gaps={of.gaps} />}
      <section className="card" aria-label={strings.graph.details}>
        <Facts>
          <Fact name={strings.graph.system}>
            <SystemLink name={of.system} />
          </Fact>
          <LatestRun of={of.latestRun} />
        </Facts>
        <p className="row-links">
          <Link to="/changes" search={{ node: id, from: asOf }}>
            {strings.time.list}
          </Link>
        </p>
      </section>
      <div className="two">
        <UsedDatasets title={words.inputs} none={words.noInputs} of={of.inputs} counted={undefined} />
        <UsedDatasets title={words.outputs} none={words.noOutputs} of={of.outputs} counted={undefined} />
      </div>
      {of.latestRun && <RunSql run={of.latestRun.id} of={of.id} asOf={asOf} />}
    </>
  );
}

function LatestRun({ of: run }: { of: RunShape | null }) {
  if (!run) return <Fact name={words.latest}>{strings.time.noRunThen}</Fact>;
  return (
    <>
      <Fact name={words.latest}>
        <State state={shownStateOf(run)} /> <RunLink id={run.id} />
      </Fact>
      <Fact name={words.started}>{run.startedAt && exactOf(run.startedAt)}</Fact>
    </>
  );
}
