import { expect, test } from "vitest";

import type { ColumnEdge } from "../src/graph/model";
import { endKey } from "../src/graph/model";
import { dialectLabel } from "../src/pages/sql";
import type { ColumnName, SqlAnswer, SqlTransformation } from "../src/sql/answer";
import { columnsWithoutSource, graphOf, pathOf, tablesOf } from "../src/sql/answer-graph";
import { lightOf, sourcesByColumn } from "../src/sql/column-sources";
import { readWritten } from "../src/sql/kept";
import { rangeAt } from "../src/sql/place";
import { edgesOf } from "./samples";

const way = (out: ColumnName | null, from: ColumnName, subtype: string, type = "DIRECT"): SqlTransformation => ({
  out,
  in: from,
  type,
  subtype,
  masking: subtype === "MASK",
});

const statement = {
  kind: "INSERT",
  line: 3,
  column: 1,
  inputs: ["Orders"],
  outputs: ["fact"],
  columns: [
    { out: ["fact", "amount"] as ColumnName, in: [["orders", "price"] as ColumnName] },
    { out: ["fact", "loaded_at"] as ColumnName, in: [] },
  ],
  transformations: [
    way(["fact", "amount"], ["orders", "price"], "TRANSFORMATION"),
    way(null, ["orders", "status"], "FILTER", "INDIRECT"),
  ],
  schema: [{ table: "fact", name: "amount", type: "DECIMAL" }],
  problems: [],
};

const second = {
  ...statement,
  kind: "SELECT",
  line: 9,
  inputs: ["FACT"],
  outputs: [],
  columns: [{ out: [null, "total"] as ColumnName, in: [["fact", "amount"] as ColumnName] }],
  transformations: [way([null, "total"], ["fact", "amount"], "AGGREGATION")],
  schema: [],
};

const answer: SqlAnswer = { ...statement, dialect: "flink", statements: [statement, second] };

test("tables are nodes with their columns, statements are between them, a query has a result", () => {
  const graph = graphOf(answer);
  expect(edgesOf(graph)).toEqual(["job:0>table:fact", "job:1>result:1", "table:fact>job:1", "table:orders>job:0"]);
  expect([...graph.nodes.values()].map(({ name, columns }) => [name, columns.map((one) => one.name)])).toEqual([
    ["Orders", ["price", "status"]],
    ["fact", ["amount"]],
    ["INSERT, line 3", []],
    ["result, line 9", ["total"]],
    ["SELECT, line 9", []],
  ]);
  expect(graph.nodes.get("table:fact")!.columns[0]!.type).toBe("DECIMAL");
  expect(graph.focus).toBe("table:fact");
});

test("columns keep how they are made; what filters rows leads to the whole table", () => {
  const { columnEdges } = graphOf(answer);
  expect(columnEdges.map(({ from, to, how, isIndirect }) => [from.field, to.field, how, isIndirect])).toEqual([
    ["price", "amount", ["TRANSFORMATION"], false],
    ["status", "", ["FILTER"], true],
    ["amount", "total", ["AGGREGATION"], false],
  ]);
  const defined = { ...statement, kind: "CREATE TABLE", inputs: [], outputs: ["Orders"] };
  expect(tablesOf({ ...answer, statements: [defined, statement] })).toEqual({ read: ["Orders"], written: ["fact"] });
  expect(columnsWithoutSource(graphOf(answer), answer)).toEqual([{ dataset: "table:fact", field: "loaded_at" }]);
});

test("an answer without statements is one, and tables that the server knows lead to their pages", () => {
  const tables = { Orders: { namespace: "kafka://b", name: "shop.orders", columns: [{ name: "id", type: "int" }] } };
  const graph = graphOf({ ...statement, dialect: "", tables });
  expect([...graph.nodes.keys()]).toEqual(["table:orders", "table:fact", "job:0"]);
  expect(graph.datasets.get("table:orders")).toEqual({ namespace: "kafka://b", name: "shop.orders" });
  expect(graph.nodes.get("table:orders")!.columns.map(({ name }) => name)).toEqual(["id", "price", "status"]);
});

test("candidates of an ambiguous name are told apart from what is certain", () => {
  const columns = [
    {
      out: [null, "a"] as ColumnName,
      in: [],
      candidates: [
        ["x", "a"],
        ["y", "a"],
      ] as ColumnName[],
    },
  ];
  const graph = graphOf({ ...statement, inputs: ["x", "y"], outputs: [], columns, transformations: [], dialect: "" });
  const [row] = sourcesByColumn(graph.columnEdges);
  expect([row!.direct, row!.candidates.map(({ from }) => from.dataset)]).toEqual([[], ["table:x", "table:y"]]);
  expect(lightOf(graph.columnEdges, row!.to).size).toBe(1);
  expect(graph.nodes.get("table:x")!.columns).toEqual([]);
});

test("a text without lineage, and one of hostile names, give a graph", () => {
  const none = { ...statement, inputs: [], outputs: [], columns: [], transformations: [] };
  expect(graphOf({ ...none, dialect: "" }).nodes.size).toBe(0);
  const odd = `<img src=x onerror=alert(1)>\n"`;
  const graph = graphOf({ ...none, inputs: [odd, "constructor"], outputs: ["__proto__"], dialect: "", tables: {} });
  expect([...graph.nodes.values()].map(({ name }) => name)).toEqual([odd, "constructor", "__proto__", "SQL, line 1"]);
  expect(graph.datasets.size).toBe(0);
});

test("the path of a column goes all the way, both ways, also in a circle", () => {
  const edges = graphOf(answer).columnEdges;
  const fields = (field: string, dataset = "table:fact") =>
    pathOf(edges, { dataset, field }).map(({ from, to }) => `${from.field}>${to.field}`);
  expect(fields("amount")).toEqual(["price>amount", "amount>total"]);
  expect(fields("price", "table:orders")).toEqual(["price>amount", "amount>total"]);
  const circle = [edge("a", "b"), edge("b", "a")];
  expect(pathOf(circle, { dataset: "t", field: "a" })).toHaveLength(2);
});

function edge(from: string, to: string, part: Partial<ColumnEdge> = {}): ColumnEdge {
  const flags = { isIndirect: false, isMasked: false, isAssumed: false, isInferred: false, via: "" };
  return {
    from: { dataset: "t", field: from },
    to: { dataset: "t", field: to },
    job: null,
    how: [],
    ...flags,
    ...part,
  };
}

test("what decides over every column is told once, what was only assumed is not told", () => {
  const byGroup = { isIndirect: true, how: ["GROUP_BY"] };
  const edges = [
    edge("price", "amount", { isInferred: true }),
    edge("id", "count"),
    edge("day", "amount", byGroup),
    edge("day", "count", byGroup),
    edge("flag", "count", { isIndirect: true, how: ["CONDITIONAL"] }),
    edge("x", "y", { isAssumed: true }),
  ];
  const rows = sourcesByColumn(edges);
  expect(
    rows.map(({ to, direct, indirect, isInferred }) => [to.field, direct.length, indirect.length, isInferred]),
  ).toEqual([
    ["amount", 1, 0, true],
    ["count", 1, 1, false],
    ["", 0, 1, false],
  ]);
});

test("with a column its sources and what is made from it are lit", () => {
  const edges = [edge("a", "b"), edge("b", "c"), edge("f", "b", { isIndirect: true }), edge("c", "d")];
  const lights = lightOf(edges, { dataset: "t", field: "b" });
  const key = (field: string) => endKey({ dataset: "t", field });
  expect(Object.fromEntries(lights)).toEqual({
    [key("a")]: "source",
    [key("b")]: "self",
    [key("c")]: "target",
    [key("f")]: "indirect",
  });
  expect(lightOf(edges, null).size).toBe(0);
});

test("a place of a text is its word there, and never outside of it", () => {
  const text = "select a\nfrom orders;";
  expect(rangeAt(text, 2, 6)).toEqual([14, 20]);
  expect(rangeAt(text, 1, 99)).toEqual([8, 9]);
  expect(rangeAt(text, 9, 1)).toEqual([text.length, text.length]);
  expect(rangeAt("", 1, 1)).toEqual([0, 0]);
});

test("what was kept of any shape is read, and dialects have the names that people use", () => {
  for (const kept of ["null", "7", "{", '{"text": 3, "dialect": []}']) {
    sessionStorage.setItem("headwater-sql", kept);
    expect(readWritten()).toEqual({ text: "", dialect: "", useGraph: true });
  }
  expect([dialectLabel(""), dialectLabel("tsql"), dialectLabel("flink"), dialectLabel("odd")]).toEqual([
    "standard SQL",
    "SQL Server",
    "Flink",
    "odd",
  ]);
});
