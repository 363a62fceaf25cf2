import { describe, expect, it } from "vitest";

import type { AffectedAsset } from "../src/api/schema";
import { byOwner, chosen, impactCsv, impactMarkdown, impactTicket, readImpactSearch } from "../src/pages/impact-table";

const asset = (name: string, part: Partial<AffectedAsset> = {}): AffectedAsset => ({
  id: `dataset:n:${name}`,
  type: "DATASET",
  namespace: "n",
  name,
  columns: [],
  columnCount: 0,
  dependency: "whole",
  hops: 1,
  system: "kafka",
  owners: [],
  lastUsedAt: null,
  ...part,
});
const ASSETS = [
  asset("b", { owners: ["team:x"], hops: 2, columns: ["price"], columnCount: 3 }),
  asset("a", { owners: ["team:x", "team:y"] }),
  asset("load", { type: "JOB" }),
];
const names = (assets: AffectedAsset[]) => assets.map(({ name }) => name);

describe("the table of an impact", () => {
  it("is filtered by text, owner and type", () => {
    expect(names(chosen(ASSETS, { text: "PRI" }))).toEqual(["b"]);
    expect(names(chosen(ASSETS, { owner: "team:y" }))).toEqual(["a"]);
    expect(names(chosen(ASSETS, { owner: "-" }))).toEqual(["load"]);
    expect(names(chosen(ASSETS, { kind: "job" }))).toEqual(["load"]);
  });

  it("is sorted, those without an owner last", () => {
    expect(names(chosen(ASSETS, {}))).toEqual(["a", "load", "b"]);
    expect(names(chosen(ASSETS, { sort: "owner" }))).toEqual(["a", "b", "load"]);
    expect(names(chosen(ASSETS, { sort: "name" }))).toEqual(["a", "b", "load"]);
  });

  it("is grouped by owner, several times what several own", () => {
    expect(byOwner(ASSETS).map(([owner, own]) => [owner, own.length])).toEqual([
      ["team:x", 2],
      ["team:y", 1],
      ["-", 1],
    ]);
  });

  it("is text in which names do nothing", () => {
    const hostile = [asset("=1+1"), asset("a|b\n[x](javascript:1)<img>")];
    expect(impactCsv(hostile)).toContain("dataset,n,'=1+1,");
    const markdown = impactMarkdown("x", hostile);
    expect(markdown).toContain("a\\|b \\[x\\](javascript:1)\\<img\\>");
    expect(markdown.trim().split("\n")).toHaveLength(2 + 2 + 2);
    expect(impactTicket("x", ASSETS, "http://here")).toContain("- team:x: 2");
    expect(impactCsv(ASSETS)).toContain('"price, +2"');
  });

  it("is read from an address", () => {
    expect(readImpactSearch({ node: "job:n:a", grouped: "1", sort: "wrong", kind: "wrong" })).toEqual({
      node: "job:n:a",
      grouped: true,
    });
    expect(readImpactSearch({ grouped: true }).grouped).toBe(true);
  });
});
