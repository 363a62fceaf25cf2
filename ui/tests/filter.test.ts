import { expect, test } from "vitest";

import { collapse, group, leaveOut, shapeGraph } from "../src/graph/filter";
import { edgesOf, graphOf, nodeOf } from "./samples";

const noJobs = (node: { kind: string }) => node.kind !== "job";

test("datasets are joined over a job that is left out, which is named", () => {
  const graph = leaveOut(graphOf("a", "a>j1", "j1>b", "j1>c"), noJobs);
  expect(edgesOf(graph)).toEqual(["a>b", "a>c"]);
  expect(graph.edges[0]!.through).toEqual(["j1"]);
});

test("the focus stays, whatever is left out", () => {
  const graph = leaveOut(graphOf("j1", "a>j1", "j1>b"), noJobs);
  expect([...graph.nodes.keys()].sort()).toEqual(["a", "b", "j1"]);
});

test("a way over several nodes that are left out is one edge", () => {
  const graph = leaveOut(graphOf("a", "a>j1", "j1>b", "b>j2", "j2>c"), ({ id }) => id === "c");
  expect(edgesOf(graph)).toEqual(["a>c"]);
  expect(graph.edges[0]!.through).toEqual(["j1", "b", "j2"]);
});

test("a cycle of what is left out ends, and a node that feeds itself shows it", () => {
  const graph = leaveOut(graphOf("a", "a>j1", "j1>a", "j1>x", "x>j1"), ({ id }) => id === "a");
  expect(edgesOf(graph)).toEqual(["a>a"]);
});

test("collapsing a side hides what is reached over it alone, and counts it", () => {
  const graph = collapse(graphOf("a", "a>j1", "j1>b", "j1>c", "a>j2", "j2>c"), new Set([">j1"]));
  expect([...graph.nodes.keys()].sort()).toEqual(["a", "c", "j1", "j2"]);
  expect(graph.nodes.get("j1")!.rest.down).toBe(1);
});

test("a group is one node, with the edges of its members and none to itself", () => {
  const graph = graphOf("a", "a>j1", "j1>b", "b>j2", "j2>c");
  graph.nodes.set("b", nodeOf("b", { system: "s3" }));
  graph.nodes.set("c", nodeOf("c", { system: "s3", state: "FAILED" }));
  graph.nodes.set("j2", nodeOf("j2", { system: "s3" }));
  const grouped = group(graph, "system", new Set());
  expect(edgesOf(grouped)).toEqual(["a>j1", "j1>group:s3"]);
  expect(grouped.nodes.get("group:s3")).toMatchObject({ size: 3, state: "FAILED", kind: "group" });
  expect(edgesOf(group(graph, "system", new Set(["s3"])))).toEqual(edgesOf(graph));
});

test("filters and hidden jobs work together", () => {
  const graph = graphOf("a", "a>j1", "j1>b", "b>j2", "j2>c");
  graph.nodes.set("c", nodeOf("c", { tags: ["pii"] }));
  expect(edgesOf(shapeGraph(graph, { nojobs: true, tag: "pii" }))).toEqual(["a>c"]);
});

test("a tag is found on a dataset's columns as well, and a state by what is wrong", () => {
  const graph = graphOf("a", "a>j1", "j1>b", "a>j2", "j2>c");
  graph.nodes.set("b", nodeOf("b", { columnTags: ["pii"] }));
  expect([...shapeGraph(graph, { tag: "pii" }).nodes.keys()].sort()).toEqual(["a", "b"]);
  graph.nodes.set("j2", nodeOf("j2", { state: "RUNNING" }));
  const health = new Map([["j2", { state: "silent", reason: "No events" }]]);
  for (const state of ["silent", "RUNNING"]) {
    expect([...shapeGraph(graph, { state }, health).nodes.keys()].sort()).toEqual(["a", "j2"]);
  }
});
