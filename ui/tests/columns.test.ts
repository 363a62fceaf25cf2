import { expect, test } from "vitest";

import type { ColumnGraphShape } from "../src/api/schema";
import { openColumns, toListed } from "../src/graph/column-pages";
import { columnEdges, columnPath, drawableEdges, oneOfAKind } from "../src/graph/columns";
import { howOf } from "../src/graph/edges";
import { graphOf, nodeOf } from "./samples";

const source = (dataset: string, field: string, subtype: string, isIndirect = false) => ({
  namespace: "n",
  dataset,
  datasetVersion: null,
  field,
  transformationDescription: null,
  transformationType: null,
  transformations: [
    { type: isIndirect ? "INDIRECT" : "DIRECT", subtype, description: "", masking: subtype === "HASH" },
  ],
  isIndirect,
  job: "job:n:j",
});

const column = (dataset: string, field: string, inputFields: ReturnType<typeof source>[], distance: number) => ({
  id: `datasetField:n:${dataset}:${field}`,
  type: "DATASET_FIELD",
  inEdges: [],
  outEdges: [],
  distance,
  data: {
    namespace: "n",
    dataset,
    datasetVersion: null,
    field,
    fieldType: "int",
    transformationDescription: null,
    transformationType: null,
    inputFields,
  },
});

const answer: ColumnGraphShape = {
  graph: [
    column("b", "total", [source("a", "price", "SUM"), source("a", "day", "FILTER", true)], 0),
    column("a", "price", [], 1),
    column("a", "day", [], 1),
  ],
  nodes: ["datasetField:n:b:total"],
  jobs: { "job:n:j": { namespace: "n", name: "j" } },
  asOf: null,
  isCut: false,
  incomplete: false,
};

test("edges lead from a column's sources to it, with how and by what", () => {
  const edges = columnEdges(answer);
  expect(edges.map(({ from, to, isIndirect }) => [from.field, to.field, isIndirect])).toEqual([
    ["price", "total", false],
    ["day", "total", true],
  ]);
  expect(edges[0]!.job).toEqual({ namespace: "n", name: "j" });
  expect(howOf(edges[1]!)).toBe("FILTER · indirect");
});

test("the same two columns joined in two ways are one edge that tells both", () => {
  const twice = { ...answer, graph: [column("b", "x", [source("a", "y", "HASH"), source("a", "y", "CAST")], 0)] };
  const [edge, ...others] = columnEdges(twice);
  expect(others).toEqual([]);
  expect(edge).toMatchObject({ how: ["HASH", "CAST"] });
});

test("a path has only the datasets and columns on it", () => {
  const graph = columnPath(answer, "dataset:n:b");
  expect([...graph.nodes.values()].map(({ name, columns }) => [name, columns.map((one) => one.name)])).toEqual([
    ["b", ["total"]],
    ["a", ["price", "day"]],
  ]);
  expect(graph.edges).toMatchObject([{ from: "dataset:n:a", to: "dataset:n:b", through: ["j"] }]);
});

test("edges to a dataset that shows no columns end at the dataset, once, and need one end that shows them", () => {
  const graph = graphOf("dataset:n:b", "dataset:n:a>dataset:n:b");
  const edges = columnEdges(answer);
  expect(drawableEdges(edges, graph, new Set(), false)).toEqual([]);
  const drawn = drawableEdges(edges, graph, new Set(["dataset:n:b"]), false);
  expect(drawn).toHaveLength(1);
  expect(drawn[0]).toMatchObject({ from: { field: "" }, to: { field: "total" }, isIndirect: false });
  expect(drawableEdges(edges, graph, new Set(["dataset:n:a", "dataset:n:b"]), true)).toHaveLength(1);
});

test("a wide dataset lists a page of its columns, or those that match", () => {
  const graph = graphOf("a", "a>b");
  const columns = Array.from({ length: 2000 }, (_, index) => ({ name: `column_${index}`, type: "int" }));
  graph.nodes.set("a", nodeOf("a", { columns }));
  const page = (text: string, number: number) =>
    openColumns(graph, new Set(["a"]), new Map([["a", { text, page: number }]])).get("a")!;
  expect(page("", 0).shown).toHaveLength(10);
  expect(page("COLUMN_1999", 0).shown.map(({ name }) => name)).toEqual(["column_1999"]);
  expect(page("column_199", 5).asked.page).toBe(1);
});

test("columns of a wide table that are not listed share one line", () => {
  const names = Array.from({ length: 2000 }, (_, index) => `c${index}`);
  const wide = { ...answer, graph: names.map((name) => column("b", name, [source("a", name, "IDENTITY")], 0)) };
  const graph = graphOf("dataset:n:b", "dataset:n:a>dataset:n:b");
  graph.nodes.get("dataset:n:b")!.columns = names.map((name) => ({ name, type: "int" }));
  const opened = openColumns(graph, new Set(["dataset:n:b"]), new Map());
  const lines = oneOfAKind(columnEdges(wide).map((edge) => toListed(edge, opened)));
  expect(lines).toHaveLength(11);
  expect(lines.filter(({ from, to }) => !from.field && !to.field)).toHaveLength(1);
});

test("what a job did not recognise is known, also where it has no edge", () => {
  const gapSummary = "2 inputs not recognised: LogicalRDD";
  const job = { namespace: "n", name: "j", incomplete: true, gapSummary, gaps: [] };
  const path = columnPath({ ...answer, jobs: { "job:n:j": job }, incomplete: true }, "dataset:n:b");
  expect([...path.gaps]).toEqual([["j", gapSummary]]);
});

test("an edge that is stated of a field around or inside is marked", () => {
  const input = { ...source("a", "price", "SUM"), via: "payload" };
  const [edge] = columnEdges({ ...answer, graph: [column("b", "payload.total", [input], 0)] });
  expect(howOf(edge!)).toBe("SUM · direct, via payload");
});
