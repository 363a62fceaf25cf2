/** Datasets that a job or a run reads or writes, with how much a run counted of each. */
import type { Named } from "../api/ids";
import type { RunDatasetShape } from "../api/schema";
import { strings } from "../strings";
import { countedOf } from "./facets";
import { DatasetLink } from "./links";
import { Section } from "./page";
import { Empty } from "./states";
import { bytesOf, countOf } from "./time";

interface Props {
  title: string;
  note?: string;
  none: string;
  of: Named[];
  counted: RunDatasetShape[] | undefined;
}

export function UsedDatasets({ title, note, none, of, counted = [] }: Props) {
  const rows = of.map((dataset) => {
    const told = counted.find(
      ({ datasetVersionId: id }) => id.namespace === dataset.namespace && id.name === dataset.name,
    );
    return { dataset, ...countedOf(told?.facets ?? {}) };
  });
  const isCounted = rows.some(({ rows, bytes }) => rows !== null || bytes !== null);
  return (
    <Section title={title} note={isCounted ? note : undefined}>
      {rows.length === 0 && <Empty>{none}</Empty>}
      <ul className="rows tight">
        {rows.map(({ dataset, rows, bytes }) => (
          <li key={`${dataset.namespace} ${dataset.name}`}>
            <span className="row-main">
              <DatasetLink of={dataset} />
            </span>
            {rows !== null && <span className="faint nowrap">{`${countOf(rows)} ${strings.dataset.rows}`}</span>}
            {bytes !== null && <span className="faint nowrap">{bytesOf(bytes)}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
