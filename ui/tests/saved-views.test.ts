import { beforeEach, expect, test } from "vitest";

import { forgetView, savedViews, saveView } from "../src/parts/saved-views";

beforeEach(() => localStorage.clear());

test("the newest is first, and each address is there once", () => {
  saveView({ name: "one", address: "/job?name=a" });
  saveView({ name: "two", address: "/job?name=b" });
  saveView({ name: " again ", address: "/job?name=a" });
  expect(savedViews()).toEqual([
    { name: "again", address: "/job?name=a" },
    { name: "two", address: "/job?name=b" },
  ]);
  forgetView("/job?name=a");
  expect(savedViews().map(({ name }) => name)).toEqual(["two"]);
});

test("a view without a name is called as its address", () => {
  saveView({ name: "  ", address: "/" });
  expect(savedViews()[0]?.name).toBe("/");
});

test("only what is on this server is read", () => {
  const kept = ["javascript:alert(1)", "//example.com", "/\\example.com", "https://example.com", "/fine"];
  localStorage.setItem("headwater-views", JSON.stringify(kept.map((address) => ({ name: "x", address }))));
  expect(savedViews().map(({ address }) => address)).toEqual(["/fine"]);
  localStorage.setItem("headwater-views", "{");
  expect(savedViews()).toEqual([]);
});
