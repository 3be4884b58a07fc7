// An operator redrives a refused delivery, or a posting that was given up: docs/spec/decisions.md
// D3.39, D8.33.

import { expect, test } from "vitest";
import {
  acceptedSteps,
  bank,
  connector,
  creditPending,
  dayClosed,
  dayReconciled,
  deadlinePassed,
  debit,
  deliveredSteps,
  digest,
  ended,
  heldSteps,
  hex,
  identity,
  offUsCompleted,
  offUsHeld,
  offUsRejected,
  offUsReleased,
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
import { redrive, resolution } from "../decisions.fixture.ts";
import { esmEventId, eventId } from "../../ids.ts";
import { lateAnswersKept, ownNoticesMax } from "../transaction.ts";

const close: readonly SequenceStep[] = [dayReconciled(), dayClosed()];
const doubtful = ended("C", "refused", { mayHaveBeenTaken: true });

test.each([
  { what: "a report ACCP", given: [...acceptedSteps, ended("A", "refused")], id: `${hex}A`, receiver: bank },
  { what: "a report RJCT", given: [...rejectedSteps, ended("R", "refused")], id: `${hex}R`, receiver: bank },
  { what: "a debit", given: [...releasedSteps, ended("D", "refused")], id: `${hex}D`, receiver: bank },
  { what: "a credit", given: [...creditPending, doubtful], id: `${hex}C`, receiver: bank },
  { what: "the outcome report of a rejection", given: [...offUsRejected, ended("O", "refused")], id: `${hex}O1`, receiver: connector },
  { what: "the outcome report of an end", given: [...offUsCompleted, ended("O", "refused")], id: `${hex}O1`, receiver: connector },
  {
    what: "an outcome report refused after the close",
    given: [...offUsRejected, ...close, ended("O", "refused")],
    id: `${hex}O1`,
    receiver: connector,
  },
  {
    what: "a refused outcome report whose item the close took over",
    given: [...offUsRejected, ended("O", "refused"), ...close],
    id: `${hex}O1`,
    receiver: connector,
  },
  { what: "a PDNG", given: [...creditPending, deadlinePassed(), ended("O", "refused")], id: `${hex}O1`, receiver: connector },
  {
    what: "the report of a resolution",
    given: [...offUsReleased, ...close, resolution(), ended("O", "refused")],
    id: `${hex}O1`,
    receiver: connector,
  },
])(
  "I3: a redrive attempts $what that was refused again with the same id and no new state, and its item stays open until an answer comes [7.3]",
  (row) => {
    const { last, transaction, states } = stateAfter(...row.given, redrive(row.id));
    expect(last).toMatchObject({ decision: "applied", reason: "redrive" });
    expect(last.outputs).toEqual([
      {
        kind: "redrive",
        target: "delivery",
        messageIdentification: row.id,
        deliveryKey: uetr,
        receiver: row.receiver,
        causedByOffset: stepPosition(row.given.length).offset,
      },
    ]);
    const before = stateAfter(...row.given);
    expect(states).toEqual(before.states);
    expect(transaction.items).toEqual(before.transaction.items);
    expect(transaction.decisions).toMatchObject([
      ...before.transaction.decisions,
      { kind: "RedriveRequested", result: "applied", why: null },
    ]);
  },
);

test("an answer to a redrive counts like any other: an acknowledgement settles the item, a further refusal renews it", () => {
  const given = [...releasedSteps, ended("D", "refused"), redrive(`${hex}D`)];
  expect(stateAfter(...given, ended("D")).transaction).toMatchObject({ state: "DELIVERED", items: [{ settledAtMs: expect.any(Number) }] });
  const again = stateAfter(...given, ended("D", "refused", { attempts: 2 }), redrive(`${hex}D`, "r2"));
  expect(again.last.outputs.map(shortName)).toEqual(["redrive:D"]);
  expect(again.transaction.items).toMatchObject([{ row: 3, evidence: { attempts: 2 }, settledAtMs: null }]);
});

test.each([
  { what: "a delivery that was acknowledged", given: deliveredSteps, id: `${hex}D` },
  { what: "a delivery that is still attempted", given: releasedSteps, id: `${hex}D` },
  { what: "a delivery that was never sent", given: heldSteps, id: `${hex}D` },
  { what: "a delivery other than the refused one", given: [...releasedSteps, ended("D", "refused")], id: `${hex}A` },
  { what: "a delivery that the close stopped", given: [...releasedSteps, ended("D", "refused"), ...close], id: `${hex}D` },
  { what: "a delivery that a report proved", given: [...releasedSteps, ended("D", "refused"), report()], id: `${hex}D` },
  { what: "an outcome report that is still awaited", given: offUsCompleted, id: `${hex}O1` },
  { what: "an outcome report that was acknowledged", given: [...offUsCompleted, ended("O")], id: `${hex}O1` },
  {
    what: "a PDNG after a credit that was refused",
    given: [...creditPending, doubtful, deadlinePassed()],
    id: `${hex}O1`,
  },
  {
    what: "an outcome report that a newer one replaced",
    given: [...creditPending, deadlinePassed(), ended("O", "refused"), resolution()],
    id: `${hex}O1`,
  },
  {
    what: "the newer outcome report, which nobody has refused",
    given: [...creditPending, deadlinePassed(), ended("O", "refused"), resolution()],
    id: `${hex}O2`,
  },
  { what: "a debit that nobody knows", given: [report()], id: `${hex}D` },
])("a redrive of $what is refused because nothing was refused", ({ given, id }) => {
  const { last } = stateAfter(...given, redrive(id));
  expect(last).toMatchObject({ decision: "refused", reason: "nothing-refused", outputs: [] });
});

test("I13: a redrive of a posting names its event's id, of either class, and changes nothing", () => {
  for (const [given, receiver] of [
    [heldSteps, bank],
    [offUsHeld, bank],
    [creditPending, bank],
  ] as const) {
    for (const id of [eventId(uetr, 1, digest), esmEventId(uetr, 2, digest)]) {
      const { last, transaction } = stateAfter(...given, redrive(id, "r1", "posting"));
      expect(last.outputs).toEqual([
        {
          kind: "redrive",
          target: "posting",
          messageIdentification: id,
          deliveryKey: uetr,
          receiver,
          causedByOffset: stepPosition(given.length).offset,
        },
      ]);
      expect(transaction.state).toBe(stateAfter(...given).transaction.state);
    }
  }
});

test("a redrive of an event that the transaction does not have is refused", () => {
  for (const id of [eventId(uetr, 5, digest), eventId("another", 1, digest), `${hex}D`]) {
    const { last } = stateAfter(...heldSteps, redrive(id, "r1", "posting"));
    expect(last).toMatchObject({ decision: "refused", reason: "no-such-event", outputs: [] });
  }
  expect(stateAfter(report(), redrive(eventId(uetr, 1, digest), "r1", "posting")).last).toMatchObject({ reason: "no-such-event" });
});

test("a DeliveryEnded under a posting's id counts as never sent", () => {
  const id = eventId(uetr, 1, digest);
  const { last } = stateAfter(...heldSteps, redrive(id, "r1", "posting"), { ...ended("D"), messageIdentification: id });
  expect(last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
});

test("I15: notices are bounded; a redrive beyond the bound is refused and leaves the places that stops and outcome reports need", () => {
  const refused = [...releasedSteps, ended("D", "refused")];
  const redrives = Array.from({ length: ownNoticesMax }, (_, index) => redrive(`${hex}D`, `r${index}`));
  const { last, transaction } = stateAfter(...refused, ...redrives);
  expect(last).toMatchObject({ decision: "refused", reason: "too-many", outputs: [] });
  expect(transaction.notices).toHaveLength(ownNoticesMax - 2);
  const answers = Array.from({ length: 9 }, (_, index) => debit({ message: identity(`N${index}`, "c2") }));
  expect(stateAfter(...refused, ...answers, redrive(`${hex}D`)).last).toMatchObject({ decision: "applied" });
});

test("I15: a refused outcome report stays known as refused, however many late answers follow", () => {
  const reported = [...offUsReleased, ...close, resolution(), ended("O", "refused")];
  const late = Array.from({ length: lateAnswersKept + 3 }, (_, index) => report("made", { message: identity(`late-${index}`) }));
  const { last, transaction } = stateAfter(...reported, ...late, redrive(`${hex}O1`));
  expect(last).toMatchObject({ decision: "applied", reason: "redrive" });
  const [item] = transaction.items;
  expect(item?.lateAnswers).toHaveLength(lateAnswersKept);
  expect(item?.lateAnswers.map(({ text }) => text).slice(0, 2)).toEqual(["outcome 1 refused: 400", "report: made"]);
});

test("I3: a replay of a redrive gives the redrive again", () => {
  const { transaction, outcomes } = runSteps([...releasedSteps, ended("D", "refused"), redrive(`${hex}D`)]);
  const again = runSteps([...releasedSteps, ended("D", "refused"), redrive(`${hex}D`)], transaction);
  expect(again.outcomes.at(-1)).toMatchObject({ decision: "replayed", outputs: outcomes.at(-1)?.outputs });
});
