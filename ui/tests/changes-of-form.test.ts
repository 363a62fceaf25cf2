import { expect, test } from "vitest";

import { editedNames, editOf, readOwners, readTags, withName } from "../src/parts/changes-of-form";

const entity = { type: "dataset" as const, namespace: "n", name: "a" };
const before = { description: "Old", owners: "ann (OWNER)", tags: ["pii", "gold"] };

test("owners are lines, each with a type in brackets or without", () => {
  expect(readOwners(" team:sales \n\nann lee (steward)\n(x)")).toEqual([
    { name: "team:sales" },
    { name: "ann lee", type: "STEWARD" },
    { name: "(x)" },
  ]);
});

test("tags are separated by commas or lines, each once", () => {
  expect(readTags("pii, gold\npii,,")).toEqual(["pii", "gold"]);
});

test("an edit has what was changed and nothing else", () => {
  expect(editOf(entity, before, { ...before })).toBeUndefined();
  expect(editOf(entity, before, { ...before, description: " New " })).toEqual({
    entity,
    set: { documentation: { description: "New" } },
    unset: [],
  });
  expect(editOf(entity, before, { ...before, tags: ["pii", "new"] })?.set).toEqual({
    "tag/new": true,
    "tag/gold": false,
  });
});

test("what is emptied is taken back, so that events decide again", () => {
  const edit = editOf(entity, before, { description: "", owners: " ", tags: before.tags });
  expect(edit).toEqual({ entity, set: {}, unset: ["documentation", "ownership"] });
});

test("names that people joined before are kept, and each is there once", () => {
  const joined = { namespace: "n", name: "b", type: "TABLE" as const };
  const edits = [
    { set: { "tag/x": true }, unset: [] },
    { set: { symlinks: { identifiers: [joined] } }, unset: [] },
    { set: { symlinks: { identifiers: [] } }, unset: [] },
  ];
  expect(editedNames(edits)).toEqual([joined]);
  expect(editedNames([{ set: {}, unset: ["symlinks"] }, ...edits])).toEqual([]);
  expect(withName([joined], { ...joined, type: "CUT" })).toEqual([{ ...joined, type: "CUT" }]);
});
