import { silentLog, silentMetrics } from "@sluice/telemetry";
import type { Log, LogFields } from "@sluice/telemetry";
import { expect, test } from "vitest";
import { aboutNothing } from "./handler.ts";
import type { Turn } from "./handler.ts";
import { reportBatch } from "./report-batch.ts";
import { schedulerMetrics } from "./scheduler-metrics.ts";

function warned(over: Partial<Turn>): readonly (readonly [string, LogFields | undefined])[] {
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const log: Log = { ...silentLog, warn: (event, fields) => lines.push([event, fields]) };
  const record = { topic: "t", partition: 3, offset: 7n, appendedAtMs: 0, key: null, value: null, headers: {} };
  const turn: Turn = {
    record,
    key: "u",
    name: "StatusReportReceived",
    decision: "remarked",
    reason: null,
    outgoing: [],
    ...aboutNothing,
    ...over,
  };
  const agreedTime = { nowMs: () => 0 } as Parameters<typeof reportBatch>[0]["agreedTime"];
  const position = { lag: () => 0n } as Parameters<typeof reportBatch>[1]["position"];
  reportBatch(
    { log, metrics: schedulerMetrics(silentMetrics), agreedTime },
    { lane: 3, epoch: 1, position },
    { turns: [turn], written: 0 },
    1,
  );
  return lines;
}

test("a message that changes nothing and that an operator should see is a warning: foreign, contradicting, conflicting, an orphan [D4 foreign]", () => {
  for (const reason of ["report-foreign", "report-contradicting", "conflict", "report-orphan", "duplicate-refused"]) {
    expect(warned({ reason })).toEqual([
      ["message.remarked", { lane: 3, uetr: "u", kind: reason, fact: "StatusReportReceived", offset: 7n }],
    ]);
  }
  expect(warned({ reason: "repeat" })).toEqual([]);
  expect(warned({ reason: "report-foreign", decision: "replayed" })).toEqual([]);
});

test("a declaration that was answered 202 and that the day refuses is a warning", () => {
  const refused = { name: "CreditsFinalRequested", decision: "refused", reason: "not-planned", key: "ZA_EFT:2026-11-20" } as const;
  expect(warned(refused)).toEqual([["declaration.refused", { lane: 3, day: "ZA_EFT:2026-11-20", reason: "not-planned", offset: 7n }]]);
  expect(warned({ ...refused, decision: "applied", reason: null })).toEqual([]);
});

test("a changed calendar that a planned date does not take is a warning, with what is in force", () => {
  const base = { name: "DayPlanned", key: "ZA_EFT:2026-11-20" } as const;
  const fields = { lane: 3, day: "ZA_EFT:2026-11-20", inForce: null, offset: 7n };
  for (const reason of ["plan-leaves-no-window", "plan-out-of-order", "too-many-plans"]) {
    expect(warned({ ...base, decision: "refused", reason })).toEqual([["plan.not-taken", { ...fields, reason }]]);
  }
  const superseded = { ...base, decision: "ignored", reason: "plan-superseded" } as const;
  expect(warned(superseded)).toEqual([["plan.not-taken", { ...fields, reason: "plan-superseded" }]]);
  expect(warned({ ...base, decision: "ignored", reason: null })).toEqual([]);
  expect(warned({ ...base, decision: "replayed", reason: null })).toEqual([]);
});
