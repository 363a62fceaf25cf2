import { beforeEach, expect, test } from "vitest";

import { chooseZone, clockOf, exactOf, fromInput, minuteOf, toInput, zoneName } from "../src/parts/zone";

beforeEach(() => localStorage.clear());

test("times are those of UTC until a person chooses otherwise", () => {
  expect(exactOf("2026-01-31T23:30:00.500000Z")).toBe("2026-01-31 23:30:00 UTC");
  expect(clockOf("2026-01-31T23:30:00Z")).toBe("23:30 UTC");
  expect(minuteOf("2026-01-31T23:30:00Z")).toBe("01-31 23:30 UTC");
  expect(exactOf("no time")).toBe("no time");
});

test.each(["utc", "local"] as const)("what is entered is what was shown (%s)", (zone) => {
  chooseZone(zone);
  for (const time of ["2026-01-31T23:30:00Z", "2026-07-01T00:00:00Z"]) {
    expect(fromInput(toInput(time))).toBe(time);
  }
  expect(toInput("no time")).toBeUndefined();
  expect(toInput(undefined)).toBeUndefined();
  expect(fromInput("")).toBeUndefined();
  expect(fromInput(undefined)).toBeUndefined();
  expect(zoneName()).toBeTruthy();
});
