/** The runs of a job: how long each took and how it ended, as a plot and as a list. */
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import type { RunList, RunShape } from "../api/schema";
import { State } from "../parts/badges";
import type { Failing } from "../parts/facets";
import { errorOf } from "../parts/facets";
import { RunLink } from "../parts/links";
import { useIsNarrow } from "../parts/narrow";
import { Section } from "../parts/page";
import { Answer, Empty } from "../parts/states";
import { Ago, countOf } from "../parts/time";
import { startOf, Timeline, tellDuration } from "../parts/timeline";
import { strings } from "../strings";

const words = strings.job;
const FEW = 8;

interface Props {
  of: UseQueryResult<RunList>;
  /** Whether how long each took is drawn; of what goes on forever it says nothing. */
  hasTimeline: boolean;
  askMore: (() => void) | undefined;
}

export function Runs({ of, hasTimeline, askMore }: Props) {
  return (
    <Section title={words.runs} note={of.data && countOf(of.data.totalCount)}>
      <Answer of={of} lines={5}>
        {({ runs }) =>
          runs.length === 0 ? (
            <Empty>{words.noRuns}</Empty>
          ) : (
            <RunsOf runs={runs} hasTimeline={hasTimeline} askMore={askMore} />
          )
        }
      </Answer>
    </Section>
  );
}

function RunsOf({ runs, hasTimeline, askMore }: Omit<Props, "of"> & { runs: RunShape[] }) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? runs : runs.slice(0, FEW);
  const isMore = runs.length > shown.length;
  const isNarrow = useIsNarrow();
  const titles = isNarrow
    ? [words.state, words.started, words.took]
    : [words.state, words.run, words.started, words.took, words.error];
  return (
    <>
      {hasTimeline && <Timeline runs={runs} />}
      <div className="scroll">
        <table className="runs-table">
          <thead>
            <tr>
              {titles.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((run) => (isNarrow ? <NarrowRow key={run.id} of={run} /> : <Row key={run.id} of={run} />))}
          </tbody>
        </table>
      </div>
      {(isMore || askMore) && (
        <button type="button" className="after-table" onClick={() => (isMore ? setAll(true) : askMore?.())}>
          {words.more}
        </button>
      )}
    </>
  );
}

function Row({ of: run }: { of: RunShape }) {
  const error = errorOf(run.facets);
  return (
    <tr>
      <td>
        <State state={run.state} />
      </td>
      <td>
        <RunLink id={run.id} />
      </td>
      <td>
        <Ago time={startOf(run)} />
      </td>
      <td>{tellDuration(run)}</td>
      <td className="error wrap">{error && <Failure of={error} />}</td>
    </tr>
  );
}

/** The same on a phone: what went wrong stands below its run, and its time leads to it. */
function NarrowRow({ of: run }: { of: RunShape }) {
  const error = errorOf(run.facets);
  return (
    <>
      <tr>
        <td>
          <State state={run.state} />
        </td>
        <td>
          <Link to="/run" search={{ id: run.id }}>
            <Ago time={startOf(run)} />
          </Link>
        </td>
        <td>{tellDuration(run)}</td>
      </tr>
      {error && (
        <tr>
          <td className="error wrap" colSpan={3}>
            <Failure of={error} />
          </td>
        </tr>
      )}
    </>
  );
}

function Failure({ of: { message, trace } }: { of: Failing }) {
  return (
    <>
      <span className="bad-text">{message}</span>
      {trace && (
        <details>
          <summary>{strings.run.trace}</summary>
          <pre tabIndex={0}>{trace}</pre>
        </details>
      )}
    </>
  );
}
