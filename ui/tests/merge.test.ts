import { expect, test } from "vitest";

import { mergeWalks } from "../src/graph/merge";
import { answerOf, edgesOf } from "./samples";

test("two walks make one graph with each node and edge once", () => {
  const up = answerOf("dataset:b", ["dataset:a>job:j", "job:j>dataset:b"]);
  const down = answerOf("dataset:b", ["dataset:b>job:k", "job:k>dataset:c"]);
  const graph = mergeWalks("dataset:b", [{ side: "up", answer: up }, { side: "down", answer: down }]);
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
  const graph = mergeWalks("dataset:b", [{ side: "up", answer: first }, { side: "up", answer: second }]);
  expect(graph.nodes.get("dataset:a")!.rest.up).toBe(1);
});

test("the focus is the name the server knows the node by", () => {
  const answer = { ...answerOf("dataset:b", ["dataset:a>job:j"]), node: "dataset:real" };
  expect(mergeWalks("dataset:alias", [{ side: "up", answer }]).focus).toBe("dataset:real");
});
