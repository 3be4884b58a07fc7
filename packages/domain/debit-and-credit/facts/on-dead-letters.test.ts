// Dead letters of a transaction, and its quarantine (docs/runbooks/dead-letters.md).

import { expect, test } from "vitest";
import {
  acceptedSteps,
  credit,
  creditPending,
  creditVerdict,
  date,
  dayClosed,
  dayReconciled,
  dayTimes,
  deadlinePassed,
  debit,
  deliveredSteps,
  ended,
  heldSteps,
  identity,
  nextDate,
  openDay,
  release,
  releasedSteps,
  report,
  runSteps,
  type SequenceStep,
  shortName,
  stateAfter,
  stepPosition,
  today,
  tomorrow,
  verdict,
} from "../../given.fixture.ts";
import { confirmation, deadLettersReplayed, recordDeadLettered, resolution, withdrawal } from "../decisions.fixture.ts";
import { isCreditAwaited, toCreditAtGate } from "../../day/awaited-credit.ts";
import { observationsKept } from "../transaction.ts";

const close: readonly SequenceStep[] = [dayReconciled(), dayClosed()];

test("a dead-lettered record quarantines its transaction and is counted; the state stays and nothing is sent [D9 quarantined]", () => {
  const { last, transaction } = stateAfter(...heldSteps, recordDeadLettered(), recordDeadLettered());
  expect(last).toMatchObject({ decision: "applied", reason: "quarantined", outputs: [] });
  const { offset, appendedAtMs } = stepPosition(heldSteps.length);
  expect(transaction).toMatchObject({ state: "HELD", quarantined: { sinceMs: appendedAtMs, offset, records: 2 } });
});

test("a dead-lettered record under an unknown UETR quarantines an orphan, which has no state, event or observation", () => {
  const { last, transaction, states } = stateAfter(recordDeadLettered());
  expect(last.outputs).toEqual([]);
  expect(states).toEqual([]);
  expect(transaction).toMatchObject({ state: "ORPHAN", flow: null, observations: { count: 0 }, quarantined: { records: 1 }, version: 1 });
});

test.each([
  { what: "a debit", given: [recordDeadLettered()], fact: debit() },
  { what: "a verdict", given: [debit(), recordDeadLettered()], fact: verdict() },
  { what: "a report", given: [...deliveredSteps, recordDeadLettered()], fact: report() },
  { what: "a further message", given: [...heldSteps, recordDeadLettered()], fact: debit({ message: identity("M2", "c2") }) },
])("$what that follows is dead-lettered too, in order: it is not decided, but counted and recorded by its name", ({ given, fact }) => {
  const before = stateAfter(...given).transaction;
  const { last, transaction } = stateAfter(...given, fact);
  expect(last).toMatchObject({ decision: "dead-lettered", reason: "quarantined", outputs: [] });
  const { quarantined, observations, version, applied, unreadMessage: _, ...rest } = transaction;
  expect(before).toMatchObject(rest);
  expect([quarantined?.records, observations.count, version]).toEqual([2, 1, before.version + 1]);
  expect(observations.last).toMatchObject([{ kind: "dead-lettered", offset: applied }]);
});

test("a record that Sluice itself appended, or that an operator asked for, is decided as always during a quarantine", () => {
  expect(stateAfter(...acceptedSteps, recordDeadLettered(), ended("A")).states.at(-1)).toBe("HELD");
  expect(stateAfter(...heldSteps, ...openDay, recordDeadLettered(), release()).states.at(-1)).toBe("RELEASED");
  expect(stateAfter(...creditPending, recordDeadLettered(), deadlinePassed()).states.at(-1)).toBe("CREDIT_AUTH_RECONCILIATION");
  expect(stateAfter(...heldSteps, recordDeadLettered(), withdrawal()).transaction.items).toMatchObject([{ row: 0, cause: "WITHDRAWN" }]);
  const resolved = stateAfter(...heldSteps, recordDeadLettered(), ...close, resolution({ needsSecondPerson: true }), confirmation());
  expect(resolved.transaction.items).toMatchObject([{ resolution: { isFinal: true } }]);
});

test("I10: a close during a quarantine makes an item of row 4; an early item keeps its row [7.4]", () => {
  for (const given of [[debit()], acceptedSteps, heldSteps, releasedSteps, deliveredSteps]) {
    const { transaction } = stateAfter(...given, recordDeadLettered(), ...close);
    expect(transaction.items).toMatchObject([{ row: 4, cause: null, evidence: null }]);
  }
  expect(stateAfter(...creditPending, recordDeadLettered(), deadlinePassed()).transaction.items).toMatchObject([{ row: 4, cause: null }]);
  expect(stateAfter(...releasedSteps, ended("D", "refused"), recordDeadLettered(), ...close).transaction.items).toMatchObject([{ row: 3 }]);
  expect(stateAfter(recordDeadLettered(), dayReconciled(), dayClosed()).transaction.items).toEqual([]);
});

const planned = dayTimes(1, 500_000);

test("I10: a message that nobody could read gets an item of row 4 at the next close, although nothing else is known of it [7.4] [D9 RECEIVED]", () => {
  for (const [holds, state] of [
    ["debit", "RECEIVED"],
    ["credit", "CREDIT_AUTH_RECEIVED"],
  ] as const) {
    const { transaction, last } = stateAfter(planned, recordDeadLettered(holds), ...close);
    expect(last).toMatchObject({ decision: "applied", outputs: [] });
    expect(transaction).toMatchObject({ state: "ORPHAN", reconciliationDay: today, unreadMessage: { kind: holds } });
    expect(transaction.items).toMatchObject([{ day: today, row: 4, cause: null, state, settledAtMs: null }]);
    expect(stateAfter(planned, recordDeadLettered(holds), ...close, dayClosed()).transaction.items).toHaveLength(1);
  }
});

test("I10: a readable message that follows into the dead letters of an orphan is shown like an unreadable one", () => {
  const { transaction } = stateAfter(planned, recordDeadLettered(), debit(), ...close);
  expect(transaction).toMatchObject({ state: "ORPHAN", unreadMessage: { kind: "debit" }, items: [{ row: 4 }] });
});

test("the close of an unread message is the next one that its partition knows, and a day that is over is not it", () => {
  const dayOf = (...steps: readonly SequenceStep[]): unknown => runSteps(steps).transaction?.reconciliationDay;
  expect(dayOf(recordDeadLettered("debit"))).toBeNull();
  expect(dayOf(dayTimes(1, 900_000, nextDate), planned, recordDeadLettered("debit"))).toBe(today);
  expect(dayOf(dayTimes(1, 900_000, nextDate), planned, dayReconciled(), recordDeadLettered("debit"))).toBe(tomorrow);
  expect(dayOf(planned, recordDeadLettered())).toBeNull();
});

test("I10: a message that was unread before its partition knew a day gets its item at the next close [7.4]", () => {
  const { transaction, last } = stateAfter(recordDeadLettered("credit"), planned, ...close);
  expect(last).toMatchObject({ decision: "applied", reason: null });
  expect(transaction).toMatchObject({ state: "ORPHAN", reconciliationDay: today, items: [{ day: today, row: 4 }] });
});

test("a day that was over before the record lay in the dead letters makes no item of it", () => {
  const { transaction, last } = stateAfter(planned, dayReconciled(), recordDeadLettered("credit"), dayClosed());
  expect(last).toMatchObject({ decision: "ignored", reason: null });
  expect(transaction).toMatchObject({ reconciliationDay: null, items: [] });
});

test("the item of an unread message is settled once the message is read, and people can resolve it before that", () => {
  const unread = [planned, recordDeadLettered("debit"), ...close];
  const read = stateAfter(...unread, deadLettersReplayed(), debit({ reconciliationDay: tomorrow }));
  expect(read.states).toEqual(["RECEIVED"]);
  expect(read.transaction.items).toMatchObject([{ row: 4, settledAtMs: expect.any(Number) }]);
  const resolved = stateAfter(...unread, resolution({ resolution: "not-made" }));
  expect(resolved.last).toMatchObject({ decision: "applied", reason: null, outputs: [] });
  expect(resolved.transaction.items).toMatchObject([{ resolution: { kind: "not-made", isFinal: true } }]);
});

test("I8: a credit that nobody has read counts at each gate until its close, and once it is read as received where it lay", () => {
  const declared = { scheme: "ZA_EFT", businessDate: date, bank: null };
  const isAwaited = (below: bigint, ...steps: readonly SequenceStep[]): boolean => {
    const credit = toCreditAtGate(stateAfter(...steps).transaction);
    return credit !== null && isCreditAwaited(credit, declared, below);
  };
  const unread = [planned, recordDeadLettered("credit")];
  const { offset } = stepPosition(1);
  expect(isAwaited(offset + 1n, ...unread)).toBe(true);
  expect(isAwaited(offset, ...unread)).toBe(false);
  expect(isAwaited(offset + 1n, ...unread, deadLettersReplayed())).toBe(true);
  expect(isAwaited(offset + 1n, ...unread, deadLettersReplayed(), credit())).toBe(true);
  expect(isAwaited(offset + 1n, ...unread, deadLettersReplayed(), credit(), creditVerdict({ verdict: "refused" }))).toBe(false);
  expect(isAwaited(offset + 1n, ...unread, ...close)).toBe(false);
  expect(isAwaited(offset + 1n, planned, recordDeadLettered("debit"))).toBe(false);
});

test("a replay of the dead letters ends the quarantine, and the records that follow are decided in their order", () => {
  const given = [debit(), recordDeadLettered(), verdict(), deadLettersReplayed()];
  const cleared = stateAfter(...given);
  expect(cleared.last).toMatchObject({ decision: "applied", reason: null, outputs: [] });
  expect(cleared.transaction).toMatchObject({
    state: "RECEIVED",
    quarantined: null,
    decisions: [{ kind: "DeadLettersReplayed", result: "applied" }],
  });
  expect(stateAfter(...given, verdict(), ended("A")).states.at(-1)).toBe("HELD");
  const unknown = stateAfter(recordDeadLettered(), debit(), deadLettersReplayed(), debit(), verdict());
  expect(unknown.states).toEqual(["RECEIVED", "ACCEPTED"]);
  expect(unknown.transaction.transitions[0]?.stageVersion).toBe(1);
  expect(stateAfter(...heldSteps, ...close, recordDeadLettered(), deadLettersReplayed()).transaction.items).toMatchObject([
    { cause: "WINDOW_MISSED" },
  ]);
});

test("a dead-lettered report does not count as a repeat when it is replayed", () => {
  const { last, states } = stateAfter(...deliveredSteps, recordDeadLettered(), report(), deadLettersReplayed(), report());
  expect(last).toMatchObject({ decision: "applied", reason: null });
  expect(states.at(-1)).toBe("COMPLETED");
});

test("a request to replay where nothing is quarantined is ignored and noted", () => {
  const { last, transaction } = stateAfter(...heldSteps, deadLettersReplayed());
  expect(last).toMatchObject({ decision: "ignored", reason: "not-quarantined", outputs: [] });
  expect(transaction.decisions).toMatchObject([{ result: "ignored", why: "not-quarantined" }]);
  expect(runSteps([deadLettersReplayed()]).transaction).toBeNull();
});

test("I1: a replay gives every dead-lettered record the same decision, during the quarantine and after it, so that its dead letter is written again", () => {
  const reports = Array.from({ length: 3 }, (_, index) => report("made", { message: identity(`R${index}`) }));
  const quarantined = [...deliveredSteps, recordDeadLettered(), ...reports];
  for (const steps of [quarantined, [...quarantined, deadLettersReplayed()], [...quarantined, deadLettersReplayed(), report()]]) {
    const { transaction, outcomes } = runSteps(steps);
    const again = runSteps(steps, transaction);
    const expected = outcomes.map(({ decision }) => (decision === "dead-lettered" ? "dead-lettered" : "replayed"));
    expect(again.outcomes.map(({ decision }) => decision)).toEqual(expected);
    expect(again.transaction).toEqual(transaction);
  }
});

test("I15: observations of dead-lettered records are bounded like all others; the quarantine alone knows the older ones", () => {
  const many = Array.from({ length: observationsKept + 5 }, (_, index) => report("made", { message: identity(`R${index}`) }));
  const steps = [...deliveredSteps, recordDeadLettered(), ...many];
  const { transaction, outcomes } = runSteps(steps);
  expect(transaction).toMatchObject({ quarantined: { records: many.length + 1 }, observations: { count: many.length } });
  expect(transaction?.observations.last).toHaveLength(observationsKept);
  const again = runSteps(steps, transaction);
  expect(again.outcomes.filter(({ decision }) => decision === "dead-lettered")).toHaveLength(many.length);
  expect(
    outcomes
      .flatMap(({ outputs }) => outputs)
      .map(shortName)
      .at(-1),
  ).toBe("DELIVERED");
});
