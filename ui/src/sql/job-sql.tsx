/** The SQL of a job, linked to its lineage: words to pages, columns to what they are made from. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import type { Named } from "../api/ids";
import { datasetId, jobId } from "../api/ids";
import { jobColumns, jobDatasets } from "../api/queries";
import type { ColumnGraphShape, DatasetData, GraphShape } from "../api/schema";
import { columnEdges } from "../graph/columns";
import type { ColumnEdge, ColumnEnd } from "../graph/model";
import { Section } from "../parts/page";
import { strings } from "../strings";
import "../styles/sql.css";
import { lightOf, sourcesByColumn } from "./column-sources";
import { LinkedSql } from "./linked-sql";
import { marksOf } from "./marks";
import { EndLink, SourceList } from "./source-list";
import type { KnownTable } from "./tables";
import { knownTable } from "./tables";

const words = strings.sql;

/** `asOf` is when the text was in use, if that is not now. */
export function JobSql({ text, of: job, asOf }: { text: string; of: Named; asOf?: string }) {
  const datasets = useQuery(jobDatasets(jobId(job), asOf));
  const columns = useQuery(jobColumns(jobId(job), asOf));
  const [active, setActive] = useState<ColumnEnd | null>(null);
  const edges = useMemo(() => (columns.data ? edgesOf(columns.data, job) : NONE), [columns.data, job]);
  const tables = useMemo(() => (datasets.data ? tablesOf(datasets.data, edges) : []), [datasets.data, edges]);
  const written = useMemo(() => onlyOutput(datasets.data, tables), [datasets.data, tables]);
  const marks = useMemo(() => marksOf(text, tables, written), [text, tables, written]);
  const rows = useMemo(() => sourcesByColumn(inOrder(edges, tables)), [edges, tables]);
  const lights = useMemo(() => lightOf(edges, active), [edges, active]);
  const byId = useMemo(() => new Map(tables.map((table) => [table.id, table])), [tables]);
  return (
    <Section title={strings.job.sql} note={marks.length > 0 && words.hint}>
      <div className={rows.length > 0 ? "sql-beside" : undefined}>
        <LinkedSql text={text} marks={marks} lights={lights} look={setActive} />
        {rows.length > 0 && (
          <SourceList
            rows={rows}
            lights={lights}
            look={setActive}
            label={words.sources}
            render={(end) => (
              <EndLink end={end} of={byId.get(end.dataset)?.named} isAlone={end.dataset === written?.id} />
            )}
          />
        )}
      </div>
      {columns.isSuccess && rows.length === 0 && <p className="faint">{words.noColumns}</p>}
    </Section>
  );
}

const NONE: ColumnEdge[] = [];

/** The edges that this job makes; others write to the same datasets. */
export function edgesOf(answer: ColumnGraphShape, job: Named): ColumnEdge[] {
  return columnEdges(answer).filter(
    (edge) => edge.job?.namespace === job.namespace && edge.job.name === job.name && !edge.isAssumed,
  );
}

/** The job's datasets, with all columns that anybody reported of them. */
export function tablesOf({ graph }: GraphShape, edges: ColumnEdge[]): KnownTable[] {
  const more = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    for (const { dataset, field } of [from, to]) {
      if (field) more.set(dataset, (more.get(dataset) ?? new Set()).add(field));
    }
  }
  return graph
    .filter(({ type }) => type === "DATASET")
    .map(({ data }) => data as DatasetData)
    .map(({ namespace, name, fields, aliases }) => {
      const schema = fields.map((field) => field.name);
      return knownTable({ namespace, name }, schema, aliases, more.get(datasetId({ namespace, name })));
    });
}

/** Columns in the order of their schema, as the text most often has them. */
function inOrder(edges: ColumnEdge[], tables: KnownTable[]): ColumnEdge[] {
  const places = new Map(tables.map(({ id, schema }) => [id, new Map(schema.map((name, index) => [name, index]))]));
  const placeOf = ({ dataset, field }: ColumnEnd) => places.get(dataset)?.get(field) ?? Number.MAX_SAFE_INTEGER;
  return [...edges].sort((a, b) => a.to.dataset.localeCompare(b.to.dataset) || placeOf(a.to) - placeOf(b.to));
}

/** What a query alone writes: the job's output, if it has just one. */
function onlyOutput(answer: GraphShape | undefined, tables: KnownTable[]): KnownTable | null {
  const outputs = answer?.graph.find(({ id }) => id === answer.node)?.outEdges ?? [];
  return (outputs.length === 1 && tables.find(({ id }) => id === outputs[0]!.destination)) || null;
}
