import { expect, test } from "vitest";

import { urlOf } from "../src/api/client";
import { inBatches } from "../src/graph/batches";

const ids = (count: number, letters = 20) =>
  Array.from({ length: count }, (_, index) => String(index).padEnd(letters, "x"));

test("ids are asked for together, each once and in their order", () => {
  const all = ids(120);
  const batches = inBatches(all);
  expect(batches.flat()).toEqual(all);
  expect(batches.map((batch) => batch.length)).toEqual([50, 50, 20]);
  expect(inBatches([])).toEqual([]);
});

test("one more id leaves the batches before as they are", () => {
  const all = ids(51);
  expect(inBatches(all)[0]).toEqual(inBatches([...all, "another"])[0]);
});

test("long names go in smaller batches, and a very long one alone", () => {
  expect(inBatches(ids(9, 1900)).map((batch) => batch.length)).toEqual([3, 3, 3]);
  expect(inBatches(["a", "\u00e9".repeat(3000), "b"]).map((batch) => batch.length)).toEqual([1, 1, 1]);
});

test("a list is a parameter for each of its items", () => {
  expect(urlOf("column-lineage", { nodeId: "a", also: ["b,c", "d"], depth: 1 })).toBe(
    "/api/v1/column-lineage?nodeId=a&also=b%2Cc&also=d&depth=1",
  );
});
