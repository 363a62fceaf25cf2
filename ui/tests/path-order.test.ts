import { expect, test } from "vitest";

import { labelOf, partsOfName } from "../src/graph/labels";
import { findNodes, isFound, listNodes, sortNodes } from "../src/graph/path-order";
import type { Sort } from "../src/graph/view-state";
import { graphOf, nodeOf } from "./samples";

function ids(sort: Sort): string[] {
  const graph = graphOf("c", "b>j1", "j1>c", "c>j2", "j2>a", "j2>d", "x>j3", "j3>a");
  graph.nodes.set("a", nodeOf("a", { owners: ["analytics"], distance: 1 }));
  graph.nodes.set("b", nodeOf("b", { owners: ["web"], distance: 1 }));
  return sortNodes(
    listNodes(graph, ({ id }) => (id === "j2" ? "FAILED" : "")),
    sort,
  ).map(({ node }) => node.id);
}

test("from sources to targets, and by each heading", () => {
  expect(ids("path")).toEqual(["b", "x", "j1", "j3", "c", "j2", "a", "d"]);
  expect(ids("name").slice(0, 3)).toEqual(["a", "b", "c"]);
  expect(ids("owner").slice(0, 2)).toEqual(["a", "b"]);
  expect(ids("state")[0]).toBe("j2");
  expect(ids("hops").slice(-2)).toEqual(["b", "a"]);
  expect(ids("way")).toEqual(["b", "j1", "c", "j2", "a", "d", "x", "j3"]);
});

test("each node has its direction from the focus", () => {
  const listed = listNodes(graphOf("c", "b>c", "c>d", "d>c", "x>d"), () => "");
  expect(Object.fromEntries(listed.map(({ node, way }) => [node.id, way]))).toEqual({
    b: "up",
    c: "here",
    d: "both",
    x: "up",
  });
});

test("found by name, namespace, owner and tag, in any case", () => {
  const node = nodeOf("shop.Orders", {
    namespace: "kafka://broker",
    owners: ["team:Sales"],
    tags: ["pii"],
    columnTags: ["email"],
  });
  for (const text of ["orders", "BROKER", "sales", "PII", "mail"]) expect(isFound(node, text)).toBe(true);
  expect(isFound(node, "payments")).toBe(false);
  expect(isFound(node, "  ")).toBe(false);
});

test("what is folded is found too", () => {
  const graph = graphOf("a", "a>fan");
  const member = nodeOf("j_wanted");
  const fan = { hub: "a", side: "down" as const, members: [member], behind: [] };
  graph.nodes.set("fan", nodeOf("fan", { kind: "group", fan }));
  expect(findNodes(graph, "wanted")).toEqual([{ node: member, fan: "fan" }]);
});

test("a label has the schema below the name, or else the namespace", () => {
  expect(labelOf(nodeOf("analytics.marts.orders"))).toEqual({ name: "orders", place: "analytics.marts" });
  expect(labelOf(nodeOf("orders"))).toEqual({ name: "orders", place: "n" });
  expect(labelOf(nodeOf("/data/lake/"))).toEqual({ name: "lake", place: "n" });
});

test("a long name is cut in its middle, letters stay whole, and turned text is not parted", () => {
  expect(partsOfName("short")).toEqual(["short", ""]);
  const long = "customer_orders_enriched_v2";
  expect(partsOfName(long)).toEqual(["customer_orders_enr", "iched_v2"]);
  expect(partsOfName(`${"😀".repeat(20)}`).join("")).toBe("😀".repeat(20));
  expect(partsOfName("\u202egnol_yrev_eman_a_si_siht")[1]).toBe("");
});
