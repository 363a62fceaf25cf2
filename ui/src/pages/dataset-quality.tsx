/** What was checked and measured of a dataset's content, last: said of it, or by a run that read it. */
import type { DatasetShape } from "../api/schema";
import { assertionsOf, metricsOf } from "../parts/facets";
import { JobLink, RunLink } from "../parts/links";
import { Fact, Facts, Section } from "../parts/page";
import { Empty, Loading } from "../parts/states";
import { Ago } from "../parts/time";
import type { Said, SaidOfDataset } from "../parts/use-run-facets";
import { strings } from "../strings";

const words = strings.dataset;
const MOST_METRICS = 40;

export function Quality({ of, read: { said, isPending } }: { of: DatasetShape; read: SaidOfDataset }) {
  const checked = said.find(({ facets }) => isTold(facets));
  if (checked) return <Told facets={checked.facets} by={checked} />;
  if (isTold(of.facets)) return <Told facets={of.facets} />;
  return <Section title={words.quality}>{isPending ? <Loading /> : <Empty>{words.noQuality}</Empty>}</Section>;
}

function isTold(facets: Record<string, unknown>): boolean {
  return assertionsOf(facets).length + metricsOf(facets).length > 0;
}

function Told({ facets, by }: { facets: Record<string, unknown>; by?: Said }) {
  return (
    <Section title={words.quality} note={by && <Ago time={by.run.endedAt ?? by.run.createdAt} />}>
      <ul className="rows tight">
        {assertionsOf(facets).map(({ name, column, isPassed }, index) => (
          <li key={index}>
            <span className={`state ${isPassed ? "good" : "bad"}`}>{isPassed ? words.passed : words.notPassed}</span>
            <span className="wrap">
              {name} {column && <span className="mono">{column}</span>}
            </span>
          </li>
        ))}
      </ul>
      <Facts>
        {metricsOf(facets)
          .slice(0, MOST_METRICS)
          .map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
      </Facts>
      {by?.run.job && (
        <p className="faint change said-by">
          {strings.graph.by} <JobLink of={by.run.job} /> <RunLink id={by.run.id} />
        </p>
      )}
    </Section>
  );
}
