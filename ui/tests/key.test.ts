import { beforeEach, expect, test } from "vitest";

import { askForKey, currentKey, dismiss, giveKey, isKeyKept, keyAsked, requireKey } from "../src/api/key";

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  dismiss();
});

test("a key is for this tab, or for the browser where a person chose so", () => {
  giveKey(" one ");
  expect(currentKey()).toBe("one");
  expect(isKeyKept()).toBe(false);
  giveKey("two", true);
  sessionStorage.clear();
  expect(currentKey()).toBe("two");
  giveKey("three");
  sessionStorage.clear();
  expect(currentKey()).toBe("");
});

test("what the server requires cannot be dismissed by asking for another key", () => {
  askForKey();
  expect(keyAsked()).toBe("wanted");
  requireKey();
  askForKey();
  expect(keyAsked()).toBe("needed");
  giveKey("one");
  expect(keyAsked()).toBe("");
});
