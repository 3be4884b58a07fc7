// People find out what became of an item: decisions.md, section 9, resolution.

import { expect, test } from "vitest";
import {
  after,
  connector,
  creditDelivered,
  creditPending,
  creditRejected,
  credit,
  dayClosed,
  dayReconciled,
  deadlinePassed,
  delivered,
  ended,
  held,
  hex,
  identity,
  offUsCompleted,
  offUsDebit,
  offUsDelivered,
  offUsHeld,
  offUsRejected,
  offUsReleased,
  placeOf,
  released,
  report,
  short,
  tellAll,
  today,
  tomorrow,
  uetr,
} from "./given.ts";
import type { Step } from "./given.ts";
import { confirmation, resolution, withdrawal } from "./given-decisions.ts";
import { action } from "./given-operators.ts";
import { isOutcomeAwaited } from "./transaction.ts";

const close: readonly Step[] = [dayReconciled(), dayClosed()];
const onUs: readonly Step[] = [...released, ...close];
const offUs: readonly Step[] = [...offUsReleased, ...close];
const creditOver: readonly Step[] = [...creditPending, deadlinePassed()];
const other = "00000000-0000-4000-8000-000000000001";
/** The outcome by its number. */
const outcomeEnded = (number: number, outcome: "acknowledged" | "refused" | "stopped" = "acknowledged"): Step => ({
  ...ended("O", outcome),
  messageIdentification: `${hex}O${number}`,
});

test("I5: an item is resolved with who, why and when; no state and no event follows, on-us nobody is told [D9 resolution]", () => {
  const { last, transaction, states } = after(...onUs, resolution());
  expect(last).toMatchObject({ decision: "applied", reason: null, outputs: [] });
  expect(states.at(-1)).toBe("RECONCILIATION");
  const atMs = placeOf(onUs.length).appendedAtMs;
  expect(transaction.items).toMatchObject([
    { row: null, resolution: { kind: "made", replacedBy: null, action: { id: "i1" }, atMs, isFinal: true, confirmed: null } },
  ]);
  expect(transaction.decisions).toMatchObject([{ kind: "ItemResolutionRequested", result: "applied", why: null }]);
});

test.each([
  { from: "a debit from elsewhere", given: offUs, operation: "inboundDirectDebitResponse", number: 1 },
  { from: "one that was withdrawn", given: [...offUsHeld, withdrawal()], operation: "inboundDirectDebitResponse", number: 1 },
  { from: "one whose rejection was told", given: [...offUsRejected, ...close], operation: "inboundDirectDebitResponse", number: 2 },
  { from: "a credit whose PDNG was told", given: creditOver, operation: "inboundCreditTransferAuthorizationResponse", number: 2 },
])("the connector of $from is told once what was found, under the next number and behind what was told before [D9 resolution]", (row) => {
  for (const kind of ["made", "not-made"] as const) {
    const { last, transaction } = after(...row.given, resolution({ resolution: kind }));
    expect(last).toMatchObject({ decision: "applied", reason: "resolution-outcome" });
    expect(last.outputs).toEqual([
      {
        kind: "dispatch",
        operation: row.operation,
        form: "resolution-outcome",
        state: transaction.state,
        messageIdentification: `${hex}O${row.number}`,
        deliveryKey: uetr,
        receiver: connector,
        businessDate: expect.any(String),
        closesWith: null,
        deadlineMs: null,
        stopsAtMs: null,
        madeAtMs: placeOf(row.given.length).appendedAtMs,
        causedByOffset: placeOf(row.given.length).offset,
        about: null,
        resolution: kind,
      },
    ]);
    expect(transaction.outcome).toEqual({ number: row.number, acknowledgedAtMs: null });
  }
});

test("what was found is told until it is acknowledged; a refusal is noted and leaves it awaited", () => {
  const told = [...offUs, resolution()];
  const acknowledged = after(...told, outcomeEnded(1));
  expect(acknowledged.last).toMatchObject({ decision: "applied", reason: "outcome-acknowledged", outputs: [] });
  expect(acknowledged.transaction.outcome).toEqual({ number: 1, acknowledgedAtMs: placeOf(told.length).appendedAtMs });
  const refused = after(...told, outcomeEnded(1, "refused"));
  expect(refused.last).toMatchObject({ decision: "remarked", reason: "late-answer", outputs: [] });
  expect(isOutcomeAwaited(refused.transaction)).toBe(true);
  expect(refused.transaction.items).toMatchObject([{ lateAnswers: [{ text: "outcome 1 refused: 400" }] }]);
  expect(after(...told, outcomeEnded(1, "stopped")).last).toMatchObject({ decision: "ignored", outputs: [] });
  expect(after(...offUs, outcomeEnded(1)).last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
});

test("an answer to the outcome is none to the debit's own stop: the row waits for that one", () => {
  const { transaction } = after(...offUs, resolution(), outcomeEnded(1), outcomeEnded(1, "refused"));
  expect(transaction.items).toMatchObject([{ row: null, evidence: null }]);
  const set = after(...offUs, resolution(), outcomeEnded(1, "refused"), ended("D", "stopped"));
  expect(set.transaction.items).toMatchObject([{ row: 7, resolution: { isFinal: true } }]);
});

test("an outcome told before is told on in order, but no longer awaited; one that lay refused is stopped, so that it holds nothing up", () => {
  const inOrder = after(...creditOver, resolution());
  expect(inOrder.last.outputs.map(short)).toEqual(["send:O2"]);
  const late = after(...creditOver, resolution(), outcomeEnded(1));
  expect(late.last).toMatchObject({ decision: "ignored", reason: "delivery-finished" });
  expect(isOutcomeAwaited(late.transaction)).toBe(true);
  const crossing = after(...creditOver, resolution(), outcomeEnded(1, "refused"));
  expect(crossing.last.outputs.map(short)).toEqual(["stop:O1"]);
  const freed = after(...creditOver, outcomeEnded(1, "refused"), resolution());
  expect(freed.last.outputs.map(short)).toEqual(["stop:O1", "send:O2"]);
  const rejected = after(...offUsRejected, ...close, outcomeEnded(1, "refused"), resolution());
  expect(rejected.last.outputs.map(short)).toEqual(["stop:O1", "send:O2"]);
});

test("what stood beside a credit for its PDNG is settled when the newer outcome is acknowledged", () => {
  const { transaction } = after(...creditOver, outcomeEnded(1, "refused"), resolution(), outcomeEnded(2));
  expect(transaction.items.filter(({ settledAtMs }) => settledAtMs === null)).toMatchObject([{ state: "CREDIT_AUTH_DELIVERY_PENDING" }]);
  expect(transaction.items).toHaveLength(2);
});

test.each([
  { why: "no-item", given: held, fact: resolution() },
  { why: "no-item", given: [...released, ended("D", "refused")], fact: resolution() },
  { why: "no-item", given: creditRejected, fact: resolution() },
  { why: "no-item", given: [report()], fact: resolution() },
  { why: "other-day", given: onUs, fact: resolution({ day: tomorrow }) },
  { why: "no-replacement", given: onUs, fact: resolution({ resolution: "replaced" }) },
  { why: "no-replacement", given: onUs, fact: resolution({ resolution: "replaced", replacedBy: uetr.toUpperCase() }) },
  { why: "already-resolved", given: [...onUs, resolution()], fact: resolution({ resolution: "not-made" }, "i2") },
  { why: "nothing-to-confirm", given: onUs, fact: confirmation() },
  { why: "nothing-to-confirm", given: [...onUs, resolution({ needsSecondPerson: true })], fact: confirmation("i9") },
  { why: "already-resolved", given: [...onUs, resolution()], fact: confirmation() },
  { why: "same-person", given: [...onUs, resolution({ needsSecondPerson: true })], fact: confirmation("i1", "c1", "thandi") },
])("refused: $why; noted, and no item changes", ({ why, given, fact }) => {
  const { last, transaction } = after(...given, fact);
  expect(last).toMatchObject({ decision: "refused", reason: why, outputs: [] });
  expect(transaction.items).toEqual(tellAll(given).transaction?.items);
  expect(transaction.decisions.at(-1)).toMatchObject({ result: "refused", why });
});

test("a debit replaced by another names it", () => {
  const { transaction } = after(...onUs, resolution({ resolution: "replaced", replacedBy: other.toUpperCase() }));
  expect(transaction.items).toMatchObject([{ resolution: { kind: "replaced", replacedBy: other, isFinal: true } }]);
  expect(after(...offUs, resolution({ resolution: "replaced", replacedBy: other })).last.outputs).toMatchObject([
    { resolution: "replaced" },
  ]);
});

test("where a second person is needed nothing counts before another operator has confirmed it by its action [D9 second-person]", () => {
  const proposed = after(...offUs, resolution({ needsSecondPerson: true }));
  expect(proposed.last).toMatchObject({ decision: "applied", reason: "resolution-proposed", outputs: [] });
  expect(proposed.transaction).toMatchObject({ outcome: null, items: [{ resolution: { isFinal: false, confirmed: null } }] });
  const confirmed = after(...offUs, resolution({ needsSecondPerson: true }), confirmation());
  expect(confirmed.last.outputs.map(short)).toEqual(["send:O1"]);
  const atMs = placeOf(offUs.length + 1).appendedAtMs;
  expect(confirmed.transaction.items).toMatchObject([
    { resolution: { isFinal: true, action: { operator: "thandi" }, confirmed: { action: action("c1", "sipho"), atMs } } },
  ]);
  const twice = after(...offUs, resolution({ needsSecondPerson: true }), confirmation(), confirmation("i1", "c2", "lindiwe"));
  expect(twice.last).toMatchObject({ decision: "refused", reason: "already-resolved", outputs: [] });
});

test("a further proposal takes the place of the one before, whose confirmation then finds nothing", () => {
  const proposals = [
    resolution({ needsSecondPerson: true }),
    resolution({ needsSecondPerson: true, resolution: "not-made" }, "i2", "sipho"),
  ];
  expect(after(...onUs, ...proposals, confirmation("i1", "c1", "lindiwe")).last).toMatchObject({ reason: "nothing-to-confirm" });
  const { transaction } = after(...onUs, ...proposals, confirmation("i2", "c1", "thandi"));
  expect(transaction.items).toMatchObject([{ resolution: { kind: "not-made", isFinal: true, action: { operator: "sipho" } } }]);
});

test("an item beside an ended state is resolved without a word to the connector, which is still told its outcome", () => {
  const { last, transaction } = after(...offUsCompleted, ...close, resolution());
  expect(last).toMatchObject({ decision: "applied", outputs: [] });
  expect(transaction).toMatchObject({
    state: "COMPLETED",
    outcome: { number: 1, acknowledgedAtMs: null },
    items: [{ cause: "OUTCOME_UNDELIVERED", resolution: { isFinal: true } }],
  });
  expect(after(...offUsCompleted, ...close, ended("O"), resolution()).last).toMatchObject({ decision: "refused", reason: "no-item" });
});

test("of two items of a credit the state's own is resolved first, then the one beside it", () => {
  const given = [...creditOver, outcomeEnded(1, "refused")];
  const first = after(...given, resolution({ resolution: "not-made" }));
  expect(first.last.outputs.map(short)).toEqual(["stop:O1", "send:O2"]);
  const second = after(...given, resolution({ resolution: "not-made" }), resolution({}, "i2"));
  expect(second.last).toMatchObject({ decision: "applied", outputs: [] });
  expect(second.transaction.items.map((item) => item.resolution?.kind)).toEqual(["not-made", "made"]);
  const both = after(...given, resolution({ resolution: "not-made" }), resolution({}, "i2"), resolution({}, "i3"));
  expect(both.last).toMatchObject({ reason: "already-resolved" });
});

test("late answers are recorded on an item that is resolved, and change nothing of what was found", () => {
  const { last, transaction } = after(...delivered, ...close, resolution({ resolution: "not-made" }), report());
  expect(last).toMatchObject({ decision: "remarked", reason: "report-late", outputs: [] });
  expect(transaction.items).toMatchObject([{ lateAnswers: [{ text: "report: made" }], resolution: { kind: "not-made", isFinal: true } }]);
});

test("a message sent again after the resolution is answered with what was found [D4 otherwise-equal]", () => {
  const again = offUsDebit({ message: identity("M2", "c1", connector) });
  const { outcomes } = tellAll([...offUsDelivered, ...close, again, resolution(), { ...again, message: identity("M3", "c1", connector) }]);
  expect(outcomes.at(-3)?.outputs).toEqual([]);
  expect(outcomes.at(-1)?.outputs).toMatchObject([{ form: "report-again", about: "M3", resolution: "made" }]);
  const creditAgain = credit({ message: identity("M2", "c1", connector) });
  const before = after(...creditDelivered, deadlinePassed(), creditAgain);
  expect(before.last.outputs).toMatchObject([{ form: "report-again", resolution: null }]);
  const behind = after(...creditDelivered, deadlinePassed(), resolution({ resolution: "not-made" }), creditAgain);
  expect(behind.last.outputs).toMatchObject([{ form: "report-again", resolution: "not-made" }]);
});

test("the day of a credit's item is its business date", () => {
  expect(after(...creditOver, resolution({ day: tomorrow })).last).toMatchObject({ reason: "other-day" });
  expect(after(...creditOver, resolution({ day: today })).last).toMatchObject({ decision: "applied" });
});
