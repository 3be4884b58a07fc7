// Decisions of operators on a day and on a bank, through the whole scheduler with take-overs in between: extensions,
// declarations, gate openings and pauses.

import { type AnyDecodedRecord, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import {
  closesAtMs,
  opensAtMs,
  reconciliationAtMs,
  schedulerBank,
  schedulerDay,
  SchedulerEnvironment,
  type SchedulerEnvironmentOptions,
} from "../scheduler.fixture.ts";
import {
  gateOpeningRecord,
  operatorCreditsFinalRecord,
  pauseRecord,
  closeExtensionRecord,
  resumeRecord,
} from "../operator-records.fixture.ts";

const second = "second";

/** Lists the UETRs of the inbound debits to a bank, in the order of their first dispatch. */
function sentTo(environment: SchedulerEnvironment, to: string = schedulerBank): readonly string[] {
  const sent = environment.named(topics.dispatch, "Dispatch").filter(({ decoded: { value } }) => value.operation === "inboundDirectDebit");
  return [...new Set(sent.filter(({ decoded }) => decoded.value.bank === to).map(({ decoded }) => decoded.value.uetr))];
}

const markers = <N extends "WindowClosed" | "DayReconciled" | "GateOpened">(environment: SchedulerEnvironment, name: N) =>
  environment.named(topics.journal, name).filter(({ partition }) => partition === 0);

async function requestDecision(environment: SchedulerEnvironment, decoded: AnyDecodedRecord, key: string = schedulerDay): Promise<void> {
  await environment.append(topics.journal, key, decoded);
}

async function opened(environment: SchedulerEnvironment): Promise<void> {
  await environment.until("opened", () => environment.named(topics.journal, "WindowOpened").length >= environment.partitionCount);
}

async function planned(environment: SchedulerEnvironment): Promise<void> {
  await environment.until("planned", () =>
    environment.named(topics.journal, "DayTimes").some(({ key }) => new TextDecoder().decode(key ?? undefined) === schedulerDay),
  );
}

async function decisions(environment: SchedulerEnvironment) {
  const stored = await environment.settle(environment.store.days.load([schedulerDay]));
  return (stored.get(schedulerDay)?.decisions ?? []).map(({ kind, result, why }) => [kind, result, why]);
}

// ---- extension of a close

test("a window with an extended close goes on releasing past the old time, and closes at the new one", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  await opened(environment);
  await requestDecision(environment, closeExtensionRecord(1, closesAtMs + 20_000));
  await environment.time.advance(closesAtMs + 5_000 - environment.time.nowMs());
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("released", () => sentTo(environment).length === 1);
  await environment.until("closed", () => markers(environment, "WindowClosed").length === 1);
  expect(markers(environment, "WindowClosed")[0]?.appendedAtMs).toBeGreaterThanOrEqual(closesAtMs + 20_000);
});

test("a day keeps both persons of a decision that a second one confirmed", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  await opened(environment);
  const extension = closeExtensionRecord(1, closesAtMs + 20_000);
  const action = { ...extension.value.action, confirmedBy: "sipho" };
  await requestDecision(environment, { ...extension, value: { ...extension.value, action } });
  await environment.time.advance(5_000);
  const day = (await environment.settle(environment.store.days.load([schedulerDay]))).get(schedulerDay);
  const persons = { operator: "thandi", confirmedBy: "sipho" };
  expect(day).toMatchObject({ extensions: [{ action: persons }], decisions: [{ action: persons }] });
});

test("I9: an extension that races with the close either wins and the close waits, or is refused and recorded; never both, never neither [D9 extend]", async () => {
  const seen = new Set<string>();
  for (const gapMs of [-300, -20, -3, 0, 3, 20, 300]) {
    const refused: unknown[] = [];
    const environment = new SchedulerEnvironment({
      onProblem: (event, fields) => void (event === "action.refused" && refused.push(fields["reason"])),
    });
    await environment.scheduler();
    await opened(environment);
    await environment.time.advance(closesAtMs + gapMs - environment.time.nowMs());
    await requestDecision(environment, closeExtensionRecord(1, closesAtMs + 20_000));
    await environment.until("closed", () => markers(environment, "WindowClosed").length === 1);
    await environment.time.advance(1_000);
    const closedAtMs = markers(environment, "WindowClosed")[0]?.appendedAtMs ?? 0;
    const [[, result, why] = []] = await decisions(environment);
    expect(closedAtMs).toBeGreaterThanOrEqual(result === "applied" ? closesAtMs + 20_000 : closesAtMs);
    expect(closedAtMs < closesAtMs + 20_000).toBe(result === "refused");
    expect(refused).toEqual(result === "refused" ? [why] : []);
    seen.add(`${result} ${why}`);
  }
  expect(seen).toEqual(new Set(["applied null", "refused close-reached"]));
});

test("I10: an extended reconciliation gives dispatchers the new time, and a debit that ends before it is no item", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("released", () => sentTo(environment).length === 1);
  await requestDecision(environment, closeExtensionRecord(0, reconciliationAtMs + 60_000));
  await environment.time.advance(reconciliationAtMs + 10_000 - environment.time.nowMs());
  expect(markers(environment, "DayReconciled")).toEqual([]);
  const announced = environment.named(topics.dispatch, "DayTimes").filter(({ decoded: { value } }) => value.businessDate === "2026-11-20");
  expect(announced.filter(({ partition }) => partition === 0).map(({ decoded }) => decoded.value.reconciliationAtMs)).toEqual([
    reconciliationAtMs,
    reconciliationAtMs + 60_000,
  ]);
  await requestDecision(environment, environment.deliveryEnded(uetr, "D"), uetr);
  await requestDecision(environment, environment.report(uetr, "made"), uetr);
  await environment.until("reconciled", () => markers(environment, "DayReconciled").length === 1);
  expect((await environment.document(uetr))?.transaction).toMatchObject({ state: "COMPLETED", items: [] });
});

test("I9: an extension survives its scheduler: the next one closes at the new time, also if the first died before it wrote anything", async () => {
  for (const dieAfterMs of [2, 10, 40, 400]) {
    const environment = new SchedulerEnvironment();
    const first = await environment.scheduler();
    await opened(environment);
    await requestDecision(environment, closeExtensionRecord(1, closesAtMs + 20_000));
    await environment.time.advance(dieAfterMs);
    first.kill();
    await environment.scheduler();
    await environment.until("closed", () => markers(environment, "WindowClosed").length > 0);
    expect(markers(environment, "WindowClosed")[0]?.appendedAtMs).toBeGreaterThanOrEqual(closesAtMs + 20_000);
    expect(await decisions(environment)).toEqual([["CloseExtensionRequested", "applied", null]]);
  }
});

// ---- gate opening by an operator

const gatedDay = (options: SchedulerEnvironmentOptions = {}): SchedulerEnvironment =>
  new SchedulerEnvironment({ partitionCount: 3, banks: [second], creditsFinal: "connector", ...options });

test("I8: if the connector is silent an operator declares, for one bank or for all, and the gates open by it [D9 gate-by-hand]", async () => {
  const environment = gatedDay();
  await environment.scheduler();
  for (const to of [schedulerBank, second]) await environment.hold(environment.uetr(), environment.time.nowMs(), to);
  await opened(environment);
  await environment.time.advance(5_000);
  expect([sentTo(environment), sentTo(environment, second)]).toEqual([[], []]);
  await requestDecision(environment, operatorCreditsFinalRecord(second, environment.time.nowMs()));
  await environment.until("to the one", () => sentTo(environment, second).length === 1);
  expect(sentTo(environment)).toEqual([]);
  await requestDecision(environment, operatorCreditsFinalRecord(null, environment.time.nowMs()));
  await environment.until("to all", () => sentTo(environment).length === 1);
});

test("I8: an operator opens one bank's gate despite unresolved credits; their end opens nothing a second time [D9 gate-by-hand]", async () => {
  const environment = gatedDay();
  await environment.scheduler();
  const credits = [environment.uetrInPartition(0), environment.uetrInPartition(2)];
  for (const uetr of credits) await environment.credit(uetr);
  const other = environment.uetrInPartition(1);
  await environment.credit(other, { bank: second });
  for (const to of [schedulerBank, second]) await environment.hold(environment.uetr(), environment.time.nowMs(), to);
  await opened(environment);
  await environment.declare();
  await environment.until("all but two", () => markers(environment, "GateOpened").length === 1);
  await requestDecision(environment, gateOpeningRecord(schedulerBank, credits));
  await environment.until("released", () => sentTo(environment).length === 1);
  expect(sentTo(environment, second)).toEqual([]);
  for (const uetr of credits) await environment.endCredit(uetr);
  await environment.endCredit(other, second);
  await environment.until("the other too", () => sentTo(environment, second).length === 1);
  expect(markers(environment, "GateOpened").map(({ decoded: { value } }) => value.banks)).toEqual([null, [schedulerBank], [second]]);
  expect(await decisions(environment)).toEqual([["GateOpeningRequested", "applied", null]]);
});

test("I8: no operator opens a gate before the declaration, nor before a lagging partition has answered", async () => {
  const refused: unknown[] = [];
  const environment = gatedDay({ onProblem: (event, fields) => void (event === "action.refused" && refused.push(fields["reason"])) });
  await environment.scheduler();
  await planned(environment);
  await requestDecision(environment, gateOpeningRecord(schedulerBank));
  await environment.declare();
  await requestDecision(environment, gateOpeningRecord(schedulerBank));
  await environment.until("declared", () => environment.named(topics.journal, "CreditsDeclared").length === 3);
  await environment.time.advance(1_000);
  expect(await decisions(environment)).toEqual([
    ["GateOpeningRequested", "refused", "not-declared"],
    ["GateOpeningRequested", "refused", "partitions-awaited"],
  ]);
  expect(refused).toEqual(["not-declared", "partitions-awaited"]);
});

test("I3: a gate that an operator opens opens once, also if the scheduler is killed around it", async () => {
  for (const dieAfterMs of [2, 15, 60]) {
    const environment = gatedDay();
    const first = await environment.scheduler();
    await environment.credit(environment.uetr());
    await environment.hold(environment.uetr());
    await opened(environment);
    await environment.declare();
    await environment.until("all but one", () => markers(environment, "GateOpened").length === 1);
    await requestDecision(environment, gateOpeningRecord(schedulerBank));
    await environment.time.advance(dieAfterMs);
    first.kill();
    await environment.scheduler();
    await environment.until("released", () => sentTo(environment).length === 1);
    const ids = markers(environment, "GateOpened").map(({ decoded }) => decoded.value.id);
    expect(new Set(ids).size).toBe(2);
  }
});

// ---- pause

test("I8: a paused bank gets nothing though its window and gate are open, and everything in order once it is resumed; other banks get their debits [D9 pause]", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1, banks: [second] });
  await environment.scheduler();
  const mine = [1, 2, 3].map((number) => ({ uetr: environment.uetr(), receivedAtMs: environment.time.nowMs() - number }));
  for (const { uetr, receivedAtMs } of mine) await environment.hold(uetr, receivedAtMs);
  await requestDecision(environment, pauseRecord(schedulerBank), `bank:${schedulerBank}`);
  await opened(environment);
  const other = environment.uetr();
  await environment.hold(other, environment.time.nowMs(), second);
  await environment.until("the other bank's", () => sentTo(environment, second).length === 1);
  await environment.time.advance(10_000);
  expect(sentTo(environment)).toEqual([]);
  expect(environment.named(topics.journal, "Release").map(({ decoded }) => decoded.value.bank)).toEqual([second]);
  await requestDecision(environment, resumeRecord(schedulerBank), `bank:${schedulerBank}`);
  await environment.until("released", () => sentTo(environment).length === 3);
  expect(sentTo(environment)).toEqual(mine.toReversed().map(({ uetr }) => uetr));
  const stored = await environment.settle(environment.store.banks.load([schedulerBank]));
  expect(stored.get(schedulerBank)).toMatchObject({
    isPaused: false,
    pauses: 1,
    resumes: 1,
    decisions: [{ result: "applied" }, { result: "applied" }],
  });
});

test("a bank's markers are in every partition of the journal, of dispatch and of events, once each by id", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 3 });
  await environment.scheduler();
  const pause = pauseRecord(schedulerBank, "once");
  for (const record of [pause, pause, pauseRecord(schedulerBank), resumeRecord(schedulerBank)])
    await requestDecision(environment, record, `bank:${schedulerBank}`);
  await environment.until("resumed", () => environment.named(topics.journal, "BankResumed").length === 3);
  for (const topic of [topics.journal, topics.dispatch, topics.events]) {
    const ids = (["BankPaused", "BankResumed"] as const).flatMap((name) =>
      environment.named(topic, name).map(({ decoded }) => decoded.value.id),
    );
    expect(ids).toEqual(
      ["BankPaused", "BankResumed"].flatMap((kind) => [0, 1, 2].map((partition) => `bank:${schedulerBank}:${kind}:1:${partition}`)),
    );
  }
  const stored = await environment.settle(environment.store.banks.load([schedulerBank]));
  expect(stored.get(schedulerBank)?.decisions.map(({ result, why }) => [result, why])).toEqual([
    ["applied", null],
    ["ignored", "already-so"],
    ["applied", null],
  ]);
});

test("I8: a pause survives its scheduler, wherever it died, and a window that opens meanwhile releases nothing to the bank", async () => {
  for (const dieAfterMs of [2, 15, 60, 3_000]) {
    const environment = new SchedulerEnvironment({ partitionCount: 2 });
    const first = await environment.scheduler();
    await environment.hold(environment.uetr());
    await requestDecision(environment, pauseRecord(schedulerBank), `bank:${schedulerBank}`);
    await environment.time.advance(dieAfterMs);
    first.kill();
    await environment.scheduler();
    await opened(environment);
    await environment.time.advance(10_000);
    expect(sentTo(environment)).toEqual([]);
    expect(environment.time.nowMs()).toBeGreaterThan(opensAtMs);
    await requestDecision(environment, resumeRecord(schedulerBank), `bank:${schedulerBank}`);
    await environment.until("released", () => sentTo(environment).length === 1);
  }
});

test("a debit held by a pause to the end of its window is an item with that reason", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await requestDecision(environment, pauseRecord(schedulerBank), `bank:${schedulerBank}`);
  await environment.until("reconciled", () => environment.events(uetr).length === 5);
  expect((await environment.document(uetr))?.transaction.items).toMatchObject([{ row: 0, cause: "BANK_PAUSED" }]);
});
