/** All that decides what a lineage view shows, as it is in the URL: a link shows the same view. */
import { validTime } from "../parts/zone";

export type Side = "up" | "down";
/** The orders of the table; from sources to targets unless another is chosen. */
export const SORTS = ["path", "name", "owner", "state", "hops", "way"] as const;
export type Sort = (typeof SORTS)[number];
export type Grouping = "" | "system" | "namespace";

export interface View {
  /** The node in the middle. */
  node?: string;
  /** Hops from it, in jobs. */
  up?: number;
  down?: number;
  /** Sides of nodes that were expanded and collapsed, see `sideKey`. */
  open?: string;
  closed?: string;
  /** Datasets whose columns are shown. */
  columns?: string;
  /** The column of which only the path is shown. */
  column?: string;
  /** Leave out columns that only decide over rows. */
  direct?: boolean;
  /** Jobs are left out, and datasets joined directly. */
  nojobs?: boolean;
  system?: string;
  namespace?: string;
  tag?: string;
  state?: string;
  group?: Grouping;
  /** Groups that are shown as their nodes. */
  ungrouped?: string;
  /** Large fans, as sides of nodes, and nodes of them that are drawn by themselves. */
  unfold?: string;
  /** What is looked for in the graph and its table. */
  find?: string;
  /** The order of the table. */
  order?: Sort;
  /** Whether nodes tell how much passes through them. */
  rates?: boolean;
  /** The other end of a path from `node`. */
  to?: string;
  /** The time as of which lineage is shown; now if there is none. */
  asof?: string;
  /** An earlier time that it is compared with. */
  since?: string;
  /** The node that is selected. */
  at?: string;
  table?: boolean;
}

type Raw = Record<string, string | undefined>;
export const DEFAULT_HOPS = 1;
export const MOST_HOPS = 20;

export function readView(raw: Raw): View {
  return {
    node: text(raw.node),
    up: hops(raw.up),
    down: hops(raw.down),
    open: text(raw.open),
    closed: text(raw.closed),
    columns: text(raw.columns),
    column: text(raw.column),
    direct: flag(raw.direct),
    nojobs: flag(raw.nojobs),
    system: text(raw.system),
    namespace: text(raw.namespace),
    tag: text(raw.tag),
    state: text(raw.state),
    group: raw.group === "system" || raw.group === "namespace" ? raw.group : undefined,
    ungrouped: text(raw.ungrouped),
    unfold: text(raw.unfold),
    find: text(raw.find),
    order: SORTS.find((order) => order === raw.order && order !== "path"),
    rates: flag(raw.rates),
    to: text(raw.to),
    asof: validTime(raw.asof),
    since: validTime(raw.since),
    at: text(raw.at),
    table: flag(raw.table),
  };
}

export const sideKey = (id: string, side: Side): string => (side === "up" ? "<" : ">") + id;
export const sideOfKey = (key: string): { id: string; side: Side } => ({
  id: key.slice(1),
  side: key.startsWith("<") ? "up" : "down",
});

/** A list in one parameter. Names hold commas, so those are escaped, as is what escapes them. */
export function packList(items: Iterable<string>): string | undefined {
  return [...items].map((item) => item.replace(/~/g, "~~").replace(/,/g, "~.")).join(",") || undefined;
}

export function unpackList(packed: string | undefined): string[] {
  if (!packed) return [];
  return packed.split(",").map((item) => item.replace(/~(.)/g, (_, mark) => (mark === "." ? "," : mark)));
}

/** A list with an item added, or taken out if it was there. */
export function toggled(packed: string | undefined, item: string): string | undefined {
  const items = new Set(unpackList(packed));
  if (!items.delete(item)) items.add(item);
  return packList(items);
}

export function withItem(packed: string | undefined, item: string): string | undefined {
  return packList(new Set([...unpackList(packed), item]));
}

export function without(packed: string | undefined, item: string): string | undefined {
  return packList(unpackList(packed).filter((one) => one !== item));
}

function text(value: string | undefined): string | undefined {
  return value || undefined;
}

function flag(value: string | undefined): boolean | undefined {
  return value === "1" || value === "true" || (value as unknown) === true ? true : undefined;
}

function hops(value: string | number | undefined): number | undefined {
  if (value === undefined || value === "") return undefined;
  const count = Math.floor(Number(value));
  return count >= 0 ? Math.min(count, MOST_HOPS) : undefined;
}
