/** Every question the pages ask, each under the key its answer is kept by. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { SqlAnswer } from "../sql/answer";
import type { Parameters } from "./client";
import { pathOf, post, put, read, remove } from "./client";
import type { Named } from "./ids";
import type * as shapes from "./schema";

/** What needs attention, as far as Home shows it. */
export const MOST_TROUBLES = 12;

/** Nodes of a graph are asked for up to this many; what is beyond is counted, not drawn. */
export const MOST_NODES = 500;

/** Of lists that must not move under who reads them: they are not read again by themselves. */
const STILL = { isStill: true };

function asking<T>(path: string, parameters: Parameters = {}) {
  return queryOptions({
    queryKey: [path, parameters],
    queryFn: ({ signal }) => read<T>(path, parameters, signal),
  });
}

/** What `/docs` shows: an OpenAPI document. */
export const apiDocument = () => asking<object>("/openapi.json");

export type Direction = "upstream" | "downstream" | "both";

export const lineage = (nodeId: string, direction: Direction, depth: number, asOf?: string) =>
  asking<shapes.GraphShape>("lineage", { nodeId, direction, depth, limit: MOST_NODES, as_of: asOf });

export const columnLineage = (
  nodeId: string,
  direction: Direction,
  depth: number,
  indirect = true,
  asOf: string | undefined = undefined,
) =>
  asking<shapes.ColumnGraphShape>("column-lineage", { nodeId, direction, depth, indirect, limit: 2000, as_of: asOf });

/** The columns next to those of some datasets, in one answer. */
export const columnsAround = ([nodeId = "", ...also]: string[], asOf?: string) =>
  asking<shapes.ColumnGraphShape>("column-lineage", {
    nodeId,
    also,
    direction: "both",
    depth: 1,
    limit: 20_000,
    as_of: asOf,
  });

/** A dataset or a job as it was at a time, with its neighbours. */
export const nodeAt = (nodeId: string, asOf: string) => lineage(nodeId, "both", 1, asOf);

/** The datasets of a job itself, with their columns. */
export const jobDatasets = (nodeId: string, asOf?: string) =>
  asking<shapes.GraphShape>("lineage", { nodeId, direction: "both", depth: 0, limit: MOST_NODES, as_of: asOf });

/** The sources of all columns that a job writes. */
export const jobColumns = (nodeId: string, asOf?: string) =>
  asking<shapes.ColumnGraphShape>("column-lineage", {
    nodeId,
    direction: "upstream",
    depth: 1,
    limit: 5000,
    as_of: asOf,
  });

export const paths = (from: string, to: string, asOf?: string) =>
  asking<shapes.LineagePaths>("lineage/path", { from, to, limit: 20, as_of: asOf });

export const found = (q: string, limit = 12) => ({
  ...asking<shapes.SearchResults>("search", { q, limit }),
  enabled: q.trim() !== "",
  placeholderData: keepPreviousData,
});

export const namespaces = () => asking<shapes.NamespaceList>("namespaces", { limit: 1000 });

export const jobHealth = (parameters: Parameters = {}) =>
  asking<shapes.HealthJobs>("health/jobs", { limit: 1000, ...parameters });

export const datasetHealth = (parameters: Parameters = {}) =>
  asking<shapes.HealthDatasets>("health/datasets", { limit: 1000, ...parameters });

export const problems = (parameters: Parameters = {}) => ({
  ...asking<shapes.ProblemList>("problems", { limit: 200, ...parameters }),
  placeholderData: keepPreviousData,
});

/** What Kafka clusters have and nobody documented. */
export const discovery = (parameters: Parameters = {}) => ({
  ...asking<shapes.Discovery>("discovery", { limit: 200, ...parameters }),
  placeholderData: keepPreviousData,
});

/** Where declarations and runs differ. */
export const drift = (parameters: Parameters = {}) => asking<shapes.Drift>("drift", parameters);

/** What is wrong with what a node comes from. */
export const upstreamProblems = (nodeId: string, limit: number) =>
  asking<shapes.UpstreamProblems>("problems/upstream", { nodeId, limit });

/** What a change of a node or a column affects. */
export const impact = (nodeId: string, asOf?: string) => asking<shapes.Impact>("impact", { nodeId, as_of: asOf });

/** Whose key is used, and what it may do. */
export const whoAmI = () => ({ ...asking<shapes.WhoAmI>("whoami"), staleTime: 300_000 });

/** A change that a person makes; a new edit in the log. */
export const makeEdit = (body: shapes.EditBody) => post<shapes.EditAnswer>("edits", body);

export const undoEdit = (id: string) => post<shapes.EditAnswer>(`edits/${pathOf(id)}/undo`, {});

/**
 * The changes that people made to a dataset or a job, newest first.
 *
 * Read to its end though what asked for it leaves the page: after a deletion or a join another part of the page shows
 * the same log, and would be left with what was there before.
 */
export const edits = (type: "dataset" | "job", { namespace, name }: Named) => {
  const parameters = { type, namespace, name, limit: 50 };
  return queryOptions({ queryKey: ["edits", parameters], queryFn: () => read<shapes.EditList>("edits", parameters) });
};

/** The changes that people made to anything. */
export const allEdits = (parameters: Parameters) => asking<shapes.EditList>("edits", { limit: 200, ...parameters });

/** The same, as of now. */
export const editsOf = (type: "dataset" | "job", { namespace, name }: Named) =>
  read<shapes.EditList>("edits", { type, namespace, name, limit: 1000 });

const placeOf = (type: "dataset" | "job", { namespace, name }: Named) =>
  `namespaces/${pathOf(namespace)}/${type}s/${pathOf(name)}`;

export const deleteThing = (type: "dataset" | "job", named: Named) => remove(placeOf(type, named));

export const restoreThing = (type: "dataset" | "job", named: Named) => post(`${placeOf(type, named)}/restore`, {});

export const systems = () => asking<shapes.SystemCountList>("systems");

export const eventsByHour = () => asking<shapes.EventMetric[]>("stats/lineage-events", { period: "DAY" });

export const changes = (parameters: Parameters) =>
  asking<shapes.LineageDiff>("lineage/diff", { limit: 100, ...parameters });

export const dataset = ({ namespace, name }: Named) =>
  asking<shapes.DatasetShape>(`namespaces/${pathOf(namespace)}/datasets/${pathOf(name)}`);

export const datasetVersions = ({ namespace, name }: Named) =>
  asking<shapes.DatasetVersionList>(`namespaces/${pathOf(namespace)}/datasets/${pathOf(name)}/versions`, {
    limit: 30,
  });

export const samples = (id: string, by: string) =>
  asking<shapes.DatasetSamples>(`datasets/${pathOf(id)}/samples`, { by });

export const activity = (id: string, by: string) => asking<shapes.JobActivity>(`jobs/${pathOf(id)}/activity`, { by });

/** How much passes through some nodes, in the last minutes. */
export const throughput = (nodeId: string[]) => asking<shapes.Throughput>("throughput", { nodeId });

export const usage = (id: string) => asking<shapes.DatasetUsage>(`datasets/${pathOf(id)}/usage`, { days: 14 });

export const job = ({ namespace, name }: Named) =>
  asking<shapes.JobShape>(`namespaces/${pathOf(namespace)}/jobs/${pathOf(name)}`);

export const jobRuns = ({ namespace, name }: Named, limit: number) => ({
  ...asking<shapes.RunList>(`namespaces/${pathOf(namespace)}/jobs/${pathOf(name)}/runs`, { limit }),
  placeholderData: keepPreviousData,
});

export const run = (id: string) => asking<shapes.RunShape>(`jobs/runs/${pathOf(id)}`);

export const runLineage = (runId: string) =>
  asking<shapes.RunLineage>("runlineage/upstream", { runId, depth: 3, limit: 50 });

export const events = ({ namespace, ...parameters }: Parameters) => ({
  ...asking<shapes.EventList>(namespace ? `events/${pathOf(String(namespace))}` : "events", parameters),
  placeholderData: keepPreviousData,
  meta: STILL,
});

/** The newest events of a run. */
export const eventsOfRun = (runId: string) => events({ runId, limit: 50 });

export const rejected = (parameters: Parameters) => ({
  ...asking<shapes.RejectedList>("events/rejected", parameters),
  placeholderData: keepPreviousData,
  meta: STILL,
});

export const family = (id: string) => asking<shapes.JobFamily>(`jobs/${pathOf(id)}/family`, { limit: 50 });

/** Which tables and columns a text of SQL reads and writes; it is sent when somebody asks, not by itself. */
export const sqlLineage = {
  mutationFn: (question: shapes.SqlBody) => post<SqlAnswer>("sql/lineage", question),
};

/** What collects lineage by itself; looked at often while somebody waits for a pass. */
export const collectors = () => ({
  ...asking<shapes.CollectorList>("collectors"),
  refetchInterval: ({ state: { data } }: { state: { data?: shapes.CollectorList } }) =>
    data?.collectors.some(({ isRequested, state }) => isRequested || state === "running") ? 2_000 : 15_000,
});

export const runCollector = (name: string) => post<shapes.CollectorAnswer>(`collectors/${pathOf(name)}/run`, {});

/** What is ingested from brokers by name; looked at often while one runs. */
export const ingestions = () => ({
  ...asking<shapes.IngestionList>("ingestions"),
  refetchInterval: ({ state: { data } }: { state: { data?: shapes.IngestionList } }) =>
    data?.ingestions.some(({ isRequested, state }) => isRequested || state === "running") ? 2_000 : 15_000,
});

export const putIngestion = (name: string, body: object) =>
  put<shapes.IngestionAnswer>(`ingestions/${pathOf(name)}`, body);

export const checkIngestion = (name: string, body: object) =>
  post<shapes.IngestionCheck>(`ingestions/${pathOf(name)}/check`, body);

export const actOnIngestion = (name: string, action: "run" | "pause" | "resume") =>
  post<shapes.IngestionAnswer>(`ingestions/${pathOf(name)}/${action}`, {});

export const removeIngestion = (name: string) => remove(`ingestions/${pathOf(name)}`);

export const senders = () => asking<shapes.SenderList>("senders");

export const tags = () => asking<shapes.TagList>("tags", { limit: 1000 });

export const tagReport = (name: string) => asking<shapes.TagReport>(`tags/${pathOf(name)}/report`);

export const owners = () => asking<shapes.OwnerList>("owners", { limit: 1000 });

export const ownedBy = (name: string) => asking<shapes.OwnedList>(`owners/${pathOf(name)}`, { limit: 1000 });

export const namespacesOf = (system: string) => asking<shapes.SystemNamespaces>(`systems/${pathOf(system)}/namespaces`);

export const compareRuns = (id: string, a?: string, b?: string) =>
  asking<shapes.RunComparison>(`jobs/${pathOf(id)}/runs/compare`, { a, b });
