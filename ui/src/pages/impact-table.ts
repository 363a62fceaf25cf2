/** The table of an impact: filtered, sorted, and as text for other tools. */
import type { AffectedAsset } from "../api/schema";
import { csv } from "../graph/text";
import { validTime } from "../parts/zone";
import { strings } from "../strings";

const words = strings.impact;

export const SORTS = ["hops", "name", "system", "owner", "used"] as const;
export type Sort = (typeof SORTS)[number];

export interface ImpactSearch {
  node?: string;
  text?: string;
  owner?: string;
  kind?: "dataset" | "job";
  sort?: Sort;
  grouped?: boolean;
  /** The time as of which it is shown. */
  asof?: string;
}

type Raw = { [name in keyof ImpactSearch]?: string | boolean };

export function readImpactSearch(raw: Raw): ImpactSearch {
  return {
    node: String(raw.node ?? "") || undefined,
    text: String(raw.text ?? "") || undefined,
    owner: String(raw.owner ?? "") || undefined,
    kind: raw.kind === "dataset" || raw.kind === "job" ? raw.kind : undefined,
    sort: SORTS.find((sort) => sort === raw.sort && sort !== "hops"),
    asof: validTime(String(raw.asof ?? "")),
    // `1` in an address, and as it was read from there.
    grouped: raw.grouped === "1" || raw.grouped === true || undefined,
  };
}

/** Stands for nobody, where assets without an owner are chosen. */
export const NOBODY = "-";

export function chosen(assets: AffectedAsset[], { text = "", owner, kind, sort = "hops" }: ImpactSearch) {
  const wanted = text.toLowerCase();
  const found = assets.filter(
    (asset) =>
      (!kind || asset.type === kind.toUpperCase()) &&
      (!owner || (owner === NOBODY ? asset.owners.length === 0 : asset.owners.includes(owner))) &&
      (!wanted ||
        [asset.name, asset.namespace, asset.system, ...asset.columns].some((name) =>
          name.toLowerCase().includes(wanted),
        )),
  );
  return found.sort((a, b) => compare(a, b, sort) || a.hops - b.hops || a.name.localeCompare(b.name));
}

function compare(a: AffectedAsset, b: AffectedAsset, sort: Sort): number {
  if (sort === "name") return a.name.localeCompare(b.name);
  if (sort === "system") return a.system.localeCompare(b.system);
  // Nobody's come last.
  if (sort === "owner") return (a.owners[0] ?? "\uffff").localeCompare(b.owners[0] ?? "\uffff");
  if (sort === "used") return (b.lastUsedAt ?? "").localeCompare(a.lastUsedAt ?? "");
  return a.hops - b.hops;
}

/** Assets by owner, the most first; what several own stands under each, and nobody's at the end. */
export function byOwner(assets: AffectedAsset[]): [string, AffectedAsset[]][] {
  const groups = new Map<string, AffectedAsset[]>();
  for (const asset of assets) {
    for (const owner of asset.owners.length > 0 ? asset.owners : [NOBODY]) {
      groups.set(owner, [...(groups.get(owner) ?? []), asset]);
    }
  }
  const last = (owner: string) => Number(owner === NOBODY);
  return [...groups].sort(([a, x], [b, y]) => last(a) - last(b) || y.length - x.length || a.localeCompare(b));
}

const HEAD = ["type", "namespace", "name", "columns", "dependency", "hops", "system", "owners", "last_used"];

function row(asset: AffectedAsset): string[] {
  return [
    asset.type.toLowerCase(),
    asset.namespace,
    asset.name,
    columnsOf(asset),
    asset.dependency ?? "",
    String(asset.hops),
    asset.system,
    asset.owners.join(", "),
    asset.lastUsedAt ?? "",
  ];
}

export function columnsOf({ columns, columnCount }: AffectedAsset): string {
  const more = columnCount - columns.length;
  return columns.join(", ") + (more > 0 ? `, +${more}` : "");
}

export function impactCsv(assets: AffectedAsset[]): string {
  return csv([HEAD, ...assets.map(row)]);
}

export function impactMarkdown(title: string, assets: AffectedAsset[]): string {
  const line = (cells: string[]) => `| ${cells.map(escapeMarkdown).join(" | ")} |`;
  const lines = [line(HEAD), `|${" --- |".repeat(HEAD.length)}`, ...assets.map((asset) => line(row(asset)))];
  return `# ${escapeMarkdown(title)}\n\n${lines.join("\n")}\n`;
}

/** A few lines for a ticket: how much is affected, and what each owner has of it. */
export function impactTicket(title: string, assets: AffectedAsset[], link: string): string {
  const lines = byOwner(assets).map(([owner, own]) => {
    const names = own.map(({ name, hops }) => `  - ${escapeMarkdown(name)} (${words.hops(hops)})`);
    return [`- ${owner === NOBODY ? words.nobody : escapeMarkdown(owner)}: ${own.length}`, ...names].join("\n");
  });
  return `${escapeMarkdown(title)}: ${words.count(assets.length)}\n\n${lines.join("\n")}\n\n${link}\n`;
}

/** Names come from anywhere: none may end a cell, begin a link or a tag. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\r\n]+/g, " ").replace(/[\\`*_[\]<>|]/g, (letter) => `\\${letter}`);
}
