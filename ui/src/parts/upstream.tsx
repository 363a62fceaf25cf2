/** What is wrong with what a dataset or a job comes from, each with the way to it. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { upstreamProblems } from "../api/queries";
import { strings } from "../strings";
import { State } from "./badges";
import { NodeLink, OwnerLink } from "./links";
import { Ago } from "./time";

const words = strings.upstream;
/** So many are shown; the page Problems lists all there are. */
const MOST = 5;

export function UpstreamHealth({ id }: { id: string }) {
  const { data } = useQuery(upstreamProblems(id, MOST));
  if (!data || data.totalCount === 0) return null;
  return (
    <section className="notice upstream" aria-label={words.title}>
      <p className="upstream-title">
        {words.count(data.totalCount)}
        {data.isCut && <span className="faint"> {words.cut(data.checked)}</span>}
      </p>
      <ul className="plain">
        {data.problems.map((problem) => (
          <li key={`${problem.id} ${problem.problem}`}>
            <State state={problem.problem} />
            <NodeLink of={problem} />
            <Ago time={problem.since} />
            {problem.owners.map((owner) => (
              <OwnerLink key={owner} name={owner} />
            ))}
            {problem.run && (
              <Link to="/run" search={{ id: problem.run }}>
                {strings.problems.toRun}
              </Link>
            )}
            {problem.id && (
              <Link to="/lineage" search={{ node: problem.id, to: id }}>
                {words.path}
              </Link>
            )}
            <span className="faint wrap few-lines">{problem.reason}</span>
          </li>
        ))}
      </ul>
      {data.totalCount > data.problems.length && (
        <p className="faint">{words.more(data.totalCount - data.problems.length)}</p>
      )}
      <Link to="/changes" search={{ node: id, direction: "upstream", last: "7d" }}>
        {words.changes}
      </Link>
    </section>
  );
}
