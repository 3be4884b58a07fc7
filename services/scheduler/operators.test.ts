// What operators do to a day and to a bank, through the whole scheduler: put-backs, declarations and gates by hand, pauses. Take-overs in between.

import { topics } from "@sluice/contracts";
import type { AnyDecoded } from "@sluice/contracts";
import { expect, test } from "vitest";
import { bank, closesAtMs, day, opensAtMs, reconciliationAtMs, World } from "./given.ts";
import type { WorldOptions } from "./given.ts";
import { gateOpeningRecord, operatorDeclaresRecord, pauseRecord, putBackRecord, resumeRecord } from "./given-operators.ts";

const second = "second";

/** UETRs of the inbound debits to a bank, in the order of their first dispatch. */
function sentTo(world: World, to: string = bank): readonly string[] {
  const sent = world.named(topics.dispatch, "Dispatch").filter(({ decoded: { value } }) => value.operation === "inboundDirectDebit");
  return [...new Set(sent.filter(({ decoded }) => decoded.value.bank === to).map(({ decoded }) => decoded.value.uetr))];
}

const markers = <N extends "WindowClosed" | "DayReconciled" | "GateOpened">(world: World, name: N) =>
  world.named(topics.journal, name).filter(({ partition }) => partition === 0);

async function ask(world: World, decoded: AnyDecoded, key: string = day): Promise<void> {
  await world.append(topics.journal, key, decoded);
}

async function opened(world: World): Promise<void> {
  await world.until("opened", () => world.named(topics.journal, "WindowOpened").length >= world.lanes);
}

async function planned(world: World): Promise<void> {
  await world.until("planned", () =>
    world.named(topics.journal, "DayTimes").some(({ key }) => new TextDecoder().decode(key ?? undefined) === day),
  );
}

async function decisions(world: World) {
  const stored = await world.done(world.store.days.load([day]));
  return (stored.get(day)?.decisions ?? []).map(({ kind, result, why }) => [kind, result, why]);
}

// ---- put back

test("a window whose close was put back goes on releasing past the old time, and closes at the new one", async () => {
  const world = new World();
  await world.scheduler();
  await opened(world);
  await ask(world, putBackRecord(1, closesAtMs + 20_000));
  await world.time.advance(closesAtMs + 5_000 - world.time.nowMs());
  const uetr = world.uetr();
  await world.hold(uetr);
  await world.until("released", () => sentTo(world).length === 1);
  await world.until("closed", () => markers(world, "WindowClosed").length === 1);
  expect(markers(world, "WindowClosed")[0]?.appendedAtMs).toBeGreaterThanOrEqual(closesAtMs + 20_000);
});

test("I9: a put-back that races with the close: either it wins and the close waits, or it is refused and noted; never both, never neither [D9 put-back]", async () => {
  const seen = new Set<string>();
  for (const gapMs of [-300, -20, -3, 0, 3, 20, 300]) {
    const refused: unknown[] = [];
    const world = new World({ onTrouble: (event, fields) => void (event === "action.refused" && refused.push(fields["reason"])) });
    await world.scheduler();
    await opened(world);
    await world.time.advance(closesAtMs + gapMs - world.time.nowMs());
    await ask(world, putBackRecord(1, closesAtMs + 20_000));
    await world.until("closed", () => markers(world, "WindowClosed").length === 1);
    await world.time.advance(1_000);
    const closedAtMs = markers(world, "WindowClosed")[0]?.appendedAtMs ?? 0;
    const [[, result, why] = []] = await decisions(world);
    expect(closedAtMs).toBeGreaterThanOrEqual(result === "applied" ? closesAtMs + 20_000 : closesAtMs);
    expect(closedAtMs < closesAtMs + 20_000).toBe(result === "refused");
    expect(refused).toEqual(result === "refused" ? [why] : []);
    seen.add(`${result} ${why}`);
  }
  expect(seen).toEqual(new Set(["applied null", "refused close-reached"]));
});

test("I10: the reconciliation put back: dispatchers are told the new time, and what ends before it is no item", async () => {
  const world = new World();
  await world.scheduler();
  const uetr = world.uetr();
  await world.hold(uetr);
  await world.until("released", () => sentTo(world).length === 1);
  await ask(world, putBackRecord(0, reconciliationAtMs + 60_000));
  await world.time.advance(reconciliationAtMs + 10_000 - world.time.nowMs());
  expect(markers(world, "DayReconciled")).toEqual([]);
  const told = world.named(topics.dispatch, "DayTimes").filter(({ decoded: { value } }) => value.businessDate === "2026-11-20");
  expect(told.filter(({ partition }) => partition === 0).map(({ decoded }) => decoded.value.reconciliationAtMs)).toEqual([
    reconciliationAtMs,
    reconciliationAtMs + 60_000,
  ]);
  await ask(world, world.endedOf(uetr, "D"), uetr);
  await ask(world, world.reportOf(uetr, "made"), uetr);
  await world.until("reconciled", () => markers(world, "DayReconciled").length === 1);
  expect((await world.document(uetr))?.transaction).toMatchObject({ state: "COMPLETED", items: [] });
});

test("I9: a put-back outlives its scheduler: the next one closes at the new time, also where the first died before it wrote anything", async () => {
  for (const dieAfterMs of [2, 10, 40, 400]) {
    const world = new World();
    const first = await world.scheduler();
    await opened(world);
    await ask(world, putBackRecord(1, closesAtMs + 20_000));
    await world.time.advance(dieAfterMs);
    first.kill();
    await world.scheduler();
    await world.until("closed", () => markers(world, "WindowClosed").length > 0);
    expect(markers(world, "WindowClosed")[0]?.appendedAtMs).toBeGreaterThanOrEqual(closesAtMs + 20_000);
    expect(await decisions(world)).toEqual([["CloseExtensionRequested", "applied", null]]);
  }
});

// ---- the gate by hand

const gated = (options: WorldOptions = {}): World => new World({ lanes: 3, banks: [second], creditsFinal: "connector", ...options });

test("I8: an operator declares where the connector is silent, for one bank or for all, and the gates open by it [D9 gate-by-hand]", async () => {
  const world = gated();
  await world.scheduler();
  for (const to of [bank, second]) await world.hold(world.uetr(), world.time.nowMs(), to);
  await opened(world);
  await world.time.advance(5_000);
  expect([sentTo(world), sentTo(world, second)]).toEqual([[], []]);
  await ask(world, operatorDeclaresRecord(second, world.time.nowMs()));
  await world.until("to the one", () => sentTo(world, second).length === 1);
  expect(sentTo(world)).toEqual([]);
  await ask(world, operatorDeclaresRecord(null, world.time.nowMs()));
  await world.until("to all", () => sentTo(world).length === 1);
});

test("I8: an operator opens one bank's gate over unresolved credits; their end opens nothing a second time [D9 gate-by-hand]", async () => {
  const world = gated();
  await world.scheduler();
  const credits = [world.uetrIn(0), world.uetrIn(2)];
  for (const uetr of credits) await world.credit(uetr);
  const other = world.uetrIn(1);
  await world.credit(other, { bank: second });
  for (const to of [bank, second]) await world.hold(world.uetr(), world.time.nowMs(), to);
  await opened(world);
  await world.declare();
  await world.until("all but two", () => markers(world, "GateOpened").length === 1);
  await ask(world, gateOpeningRecord(bank, credits));
  await world.until("released", () => sentTo(world).length === 1);
  expect(sentTo(world, second)).toEqual([]);
  for (const uetr of credits) await world.endCredit(uetr);
  await world.endCredit(other, second);
  await world.until("the other too", () => sentTo(world, second).length === 1);
  expect(markers(world, "GateOpened").map(({ decoded: { value } }) => value.banks)).toEqual([null, [bank], [second]]);
  expect(await decisions(world)).toEqual([["GateOpeningRequested", "applied", null]]);
});

test("I8: no gate is opened by hand before it was declared, nor before a lane that lags has answered", async () => {
  const refused: unknown[] = [];
  const world = gated({ onTrouble: (event, fields) => void (event === "action.refused" && refused.push(fields["reason"])) });
  await world.scheduler();
  await planned(world);
  await ask(world, gateOpeningRecord(bank));
  await world.declare();
  await ask(world, gateOpeningRecord(bank));
  await world.until("declared", () => world.named(topics.journal, "CreditsDeclared").length === 3);
  await world.time.advance(1_000);
  expect(await decisions(world)).toEqual([
    ["GateOpeningRequested", "refused", "not-declared"],
    ["GateOpeningRequested", "refused", "lanes-awaited"],
  ]);
  expect(refused).toEqual(["not-declared", "lanes-awaited"]);
});

test("I3: killed around a gate's opening by hand, it opens once", async () => {
  for (const dieAfterMs of [2, 15, 60]) {
    const world = gated();
    const first = await world.scheduler();
    await world.credit(world.uetr());
    await world.hold(world.uetr());
    await opened(world);
    await world.declare();
    await world.until("all but one", () => markers(world, "GateOpened").length === 1);
    await ask(world, gateOpeningRecord(bank));
    await world.time.advance(dieAfterMs);
    first.kill();
    await world.scheduler();
    await world.until("released", () => sentTo(world).length === 1);
    const ids = markers(world, "GateOpened").map(({ decoded }) => decoded.value.id);
    expect(new Set(ids).size).toBe(2);
  }
});

// ---- pause

test("I8: a paused bank gets nothing though its window and gate are open, and all in order once it is resumed; others get theirs [D9 pause]", async () => {
  const world = new World({ lanes: 1, banks: [second] });
  await world.scheduler();
  const mine = [1, 2, 3].map((number) => ({ uetr: world.uetr(), receivedAtMs: world.time.nowMs() - number }));
  for (const { uetr, receivedAtMs } of mine) await world.hold(uetr, receivedAtMs);
  await ask(world, pauseRecord(bank), `bank:${bank}`);
  await opened(world);
  const other = world.uetr();
  await world.hold(other, world.time.nowMs(), second);
  await world.until("the other bank's", () => sentTo(world, second).length === 1);
  await world.time.advance(10_000);
  expect(sentTo(world)).toEqual([]);
  expect(world.named(topics.journal, "Release").map(({ decoded }) => decoded.value.bank)).toEqual([second]);
  await ask(world, resumeRecord(bank), `bank:${bank}`);
  await world.until("released", () => sentTo(world).length === 3);
  expect(sentTo(world)).toEqual(mine.toReversed().map(({ uetr }) => uetr));
  const stored = await world.done(world.store.banks.load([bank]));
  expect(stored.get(bank)).toMatchObject({
    isPaused: false,
    pauses: 1,
    resumes: 1,
    decisions: [{ result: "applied" }, { result: "applied" }],
  });
});

test("a bank's markers lie in every partition of the journal, of dispatch and of events, once each by id", async () => {
  const world = new World({ lanes: 3 });
  await world.scheduler();
  const pause = pauseRecord(bank, "once");
  for (const record of [pause, pause, pauseRecord(bank), resumeRecord(bank)]) await ask(world, record, `bank:${bank}`);
  await world.until("resumed", () => world.named(topics.journal, "BankResumed").length === 3);
  for (const topic of [topics.journal, topics.dispatch, topics.events]) {
    const ids = (["BankPaused", "BankResumed"] as const).flatMap((name) => world.named(topic, name).map(({ decoded }) => decoded.value.id));
    expect(ids).toEqual(["BankPaused", "BankResumed"].flatMap((kind) => [0, 1, 2].map((lane) => `bank:${bank}:${kind}:1:${lane}`)));
  }
  const stored = await world.done(world.store.banks.load([bank]));
  expect(stored.get(bank)?.decisions.map(({ result, why }) => [result, why])).toEqual([
    ["applied", null],
    ["ignored", "already-so"],
    ["applied", null],
  ]);
});

test("I8: a pause outlives its scheduler, wherever it died, and a window that opens meanwhile releases nothing to the bank", async () => {
  for (const dieAfterMs of [2, 15, 60, 3_000]) {
    const world = new World({ lanes: 2 });
    const first = await world.scheduler();
    await world.hold(world.uetr());
    await ask(world, pauseRecord(bank), `bank:${bank}`);
    await world.time.advance(dieAfterMs);
    first.kill();
    await world.scheduler();
    await opened(world);
    await world.time.advance(10_000);
    expect(sentTo(world)).toEqual([]);
    expect(world.time.nowMs()).toBeGreaterThan(opensAtMs);
    await ask(world, resumeRecord(bank), `bank:${bank}`);
    await world.until("released", () => sentTo(world).length === 1);
  }
});

test("a debit held by a pause to the end of its window is an item that says so", async () => {
  const world = new World();
  await world.scheduler();
  const uetr = world.uetr();
  await world.hold(uetr);
  await ask(world, pauseRecord(bank), `bank:${bank}`);
  await world.until("reconciled", () => world.events(uetr).length === 5);
  expect((await world.document(uetr))?.transaction.items).toMatchObject([{ row: 0, cause: "BANK_PAUSED" }]);
});
