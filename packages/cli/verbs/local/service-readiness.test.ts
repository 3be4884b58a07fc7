import { createOpsApp, createMetrics } from "@sluice/service";
import { expect, test } from "vitest";
import { readReadiness } from "./service-readiness.ts";

const blocked = {
  topic: "sluice.dispatch.v1",
  partition: 3,
  offset: 4_711n,
  key: "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11",
  receiver: "first",
  sinceMs: Date.UTC(2026, 10, 20, 6),
  why: "tried again: store.unavailable",
};

test("what a service serves is read: why it is not ready, and which record holds a position back, to whom and since when", async () => {
  const readiness = () => ({ isReady: false, reasons: ["a", "b"], blocked: [blocked, { ...blocked, receiver: null, why: "in progress" }] });
  const app = createOpsApp({ service: "dispatcher", metrics: createMetrics({ withProcess: false }), readiness, nowMs: () => 0 });
  const answer = await app.fetch(new Request("http://ops/readyz"));
  const where = "sluice.dispatch.v1/3 stands at offset 4711 since 2026-11-20T06:00:00.000Z: 6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";
  const page = "docs/runbooks/a-partition-stands-still.md";
  expect(readReadiness(answer.ok, await answer.json())).toEqual({
    notReady: "a; b",
    notices: [`${where} to first, tried again: store.unavailable: ${page}`, `${where}, in progress: ${page}`],
  });
});

test("a service that has no such partitions, or answers something else, shows none", () => {
  expect(readReadiness(true, { isReady: true, reasons: [] })).toEqual({ notReady: null, notices: [] });
  expect(readReadiness(false, "<html>")).toEqual({ notReady: "", notices: [] });
});

test("of a service that is ready although a part of it does not work, that part is shown", () => {
  const partition = "scheduler: partition 3: handling is tried again: store.unavailable";
  expect(readReadiness(true, { isReady: true, reasons: [partition] })).toEqual({ notReady: null, notices: [partition] });
});
