import { expect, test } from "vitest";

import { MOST_NODES } from "../src/api/queries";
import { mergeWalks } from "../src/graph/merge";
import { answerOf, edgesOf } from "./samples";

test("two walks make one graph with each node and edge once", () => {
  const up = answerOf("dataset:b", ["dataset:a>job:j", "job:j>dataset:b"]);
  const down = answerOf("dataset:b", ["dataset:b>job:k", "job:k>dataset:c"]);
  const graph = mergeWalks("dataset:b", [
    { side: "up", answer: up },
    { side: "down", answer: down },
  ]);
  expect(graph.nodes.size).toBe(5);
  expect(edgesOf(graph)).toHaveLength(4);
  expect(graph.nodes.get("job:j")!.state).toBe("FAILED");
});

test("what is not shown is counted on the side that was walked, and unknown on the other", () => {
  const up = answerOf("dataset:b", ["dataset:a>job:j", "job:j>dataset:b"], { "dataset:a": { upstream: 3 } });
  const graph = mergeWalks("dataset:b", [{ side: "up", answer: up }]);
  expect(graph.nodes.get("dataset:a")!.rest).toEqual({ up: 3, down: null });
});

test("what another answer shows is no longer counted as more", () => {
  const first = answerOf("dataset:b", ["dataset:a>job:j", "job:j>dataset:b"], { "dataset:a": { upstream: 2 } });
  const second = answerOf("dataset:a", ["job:x>dataset:a"], { "dataset:a": { upstream: 1 } });
  const graph = mergeWalks("dataset:b", [
    { side: "up", answer: first },
    { side: "up", answer: second },
  ]);
  expect(graph.nodes.get("dataset:a")!.rest.up).toBe(1);
});

test("the focus is the name the server knows the node by", () => {
  const answer = { ...answerOf("dataset:b", ["dataset:a>job:j"]), node: "dataset:real" };
  expect(mergeWalks("dataset:alias", [{ side: "up", answer }]).focus).toBe("dataset:real");
});

test("of more than can be drawn the nearest are shown, and the rest is counted where it would hang", () => {
  const fan = Array.from({ length: MOST_NODES }, (_, index) => [
    `dataset:a>job:j${index}`,
    `job:j${index}>dataset:b${index}`,
  ]).flat();
  const walk = { side: "down" as const, answer: answerOf("dataset:a", fan) };
  const graph = mergeWalks("dataset:a", [walk]);
  expect(graph.nodes.size).toBe(MOST_NODES);
  expect(graph.isCut).toBe(true);
  expect(graph.nodes.get("dataset:a")!.rest.down).toBe(1);
  expect([...graph.nodes.values()].filter(({ kind }) => kind === "job")).toHaveLength(MOST_NODES - 1);
  // What is expanded by hand comes on top.
  const none = { side: "up" as const, answer: answerOf("dataset:a", []) };
  const expanded = { side: "down" as const, answer: answerOf("job:j0", ["job:j0>dataset:b0"]) };
  const more = mergeWalks("dataset:a", [walk, none, expanded]);
  expect(more.nodes.has("dataset:b0")).toBe(true);
  expect(more.nodes.get("job:j0")!.rest.down).toBe(0);
});

test("a dataset has the tags of its columns, nested ones too, and when it was written apart from seen", () => {
  const answer = answerOf("dataset:b", []);
  const inner = { name: "city", type: null, tags: ["pii"], description: null };
  Object.assign(answer.graph[0]!.data, {
    fields: [{ name: "address", type: null, tags: ["gold"], description: null, fields: [inner] }],
    updatedAt: "2026-01-02T00:00:00Z",
  });
  const node = mergeWalks("dataset:b", [{ side: "up", answer }]).nodes.get("dataset:b")!;
  expect(node.columnTags).toEqual(["gold", "pii"]);
  expect(node.writtenAt).toBeNull();
  expect(node.at).toBe("2026-01-02T00:00:00Z");
});
