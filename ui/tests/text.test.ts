import { expect, test } from "vitest";
import { escapeXml, svgOf } from "../src/graph/picture";
import { csv, edgesCsv, mermaid } from "../src/graph/text";
import { graphOf, nodeOf } from "./samples";

test("cells with commas, quotes and line breaks stay one cell, and formulas stay text", () => {
  expect(csv([["a,b", 'say "x"', "two\nlines", "=1+1", "-2"]])).toBe('"a,b","say ""x""","two\nlines",\'=1+1,\'-2\r\n');
});

test("the table of edges has a row for each edge", () => {
  expect(
    edgesCsv(graphOf("a", "a>j1", "j1>b"))
      .trim()
      .split("\r\n"),
  ).toHaveLength(3);
});

test("a hostile name stays a name in Mermaid and in a picture", () => {
  const graph = graphOf("a", "a>b");
  const name = `"]; click a "javascript:alert(1)"<script>alert(1)</script>\u0000`;
  graph.nodes.set("a", nodeOf("a", { name }));
  expect(mermaid(graph)).not.toMatch(/["\]]; click|<script/);
  const places = new Map([
    ["a", { x: 0, y: 0 }],
    ["b", { x: 300, y: 0 }],
  ]);
  const svg = svgOf({ graph, places, opened: new Map(), subject: "", anchor: "" }, []);
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
  expect(parsed.querySelector("parsererror, script")).toBeNull();
  expect(parsed.documentElement.textContent).toContain("b");
});

test("text for XML is escaped", () => {
  expect(escapeXml(`<a href='x'>&"\u0001`)).toBe("&lt;a href=&apos;x&apos;&gt;&amp;&quot;");
});
