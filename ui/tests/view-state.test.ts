import { expect, test } from "vitest";

import { packList, readView, sideKey, sideOfKey, toggled, unpackList, without } from "../src/graph/view-state";

test.each([[["a", "b"]], [["with,comma", "with~tilde", "~.both,~~"]], [["dataset:s3://b:a/b, c"]], [[]]])(
  "a list comes back as it went: %j",
  (items) => {
    expect(unpackList(packList(items))).toEqual(items);
  },
);

test("an item is put in, then out", () => {
  const once = toggled(toggled(undefined, "a,b"), "c");
  expect(unpackList(once)).toEqual(["a,b", "c"]);
  expect(toggled(toggled(once, "c"), "a,b")).toBeUndefined();
  expect(without(once, "c")).toBe(packList(["a,b"]));
});

test("a side of a node comes back as it went", () => {
  expect(sideOfKey(sideKey("dataset:<x>:y", "down"))).toEqual({ id: "dataset:<x>:y", side: "down" });
});

test("nonsense in a link is left out, and hops are bounded", () => {
  const view = readView({ node: "dataset:a:b", up: "-1", down: "1e9", group: "<script>", nojobs: "yes", table: "1" });
  expect(view).toMatchObject({
    node: "dataset:a:b",
    up: undefined,
    down: 20,
    group: undefined,
    nojobs: undefined,
    table: true,
  });
});
