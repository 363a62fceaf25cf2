import { expect, test } from "vitest";

import { FAN, foldFans } from "../src/graph/fans";
import type { Graph } from "../src/graph/model";
import { edgesOf, graphOf, nodeOf } from "./samples";

const MANY = FAN + 5;
const numbers = Array.from({ length: MANY }, (_, index) => index);
const NONE: ReadonlySet<string> = new Set();

function consumers(...more: string[]): Graph {
  return graphOf("a", ...numbers.flatMap((number) => [`a>j${number}`, `j${number}>b${number}`]), ...more);
}

const fansOf = (graph: Graph) => [...graph.nodes.values()].filter(({ fan }) => fan);

test("many consumers are one node, with what is behind them", () => {
  const folded = foldFans(consumers("j>a"), NONE);
  const [fan] = fansOf(folded);
  expect(fan!.name).toBe(`${MANY} consumers`);
  expect(fan!.fan!.members).toHaveLength(MANY);
  expect(fan!.fan!.behind).toHaveLength(MANY);
  expect([...folded.nodes.keys()].sort()).toEqual(["a", fan!.id, "j"].sort());
  expect(edgesOf(folded)).toEqual([`a>${fan!.id}`, "j>a"]);
});

test("a few are drawn beside each other", () => {
  const graph = graphOf("a", ...numbers.slice(0, FAN).map((number) => `a>j${number}`));
  expect(foldFans(graph, NONE)).toBe(graph);
});

test("consumers that lead on to the same node are folded, and it stays", () => {
  const graph = graphOf("a", ...numbers.flatMap((number) => [`a>j${number}`, `j${number}>sum`]), "sum>jlast");
  const folded = foldFans(graph, NONE);
  expect(fansOf(folded)).toHaveLength(1);
  expect(folded.nodes.has("sum")).toBe(true);
  expect(edgesOf(folded)).toEqual([`${fansOf(folded)[0]!.id}>sum`, `a>${fansOf(folded)[0]!.id}`, "sum>jlast"].sort());
});

test("what was unfolded stays out: a side, or one node with all behind it", () => {
  expect(fansOf(foldFans(consumers(), new Set([">a"])))).toEqual([]);
  const one = foldFans(consumers(), new Set(["j3"]));
  expect(fansOf(one)[0]!.size).toBe(MANY - 1);
  expect(one.nodes.has("b3")).toBe(true);
});

test("the focus is never folded away", () => {
  const graph = { ...consumers(), focus: "b7" };
  const folded = foldFans(graph, NONE);
  expect(folded.nodes.has("b7")).toBe(true);
  expect(folded.nodes.has("j7")).toBe(true);
  expect(fansOf(folded)[0]!.size).toBe(MANY - 1);
});

test("both sides fold, each as what it is", () => {
  const graph = consumers(...numbers.map((number) => `jsource${number}>a`));
  expect(
    fansOf(foldFans(graph, NONE))
      .map(({ name }) => name)
      .sort(),
  ).toEqual([`${MANY} consumers`, `${MANY} producers`]);
});

test("what the server did not answer with is counted", () => {
  const graph = consumers();
  graph.nodes.set("a", nodeOf("a", { rest: { up: 0, down: 1000 } }));
  expect(fansOf(foldFans(graph, NONE))[0]!.name).toBe(`${MANY} of ${(1000 + MANY).toLocaleString("en")} consumers`);
});

test("one that failed shows on the fan", () => {
  const graph = consumers();
  graph.nodes.set("j2", nodeOf("j2", { state: "FAILED" }));
  expect(fansOf(foldFans(graph, NONE))[0]!.state).toBe("FAILED");
});

test("what came or went between two times is never folded away", () => {
  const graph = consumers();
  graph.nodes.set("b4", nodeOf("b4", { change: "removed" }));
  const folded = foldFans(graph, NONE);
  expect(folded.nodes.has("b4")).toBe(true);
  expect(fansOf(folded)[0]!.size).toBe(MANY - 1);
});
