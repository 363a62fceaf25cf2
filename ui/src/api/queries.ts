/** Every question the pages ask, each under the key its answer is kept by. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Parameters } from "./client";
import { pathOf, read } from "./client";
import type { Named } from "./ids";
import type * as shapes from "./schema";

/** What needs attention, as far as Home shows it. */
export const MOST_TROUBLES = 20;

/** Nodes of a graph are asked for up to this many; what is beyond is counted, not drawn. */
export const MOST_NODES = 500;

function asking<T>(path: string, parameters: Parameters = {}) {
  return queryOptions({
    queryKey: [path, parameters],
    queryFn: ({ signal }) => read<T>(path, parameters, signal),
  });
}

/** What `/docs` shows: an OpenAPI document. */
export const apiDocument = () => asking<object>("/openapi.json");

export type Direction = "upstream" | "downstream" | "both";

export const lineage = (nodeId: string, direction: Direction, depth: number) =>
  asking<shapes.GraphShape>("lineage", { nodeId, direction, depth, limit: MOST_NODES });

export const columnLineage = (nodeId: string, direction: Direction, depth: number, indirect = true) =>
  asking<shapes.ColumnGraphShape>("column-lineage", { nodeId, direction, depth, indirect, limit: 2000 });

/** The columns next to those of some datasets, in one answer. */
export const columnsAround = ([nodeId = "", ...also]: string[]) =>
  asking<shapes.ColumnGraphShape>("column-lineage", { nodeId, also, direction: "both", depth: 1, limit: 20_000 });

export const paths = (from: string, to: string) => asking<shapes.LineagePaths>("lineage/path", { from, to, limit: 20 });

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
});

export const rejected = (parameters: Parameters) => ({
  ...asking<shapes.RejectedList>("events/rejected", parameters),
  placeholderData: keepPreviousData,
});

export const family = (id: string) => asking<shapes.JobFamily>(`jobs/${pathOf(id)}/family`, { limit: 50 });
