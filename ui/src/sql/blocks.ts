/** The query blocks of a statement: what each reads from, the names it uses, what it writes to. */
import type { Group, Item } from "./groups";
import { isGroup, isName, isOne, isQuery } from "./groups";
import type { KnownTable, Names } from "./tables";
import { skipWords } from "./tables";
import type { Token } from "./tokens";
import { nameOf } from "./tokens";

export interface Source {
  alias: string;
  /** As it is written, in lower case. */
  path: string[];
  table: KnownTable | null;
}

export interface Use {
  parts: Token[];
  clause: string;
}

/** A name that a select item gives to itself. */
export interface Given {
  token: Token;
  index: number;
}

/** Where rows go: by the place of a column in a list, or by its name. */
export interface Target {
  table: KnownTable;
  order: string[] | null;
}

export interface Block {
  parent: Block | null;
  sources: Source[];
  uses: Use[];
  given: Given[];
  /** Names of select items, names of lambda arguments: they may hide a column. */
  hiding: Set<string>;
  hidden: Set<string>;
  hasStar: boolean;
  /** Whether columns come from where a reader of words cannot follow: PIVOT, MATCH_RECOGNIZE. */
  isOpaque: boolean;
  target: Target | null;
}

export interface Found {
  blocks: Block[];
  tables: { parts: Token[]; table: KnownTable }[];
  /** Columns that are told by their place: a list of columns, definitions, what SET sets. */
  columns: { token: Token; table: KnownTable }[];
}

const SET_WORDS = ["union", "intersect", "except", "minus"];
const CLAUSES = ["where", "group", "having", "order", "qualify", "window", "limit", "on", "set", "values"];
const WINDOWS = ["tumble", "hop", "cumulate", "session"];
// After these, a word names a unit, not a column.
const TAKES_UNIT = /^(extract|date_?|time_?|timestamp_?|datetime_?)(add|sub|diff|part|trunc)?$/i;

export function blocksOf(statement: Item[], names: Names, written: KnownTable | null): Found {
  const found: Found = { blocks: [], tables: [], columns: [] };
  const target = written ? { table: written, order: null } : null;
  new Reader(names, localNames(statement), found).query(statement, null, target);
  return found;
}

/** The names of WITH, in a statement and all that is in its brackets. */
function localNames(items: Item[], into = new Set<string>()): Set<string> {
  for (const [index, item] of items.entries()) {
    if (isGroup(item)) {
      localNames(item.items, into);
      continue;
    }
    const isFirst = isOne(items[index - 1], "with", "recursive", ",");
    const at = isGroup(items[index + 1]) ? index + 2 : index + 1;
    const body = items.slice(at, at + 4).find(isGroup);
    if (isFirst && isName(item) && isOne(items[at], "as") && body && isQuery(body)) into.add(lower(item));
  }
  return into;
}

const lower = (token: Token): string => nameOf(token).toLowerCase();

class Reader {
  constructor(
    private readonly names: Names,
    private readonly local: ReadonlySet<string>,
    private readonly found: Found,
  ) {}

  /** Read a statement, or what is in brackets and is a query. */
  query(items: Item[], parent: Block | null, target: Target | null): void {
    const isMerge = items.some((one) => isOne(one, "merge"));
    const state = {
      block: this.block(parent, target),
      clause: "",
      index: 0,
      isTable: false,
      hasSelect: false,
      isMerge,
    };
    for (let at = 0; at < items.length; at++) {
      const item = items[at]!;
      if (isGroup(item)) this.group(item, items, at, state);
      else if (isOne(item, "insert", "select", ...SET_WORDS)) this.begin(item, items[at + 1], state);
      else if (isOne(item, "into", "overwrite", "update", "table", "view", "stream"))
        at = this.target(items, at, state);
      else if (isName(item)) at = this.name(items, at, state);
      else this.word(items, at, state);
    }
  }

  /** Where a block begins: each SELECT has its own, and so has each INSERT of several. */
  private begin(item: Token, next: Item | undefined, state: State): void {
    const { block } = state;
    if (isOne(item, "insert")) {
      // `FROM a INSERT ... SELECT ... INSERT ...`: all read from the same.
      if (state.hasSelect) state.block = this.block(block.parent, null, block.sources);
      state.hasSelect = false;
    } else if (isOne(item, "select")) {
      if (state.hasSelect) state.block = this.block(block.parent, block.target);
      Object.assign(state, { clause: "select", index: 0, hasSelect: true });
    } else if (!isGroup(next) || isQuery(next)) {
      // `* EXCEPT (a)` is no set operation. Columns of what follows go by place, if at all.
      state.block = this.block(block.parent, block.target?.order ? block.target : null);
      Object.assign(state, { clause: "", index: 0, isTable: false, hasSelect: false });
    }
  }

  /** What is written, if that is named here; gives the place before what follows. */
  private target(items: Item[], at: number, state: State): number {
    const item = items[at];
    const isDefinition = isOne(item, "table", "view", "stream");
    if (isDefinition && isOne(item, "view") && isOne(items[at - 1], "lateral")) state.block.isOpaque = true;
    if ((isDefinition && state.clause !== "") || (isOne(item, "update") && isOne(items[at + 1], "set"))) return at;
    const start = skipWords(items, at + 1);
    const isRead = !isDefinition && (state.isMerge || isOne(item, "update"));
    const next = isName(items[start]) ? this.written(items, start, state, isRead) : at + 1;
    state.clause = "";
    return next - 1;
  }

  /** A keyword, sign or template outside of brackets. */
  private word(items: Item[], at: number, state: State): void {
    const [item, before, next] = [items[at] as Token, items[at - 1], items[at + 1]];
    // WITHIN GROUP and IS DISTINCT FROM begin no clause.
    if (isOne(before, "within") || (isOne(item, "from") && isOne(before, "distinct"))) return;
    if (isOne(item, "from", "join", "using")) {
      // `USING (a, b)` after a join is no table.
      const isList = isOne(item, "using") && isGroup(next) && !isQuery(next);
      Object.assign(state, { clause: isList ? state.clause : "from", isTable: !isList });
    } else if (isOne(item, ...CLAUSES)) {
      Object.assign(state, { clause: item.text.toLowerCase(), isTable: false });
    } else if (isOne(item, ",")) {
      if (state.clause === "select") state.index += 1;
      if (state.clause === "from") state.isTable = true;
    } else if (isOne(item, "*")) {
      state.block.hasStar ||= state.clause === "select" && isOne(before, "select", ",", ".", "distinct");
    } else if (isOne(item, "pivot", "unpivot", "match_recognize")) {
      // What a name without a table means is no longer known.
      state.block.isOpaque = true;
    } else if (state.clause === "from" && state.isTable && item.kind === "template") {
      state.block.sources.push({ alias: "", path: [], table: null });
      state.isTable = false;
    }
  }

  private block(parent: Block | null, target: Target | null, sources: Source[] = []): Block {
    const block: Block = {
      parent,
      sources,
      uses: [],
      given: [],
      hiding: new Set(),
      hidden: new Set(),
      hasStar: false,
      isOpaque: false,
      target,
    };
    this.found.blocks.push(block);
    return block;
  }

  private group(group: Group, items: Item[], at: number, state: State): void {
    const { block, clause } = state;
    if (isQuery(group)) {
      const before = items[at - 1];
      const isTop = clause === "" && !this.isLocalBody(items, at);
      const isLateral = isOne(before, "lateral");
      const sees = clause === "" || (clause === "from" && !isLateral && state.isTable) ? null : block;
      this.query(group.items, sees, isTop ? block.target : null);
      if (clause === "from" && state.isTable) this.source(items, at + 1, state, [], null);
    } else if (clause === "from" && state.isTable) {
      const window = isOne(items[at - 1], "table") ? windowTable(group.items[0], group.items[1]) : undefined;
      if (window) {
        const table = this.table(window);
        this.source(items, at + 1, state, [], table);
      } else if (isOne(items[at - 1], "table", "unnest", "explode", "lateral")) {
        this.tablesIn(group.items);
        this.expression(group.items, block, "from", "");
        this.source(items, at + 1, state, [], null);
      } else {
        // Joins in brackets are read as if there were none.
        const inner = { ...state };
        this.joins(group.items, inner);
        state.isTable = false;
      }
    } else if (isOne(items[at - 1], "insert") && block.target) {
      this.list(group.items, block.target.table);
    } else {
      const before = items[at - 1];
      this.expression(group.items, block, clause, before && !isGroup(before) ? before.text : "");
    }
  }

  private isLocalBody(items: Item[], at: number): boolean {
    let back = at - 1;
    while (isOne(items[back], "materialized", "not")) back -= 1;
    if (!isOne(items[back], "as")) return false;
    back -= 1;
    if (isGroup(items[back])) back -= 1;
    return isOne(items[back - 1], "with", "recursive", ",");
  }

  private joins(items: Item[], state: State): void {
    for (let at = 0; at < items.length; at++) {
      const item = items[at]!;
      if (isGroup(item)) this.group(item, items, at, state);
      else if (isOne(item, "join", ",")) Object.assign(state, { clause: "from", isTable: true });
      else if (isOne(item, "on")) Object.assign(state, { clause: "on", isTable: false });
      else if (isName(item)) at = this.name(items, at, state);
    }
  }

  /** A table that is written, and what follows its name: a list of columns, or their definitions. */
  private written(items: Item[], start: number, state: State, isRead: boolean): number {
    const { parts, next } = pathAt(items, start);
    const table = this.table(parts);
    const list = items[next];
    const isList = isGroup(list) && !isQuery(list);
    if (table && isList) this.list(list.items, table);
    const isInsert = !isOne(items[0], "create");
    const order = isInsert ? (isList ? namesIn(list.items) : (table?.schema ?? null)) : null;
    state.block.target = table ? { table, order } : null;
    if (isRead) return this.source(items, next, state, parts, table);
    return isList ? next + 1 : next;
  }

  private list(items: Item[], table: KnownTable): void {
    items.forEach((item, index) => {
      if (isName(item) && (index === 0 || isOne(items[index - 1], ",")))
        this.found.columns.push({ token: item, table });
    });
  }

  private table(parts: Token[]): KnownTable | null {
    const table = this.names.find(parts.map(nameOf), this.local);
    if (table) this.found.tables.push({ parts, table });
    return table;
  }

  /** Note a source, with the alias that follows; gives the place after it. */
  private source(items: Item[], from: number, state: State, parts: Token[], table: KnownTable | null): number {
    let at = from;
    if (isOne(items[at], "for")) at = this.asOf(items, at, state.block);
    if (isOne(items[at], "as")) at += 1;
    let alias = "";
    const named = items[at];
    if (isName(named)) {
      alias = lower(named);
      at += 1;
      // `AS t(a, b)` gives its columns other names.
      if (isGroup(items[at])) {
        state.block.sources.push({ alias, path: [], table: null });
        state.isTable = false;
        return at + 1;
      }
    }
    state.block.sources.push({ alias, path: parts.flatMap((part) => lower(part).split(".")), table });
    state.isTable = false;
    return at;
  }

  /** `FOR SYSTEM_TIME AS OF o.time`: a column of another source. */
  private asOf(items: Item[], from: number, block: Block): number {
    let at = from;
    while (isOne(items[at], "for", "system_time", "system_version", "version", "timestamp", "as", "of")) at += 1;
    if (!isName(items[at])) return at;
    const { parts, next } = pathAt(items, at);
    if (isGroup(items[next])) return next + 1;
    block.uses.push({ parts, clause: "on" });
    return next;
  }

  private tablesIn(items: Item[]): void {
    items.forEach((item, index) => {
      if (isGroup(item)) this.tablesIn(item.items);
      else if (isOne(item, "table") && isName(items[index + 1])) this.table(pathAt(items, index + 1).parts);
    });
  }

  /** A name, where one begins; gives the place of its last part. */
  private name(items: Item[], at: number, state: State): number {
    const { block, clause } = state;
    const { parts, next } = pathAt(items, at);
    const before = items[at - 1];
    if (clause === "from" && state.isTable) {
      const called = items[next];
      if (isGroup(called)) {
        const window = windowTable(parts[0]!, called);
        if (window) return this.source(items, next + 1, state, [], this.table(window)) - 1;
        // A function that gives rows; its columns are its own.
        this.tablesIn(called.items);
        this.expression(called.items, block, "from", "");
        return this.source(items, next + 1, state, [], null) - 1;
      }
      return this.source(items, next, state, parts, this.table(parts)) - 1;
    }
    if (clause === "select" && (isOne(before, "as") || isOperand(before))) {
      if (parts.length === 1) {
        block.given.push({ token: parts[0]!, index: state.index });
        block.hiding.add(lower(parts[0]!));
      }
    } else if (clause === "set" && isOne(before, "set", ",") && isOne(items[next], "=") && block.target) {
      this.found.columns.push({ token: parts[parts.length - 1]!, table: block.target.table });
    } else if (clause !== "" && clause !== "from") this.use(items, at, next, parts, block, clause);
    return next - 1;
  }

  private expression(items: Item[], block: Block, clause: string, called: string): void {
    for (const [index, item] of items.entries()) {
      if (isOne(item, "->")) for (const name of argumentsBefore(items, index)) block.hidden.add(name);
    }
    for (let at = 0; at < items.length; at++) {
      const item = items[at]!;
      const before = items[at - 1];
      if (isGroup(item)) {
        const name = before && !isGroup(before) ? before.text : "";
        if (isQuery(item)) this.query(item.items, block, null);
        else this.expression(item.items, block, clause, name);
      } else if (isName(item)) {
        const { parts, next } = pathAt(items, at);
        const isUnit = at === 0 && parts.length === 1 && TAKES_UNIT.test(called);
        // After AS is a type, or a name of a part.
        if (!isUnit && !isOne(before, "as", "table") && !isOperand(before))
          this.use(items, at, next, parts, block, clause);
        at = next - 1;
      }
    }
  }

  private use(items: Item[], at: number, next: number, parts: Token[], block: Block, clause: string): void {
    const [before, after] = [items[at - 1], items[next]];
    if (isGroup(after)) return;
    // Types, fields, units, names of arguments, and words before a text such as DATE '2026-01-01'.
    if (isOne(before, "::", "->", "->>", "as", ":", "interval") || isOne(after, "=>")) return;
    if (before && !isGroup(before) && (before.kind === "number" || before.kind === "string")) return;
    if (after && !isGroup(after) && after.kind === "string") return;
    block.uses.push({ parts, clause });
  }
}

interface State {
  block: Block;
  /** Of the block: what is read now, and the place of the select item. */
  clause: string;
  index: number;
  /** Whether a table comes next. */
  isTable: boolean;
  hasSelect: boolean;
  isMerge: boolean;
}

/** The parts of a dotted name that begins at a place, and the place after it. */
function pathAt(items: Item[], at: number): { parts: Token[]; next: number } {
  const parts = [items[at] as Token];
  let next = at + 1;
  while (isOne(items[next], ".") && isNamePart(items[next + 1])) {
    parts.push(items[next + 1] as Token);
    next += 2;
  }
  return { parts, next };
}

// After a dot every word is a name.
const isNamePart = (item: Item | undefined): boolean => isName(item) || item?.kind === "keyword";

/** Whether an expression ends with an item, so that a name after it is an alias. */
function isOperand(item: Item | undefined): boolean {
  return isGroup(item) || isName(item) || item?.kind === "number" || item?.kind === "string" || isOne(item, "end");
}

function namesIn(items: Item[]): string[] {
  return items.flatMap((item, index) => (isName(item) && !isName(items[index - 1]) ? [nameOf(item)] : []));
}

/** The arguments of a lambda whose arrow is at a place; `a->b` of a field has none that hide anything else. */
function argumentsBefore(items: Item[], arrow: number): string[] {
  const before = items[arrow - 1];
  if (isGroup(before)) return before.items.filter(isName).map(lower);
  return isName(before) ? [lower(before)] : [];
}

/** The table of `TUMBLE(TABLE orders, ...)`: all of its columns go through. */
function windowTable(called: Item | undefined, group: Item | undefined): Token[] | undefined {
  if (!isOne(called, ...WINDOWS) || !isGroup(group)) return undefined;
  const start = group.items.findIndex((item) => isOne(item, "table"));
  return start >= 0 && isName(group.items[start + 1]) ? pathAt(group.items, start + 1).parts : undefined;
}
