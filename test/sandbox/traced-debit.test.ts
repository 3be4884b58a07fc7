import { readFileSync } from "node:fs";
import { machineRandom } from "@sluice/kernel";
import { expect, test } from "vitest";
import { formatTrace, traceDebit } from "./traced-debit.ts";

test("one trace leads from a bank's call over the journal, the verdict, the release and each attempt to the last posting", async () => {
  const debit = await traceDebit(machineRandom, new AbortController().signal);
  const { uetr, spans } = debit;
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([uetr.replaceAll("-", "")]));
  const named = new Set(spans.map(({ service, name }) => `${service}: ${name}`));
  expect([...named].toSorted()).toEqual([
    "dispatcher: deliver inboundDirectDebit",
    "dispatcher: deliver outboundDirectDebitResponse",
    "event-publisher: deliver events",
    "ingress: take inboundDirectDebitResponse",
    "ingress: take outboundDirectDebit",
    "scheduler: decide AccountVerified",
    "scheduler: decide DeliveryEnded",
    "scheduler: decide DirectDebitReceived",
    "scheduler: decide Release",
    "scheduler: decide StatusReportReceived",
    "validator: verdict",
  ]);
  const posted = spans.filter(({ name }) => name === "deliver events").map(({ attributes }) => String(attributes["sluice.stage_version"]));
  expect([...new Set(posted)].toSorted()).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
  const ids = new Set(spans.map(({ spanId }) => spanId));
  expect(ids.size).toBe(spans.length);
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === null || !ids.has(parentSpanId));
  expect(new Set(roots.map(({ service }) => service))).toEqual(new Set(["ingress"]));
  const page = /^```text\n(debit .*?)```/ms.exec(readFileSync(new URL("../../docs/traces.md", import.meta.url), "utf8"))?.[1] ?? "";
  const shown = withoutTimes(page);
  expect(shown.length).toBeGreaterThan(10);
  // A busy machine may add an attempt.
  expect(withoutTimes(formatTrace(debit))).toEqual(expect.arrayContaining([...shown]));
  const written = JSON.stringify(spans);
  for (const secret of ["accountNumber", "Mokoena", "ZAR"]) expect(written).not.toContain(secret);
}, 300_000);

/** The lines of a trace without their times. */
function withoutTimes(trace: string): readonly string[] {
  const lines = trace.trim().split("\n").slice(1);
  return lines.map((line) => line.replace(/^ +[\d.]+ s +/, "").replace(/ +[\d.]+ ms/, ""));
}
