import { machineRandom, machineTime, type LogFields, type Logger, silentLogger, type Span } from "@sluice/kernel";
import { createMetrics } from "@sluice/service";
import { openOtlpCollector } from "@sluice/testkit";
import { expect, test, vi } from "vitest";
import { createOtlpTracer } from "./otlp-tracer.ts";
import { createSampling } from "./sampling.ts";

const place = "00-0b8d8f3e5c1a4f0e9d531d2c3b4a5f60-00f067aa0ba902b7-01";
const span: Span = {
  traceparent: place,
  parentId: "b7ad6b7169203331",
  name: "verdict",
  kind: "consumer",
  startMs: 1_795_154_401_000.5,
  tookMs: 2.25,
  attributes: { "sluice.verdict": "ACCEPTED", "sluice.partition": 3 },
  isError: false,
};

async function openTracer() {
  const collector = await openOtlpCollector();
  const metrics = createMetrics({ withProcess: false });
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const logger: Logger = { ...silentLogger, warn: (event, fields) => void lines.push([event, fields]) };
  const ports = { time: machineTime, random: machineRandom, logger, metrics };
  const tracer = createOtlpTracer({ service: "validator", url: collector.url, ratio: 1, marked: [], requestMaxMs: 60_000, ...ports });
  const count = async (name: string): Promise<number> =>
    Number(new RegExp(`^sluice_trace_${name} (\\d+)$`, "mu").exec(await metrics.text())?.[1] ?? Number.NaN);
  return { collector, tracer, lines, count };
}

test("a span comes to a collector by OTLP over HTTP as it was recorded", async () => {
  const { collector, tracer, count } = await openTracer();
  await using _closed = collector;
  tracer.record(span);
  tracer.record({ ...span, parentId: null, isError: true });
  await tracer.stop();
  const common = {
    service: "validator",
    traceId: "0b8d8f3e5c1a4f0e9d531d2c3b4a5f60",
    spanId: "00f067aa0ba902b7",
    name: "verdict",
    kind: 5,
  };
  const attributes = { "sluice.verdict": "ACCEPTED", "sluice.partition": "3" };
  const times = { startMs: 1_795_154_401_000.5, tookMs: 2.25, traceState: null, links: [] };
  expect(collector.spans).toEqual([
    { ...common, ...times, parentSpanId: "b7ad6b7169203331", isError: false, attributes },
    { ...common, ...times, parentSpanId: null, isError: true, attributes },
  ]);
  expect([await count("spans_total"), await count("spans_dropped_total")]).toEqual([2, 0]);
});

test("a span has its caller's tracestate, and is linked with spans of other traces, 128 at most", async () => {
  const { collector, tracer } = await openTracer();
  await using _closed = collector;
  const apart = tracer.apart();
  expect(apart).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  const below = tracer.below(`${place} congo=t61rcWkgMzE`);
  expect(below).toMatch(/^00-0b8d8f3e5c1a4f0e9d531d2c3b4a5f60-(?!00f067aa0ba902b7)[0-9a-f]{16}-01 congo=t61rcWkgMzE$/);
  tracer.record({ ...span, traceparent: below, links: [apart] });
  tracer.record({ ...span, links: Array.from({ length: 130 }, () => apart) });
  await tracer.stop();
  const link = `${apart.slice(3, 35)} ${apart.slice(36, 52)}`;
  expect(collector.spans).toMatchObject([
    { traceState: "congo=t61rcWkgMzE", links: [link] },
    { traceState: null, links: Array.from({ length: 128 }, () => link) },
  ]);
  expect(collector.bodies.join()).toContain('"droppedLinksCount":2');
});

test("I15: what a collector does not take is dropped, counted and logged once, and the work goes on", async () => {
  const { collector, tracer, lines, count } = await openTracer();
  await using _closed = collector;
  collector.answer(503);
  tracer.record(span);
  await vi.waitFor(async () => expect(await count("spans_dropped_total")).toBe(1), { timeout: 60_000 });
  tracer.record(span);
  await vi.waitFor(async () => expect(await count("spans_dropped_total")).toBe(2), { timeout: 60_000 });
  expect(lines).toEqual([["traces.not-sent", { reason: "the collector answers 503", spans: 1 }]]);
  collector.answer(200);
  tracer.record(span);
  await vi.waitFor(() => expect(collector.spans).toHaveLength(1), { timeout: 60_000 });
  await tracer.stop();
});

test("I15: the queue of spans is bounded", async () => {
  const { collector, tracer, count } = await openTracer();
  await using _closed = collector;
  for (let index = 0; index < 5_000; index += 1) tracer.record(span);
  expect(await count("spans_dropped_total")).toBe(5_000 - 4_096);
  await tracer.stop();
  expect(collector.spans).toHaveLength(4_096);
});

test("a share of all transactions is traced, the same in every process, and those that are marked always", () => {
  const marked = "ffffffff-0000-4000-8000-000000000000";
  const samples = createSampling({ ratio: 0.25, marked: [marked] });
  const uetrs = Array.from({ length: 256 }, (_, index) => `${index.toString(16).padStart(2, "0")}000000-0000-4000-8000-000000000000`);
  expect(uetrs.filter(samples)).toEqual(uetrs.slice(0, 64));
  expect(samples(marked)).toBe(true);
  expect(uetrs.filter(createSampling({ ratio: 0, marked: [] }))).toEqual([]);
  expect(uetrs.filter(createSampling({ ratio: 1, marked: [] }))).toEqual(uetrs);
});
