/** What decides which findings are listed, as it is in the URL. */

export interface DiscoverySearch {
  kind?: string;
  namespace?: string;
  acknowledged?: "true" | "all";
}

type Raw = Record<string, string | undefined>;

export function readDiscoverySearch(raw: Raw): DiscoverySearch {
  return {
    kind: raw.kind || undefined,
    namespace: raw.namespace || undefined,
    acknowledged: raw.acknowledged === "true" || raw.acknowledged === "all" ? raw.acknowledged : undefined,
  };
}
