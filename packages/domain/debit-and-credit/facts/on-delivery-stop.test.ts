// An operator has a delivery, or the posting of an event, tried no more.

import { expect, test } from "vitest";
import {
  acceptedSteps,
  bank,
  connector,
  creditPending,
  dayClosed,
  dayReconciled,
  deadlinePassed,
  deliveredSteps,
  digest,
  ended,
  heldSteps,
  hex,
  offUsCompleted,
  rejectedSteps,
  releasedSteps,
  report,
  runSteps,
  type SequenceStep,
  shortName,
  stateAfter,
  stepPosition,
  uetr,
} from "../../given.fixture.ts";
import { redrive, resolution, stopDelivery, withdrawal } from "../decisions.fixture.ts";
import { eventId } from "../../ids.ts";
import { ownNoticesMax } from "../transaction.ts";

const close: readonly SequenceStep[] = [dayReconciled(), dayClosed()];

test.each([
  { what: "a report ACCP", given: acceptedSteps, id: `${hex}A`, receiver: bank },
  { what: "a report RJCT", given: rejectedSteps, id: `${hex}R`, receiver: bank },
  { what: "a released debit", given: releasedSteps, id: `${hex}D`, receiver: bank },
  { what: "a credit", given: creditPending, id: `${hex}C`, receiver: bank },
  { what: "an outcome report", given: offUsCompleted, id: `${hex}O1`, receiver: connector },
])("I5: a stop of $what has it given up, enters no state and makes no item [D3 operator-stop]", ({ given, id, receiver }) => {
  const { last, transaction, states } = stateAfter(...given, stopDelivery(id));
  expect(last).toMatchObject({ decision: "applied", reason: "give-up" });
  expect(last.outputs).toEqual([
    {
      kind: "give-up",
      target: "delivery",
      messageIdentification: id,
      deliveryKey: uetr,
      receiver,
      causedByOffset: stepPosition(given.length).offset,
    },
  ]);
  const before = stateAfter(...given);
  expect(states).toEqual(before.states);
  expect(transaction.items).toEqual(before.transaction.items);
  expect(transaction.decisions).toMatchObject([{ kind: "DeliveryStopRequested", result: "applied", why: null }]);
});

test("I10: a stopped debit becomes an item at the close by the rules for its state: row 7 or 8, never not sent [D3 operator-stop]", () => {
  const stopped = [...releasedSteps, stopDelivery(`${hex}D`)];
  const closed = stateAfter(...stopped, ...close);
  expect(closed.last.outputs.map(shortName)).toEqual(["RECONCILIATION", "stop:D"]);
  expect(closed.transaction.items).toMatchObject([{ row: null, state: "RELEASED" }]);
  const answered = stateAfter(...stopped, ...close, ended("D", "stopped", { anyAnswer: true, mayHaveBeenTaken: true }));
  expect(answered.transaction.items).toMatchObject([{ row: 8, evidence: { mayHaveBeenTaken: true } }]);
  expect(stateAfter(...stopped, withdrawal()).last).toMatchObject({ decision: "refused" });
});

test("a stopped debit ends by the bank's report, and by an acknowledgement that was under way", () => {
  const stopped = [...releasedSteps, stopDelivery(`${hex}D`)];
  expect(stateAfter(...stopped, report()).states.slice(-2)).toEqual(["DELIVERED", "COMPLETED"]);
  expect(stateAfter(...stopped, ended("D")).transaction.state).toBe("DELIVERED");
});

test("a stopped credit ends at its deadline, and the connector hears PDNG, not RJCT [D3 operator-stop]", () => {
  const { transaction, last } = stateAfter(...creditPending, stopDelivery(`${hex}C`), deadlinePassed());
  expect(transaction.state).toBe("CREDIT_AUTH_RECONCILIATION");
  expect(last.outputs.map(shortName)).toContain("stop:C");
});

test("I3: a stopped delivery can be redriven, stopped again and redriven again, with the same id", () => {
  const steps = [...releasedSteps, stopDelivery(`${hex}D`), redrive(`${hex}D`), stopDelivery(`${hex}D`, "s2"), redrive(`${hex}D`, "r2")];
  const { outcomes, transaction } = runSteps(steps);
  expect(outcomes.slice(-4).map(({ decision }) => decision)).toEqual(["applied", "applied", "applied", "applied"]);
  expect(outcomes.slice(-4).flatMap(({ outputs }) => outputs.map(({ kind }) => kind))).toEqual([
    "give-up",
    "redrive",
    "give-up",
    "redrive",
  ]);
  const again = runSteps(steps, transaction);
  expect(again.outcomes.map(({ outputs }) => outputs)).toEqual(outcomes.map(({ outputs }) => outputs));
});

test("a resolution frees the connector of an outcome report that was stopped: the new report follows at once", () => {
  const given = [...creditPending, deadlinePassed(), stopDelivery(`${hex}O1`), resolution()];
  expect(stateAfter(...given).last.outputs.map(shortName)).toEqual(["stop:O1", "send:O2"]);
});

test.each([
  { what: "a delivery that was acknowledged", given: deliveredSteps, id: `${hex}D` },
  { what: "a delivery that was refused", given: [...releasedSteps, ended("D", "refused")], id: `${hex}D` },
  { what: "a delivery that was stopped", given: [...releasedSteps, stopDelivery(`${hex}D`)], id: `${hex}D` },
  { what: "a delivery that was never sent", given: heldSteps, id: `${hex}D` },
  { what: "another delivery than the awaited one", given: releasedSteps, id: `${hex}A` },
  { what: "a delivery that the close stopped", given: [...releasedSteps, ...close], id: `${hex}D` },
  { what: "a debit that nobody knows", given: [report()], id: `${hex}D` },
])("a stop of $what is refused because nothing is tried", ({ given, id }) => {
  expect(stateAfter(...given, stopDelivery(id, "s9")).last).toMatchObject({ decision: "refused", reason: "nothing-tried", outputs: [] });
});

test("I13: a stop of a posting names its event's id, and changes nothing else", () => {
  const id = eventId(uetr, 1, digest);
  const { last, transaction } = stateAfter(...heldSteps, stopDelivery(id, "s1", "posting"));
  expect(last.outputs).toMatchObject([{ kind: "give-up", target: "posting", messageIdentification: id, receiver: bank }]);
  expect(transaction.state).toBe("HELD");
  expect(stateAfter(...heldSteps, stopDelivery(`${hex}D`, "s1", "posting")).last).toMatchObject({ reason: "no-such-event" });
});

test("I15: stops and redrives share the bounded places, and leave those that other stops need", () => {
  const requests = Array.from({ length: ownNoticesMax }, (_, index) =>
    index % 2 === 0 ? stopDelivery(`${hex}D`, `s${index}`) : redrive(`${hex}D`, `r${index}`),
  );
  const { last, transaction } = stateAfter(...releasedSteps, ...requests);
  expect(last).toMatchObject({ decision: "refused", outputs: [] });
  expect(transaction.notices).toHaveLength(ownNoticesMax - 2);
});
