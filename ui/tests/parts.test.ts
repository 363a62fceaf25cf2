import { expect, test } from "vitest";
import { urlOf } from "../src/api/client";
import { shortName } from "../src/api/ids";
import type { DayUser, FieldShape, RunShape } from "../src/api/schema";
import { usersOf } from "../src/pages/dataset-usage";
import { assertionsOf, codeOf, countedOf, errorOf, ownersOf, parentOf, shownStateOf } from "../src/parts/facets";
import { schemaDiff } from "../src/parts/schema-diff";
import { agoOf, bytesOf, durationOf } from "../src/parts/time";
import { tellDuration } from "../src/parts/timeline";
import { lookOf, systemOfJob, systemOfNamespace } from "../src/systems";

const field = (name: string, type: string | null, fields?: FieldShape[]): FieldShape => ({
  name,
  type,
  tags: [],
  description: null,
  fields,
});

test("a schema's changes are told, nested ones by their path", () => {
  const before = [field("id", "int"), field("old", "text"), field("who", "struct", [field("name", "text")])];
  const after = [field("id", "long"), field("who", "struct", [field("name", "text"), field("age", "int")])];
  expect(schemaDiff(before, after).map(({ change, name }) => `${change} ${name}`)).toEqual([
    "changed id",
    "added who.age",
    "removed old",
  ]);
});

test("facets of any shape are read without a fault", () => {
  for (const facets of [
    {},
    { errorMessage: null, parent: 3, ownership: [], dataQualityAssertions: { assertions: "x" } },
  ] as never[]) {
    expect([errorOf(facets), parentOf(facets), ownersOf(facets), assertionsOf(facets)]).toEqual([
      undefined,
      undefined,
      [],
      [],
    ]);
    expect(countedOf(facets)).toEqual({ rows: null, bytes: null });
  }
});

test("only links that a browser may follow are links", () => {
  expect(codeOf("javascript:alert(1)")).toBeUndefined();
  expect(codeOf("https://example.com/x")).toBe("https://example.com/x");
});

test("times and sizes are told in units people know", () => {
  const now = Date.parse("2026-01-02T00:00:00Z");
  expect(agoOf("2026-01-01T23:46:00Z", now)).toBe("14 min ago");
  expect(agoOf("2026-01-02T02:00:00Z", now)).toBe("in 2 h");
  expect(agoOf("nonsense", now)).toBe("nonsense");
  expect(durationOf(100_000)).toBe("1 min 40 s");
  expect(durationOf(350)).toBe("350 ms");
  expect(bytesOf(84_965_730)).toBe("85 MB");
});

test("names in a question are escaped, and what is not asked is left out", () => {
  expect(urlOf("lineage", { nodeId: "dataset:a&b:c#d", depth: 0, as_of: undefined })).toBe(
    "/api/v1/lineage?nodeId=dataset%3Aa%26b%3Ac%23d&depth=0",
  );
});

test("a system that nobody drew still has a look of its own, always the same", () => {
  expect(lookOf("oddity")).toEqual(lookOf("oddity"));
  expect(systemOfNamespace("s3a://bucket")).toBe("s3");
  expect([systemOfNamespace("bigquery"), systemOfNamespace("scheduler")]).toEqual(["bigquery", "unknown"]);
  expect(["spark", "k8s:jobs", "dbt://shop"].map(systemOfJob)).toEqual(["unknown", "unknown", "dbt"]);
  expect(shortName("a/b.c")).toBe("c");
  expect(shortName("...")).toBe("...");
});

test("owners are told with what they are to it", () => {
  const owners = [{ name: "team:a", type: "OWNER" }, { name: "team:b" }];
  expect(ownersOf({ ownership: { owners } })).toEqual(["team:a (owner)", "team:b"]);
});

test("users of several days are one, the last first", () => {
  const user = (id: string, runs: number, lastAt: string): DayUser => ({
    id,
    namespace: "jobs",
    name: id,
    runs,
    lastAt,
  });
  const day = (...jobs: DayUser[]) => ({
    day: "",
    readers: { jobs: [], jobCount: 0, runCount: 0 },
    writers: { jobs, jobCount: 0, runCount: 0 },
  });
  const days = [day(user("a", 2, "2026-01-02T01"), user("b", 1, "2026-01-02T05")), day(user("a", 3, "2026-01-01T09"))];
  expect(usersOf({ days }, "writers").map(({ id, runs }) => [id, runs])).toEqual([
    ["b", 1],
    ["a", 5],
  ]);
});

test("how long a run took, also one that goes on, is silent or has not begun", () => {
  const run = (state: string, durationMs: number | null, ago: number) =>
    ({ state, durationMs, startedAt: new Date(Date.now() - ago).toISOString() }) as RunShape;
  expect(tellDuration(run("COMPLETED", 100_000, 0))).toBe("1 min 40 s");
  expect(tellDuration(run("RUNNING", null, 7_200_500))).toBe("2 h so far");
  expect(tellDuration(run("NEW", null, 5_000))).toBe("–");
});

test.each(["kafka_connect", "kafka_connect_rest"])("a connector that was deleted, as %s has it", (name) => {
  const facets = { [name]: { reason: "deleted" } };
  expect(shownStateOf({ state: "ABORTED", facets })).toBe("deleted");
  expect(shownStateOf({ state: "RUNNING", facets })).toBe("RUNNING");
  expect(shownStateOf({ state: "ABORTED", facets: { [name]: { reason: "stopped" } } })).toBe("ABORTED");
});
