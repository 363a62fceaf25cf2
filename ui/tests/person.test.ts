import { beforeEach, expect, test } from "vitest";

import { keepPersonName, personHeader, personName } from "../src/api/person";

beforeEach(() => localStorage.clear());

test("a name is kept, sent in a form that headers can carry, and forgotten", () => {
  expect(personHeader()).toEqual({});
  keepPersonName("  Ann Müller ");
  expect(personName()).toBe("Ann Müller");
  expect(personHeader()).toEqual({ "Headwater-Person": "Ann%20M%C3%BCller" });
  keepPersonName(" ");
  expect(personHeader()).toEqual({});
});
