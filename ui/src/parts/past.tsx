/** What pages of a time share: jobs as they were then, and that nothing was known yet. */
import type { GraphShape, JobData } from "../api/schema";
import { strings } from "../strings";
import { State } from "./badges";
import { shownStateOf } from "./facets";
import { JobLink } from "./links";
import { Empty } from "./states";
import { exactOf } from "./zone";

interface Props {
  ids: string[];
  graph: GraphShape;
  none: string;
}

export function NotThen({ time }: { time: string }) {
  return <Empty title={strings.state.gone}>{strings.time.notThen(exactOf(time))}</Empty>;
}

/** The jobs that wrote or read a dataset, each with how its newest run until then had gone. */
export function JobsThen({ ids, graph, none }: Props) {
  const wanted = new Set(ids);
  const jobs = graph.graph.filter(({ id }) => wanted.has(id)).map(({ data }) => data as JobData);
  if (jobs.length === 0) return <Empty>{none}</Empty>;
  return (
    <ul className="rows tight">
      {jobs.map((job) => (
        <li key={`${job.namespace} ${job.name}`}>
          {job.latestRun && <State state={shownStateOf(job.latestRun)} />}
          <span className="row-main">
            <JobLink of={job} system={job.system} />
          </span>
        </li>
      ))}
    </ul>
  );
}
