// Takes one debit of a bank to its end in a sandbox whose services send traces to a collector, and shows its trace.

import { Fault, machineTime, type Random, sleep } from "@sluice/kernel";
import { type CollectedSpan, openOtlpCollector, type OtlpCollector } from "@sluice/testkit";
import { operatorToken } from "./configuration.ts";
import { sandboxClient } from "./client.ts";
import { startSandbox } from "./sandbox.ts";

const withinMs = 120_000;
const lookMs = 50;
/** The state that ends it, and the version of its stage. */
const end = { state: "COMPLETED", stageVersion: 7 } as const;

/** The spans that come last from ingress, dispatcher and scheduler, and how many of each there are. */
const lastSpans = [
  ["take inboundDirectDebitResponse", 1],
  ["deliver inboundDirectDebit", 1],
  ["decide DeliveryEnded", 2],
  ["decide StatusReportReceived", 1],
] as const;

export interface TracedDebit {
  readonly uetr: string;
  readonly spans: readonly CollectedSpan[];
}

export async function traceDebit(random: Random, stopping: AbortSignal): Promise<TracedDebit> {
  await using collector = await openOtlpCollector();
  const uetr = await playDebit(collector, random, stopping);
  return { uetr, spans: spansOf(collector, uetr) };
}

function spansOf({ spans }: OtlpCollector, uetr: string): readonly CollectedSpan[] {
  return spans.filter(({ attributes }) => attributes["sluice.uetr"] === uetr);
}

/** Returns its UETR. */
async function playDebit(collector: OtlpCollector, random: Random, stopping: AbortSignal): Promise<string> {
  await using sandbox = await startSandbox({
    host: "127.0.0.1",
    port: 0,
    controlPort: 0,
    random,
    startAtMs: machineTime.nowMs(),
    log: () => {},
    tracesUrl: collector.url,
    stopping,
  });
  const controlUrl = `http://127.0.0.1:${sandbox.controlPort}`;
  const uetr = String((await sandboxClient(controlUrl).post("/trigger", { name: "paid" }))["uetr"]);
  await until(`${uetr} is held`, stopping, async () => (await askTransaction(controlUrl, uetr)).includes('"state":"HELD"'));
  await fetch(`${controlUrl}/clock/open-window`, { method: "POST", body: "{}", signal: stopping });
  await until(`the spans of ${end.state} have come`, stopping, () => Promise.resolve(isComplete(spansOf(collector, uetr))));
  return uetr;
}

/** Each service sends its spans in their order, so its last one says that all have come. */
function isComplete(spans: readonly CollectedSpan[]): boolean {
  const isPosted = spans.some(
    ({ name, isError, attributes }) =>
      name === "deliver events" && !isError && attributes["sluice.stage_version"] === String(end.stageVersion),
  );
  const count = (wanted: string): number => spans.filter(({ name }) => name === wanted).length;
  return isPosted && lastSpans.every(([name, least]) => count(name) >= least);
}

async function askTransaction(controlUrl: string, uetr: string): Promise<string> {
  const headers = { authorization: `Bearer ${operatorToken}` };
  return await (await fetch(`${controlUrl}/control/v1/transactions/${uetr}`, { headers })).text();
}

async function until(what: string, stopping: AbortSignal, isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = machineTime.monotonicMs() + withinMs;
  while (!(await isSo())) {
    stopping.throwIfAborted();
    if (machineTime.monotonicMs() > deadlineMs) throw new Fault("trace.too-late", `not in time: ${what}`, { isRetryable: true });
    await sleep(machineTime, lookMs, stopping);
  }
}

const shownAttributes = [
  "sluice.state",
  "sluice.verdict",
  "sluice.receiver",
  "sluice.stage_version",
  "sluice.attempt",
  "http.response.status_code",
];

/** A tree of spans, each below the one that caused it, in the order of time. */
export function formatTrace({ uetr, spans }: TracedDebit): string {
  const byParent = Map.groupBy(spans, ({ parentSpanId }) => (spans.some(({ spanId }) => spanId === parentSpanId) ? parentSpanId : null));
  const beganMs = Math.min(...spans.map(({ startMs }) => startMs));
  const lines = (parent: string | null, depth: number): readonly string[] =>
    (byParent.get(parent) ?? [])
      .toSorted((a, b) => a.startMs - b.startMs)
      .flatMap((span) => [formatSpan(span, beganMs, depth), ...lines(span.spanId, depth + 1)]);
  const traces = new Set(spans.map(({ traceId }) => traceId));
  return [`debit ${uetr}, trace ${[...traces].join(", ")}, ${spans.length} spans`, ...lines(null, 0)].join("\n");
}

function formatSpan({ service, name, startMs, tookMs, attributes }: CollectedSpan, beganMs: number, depth: number): string {
  const at = `${((startMs - beganMs) / 1_000).toFixed(3)} s`.padStart(12);
  const said = shownAttributes.flatMap((attribute) => attributes[attribute] ?? []).join(" ");
  return `${at}  ${`${"  ".repeat(depth)}${service}: ${name}`.padEnd(52)} ${`${tookMs.toFixed(1)} ms`.padStart(9)}  ${said}`.trimEnd();
}
