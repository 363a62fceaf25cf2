import { expect, test } from "vitest";
import { bend } from "../src/graph/edge-paths";
import { layerLayout, layersOf } from "../src/graph/layers";
import { nearest } from "../src/graph/nearest";

const box = (id: string) => ({ id, width: 200, height: 50 });
const arrow = (text: string) => ({ from: text[0]!, to: text[1]! });

test("a node is right of all that lead to it", () => {
  const layers = layersOf(["a", "b", "c"].map(box), ["ab", "bc", "ac"].map(arrow));
  expect(Object.fromEntries(layers)).toEqual({ a: 0, b: 1, c: 2 });
});

test("a cycle is laid out, with one edge that leads back", () => {
  const layers = layersOf(["a", "b", "c"].map(box), ["ab", "bc", "ca"].map(arrow));
  expect(Object.fromEntries(layers)).toEqual({ a: 0, b: 1, c: 2 });
});

test("a chain of thousands does not overflow the stack", () => {
  const boxes = Array.from({ length: 20_000 }, (_, index) => box(`n${index}`));
  const arrows = boxes.slice(1).map(({ id }, index) => ({ from: boxes[index]!.id, to: id }));
  expect(layersOf(boxes, arrows).get("n19999")).toBe(19_999);
});

test("no two boxes lie on each other", () => {
  const boxes = "abcdefgh".split("").map(box);
  const places = layerLayout(boxes, ["ab", "ac", "ad", "be", "cf", "dg", "gh"].map(arrow));
  const spots = [...places.values()].map(({ x, y }) => `${x} ${y}`);
  expect(new Set(spots).size).toBe(boxes.length);
});

test("an arrow key leads to the nearest node that way, straight ahead before aside", () => {
  const spots = [
    { id: "ahead", x: 200, y: 0 },
    { id: "aside", x: 150, y: 120 },
    { id: "below", x: 0, y: 90 },
  ];
  const here = { id: "here", x: 0, y: 0 };
  expect(nearest(here, spots, "ArrowRight")).toBe("ahead");
  expect(nearest(here, spots, "ArrowDown")).toBe("below");
  expect(nearest(here, spots, "ArrowLeft")).toBeUndefined();
});

test("a line that leads back goes around below its ends", () => {
  const numbers = bend({ x: 500, y: 10 }, { x: 0, y: 20 })
    .match(/-?\d+(\.\d+)?/g)!
    .map(Number);
  expect(Math.max(...numbers.filter((_, index) => index % 2 === 1))).toBeGreaterThan(60);
});
