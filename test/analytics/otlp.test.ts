// What Sluice sends to a collector of traces is what OpenTelemetry's published schema says: every request of a tracer
// is read by it, in JSON and in the binary form.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { machineRandom, machineTime, silentLogger, silentMetrics, type Span } from "@sluice/kernel";
import { createOtlpTracer } from "@sluice/process";
import { openOtlpCollector } from "@sluice/testkit";
import { expect, test } from "vitest";

const python = process.env["SLUICE_ANALYTICS_PYTHON"] ?? "";
const reader = fileURLToPath(new URL("./otlp-request.py", import.meta.url));
const traceId = "0b8d8f3e5c1a4f0e9d531d2c3b4a5f60";
const apart = "00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01";
const span: Span = {
  traceparent: `00-${traceId}-00f067aa0ba902b7-01 congo=t61rcWkgMzE`,
  parentId: "b7ad6b7169203331",
  name: "verdict",
  kind: "consumer",
  startMs: 1_795_154_401_000.5,
  tookMs: 2.25,
  attributes: { "sluice.verdict": "ACCEPTED", "sluice.partition": 3 },
  isError: false,
  links: [apart],
};

function read(input: string): readonly Readonly<Record<string, unknown>>[] {
  const { status, stdout, stderr } = spawnSync(python, [reader], { input, encoding: "utf8", timeout: 60_000 });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

async function send(spans: readonly Span[]): Promise<string> {
  await using collector = await openOtlpCollector();
  const ports = { time: machineTime, random: machineRandom, logger: silentLogger, metrics: silentMetrics };
  const tracer = createOtlpTracer({ service: "validator", url: collector.url, ratio: 1, marked: [], ...ports });
  for (const one of spans) tracer.record(one);
  await tracer.stop();
  return collector.bodies.join("\n");
}

test("every span is read by OpenTelemetry's published schema as it was recorded", async () => {
  const links = Array.from({ length: 130 }, () => apart);
  const requests = await send([span, { ...span, kind: "server", parentId: null, isError: true, links }, { ...span, kind: "client" }]);
  const common = { traceId, spanId: "00f067aa0ba902b7", traceState: "congo=t61rcWkgMzE", name: "verdict", tookNs: 2_250_000 };
  const attributes = { "sluice.verdict": "ACCEPTED", "sluice.partition": 3 };
  const linked = { links: ["b7ad6b7169203331"], droppedLinks: 0 };
  expect(read(requests)).toEqual([
    { ...common, parentSpanId: "b7ad6b7169203331", kind: 5, status: 0, attributes, ...linked },
    { ...common, parentSpanId: "", kind: 2, status: 2, attributes, links: links.slice(2).map(() => "b7ad6b7169203331"), droppedLinks: 2 },
    { ...common, parentSpanId: "b7ad6b7169203331", kind: 3, status: 0, attributes, ...linked },
  ]);
});

test("the schema's reader refuses a member that it does not know, and an id of another length", async () => {
  const request = await send([span]);
  expect(() => read(request.replace('"kind":', '"sort":'))).toThrow(/no field named "sort"/u);
  expect(() => read(request.replace(traceId, traceId.slice(2)))).toThrow(/traceId has 15 bytes/u);
});
