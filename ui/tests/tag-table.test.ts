import { expect, test } from "vitest";

import type { TagAsset } from "../src/api/schema";
import { chosenAssets, readTagSearch, tagCsv } from "../src/pages/tag-table";

const asset = (state: string, name: string, field: string | null = null, owners: string[] = []): TagAsset => ({
  state,
  id: name,
  type: field ? "COLUMN" : "DATASET",
  namespace: "db",
  name,
  field,
  system: "postgres",
  owners,
  hops: 1,
  source: "datasetField:db:people:email",
  jobs: ["job:jobs:copy"],
});

const ASSETS = [asset("untagged", "copies", "email", ["team:crm"]), asset("tagged", "people")];

test("by state, name, column and owner", () => {
  expect(chosenAssets(ASSETS, { state: "tagged" })).toEqual([ASSETS[1]]);
  expect(chosenAssets(ASSETS, { text: "EMAIL" })).toEqual([ASSETS[0]]);
  expect(chosenAssets(ASSETS, { text: "crm" })).toEqual([ASSETS[0]]);
  expect(chosenAssets(ASSETS, {})).toEqual(ASSETS);
});

test("a state that is none is no filter", () => {
  expect(readTagSearch({ name: "pii", state: "lost" })).toEqual({ name: "pii", state: undefined, text: undefined });
});

test("as CSV, in which nothing is a formula", () => {
  const [head, row] = tagCsv([asset("untagged", "=cmd()", "email")]).split("\r\n");
  expect(head).toBe("state,type,namespace,name,column,owners,hops,source,jobs");
  expect(row).toBe("untagged,column,db,'=cmd(),email,,1,datasetField:db:people:email,job:jobs:copy");
});
