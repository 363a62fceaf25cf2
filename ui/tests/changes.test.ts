import { expect, test } from "vitest";

import { groupChanges, summaryOf } from "../src/pages/changes-groups";
import { readChangesSearch, timesOf } from "../src/pages/changes-search";

const change = (type: string, how: string, part: object = {}) => ({
  type,
  change: how,
  subject: "s",
  before: null,
  after: null,
  at: "2026-01-01T10:00:00Z",
  cause: null,
  ...part,
});

test("a group says what came, went and changed, in numbers", () => {
  const changes = [
    change("dataset", "added"),
    change("field", "added"),
    change("field", "added"),
    change("sql", "changed"),
  ];
  expect(summaryOf(changes)).toBe("added 1 dataset and 2 columns, changed 1 SQL text");
});

test("what one run brought is one group, and the newest is first", () => {
  const job = { type: "JOB", namespace: "n", name: "load", field: null };
  const cause = { type: "run", run: "r1", job: "job:n:load" };
  const edit = {
    id: "e",
    at: "2026-01-03T00:00:00Z",
    actor: "ann",
    entity: { type: "dataset" as const, name: "a" },
    set: {},
    unset: [],
  };
  const changes = [
    change("field", "added", { cause }),
    change("dataset", "added", { cause, at: "2026-01-01T10:05:00Z" }),
    change("dataset", "added", { cause, at: "2026-01-02T00:00:00Z" }),
    change("edge", "removed", { cause: { type: "declared" } }),
  ];
  const groups = groupChanges(changes, { "job:n:load": job }, [edit]);
  expect(groups.map(({ key }) => key)).toEqual([
    "e",
    "r1 2026-01-02T00",
    "r1 2026-01-01T10",
    expect.stringContaining("declared"),
  ]);
  expect(groups[2]).toMatchObject({ run: "r1", job, at: "2026-01-01T10:05:00Z" });
  expect(groups[2]!.changes).toHaveLength(2);
});

test("a range ends with this minute, and two times of the link are as they are", () => {
  const now = Date.parse("2026-01-02T10:00:30Z");
  expect(timesOf({}, now)).toEqual({ from: "2026-01-01T10:01:00.000Z", to: "2026-01-02T10:01:00.000Z" });
  expect(timesOf({ last: "1h" }, now).from).toBe("2026-01-02T09:01:00.000Z");
  expect(timesOf({ from: "2026-01-01T00:00:00Z", to: "2026-01-01T01:00:00Z" }, now)).toEqual({
    from: "2026-01-01T00:00:00Z",
    to: "2026-01-01T01:00:00Z",
  });
  expect(readChangesSearch({ last: "9y", direction: "sideways" })).toMatchObject({
    last: undefined,
    direction: undefined,
  });
});
