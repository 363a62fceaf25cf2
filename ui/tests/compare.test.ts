import { expect, test } from "vitest";

import { compareGraphs } from "../src/graph/compare";
import { graphOf, nodeOf } from "./samples";

test("what is only in one of two graphs came or went, and stays drawn", () => {
  const both = compareGraphs(graphOf("a", "a>j1", "j1>b"), graphOf("a", "a>j1", "j1>c"));
  const change = (id: string) => both.nodes.get(id)!.change;
  expect([change("a"), change("b"), change("c")]).toEqual([undefined, "removed", "added"]);
  const edges = new Map(both.edges.map(({ from, to, change }) => [`${from}>${to}`, change]));
  expect([edges.get("a>j1"), edges.get("j1>b"), edges.get("j1>c")]).toEqual([undefined, "removed", "added"]);
  expect(both.compared).toEqual({ added: 2, removed: 2, changed: 0 });
});

test("a dataset with another column, or a column of another type, has changed", () => {
  const [before, now, same] = [graphOf("a", "a>j1"), graphOf("a", "a>j1"), graphOf("a", "a>j1")];
  const columns = (...types: string[]) => types.map((type, index) => ({ name: `c${index}`, type }));
  before.nodes.set("a", nodeOf("a", { columns: columns("int", "text") }));
  now.nodes.set("a", nodeOf("a", { columns: columns("int", "date") }));
  same.nodes.set("a", nodeOf("a", { columns: columns("int", "text").reverse() }));
  expect(compareGraphs(before, now).nodes.get("a")!.change).toBe("changed");
  expect(compareGraphs(before, same).nodes.get("a")!.change).toBeUndefined();
});
