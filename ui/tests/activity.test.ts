import { expect, test } from "vitest";

import type { ActivityAt } from "../src/api/schema";
import { happeningsOf, highestOf, pointsOf, scaleOf, stepLine } from "../src/pages/activity-figures";
import { rateOf } from "../src/parts/time";

const NOTHING = { rows: null, bytes: null, files: null, lag: null, runs: 0 };
const START = Date.parse("2026-01-31T12:00:00Z");

function step(minute: number, written: number | null, lag: number | null = null): ActivityAt {
  const at = new Date(START + minute * 60_000).toISOString();
  return { at, events: written === null ? 0 : 2, written: { ...NOTHING, rows: written }, read: { ...NOTHING, lag } };
}

test("rows become rates; the step that goes on is as long as it has lasted, after a minute", () => {
  const points = pointsOf([step(0, 600), step(1, 600)], "minute", START + 90_000);
  expect(points.map(({ written }) => written)).toEqual([10, null]);
  expect(pointsOf([step(0, 1200)], "hour", START + 120_000)[0]!.written).toBe(10);
  expect(points[0]!.label).toBe("01-31 12:00 UTC: written 10/s, 2 events");
  expect(pointsOf([step(0, null)], "minute", START + 60_000)[0]!.label).toBe("01-31 12:00 UTC: 0 events");
});

test("a line has a hole where nothing was counted", () => {
  const points = pointsOf([step(0, 60), step(1, null), step(2, 120), step(3, 0)], "minute", START + 1e9);
  const most = highestOf(points, ({ written }) => written);
  expect(most).toBe(2);
  expect(stepLine(points, ({ written }) => written, most)).toBe("M0,50H25M50,0H75V100H100");
});

test("times outside are at the ends", () => {
  const scale = scaleOf(1000, 2000);
  expect([500, 1000, 1500, 3000].map(scale)).toEqual([0, 0, 50, 100]);
});

test("rates have as many places as say something", () => {
  expect([1234.5, 12.34, 0.056, null].map(rateOf)).toEqual(["1,235/s", "12.3/s", "0.06/s", "–"]);
});

test("what happened is in one order, newest first", () => {
  const mark = { at: "2026-01-31T12:10:00Z", kind: "failed", run: "r" };
  const gap = { from: "2026-01-31T12:20:00Z", to: "2026-01-31T12:40:00Z", seconds: 1200, isOpen: false };
  expect(happeningsOf([mark], [gap])).toEqual([gap, mark]);
});
