import { type Logger, type LogFields, silentLogger, silentMetrics } from "@sluice/kernel";
import { openOperatorJudge } from "@sluice/signatures";
import { expect, test } from "vitest";
import { type HandledRecord, noEffects } from "../../handlers/handler.ts";
import { reportBatch } from "./report-batch.ts";
import { SchedulerEnvironment } from "../../scheduler.fixture.ts";
import { createSchedulerMetrics } from "../../scheduler-metrics.ts";

const journalRecord = { topic: "t", partition: 3, offset: 7n, appendedAtMs: 0, key: null, value: null, headers: {} };

function reportedWarnings(
  over: Partial<HandledRecord>,
  metrics = createSchedulerMetrics(silentMetrics),
): readonly (readonly [string, LogFields | undefined])[] {
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const logger: Logger = { ...silentLogger, warn: (event, fields) => lines.push([event, fields]) };
  const one: HandledRecord = {
    record: journalRecord,
    key: "u",
    name: "StatusReportReceived",
    decision: "recorded",
    reason: null,
    outgoing: [],
    ...noEffects,
    ...over,
  };
  const brokerClock = { nowMs: () => 0 } as Parameters<typeof reportBatch>[0]["brokerClock"];
  const position = { lag: () => 0n } as Parameters<typeof reportBatch>[1]["position"];
  const operatorJudge = openOperatorJudge({ configuration: { operatorSignatures: null }, logger, metrics: silentMetrics }, "scheduler");
  reportBatch(
    { logger, metrics, brokerClock, operatorJudge },
    { partition: 3, epoch: 1, position },
    { handled: [one], documentsWritten: 0 },
    1,
  );
  return lines;
}

test("an observation that an operator should see is a warning: foreign, contradicting, conflicting, an orphan [D4 foreign]", () => {
  for (const reason of ["report-foreign", "report-contradicting", "conflict", "report-orphan", "duplicate-refused"]) {
    expect(reportedWarnings({ reason })).toEqual([
      ["message.recorded", { partition: 3, uetr: "u", kind: reason, fact: "StatusReportReceived", offset: 7n }],
    ]);
  }
  expect(reportedWarnings({ reason: "repeat" })).toEqual([]);
  expect(reportedWarnings({ reason: "report-foreign", decision: "replayed" })).toEqual([]);
});

test("a declaration that was answered 202 and that the day refuses is a warning", () => {
  const refused = { name: "CreditsFinalRequested", decision: "refused", reason: "not-planned", key: "ZA_EFT:2026-11-20" } as const;
  expect(reportedWarnings(refused)).toEqual([
    ["declaration.refused", { partition: 3, day: "ZA_EFT:2026-11-20", reason: "not-planned", offset: 7n }],
  ]);
  expect(reportedWarnings({ ...refused, decision: "applied", reason: null })).toEqual([]);
});

test("a changed calendar without effect on a planned date is a warning, with the version in force", () => {
  const base = { name: "DayPlanned", key: "ZA_EFT:2026-11-20" } as const;
  const fields = { partition: 3, day: "ZA_EFT:2026-11-20", inForce: null, offset: 7n };
  for (const reason of ["plan-leaves-no-window", "plan-out-of-order", "too-many-plans"]) {
    expect(reportedWarnings({ ...base, decision: "refused", reason })).toEqual([["plan.not-taken", { ...fields, reason }]]);
  }
  const superseded = { ...base, decision: "ignored", reason: "plan-superseded" } as const;
  expect(reportedWarnings(superseded)).toEqual([["plan.not-taken", { ...fields, reason: "plan-superseded" }]]);
  expect(reportedWarnings({ ...base, decision: "ignored", reason: null })).toEqual([]);
  expect(reportedWarnings({ ...base, decision: "replayed", reason: null })).toEqual([]);
});

test("the time from the receipt to the verdict is observed once, and a replay observes nothing", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("held", () => environment.events(uetr).length === 4);
  const { transaction } = (await environment.document(uetr))!;
  const [received, accepted] = transaction.transitions;
  const observed: number[] = [];
  const metrics = createSchedulerMetrics({ ...silentMetrics, histogram: () => ({ observe: (seconds) => void observed.push(seconds) }) });
  for (const { offset } of transaction.transitions) {
    reportedWarnings({ transaction, decision: "applied", record: { ...journalRecord, offset } }, metrics);
    reportedWarnings({ transaction, decision: "replayed", record: { ...journalRecord, offset } }, metrics);
  }
  expect(observed).toEqual([(accepted!.atMs - received!.atMs) / 1_000]);
});
