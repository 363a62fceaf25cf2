/** The datasets that a text may name, and which of them a name in it means. */
import type { Named } from "../api/ids";
import { datasetId } from "../api/ids";
import type { Item } from "./groups";
import { isGroup, isName, isOne } from "./groups";
import { nameOf } from "./tokens";

/** A dataset with all of its names and columns. */
export interface KnownTable {
  id: string;
  named: Named;
  names: string[];
  /** All of its columns in their order; empty if nobody reported them. */
  schema: string[];
  /** Those, and others that column lineage names. */
  columns: string[];
}

export function knownTable(
  named: Named,
  schema: string[],
  aliases: Named[] = [],
  more: Iterable<string> = [],
): KnownTable {
  const names = [named, ...aliases].map(({ name }) => name);
  return { id: datasetId(named), named, names, schema, columns: [...new Set([...schema, ...more])] };
}

/** The column of a name in any case; of two that differ in case alone the one that is written the same. */
export function columnOf({ columns }: KnownTable, name: string): string | undefined {
  if (columns.includes(name)) return name;
  const same = columns.filter((column) => column.toLowerCase() === name.toLowerCase());
  return same.length === 1 ? same[0] : undefined;
}

const partsOf = (name: string): string[] => name.toLowerCase().split(/[./]/).filter(Boolean);
const endsWith = (whole: string[], end: string[]): boolean =>
  end.length > 0 && end.every((part, index) => whole[whole.length - end.length + index] === part);

// Options of CREATE TABLE and CREATE STREAM that name what a table is outside of the text.
const OPTIONS = new Set(["topic", "kafka_topic", "table-name", "stream", "index", "collection", "path"]);

/** What names mean in one text: datasets, or things that the text itself defines. */
export class Names {
  /** Defined in the text; null is no dataset that is known. */
  private readonly own = new Map<string, KnownTable | null>();

  constructor(private readonly tables: KnownTable[]) {}

  /** The one dataset that a name of one or more parts can mean. */
  find(parts: string[], local: ReadonlySet<string>): KnownTable | null {
    const path = parts.flatMap(partsOf);
    const [only] = path;
    if (path.length === 1 && local.has(only!)) return null;
    if (path.length === 1 && this.own.has(only!)) return this.own.get(only!)!;
    const exact = this.tables.filter(({ names }) => names.some((name) => partsOf(name).join() === path.join()));
    const found = exact.length > 0 ? exact : this.tables.filter(({ names }) => names.some((name) => fits(name, path)));
    return found.length === 1 ? found[0]! : null;
  }

  /** Note what a statement defines: a temporary view, or a table of a connector by its options. */
  define(items: Item[]): void {
    if (!isOne(items[0], "create")) return;
    const at = items.findIndex((item) => isOne(item, "table", "view", "stream"));
    const start = skipWords(items, at + 1);
    const name = items[start];
    if (at < 0 || !isName(name) || isOne(items[start + 1], ".")) return;
    const options = items.find((item, index) => isGroup(item) && isOne(items[index - 1], "with"));
    const isTemporary = items.slice(0, at).some((item) => isOne(item, "temporary", "temp"));
    const physical = isGroup(options) ? this.physical(options.items) : undefined;
    if (physical !== undefined || isTemporary) this.own.set(nameOf(name).toLowerCase(), physical ?? null);
  }

  /** The dataset that options name; null for one that is not known, undefined where they name none. */
  private physical(options: Item[]): KnownTable | null | undefined {
    let isElsewhere = false;
    for (const [index, key] of options.entries()) {
      const value = options[index + 2];
      if (isGroup(key) || !isOne(options[index + 1], "=") || isGroup(value) || value?.kind !== "string") continue;
      const option = key.text.replaceAll("'", "").toLowerCase();
      isElsewhere ||= option === "connector" || OPTIONS.has(option);
      if (!OPTIONS.has(option)) continue;
      const meant = value.text.slice(1, -1);
      const found = this.tables.filter(({ names }) => names.includes(meant));
      if (found.length === 1) return found[0]!;
    }
    return isElsewhere ? null : undefined;
  }
}

/** A name is written with fewer parts than the dataset has, or with a catalog before them. */
function fits(name: string, path: string[]): boolean {
  const parts = partsOf(name);
  return endsWith(parts, path) || (parts.length > 1 && endsWith(path, parts));
}

/** The place after `IF NOT EXISTS`, `TABLE`, `ONLY`. */
export function skipWords(items: Item[], from: number): number {
  let at = from;
  while (isOne(items[at], "if", "not", "exists", "table", "only", "or", "replace")) at += 1;
  return at;
}
