/** The graph of a view: what must be asked for it, and what the answers make together. */
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";

import { datasetId, isJobId } from "../api/ids";
import { columnLineage, columnsAround, datasetHealth, jobHealth, lineage, paths, throughput } from "../api/queries";
import type { ColumnGraphShape, FlowRate, NodeThroughput } from "../api/schema";
import { countOf, rateOf } from "../parts/time";
import { strings } from "../strings";
import { inBatches } from "./batches";
import { columnEdges, columnPath } from "./columns";
import { compareGraphs } from "./compare";
import { shapeGraph } from "./filter";
import { mergeWalks } from "./merge";
import type { ColumnEdge, Graph, Health } from "./model";
import { emptyGraph } from "./model";
import { pathGraph } from "./path";
import type { View } from "./view-state";
import { DEFAULT_HOPS, MOST_HOPS, sideOfKey, unpackList } from "./view-state";

export interface Lineage {
  /** All that is known, before anything is left out; for the choices of the filters. */
  known: Graph | undefined;
  graph: Graph | undefined;
  /** Edges between the columns of datasets that show them. */
  columnEdges: ColumnEdge[];
  error: unknown;
  isReversed: boolean;
  retry: () => void;
}

export function useLineage(view: View, health: ReadonlyMap<string, Health>): Lineage {
  const table = useTables(view);
  const path = usePath(view);
  const column = useColumnPath(view);
  const found = view.column ? column : view.to ? path : table;
  const graph = useMemo(
    () => (found.known && !view.column ? shapeGraph(found.known, view, health) : found.known),
    [found.known, view, health],
  );
  const edges = useColumnEdges(view, graph);
  return { ...found, graph, columnEdges: view.column ? (found.known?.columnEdges ?? []) : edges };
}

type Found = Omit<Lineage, "graph" | "columnEdges">;

/** The graph of tables; compared with that of an earlier time where one is chosen. */
function useTables(view: View): Found {
  const now = useTablesAt(view, view.asof, true);
  const before = useTablesAt(view, view.since, Boolean(view.since));
  const known = useMemo(() => {
    if (!now.known || !view.since) return now.known;
    // Of a node that was not there yet, everything came since.
    if (before.error) return compareGraphs(emptyGraph(now.known.focus), now.known);
    return before.known && compareGraphs(before.known, now.known);
  }, [now.known, before.known, before.error, view.since]);
  return { ...now, known };
}

function useTablesAt(view: View, asOf: string | undefined, isAsked: boolean): Found {
  const { node = "", up = DEFAULT_HOPS, down = DEFAULT_HOPS } = view;
  const isOn = isAsked && Boolean(node) && !view.to && !view.column;
  const asked = [
    { side: "up" as const, query: lineage(node, "upstream", up, asOf) },
    { side: "down" as const, query: lineage(node, "downstream", down, asOf) },
    ...unpackList(view.open)
      .map(sideOfKey)
      .map(({ id, side }) => ({
        side,
        // A job's own datasets are no step away.
        query: lineage(id, side === "up" ? "upstream" : "downstream", isJobId(id) ? 0 : 1, asOf),
      })),
  ];
  const answers = useQueries({ queries: asked.map(({ query }) => ({ ...query, enabled: isOn })) });
  const data = useSame(answers.map((answer) => answer.data));
  // The two walks from the focus must be there; a node that was expanded may be gone.
  const isReady = Boolean(data[0] && data[1]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is asked is named by the view
  const known = useMemo(() => {
    if (!isOn || !isReady) return undefined;
    return mergeWalks(
      node,
      asked.flatMap(({ side }, index) => (data[index] ? [{ side, answer: data[index] }] : [])),
    );
  }, [data, isOn, isReady, node, view.open, asOf]);
  const error = isReady ? undefined : (answers[0]?.error ?? answers[1]?.error ?? undefined);
  return { known, error, isReversed: false, retry: () => answers.forEach((answer) => void answer.refetch()) };
}

/** The same list while its items are the same: what was read again without a difference is no change. */
function useSame<T>(items: T[]): T[] {
  const kept = useRef(items);
  const isSame = kept.current.length === items.length && items.every((item, index) => item === kept.current[index]);
  if (!isSame) kept.current = items;
  return kept.current;
}

function usePath(view: View): Found {
  const isOn = Boolean(view.node && view.to && !view.column);
  const query = useQuery({ ...paths(view.node ?? "", view.to ?? "", view.asof), enabled: isOn });
  const known = useMemo(
    () => (query.data && isOn ? pathGraph(query.data, view.node!) : undefined),
    [query.data, isOn, view.node],
  );
  return {
    known,
    error: query.error ?? undefined,
    isReversed: query.data?.isReversed ?? false,
    retry: () => void query.refetch(),
  };
}

function useColumnPath(view: View): Found {
  const isOn = Boolean(view.column);
  const query = useQuery({
    ...columnLineage(view.column ?? "", "both", MOST_HOPS, !view.direct, view.asof),
    enabled: isOn,
  });
  const known = useMemo(
    () => (query.data && isOn ? columnPath(query.data, datasetOf(query.data)) : undefined),
    [query.data, isOn],
  );
  return { known, error: query.error ?? undefined, isReversed: false, retry: () => void query.refetch() };
}

function datasetOf(answer: ColumnGraphShape): string {
  const start = answer.graph.find(({ id }) => id === answer.nodes[0]) ?? answer.graph[0];
  return start ? datasetId({ namespace: start.data.namespace, name: start.data.dataset }) : "";
}

function useColumnEdges(view: View, graph: Graph | undefined): ColumnEdge[] {
  const isOn = !view.column && !view.to;
  const shown = isOn ? unpackList(view.columns).filter((id) => graph?.nodes.has(id)) : [];
  const answers = useQueries({
    queries: inBatches(shown).map((ids) => ({ ...columnsAround(ids, view.asof), placeholderData: keepPreviousData })),
  });
  const data = useSame(answers.map((answer) => answer.data));
  return useMemo(() => data.flatMap((answer) => (answer ? columnEdges(answer) : [])), [data]);
}

/** How much passes through nodes, in words, by node; asked for the whole graph at once. */
export function useRates(isOn: boolean, graph: Graph | undefined): ReadonlyMap<string, string> | undefined {
  const ids = isOn && graph ? [...graph.nodes.values()].filter(({ kind }) => kind !== "group").map(({ id }) => id) : [];
  const answers = useQueries({ queries: inBatches(ids.sort()).map(throughput) });
  const data = useSame(answers.map((answer) => answer.data));
  return useMemo(
    () =>
      isOn
        ? new Map(data.flatMap((answer) => (answer?.nodes ?? []).map((node) => [node.id, tellRate(node)])))
        : undefined,
    [data, isOn],
  );
}

function tellRate({ written, read }: NodeThroughput): string {
  const rate = ({ rowsPerSecond }: FlowRate) => (rowsPerSecond === null ? "" : rateOf(rowsPerSecond));
  const lag = read.lag ?? written.lag;
  return strings.activity.ofNode(rate(written), rate(read), lag === null ? "" : countOf(lag));
}

/** What is wrong now, by node: two questions for the whole graph, none for each node; nothing of the past. */
export function useHealth(isNow: boolean): Map<string, Health> {
  const jobs = useQuery({ ...jobHealth(), enabled: isNow });
  const datasets = useQuery({ ...datasetHealth(), enabled: isNow });
  return useMemo(() => {
    const wrong = isNow ? [...(jobs.data?.jobs ?? []), ...(datasets.data?.datasets ?? [])] : [];
    return new Map(wrong.map(({ id, state, reason }) => [id, { state, reason }]));
  }, [jobs.data, datasets.data, isNow]);
}
