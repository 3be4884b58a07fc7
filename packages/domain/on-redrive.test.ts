// A refused delivery, or a posting that was given up, is tried again by an operator: decisions.md, section 3, not recoverable.

import { expect, test } from "vitest";
import {
  accepted,
  after,
  bank,
  connector,
  creditPending,
  dayClosed,
  dayReconciled,
  deadlinePassed,
  delivered,
  digest,
  ended,
  held,
  hex,
  identity,
  debit,
  offUsCompleted,
  offUsHeld,
  offUsRejected,
  offUsReleased,
  placeOf,
  rejected,
  released,
  report,
  short,
  tellAll,
  uetr,
} from "./given.ts";
import type { Step } from "./given.ts";
import { redrive, resolution } from "./given-decisions.ts";
import { esmEventId, eventId } from "./ids.ts";
import { lateAnswersKept, toldMax } from "./transaction.ts";

const close: readonly Step[] = [dayReconciled(), dayClosed()];
const doubtful = ended("C", "refused", { mayHaveBeenTaken: true });

test.each([
  { what: "a report ACCP", given: [...accepted, ended("A", "refused")], id: `${hex}A`, receiver: bank },
  { what: "a report RJCT", given: [...rejected, ended("R", "refused")], id: `${hex}R`, receiver: bank },
  { what: "a debit", given: [...released, ended("D", "refused")], id: `${hex}D`, receiver: bank },
  { what: "a credit", given: [...creditPending, doubtful], id: `${hex}C`, receiver: bank },
  { what: "the outcome of a rejection", given: [...offUsRejected, ended("O", "refused")], id: `${hex}O1`, receiver: connector },
  { what: "the outcome of an end", given: [...offUsCompleted, ended("O", "refused")], id: `${hex}O1`, receiver: connector },
  {
    what: "an outcome refused after the close",
    given: [...offUsRejected, ...close, ended("O", "refused")],
    id: `${hex}O1`,
    receiver: connector,
  },
  {
    what: "a refused outcome whose item the close took over",
    given: [...offUsRejected, ended("O", "refused"), ...close],
    id: `${hex}O1`,
    receiver: connector,
  },
  { what: "a PDNG", given: [...creditPending, deadlinePassed(), ended("O", "refused")], id: `${hex}O1`, receiver: connector },
  {
    what: "what people found out",
    given: [...offUsReleased, ...close, resolution(), ended("O", "refused")],
    id: `${hex}O1`,
    receiver: connector,
  },
])("I3: $what that lies refused is tried again: the same id, no state, and its item stays open until an answer comes [7.3]", (row) => {
  const { last, transaction, states } = after(...row.given, redrive(row.id));
  expect(last).toMatchObject({ decision: "applied", reason: "redrive" });
  expect(last.outputs).toEqual([
    {
      kind: "redrive",
      target: "delivery",
      messageIdentification: row.id,
      deliveryKey: uetr,
      receiver: row.receiver,
      causedByOffset: placeOf(row.given.length).offset,
    },
  ]);
  const before = after(...row.given);
  expect(states).toEqual(before.states);
  expect(transaction.items).toEqual(before.transaction.items);
  expect(transaction.decisions).toMatchObject([
    ...before.transaction.decisions,
    { kind: "RedriveRequested", result: "applied", why: null },
  ]);
});

test("what comes of it is judged like any answer: an acknowledgement settles the item, a further refusal renews it", () => {
  const given = [...released, ended("D", "refused"), redrive(`${hex}D`)];
  expect(after(...given, ended("D")).transaction).toMatchObject({ state: "DELIVERED", items: [{ settledAtMs: expect.any(Number) }] });
  const again = after(...given, ended("D", "refused", { attempts: 2 }), redrive(`${hex}D`, "r2"));
  expect(again.last.outputs.map(short)).toEqual(["redrive:D"]);
  expect(again.transaction.items).toMatchObject([{ row: 3, evidence: { attempts: 2 }, settledAtMs: null }]);
});

test.each([
  { what: "a delivery that was acknowledged", given: delivered, id: `${hex}D` },
  { what: "one that is still tried", given: released, id: `${hex}D` },
  { what: "one that was never sent", given: held, id: `${hex}D` },
  { what: "another than the refused one", given: [...released, ended("D", "refused")], id: `${hex}A` },
  { what: "one that the close stopped", given: [...released, ended("D", "refused"), ...close], id: `${hex}D` },
  { what: "one that a report proved", given: [...released, ended("D", "refused"), report()], id: `${hex}D` },
  { what: "an outcome that is still told", given: offUsCompleted, id: `${hex}O1` },
  { what: "an outcome that was acknowledged", given: [...offUsCompleted, ended("O")], id: `${hex}O1` },
  {
    what: "a PDNG beside a credit that was refused",
    given: [...creditPending, doubtful, deadlinePassed()],
    id: `${hex}O1`,
  },
  {
    what: "an outcome that a newer one took the place of",
    given: [...creditPending, deadlinePassed(), ended("O", "refused"), resolution()],
    id: `${hex}O1`,
  },
  {
    what: "the newer one, which nobody has refused",
    given: [...creditPending, deadlinePassed(), ended("O", "refused"), resolution()],
    id: `${hex}O2`,
  },
  { what: "a debit that nobody knows", given: [report()], id: `${hex}D` },
])("$what is not tried again: nothing lies refused", ({ given, id }) => {
  const { last } = after(...given, redrive(id));
  expect(last).toMatchObject({ decision: "refused", reason: "nothing-refused", outputs: [] });
});

test("I13: a posting is tried again by its event's id, of either class, and changes nothing", () => {
  for (const [given, receiver] of [
    [held, bank],
    [offUsHeld, bank],
    [creditPending, bank],
  ] as const) {
    for (const id of [eventId(uetr, 1, digest), esmEventId(uetr, 2, digest)]) {
      const { last, transaction } = after(...given, redrive(id, "r1", "posting"));
      expect(last.outputs).toEqual([
        {
          kind: "redrive",
          target: "posting",
          messageIdentification: id,
          deliveryKey: uetr,
          receiver,
          causedByOffset: placeOf(given.length).offset,
        },
      ]);
      expect(transaction.state).toBe(after(...given).transaction.state);
    }
  }
});

test("an event that the transaction does not have is refused", () => {
  for (const id of [eventId(uetr, 5, digest), eventId("another", 1, digest), `${hex}D`]) {
    const { last } = after(...held, redrive(id, "r1", "posting"));
    expect(last).toMatchObject({ decision: "refused", reason: "no-such-event", outputs: [] });
  }
  expect(after(report(), redrive(eventId(uetr, 1, digest), "r1", "posting")).last).toMatchObject({ reason: "no-such-event" });
});

test("a posting's id is no delivery's: what ends under it was never sent", () => {
  const id = eventId(uetr, 1, digest);
  const { last } = after(...held, redrive(id, "r1", "posting"), { ...ended("D"), messageIdentification: id });
  expect(last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
});

test("I15: what is told is bounded; a redrive beyond it is refused and leaves the places that stops and outcomes need", () => {
  const refused = [...released, ended("D", "refused")];
  const redrives = Array.from({ length: toldMax }, (_, index) => redrive(`${hex}D`, `r${index}`));
  const { last, transaction } = after(...refused, ...redrives);
  expect(last).toMatchObject({ decision: "refused", reason: "too-many", outputs: [] });
  expect(transaction.told).toHaveLength(toldMax - 2);
  const answers = Array.from({ length: 9 }, (_, index) => debit({ message: identity(`N${index}`, "c2") }));
  expect(after(...refused, ...answers, redrive(`${hex}D`)).last).toMatchObject({ decision: "applied" });
});

test("I15: however many late answers came since, a refused outcome is still known as refused", () => {
  const told = [...offUsReleased, ...close, resolution(), ended("O", "refused")];
  const late = Array.from({ length: lateAnswersKept + 3 }, (_, index) => report("made", { message: identity(`late-${index}`) }));
  const { last, transaction } = after(...told, ...late, redrive(`${hex}O1`));
  expect(last).toMatchObject({ decision: "applied", reason: "redrive" });
  const [item] = transaction.items;
  expect(item?.lateAnswers).toHaveLength(lateAnswersKept);
  expect(item?.lateAnswers.map(({ text }) => text).slice(0, 2)).toEqual(["outcome 1 refused: 400", "report: made"]);
});

test("I3: a replay of a redrive gives it again", () => {
  const { transaction, outcomes } = tellAll([...released, ended("D", "refused"), redrive(`${hex}D`)]);
  const again = tellAll([...released, ended("D", "refused"), redrive(`${hex}D`)], transaction);
  expect(again.outcomes.at(-1)).toMatchObject({ decision: "replayed", outputs: outcomes.at(-1)?.outputs });
});
