import { createMetrics } from "@sluice/service";
import { expect, test } from "vitest";
import { createOpsApp } from "./ops-app.ts";

const since = "2026-11-20T06:00:00.000Z";
const nowMs = (): number => Date.parse(since);

function ops(reasons: readonly string[]) {
  const metrics = createMetrics({ withProcess: false });
  metrics.gauge("sluice_held_count", "Held.").set(3);
  const app = createOpsApp({ service: "scheduler", metrics, readiness: () => ({ isReady: reasons.length === 0, reasons }), nowMs });
  return async (path: string) => app.fetch(new Request(`http://ops${path}`));
}

test("a service that is not ready answers 503 with its reasons, and is still alive", async () => {
  const get = ops(["journal: no partition assigned"]);
  const ready = await get("/readyz");
  expect([ready.status, await ready.json()]).toEqual([
    503,
    { service: "scheduler", isReady: false, reasons: ["journal: no partition assigned"], since },
  ]);
  expect((await get("/livez")).status).toBe(200);
  expect(await (await get("/metrics")).text()).toContain("sluice_service_ready 0");
});

test("I16: a ready service shows which record holds the position of a partition back", async () => {
  const metrics = createMetrics({ withProcess: false });
  const blocked = {
    topic: "t",
    partition: 3,
    offset: 9_007_199_254_740_993n,
    key: "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11",
    receiver: "first",
    sinceMs: Date.UTC(2026, 10, 20, 6),
    why: "in progress",
  };
  const readiness = () => ({ isReady: true, reasons: [], blocked: [blocked] });
  const answer = await createOpsApp({ service: "dispatcher", metrics, readiness, nowMs }).fetch(new Request("http://ops/readyz"));
  const { sinceMs: _sinceMs, ...shown } = blocked;
  expect([answer.status, await answer.json()]).toEqual([
    200,
    {
      service: "dispatcher",
      isReady: true,
      reasons: [],
      since,
      blocked: [{ ...shown, offset: "9007199254740993", since: "2026-11-20T06:00:00.000Z" }],
    },
  ]);
});

test("a ready service answers 200 and shows its metrics", async () => {
  const get = ops([]);
  expect((await get("/readyz")).status).toBe(200);
  const metrics = await (await get("/metrics")).text();
  expect(metrics).toContain("sluice_held_count 3");
  expect(metrics).toContain("sluice_service_ready 1");
  expect((await get("/else")).status).toBe(404);
});

test("a service shows since when it is what it is: ready, or not ready for these reasons", async () => {
  const [nowAt, readiness] = [{ ms: Date.parse(since) }, { isReady: true, reasons: [] as string[] }];
  const metrics = createMetrics({ withProcess: false });
  const app = createOpsApp({ service: "scheduler", metrics, readiness: () => readiness, nowMs: () => nowAt.ms });
  const read = async (): Promise<unknown> => Reflect.get(Object(await (await app.fetch(new Request("http://ops/readyz"))).json()), "since");
  expect(await read()).toBe(since);
  nowAt.ms += 60_000;
  expect(await read()).toBe(since);
  Object.assign(readiness, { isReady: false, reasons: ["store: no answer"] });
  expect(await read()).toBe("2026-11-20T06:01:00.000Z");
  nowAt.ms += 60_000;
  expect(await read()).toBe("2026-11-20T06:01:00.000Z");
});
