/** What the newest runs of some jobs say of a dataset: rows they wrote, checks they made. */
import { useQueries } from "@tanstack/react-query";

import type { Named } from "../api/ids";
import { jobRuns } from "../api/queries";
import type { RunShape } from "../api/schema";

const MOST_JOBS = 5;
const RUNS = 10;

export interface Said {
  run: RunShape;
  facets: Record<string, unknown>;
}

export interface SaidOfDataset {
  said: Said[];
  isPending: boolean;
}

/** Newest first, of runs that name the dataset by any of its names; `jobs` are not known yet where undefined. */
export function useSaidOf(names: Named[], jobs: Named[] | undefined, side: "input" | "output"): SaidOfDataset {
  const asked = (jobs ?? []).slice(0, MOST_JOBS);
  const queries = useQueries({ queries: asked.map((job) => jobRuns(job, RUNS)) });
  const said = queries
    .flatMap(({ data }) => data?.runs ?? [])
    .flatMap((run) => {
      const uses = (side === "input" ? run.inputDatasetVersions : run.outputDatasetVersions) ?? [];
      const use = uses.find(({ datasetVersionId: id }) =>
        names.some(({ namespace, name }) => id.namespace === namespace && id.name === name),
      );
      return use ? [{ run, facets: use.facets }] : [];
    })
    .sort((a, b) => (b.run.createdAt ?? "").localeCompare(a.run.createdAt ?? ""));
  return { said, isPending: jobs === undefined || queries.some((query) => query.isPending) };
}
