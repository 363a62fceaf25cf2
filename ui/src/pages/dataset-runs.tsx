/** The newest runs that wrote a dataset, with how much. */
import { State } from "../parts/badges";
import { countedOf } from "../parts/facets";
import { JobLink, RunLink } from "../parts/links";
import { Section } from "../parts/page";
import { Empty, Loading } from "../parts/states";
import { Ago, bytesOf, countOf } from "../parts/time";
import { startOf } from "../parts/timeline";
import type { Said, SaidOfDataset } from "../parts/use-run-facets";
import { strings } from "../strings";

const words = strings.dataset;
const MOST = 10;

export function Runs({ of: { said, isPending } }: { of: SaidOfDataset }) {
  return (
    <Section title={words.writtenBy}>
      {said.length > 0 ? <Table of={said.slice(0, MOST)} /> : isPending ? <Loading /> : <Empty>{words.noRuns}</Empty>}
    </Section>
  );
}

function Table({ of }: { of: Said[] }) {
  return (
    <div className="scroll">
      <table className="runs-table">
        <thead>
          <tr>
            <th scope="col">{strings.job.state}</th>
            <th scope="col">{strings.kinds.job}</th>
            <th scope="col" className="num">
              {strings.job.rows}
            </th>
            <th scope="col" className="num">
              {strings.job.bytes}
            </th>
            <th scope="col">{strings.kinds.run}</th>
            <th scope="col">{strings.job.started}</th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ run, facets }) => {
            const { rows, bytes } = countedOf(facets);
            return (
              <tr key={run.id}>
                <td>
                  <State state={run.state} />
                </td>
                <td>{run.job && <JobLink of={run.job} />}</td>
                <td className="num">{countOf(rows)}</td>
                <td className="num">{bytesOf(bytes)}</td>
                <td>
                  <RunLink id={run.id} />
                </td>
                <td>
                  <Ago time={startOf(run)} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
