/** What decides which changes are listed, as it is in the URL. */

/** A range that ends now, by its name in the URL, in milliseconds. */
export const RANGES: Record<string, number> = {
  "1h": 3_600_000,
  "1d": 86_400_000,
  "7d": 7 * 86_400_000,
  "30d": 30 * 86_400_000,
};
export const DEFAULT_RANGE = "1d";

export interface ChangesSearch {
  /** A range that ends now; without it `from` and `to` count. */
  last?: string;
  from?: string;
  to?: string;
  node?: string;
  direction?: "upstream" | "downstream";
  kind?: string;
  after?: string;
}

type Raw = Record<string, string | undefined>;

export function readChangesSearch(raw: Raw): ChangesSearch {
  return {
    last: raw.last && raw.last in RANGES ? raw.last : undefined,
    from: raw.from || undefined,
    to: raw.to || undefined,
    node: raw.node || undefined,
    direction: raw.direction === "upstream" || raw.direction === "downstream" ? raw.direction : undefined,
    kind: raw.kind || undefined,
    after: raw.after || undefined,
  };
}

/** The two times of a range; a time of this minute, so that the question stays the same while one looks. */
export function timesOf({ last, from, to }: ChangesSearch, now = Date.now()): { from: string; to: string } {
  const end = Math.floor(now / 60_000) * 60_000 + 60_000;
  if (from && !last) return { from, to: to ?? new Date(end).toISOString() };
  return { from: new Date(end - RANGES[last ?? DEFAULT_RANGE]!).toISOString(), to: new Date(end).toISOString() };
}
