/** A dataset as it was at a time: its columns and their sources, who wrote and read it, its versions until then. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import type { Named } from "../api/ids";
import { datasetId } from "../api/ids";
import { columnsAround, nodeAt } from "../api/queries";
import type { ColumnGraphShape, ColumnLineageShape, DatasetData, GraphShape, NodeShape } from "../api/schema";
import { AsOfNotice } from "../parts/as-of";
import { GapNotice } from "../parts/gaps";
import { SystemLink } from "../parts/links";
import { Fact, Facts, Section } from "../parts/page";
import { JobsThen, NotThen } from "../parts/past";
import { Answer } from "../parts/states";
import { exactOf } from "../parts/time";
import { strings } from "../strings";
import { Schema } from "./dataset-schema";
import { Versions } from "./dataset-versions";

const words = strings.dataset;

export function PastDataset({ named, asOf }: { named: Named; asOf: string }) {
  const query = useQuery(nodeAt(datasetId(named), asOf));
  return (
    <>
      <AsOfNotice time={asOf} />
      <Answer of={query} lines={8}>
        {(graph) => {
          const node = graph.graph.find(({ id }) => id === graph.node);
          return node ? <Then node={node} graph={graph} asOf={asOf} /> : <NotThen time={asOf} />;
        }}
      </Answer>
    </>
  );
}

function Then({ node, graph, asOf }: { node: NodeShape; graph: GraphShape; asOf: string }) {
  const data = node.data as DatasetData;
  const columns = useQuery(columnsAround([node.id], asOf));
  const columnLineage = columns.data ? sourcesOf(columns.data, data) : [];
  return (
    <>
      {node.incomplete && <GapNotice />}
      <section className="card" aria-label={strings.graph.details}>
        <Facts>
          <Fact name={strings.graph.system}>
            <SystemLink name={data.system} />
          </Fact>
          <Fact name={words.written}>{data.lastModifiedAt ? exactOf(data.lastModifiedAt) : strings.times.never}</Fact>
          <Fact name={words.seen}>{data.updatedAt && exactOf(data.updatedAt)}</Fact>
          <Fact name={words.lifecycle}>{data.lastLifecycleState}</Fact>
        </Facts>
        <p className="row-links">
          <Link to="/changes" search={{ node: node.id, from: asOf }}>
            {strings.time.list}
          </Link>
        </p>
      </section>
      <Schema of={{ ...data, columnLineage }} isPast />
      <div className="two">
        <Section title={words.writers}>
          <JobsThen ids={node.inEdges.map(({ origin }) => origin)} graph={graph} none={words.noWriter} />
        </Section>
        <Section title={words.readers}>
          <JobsThen ids={node.outEdges.map(({ destination }) => destination)} graph={graph} none={words.noReader} />
        </Section>
      </div>
      <Versions named={data} until={asOf} />
    </>
  );
}

/** Where the columns of a dataset come from, of an answer about what is around it. */
function sourcesOf(answer: ColumnGraphShape, { namespace, name }: Named): ColumnLineageShape[] {
  const own = answer.graph.filter(({ data }) => data.namespace === namespace && data.dataset === name && data.field);
  return own.map(({ data }) => ({
    ...data,
    name: data.field,
    // What only decides about rows is told on the column's page.
    inputFields: data.inputFields.filter(({ isIndirect }) => !isIndirect),
  }));
}
