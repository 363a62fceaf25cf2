import { describe, expect, it } from "vitest";

import { isConcerned } from "../src/live/concerns";
import { readBlock, serverEvents } from "../src/live/server-events";
import type { Changed } from "../src/live/stream";

const changed = (part: Partial<Changed>): Changed => ({
  nodes: [],
  events: 1,
  rejected: 0,
  isAll: false,
  againAfterSeconds: 2,
  ...part,
});
const asked = (path: string, parameters: object = {}, data: unknown = undefined) => ({
  queryKey: [path, parameters],
  data,
});
const ORDERS = "dataset:postgres://db:5432:shop.orders";
const LOAD = "job:scheduler:load/orders";

describe("what a change concerns", () => {
  const orders = asked("namespaces/postgres%3A%2F%2Fdb%3A5432/datasets/shop.orders/versions");
  const load = asked("namespaces/scheduler/jobs/load%2Forders");

  it("is what is named in a path", () => {
    expect(isConcerned(orders, changed({ nodes: [ORDERS] }))).toBe(true);
    expect(isConcerned(orders, changed({ nodes: [LOAD] }))).toBe(false);
    expect(isConcerned(load, changed({ nodes: [LOAD] }))).toBe(true);
    const samples = asked("datasets/dataset%3Apostgres%3A%2F%2Fdb%3A5432%3Ashop.orders/samples", { by: "hour" });
    expect(isConcerned(samples, changed({ nodes: [ORDERS] }))).toBe(true);
    expect(isConcerned(samples, changed({ nodes: [LOAD] }))).toBe(false);
  });

  it("is a graph by any of its nodes, and a column by its dataset", () => {
    const graph = asked("lineage", { nodeId: "dataset:a:b" }, { graph: [{ id: "dataset:a:b" }, { id: LOAD }] });
    expect(isConcerned(graph, changed({ nodes: [LOAD] }))).toBe(true);
    expect(isConcerned(graph, changed({ nodes: [ORDERS] }))).toBe(false);
    const column = asked("column-lineage", { nodeId: "datasetField:postgres://db:5432:shop.orders:id" });
    expect(isConcerned(column, changed({ nodes: [ORDERS] }))).toBe(true);
  });

  it("is a run by its job, and a log of edits by its entity", () => {
    const run = asked("jobs/runs/1", {}, { job: { namespace: "scheduler", name: "load/orders" } });
    expect(isConcerned(run, changed({ nodes: [LOAD] }))).toBe(true);
    expect(isConcerned(run, changed({ nodes: [ORDERS] }))).toBe(false);
    const edits = asked("edits", { type: "job", namespace: "scheduler", name: "load/orders" });
    expect(isConcerned(edits, changed({ nodes: [LOAD] }))).toBe(true);
    expect(isConcerned(edits, changed({ nodes: [ORDERS] }))).toBe(false);
  });

  it("is all that is about everything, and nothing of the past", () => {
    expect(isConcerned(asked("systems"), changed({ nodes: [ORDERS] }))).toBe(true);
    expect(isConcerned(orders, changed({ isAll: true }))).toBe(true);
    expect(isConcerned(asked("whoami"), changed({ isAll: true }))).toBe(false);
    const past = asked("lineage", { nodeId: ORDERS, as_of: "2026-01-31T12:00:00Z" });
    expect(isConcerned(past, changed({ nodes: [ORDERS] }))).toBe(false);
    expect(isConcerned(asked("lineage/diff", { to: "2026-01-31T12:00:00Z" }), changed({ isAll: true }))).toBe(false);
  });

  it("is of rejected events only their list and problems", () => {
    const rejected = changed({ events: 0, rejected: 1 });
    expect(isConcerned(asked("events/rejected"), rejected)).toBe(true);
    expect(isConcerned(asked("problems"), rejected)).toBe(true);
    expect(isConcerned(asked("systems"), rejected)).toBe(false);
  });
});

describe("server-sent events", () => {
  it("are read across the borders of what comes at once", async () => {
    const text = 'retry: 1000\n\n: beat\n\nevent: changed\nid: 1.2.3.4\ndata: {"é": 1}\n\nid: 5\nda';
    const bytes = new TextEncoder().encode(text);
    let beats = 0;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
        controller.close();
      },
    });
    const found = [];
    for await (const event of serverEvents(body, () => beats++)) found.push(event);
    expect(found).toEqual([{ type: "changed", id: "1.2.3.4", data: '{"é": 1}' }]);
    expect(beats).toBeGreaterThan(3);
  });

  it("need data", () => {
    expect(readBlock(": beat")).toBeUndefined();
    expect(readBlock("data:x")).toEqual({ type: "message", id: "", data: "x" });
  });
});
