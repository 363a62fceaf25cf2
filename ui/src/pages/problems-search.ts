/** What decides which problems are listed, as it is in the URL. */

export interface ProblemsSearch {
  problem?: string;
  owner?: string;
  system?: string;
  namespace?: string;
  acknowledged?: "true" | "all";
}

type Raw = Record<string, string | undefined>;

export function readProblemsSearch(raw: Raw): ProblemsSearch {
  return {
    problem: raw.problem || undefined,
    owner: raw.owner || undefined,
    system: raw.system || undefined,
    namespace: raw.namespace || undefined,
    acknowledged: raw.acknowledged === "true" || raw.acknowledged === "all" ? raw.acknowledged : undefined,
  };
}
