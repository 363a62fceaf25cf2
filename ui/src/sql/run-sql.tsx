/** The SQL that a run's own events report, linked to lineage as it was then. */
import { useQuery } from "@tanstack/react-query";

import type { Named } from "../api/ids";
import { eventsOfRun } from "../api/queries";
import { sqlOf } from "../parts/facets";
import { JobSql } from "./job-sql";

export function RunSql({ run, of: job, asOf }: { run: string; of: Named; asOf: string | undefined }) {
  const query = useQuery(eventsOfRun(run));
  const text = query.data && sqlOf(query.data.events);
  return text ? <JobSql text={text} of={job} asOf={asOf} /> : null;
}
