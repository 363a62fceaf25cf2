import { expect, test } from "vitest";

import { tableWires } from "../src/graph/edge-paths";
import { layerLayout } from "../src/graph/layers";
import { wrapRows } from "../src/graph/wrap";
import { graphOf } from "./samples";

function chain(length: number, ...more: string[]) {
  const steps = Array.from({ length: length - 1 }, (_, index) => `n${index}>n${index + 1}`);
  const graph = graphOf("n0", ...steps, ...more);
  const boxes = [...graph.nodes.keys()].map((id) => ({ id, width: 230, height: 76 }));
  return { graph, boxes, placed: wrapRows(layerLayout(boxes, graph.edges), boxes, graph.edges) };
}

test("a long chain stands in rows that are not much wider than a screen", () => {
  const { placed } = chain(20);
  const xs = [...placed.places.values()].map(({ x }) => x);
  expect(Math.max(...xs) - Math.min(...xs)).toBeLessThan(2400);
  expect(placed.lanes.length).toBeGreaterThan(1);
  const spots = [...placed.places.values()].map(({ x, y }) => `${x} ${y}`);
  expect(new Set(spots).size).toBe(20);
});

test("a short chain stays as it is", () => {
  const { placed } = chain(5);
  expect(placed.lanes).toEqual([]);
});

test("what is woven together is not cut", () => {
  const ways = ["a", "b", "c", "d", "e"].flatMap((way) =>
    Array.from({ length: 19 }, (_, index) => `${way}${index}>${way}${index + 1}`),
  );
  expect(chain(20, ...ways).placed.lanes).toEqual([]);
});

test("a line to the next row goes between the rows", () => {
  const { graph, placed } = chain(20);
  const back = tableWires({ graph, opened: new Map(), ...placed }).filter(({ path }) => path.includes(" H"));
  expect(back).toHaveLength(placed.lanes.length);
  expect(back[0]!.path).toContain(`,${placed.lanes[0]} H`);
});
