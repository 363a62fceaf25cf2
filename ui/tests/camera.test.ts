import { expect, test } from "vitest";

import { countBeyond } from "../src/graph/camera";
import { graphOf } from "./samples";

const ROOM = { width: 1000, height: 800 };
const SCENE = {
  graph: graphOf("a", "a>b", "b>c"),
  opened: new Map(),
  places: new Map([
    ["a", { x: 0, y: 0 }],
    ["b", { x: 900, y: 0 }],
    ["c", { x: 1800, y: 0 }],
  ]),
  subject: "a",
  anchor: "a",
};

test("what lies outside is counted, what is seen in part is not", () => {
  expect(countBeyond(SCENE, { x: 0, y: 0, zoom: 1 }, ROOM)).toBe(1);
  expect(countBeyond(SCENE, { x: -200, y: 0, zoom: 1 }, ROOM)).toBe(1);
  expect(countBeyond(SCENE, { x: -300, y: 0, zoom: 1 }, ROOM)).toBe(2);
  expect(countBeyond(SCENE, { x: 0, y: 900, zoom: 1 }, ROOM)).toBe(3);
  expect(countBeyond(SCENE, { x: 0, y: 0, zoom: 0.5 }, ROOM)).toBe(0);
});
