/** Which words of a text are datasets and columns that are known. What may mean two things is left out. */
import type { Block, Source, Use } from "./blocks";
import { blocksOf } from "./blocks";
import { isOne, statementsOf } from "./groups";
import type { KnownTable } from "./tables";
import { columnOf, Names } from "./tables";
import type { Token } from "./tokens";
import { firstDoubt, nameOf, tokensOf } from "./tokens";

export interface Mark {
  start: number;
  end: number;
  table: KnownTable;
  /** Empty for the dataset itself. */
  field: string;
}

/** Above this a text is shown as it is. */
export const MOST_LINKED = 200_000;

/** The marks of a text in their order; `written` is what a query alone writes, where there is just one. */
export function marksOf(sql: string, tables: KnownTable[], written: KnownTable | null = null): Mark[] {
  if (sql.length > MOST_LINKED || tables.length === 0) return [];
  const doubt = firstDoubt(sql);
  const statements = statementsOf(tokensOf(sql).filter(({ end }) => end <= doubt));
  const names = new Names(tables);
  const isAlone = statements.length === 1 && doubt === sql.length;
  const marks = new Map<number, Mark>();
  const add = (parts: Token[], table: KnownTable, field: string) => {
    const [start, end] = [parts[0]!.start, parts[parts.length - 1]!.end];
    if (!marks.has(start)) marks.set(start, { start, end, table, field });
  };
  for (const statement of statements) {
    names.define(statement);
    const isPlain = isAlone && isOne(statement[0], "select", "with");
    const found = blocksOf(statement, names, isPlain ? written : null);
    for (const { parts, table } of found.tables) add(parts, table, "");
    for (const { token, table } of found.columns) {
      const field = columnOf(table, nameOf(token));
      if (field) add([token], table, field);
    }
    for (const block of found.blocks) {
      markGiven(block, add);
      for (const use of block.uses) markUse(use, block, add);
    }
  }
  return withoutOverlap([...marks.values()].sort((a, b) => a.start - b.start));
}

/** Parts of a table's name that are looked at: catalogs, databases, schemas. */
const LONGEST_NAME = 6;

type Add = (parts: Token[], table: KnownTable, field: string) => void;

/** Names of select items are columns of what is written, if place and name say the same. */
function markGiven({ target, given, hasStar }: Block, add: Add): void {
  if (!target) return;
  for (const { token, index } of given) {
    const name = nameOf(token);
    const field = columnOf(target.table, name);
    const isThere = target.order ? !hasStar && target.order[index]?.toLowerCase() === name.toLowerCase() : true;
    if (field && isThere) add([token], target.table, field);
  }
}

function markUse({ parts, clause }: Use, block: Block, add: Add): void {
  for (let count = Math.min(parts.length - 1, LONGEST_NAME); count > 0; count--) {
    const sources = qualified(parts.slice(0, count), block);
    if (sources.length === 0) continue;
    const table = sources.length === 1 ? sources[0]!.table : null;
    const field = table && columnOf(table, nameOf(parts[count]!));
    if (table && field) add(parts.slice(0, count + 1), table, field);
    return;
  }
  const [first] = parts as [Token];
  const name = nameOf(first);
  // In some dialects a text is in such quotes.
  if (first.text.startsWith('"') || block.hidden.has(name.toLowerCase())) return;
  const mayBeGiven = !["select", "where", "from", "on"].includes(clause) && block.hiding.has(name.toLowerCase());
  const found = mayBeGiven ? undefined : unqualified(name, block);
  if (found) add([first], found.table, found.field);
}

/** The sources that a qualifier names: in the block itself, else in those around it. */
function qualified(parts: Token[], block: Block | null): Source[] {
  if (!block) return [];
  const path = parts.map((part) => nameOf(part).toLowerCase()).flatMap((part) => part.split("."));
  const byAlias = path.length === 1 ? block.sources.filter(({ alias }) => alias === path[0]) : [];
  if (byAlias.length > 0) return byAlias;
  const byName = block.sources.filter(
    (source) =>
      source.path.length >= path.length && path.every((part, at) => source.path.at(at - path.length) === part),
  );
  return byName.length > 0 ? byName : qualified(parts, block.parent);
}

/** The one column of a name, if all that a block reads from is known. */
function unqualified(name: string, block: Block | null): { table: KnownTable; field: string } | undefined {
  if (!block || block.isOpaque || block.sources.length === 0) return undefined;
  const found: { table: KnownTable; field: string }[] = [];
  for (const { table } of block.sources) {
    // Of a table alone every name is its own, whatever else it has.
    if (!table || (table.schema.length === 0 && block.sources.length > 1)) return undefined;
    const isThere = table.columns.some((column) => column.toLowerCase() === name.toLowerCase());
    const field = columnOf(table, name);
    if (isThere && !field) return undefined;
    if (field) found.push({ table, field });
  }
  if (found.length === 0) return unqualified(name, block.parent);
  return found.length === 1 ? found[0] : undefined;
}

function withoutOverlap(marks: Mark[]): Mark[] {
  let end = 0;
  return marks.filter((mark) => {
    const isFree = mark.start >= end;
    if (isFree) end = mark.end;
    return isFree;
  });
}
