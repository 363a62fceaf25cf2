import { expect, test } from "vitest";
import { columnWires, tableWires } from "../src/graph/edge-paths";
import { windowAround, within } from "../src/graph/wire-layer";
import { graphOf } from "./samples";

const near = (x: number, y = 0, zoom = 1) => windowAround([x, y, zoom], 1000, 800);

test("small steps leave the lines that are made as they are", () => {
  expect(near(-10)).toBe(near(-200));
  expect(near(-10)).not.toBe(near(-300));
  expect(near(-10)).not.toBe(near(-10, 0, 0.5));
});

test("the window holds the view, wherever that is", () => {
  for (const [x, y, zoom] of [
    [0, 0, 1],
    [-260, 133, 1],
    [977, -5021, 0.3],
    [1e6, -1e6, 2],
  ] as const) {
    const [left, top, right, bottom] = near(x, y, zoom).split(" ").map(Number) as [number, number, number, number];
    expect(left).toBeLessThanOrEqual(-x / zoom);
    expect(top).toBeLessThanOrEqual(-y / zoom);
    expect(right).toBeGreaterThanOrEqual((1000 - x) / zoom);
    expect(bottom).toBeGreaterThanOrEqual((800 - y) / zoom);
  }
});

test("lines that cross the view are made, those beside it are not", () => {
  const places = new Map([
    ["a", { x: -5000, y: 0 }],
    ["b", { x: 5000, y: 0 }],
    ["c", { x: 9000, y: 0 }],
  ]);
  const drawing = { graph: graphOf("a", "a>b", "b>c", "b>a"), places, opened: new Map() };
  const lines = tableWires(drawing).map((wire) => ({ wire, isLit: false }));
  const ids = (x: number, y = 0) => within(lines, near(x, y)).map(({ wire }) => `${wire.from}>${wire.to}`);
  // The way back leads around, below the nodes.
  expect(ids(0)).toEqual(["a>b", "b>a"]);
  expect(ids(-7000)).toEqual(["b>c"]);
  expect(ids(0, 3000)).toEqual([]);
  expect(columnWires(drawing, [])).toEqual([]);
});
