// Operators resolve an item: docs/spec/decisions.md D9.61 to D9.63.

import { describe, expect, test } from "vitest";
import {
  connector,
  credit,
  creditDelivered,
  creditPending,
  creditRejected,
  dayClosed,
  dayReconciled,
  deadlinePassed,
  deliveredSteps,
  ended,
  heldSteps,
  hex,
  identity,
  offUsCompleted,
  offUsDebit,
  offUsDelivered,
  offUsHeld,
  offUsRejected,
  offUsReleased,
  releasedSteps,
  report,
  runSteps,
  type SequenceStep,
  shortName,
  stateAfter,
  stepPosition,
  today,
  tomorrow,
  uetr,
} from "../../given.fixture.ts";
import { confirmation, rejection, resolution, withdrawal } from "../decisions.fixture.ts";
import { action } from "../../operators.fixture.ts";
import { usedActionsMax } from "../../used-actions.ts";
import { decisionsKept, isOutcomeReportAwaited } from "../transaction.ts";

const close: readonly SequenceStep[] = [dayReconciled(), dayClosed()];
const onUs: readonly SequenceStep[] = [...releasedSteps, ...close];
const offUs: readonly SequenceStep[] = [...offUsReleased, ...close];
const creditOver: readonly SequenceStep[] = [...creditPending, deadlinePassed()];
const other = "00000000-0000-4000-8000-000000000001";
/** The end of the outcome report with this number. */
const outcomeEnded = (number: number, outcome: "acknowledged" | "refused" | "stopped" = "acknowledged"): SequenceStep => ({
  ...ended("O", outcome),
  messageIdentification: `${hex}O${number}`,
});

test("I5: a resolution keeps who, why and when; no state and no event follows, and on-us nobody gets a report [D9 resolution]", () => {
  const { last, transaction, states } = stateAfter(...onUs, resolution());
  expect(last).toMatchObject({ decision: "applied", reason: null, outputs: [] });
  expect(states.at(-1)).toBe("RECONCILIATION");
  const atMs = stepPosition(onUs.length).appendedAtMs;
  expect(transaction.items).toMatchObject([
    { row: null, resolution: { kind: "made", replacedBy: null, action: { id: "i1" }, atMs, isFinal: true, confirmed: null } },
  ]);
  expect(transaction.decisions).toMatchObject([{ kind: "ItemResolutionRequested", result: "applied", why: null }]);
});

test.each([
  { from: "a debit from elsewhere", given: offUs, operation: "inboundDirectDebitResponse", number: 1 },
  { from: "one that was withdrawn", given: [...offUsHeld, withdrawal()], operation: "inboundDirectDebitResponse", number: 1 },
  { from: "a debit whose rejection was reported", given: [...offUsRejected, ...close], operation: "inboundDirectDebitResponse", number: 2 },
  { from: "a credit whose PDNG was reported", given: creditOver, operation: "inboundCreditTransferAuthorizationResponse", number: 2 },
])(
  "the connector of $from gets the resolution once, under the next number and behind the earlier outcome report [D9 resolution]",
  (row) => {
    for (const kind of ["made", "not-made"] as const) {
      const { last, transaction } = stateAfter(...row.given, resolution({ resolution: kind }));
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
          reconciliationDay: null,
          deadlineMs: null,
          stopsAtMs: null,
          madeAtMs: stepPosition(row.given.length).appendedAtMs,
          causedByOffset: stepPosition(row.given.length).offset,
          about: null,
          resolution: kind,
        },
      ]);
      expect(transaction.outcomeReport).toEqual({ number: row.number, acknowledgedAtMs: null });
    }
  },
);

test("the report of a resolution is awaited until it is acknowledged; a refusal is recorded and changes nothing", () => {
  const reported = [...offUs, resolution()];
  const acknowledged = stateAfter(...reported, outcomeEnded(1));
  expect(acknowledged.last).toMatchObject({ decision: "applied", reason: "outcome-acknowledged", outputs: [] });
  expect(acknowledged.transaction.outcomeReport).toEqual({ number: 1, acknowledgedAtMs: stepPosition(reported.length).appendedAtMs });
  const refused = stateAfter(...reported, outcomeEnded(1, "refused"));
  expect(refused.last).toMatchObject({ decision: "recorded", reason: "late-answer", outputs: [] });
  expect(isOutcomeReportAwaited(refused.transaction)).toBe(true);
  expect(refused.transaction.items).toMatchObject([{ lateAnswers: [{ text: "outcome 1 refused: 400" }] }]);
  expect(stateAfter(...reported, outcomeEnded(1, "stopped")).last).toMatchObject({ decision: "ignored", outputs: [] });
  expect(stateAfter(...offUs, outcomeEnded(1)).last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
});

test("an answer to the outcome report does not answer the debit's stop, for which the row still waits", () => {
  const { transaction } = stateAfter(...offUs, resolution(), outcomeEnded(1), outcomeEnded(1, "refused"));
  expect(transaction.items).toMatchObject([{ row: null, evidence: null }]);
  const set = stateAfter(...offUs, resolution(), outcomeEnded(1, "refused"), ended("D", "stopped"));
  expect(set.transaction.items).toMatchObject([{ row: 7, resolution: { isFinal: true } }]);
});

test("an earlier outcome report is still delivered in order but no longer awaited; a refused one is stopped so that it blocks nothing", () => {
  const inOrder = stateAfter(...creditOver, resolution());
  expect(inOrder.last.outputs.map(shortName)).toEqual(["send:O2"]);
  const late = stateAfter(...creditOver, resolution(), outcomeEnded(1));
  expect(late.last).toMatchObject({ decision: "ignored", reason: "delivery-finished" });
  expect(isOutcomeReportAwaited(late.transaction)).toBe(true);
  const crossing = stateAfter(...creditOver, resolution(), outcomeEnded(1, "refused"));
  expect(crossing.last.outputs.map(shortName)).toEqual(["stop:O1"]);
  const freed = stateAfter(...creditOver, outcomeEnded(1, "refused"), resolution());
  expect(freed.last.outputs.map(shortName)).toEqual(["stop:O1", "send:O2"]);
  const rejected = stateAfter(...offUsRejected, ...close, outcomeEnded(1, "refused"), resolution());
  expect(rejected.last.outputs.map(shortName)).toEqual(["stop:O1", "send:O2"]);
});

test("a detached item for a PDNG is settled when the newer outcome report is acknowledged", () => {
  const { transaction } = stateAfter(...creditOver, outcomeEnded(1, "refused"), resolution(), outcomeEnded(2));
  expect(transaction.items.filter(({ settledAtMs }) => settledAtMs === null)).toMatchObject([{ state: "CREDIT_AUTH_DELIVERY_PENDING" }]);
  expect(transaction.items).toHaveLength(2);
});

test.each([
  { why: "no-item", given: heldSteps, fact: resolution() },
  { why: "no-item", given: [...releasedSteps, ended("D", "refused")], fact: resolution() },
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
])("a resolution is refused with $why, noted, and changes no item", ({ why, given, fact }) => {
  const { last, transaction } = stateAfter(...given, fact);
  expect(last).toMatchObject({ decision: "refused", reason: why, outputs: [] });
  expect(transaction.items).toEqual(runSteps(given).transaction?.items);
  expect(transaction.decisions.at(-1)).toMatchObject({ result: "refused", why });
});

test("a resolution as replaced names the other debit", () => {
  const { transaction } = stateAfter(...onUs, resolution({ resolution: "replaced", replacedBy: other.toUpperCase() }));
  expect(transaction.items).toMatchObject([{ resolution: { kind: "replaced", replacedBy: other, isFinal: true } }]);
  expect(stateAfter(...offUs, resolution({ resolution: "replaced", replacedBy: other })).last.outputs).toMatchObject([
    { resolution: "replaced" },
  ]);
});

test("a resolution that needs a second person counts only when another operator has confirmed it by the id of its action [D9 second-person]", () => {
  const proposed = stateAfter(...offUs, resolution({ needsSecondPerson: true }));
  expect(proposed.last).toMatchObject({ decision: "applied", reason: "resolution-proposed", outputs: [] });
  expect(proposed.transaction).toMatchObject({ outcomeReport: null, items: [{ resolution: { isFinal: false, confirmed: null } }] });
  const confirmed = stateAfter(...offUs, resolution({ needsSecondPerson: true }), confirmation());
  expect(confirmed.last.outputs.map(shortName)).toEqual(["send:O1"]);
  const atMs = stepPosition(offUs.length + 1).appendedAtMs;
  expect(confirmed.transaction.items).toMatchObject([
    { resolution: { isFinal: true, action: { operator: "thandi" }, confirmed: { action: action("c1", "sipho"), atMs } } },
  ]);
  const twice = stateAfter(...offUs, resolution({ needsSecondPerson: true }), confirmation(), confirmation("i1", "c2", "lindiwe"));
  expect(twice.last).toMatchObject({ decision: "refused", reason: "already-resolved", outputs: [] });
});

test("a proposal with a lifetime is confirmed before its end or not at all, and the item can be resolved again [D9 second-person]", () => {
  const betweenMs = stepPosition(offUs.length + 1).appendedAtMs - stepPosition(offUs.length).appendedAtMs;
  const propose = (lifetimeMs: number) => resolution({ needsSecondPerson: true, lifetimeMs });
  const inTime = stateAfter(...offUs, propose(betweenMs + 1), confirmation());
  expect(inTime.transaction.items).toMatchObject([{ resolution: { isFinal: true, expiresAtMs: null } }]);
  const late = stateAfter(...offUs, propose(betweenMs), confirmation());
  expect(late.last).toMatchObject({ decision: "refused", reason: "proposal-expired", outputs: [] });
  const expiresAtMs = stepPosition(offUs.length + 1).appendedAtMs;
  expect(late.transaction).toMatchObject({ outcomeReport: null, items: [{ resolution: { isFinal: false, expiresAtMs } }] });
  const again = stateAfter(
    ...offUs,
    propose(betweenMs),
    confirmation(),
    resolution({ needsSecondPerson: true }, "i2"),
    confirmation("i2", "c2"),
  );
  expect(again.last).toMatchObject({ decision: "applied", reason: "resolution-outcome" });
});

test("a further proposal replaces the earlier one, whose confirmation then finds nothing", () => {
  const proposals = [
    resolution({ needsSecondPerson: true }),
    resolution({ needsSecondPerson: true, resolution: "not-made" }, "i2", "sipho"),
  ];
  expect(stateAfter(...onUs, ...proposals, confirmation("i1", "c1", "lindiwe")).last).toMatchObject({ reason: "nothing-to-confirm" });
  const { transaction } = stateAfter(...onUs, ...proposals, confirmation("i2", "c1", "thandi"));
  expect(transaction.items).toMatchObject([{ resolution: { kind: "not-made", isFinal: true, action: { operator: "sipho" } } }]);
});

describe("I5: a second person rejects what they saw, and the item is open again [D9 rejection]", () => {
  const proposal = resolution({ needsSecondPerson: true });
  const rejected = [...offUs, proposal, rejection()];

  test("nothing is sent, no state follows, and the decision keeps who, why and when", () => {
    const { last, transaction, states } = stateAfter(...rejected);
    expect(last).toMatchObject({ decision: "applied", reason: null, outputs: [] });
    expect([states, transaction.items]).toEqual([stateAfter(...offUs).states, stateAfter(...offUs).transaction.items]);
    expect(transaction.outcomeReport).toBeNull();
    expect(transaction.decisions.at(-1)).toMatchObject({
      kind: "ItemResolutionRejected",
      action: { id: "x1", operator: "sipho" },
      result: "applied",
    });
  });

  test("the item can be resolved again, and the rejected request counts never again", () => {
    expect(stateAfter(...rejected, proposal).last).toMatchObject({ decision: "ignored", reason: "already-decided" });
    const again = [...rejected, resolution({ needsSecondPerson: true, resolution: "not-made" }, "i2")];
    const { transaction } = stateAfter(...again, confirmation("i2", "c2"));
    expect(transaction.items).toMatchObject([{ resolution: { kind: "not-made", isFinal: true } }]);
  });

  test("of a confirmation and a rejection the first in the journal counts", () => {
    const { offset } = stepPosition(offUs.length);
    const named = { offset, contentSha256: action("i1").contentSha256 };
    const confirmed = { ...confirmation(), proposal: named };
    expect(stateAfter(...rejected, confirmed).last).toMatchObject({ decision: "refused", reason: "nothing-to-confirm", outputs: [] });
    const late = stateAfter(...offUs, proposal, confirmed, { ...rejection(), proposal: named });
    expect(late.last).toMatchObject({ decision: "refused", reason: "already-resolved", outputs: [] });
    expect(late.transaction.items).toMatchObject([{ resolution: { isFinal: true } }]);
  });

  test.each([
    { why: "nothing-to-reject", given: offUs, fact: rejection() },
    { why: "nothing-to-reject", given: [...offUs, proposal], fact: rejection("i9") },
    { why: "nothing-to-reject", given: [...offUs, proposal, resolution({ needsSecondPerson: true }, "i2")], fact: rejection() },
    { why: "nothing-to-reject", given: rejected, fact: rejection("i1", "x2") },
    { why: "already-resolved", given: [...offUs, resolution()], fact: rejection() },
    { why: "same-person", given: [...offUs, proposal], fact: rejection("i1", "x1", "thandi") },
  ])("a rejection is refused with $why, noted, and changes no item", ({ why, given, fact }) => {
    const { last, transaction } = stateAfter(...given, fact);
    expect(last).toMatchObject({ decision: "refused", reason: why, outputs: [] });
    expect(transaction.items).toEqual(runSteps(given).transaction?.items);
  });

  test("a rejection after a replacement does not bring the replaced proposal back", () => {
    const { transaction } = stateAfter(...offUs, proposal, resolution({ needsSecondPerson: true }, "i2"), rejection("i2"));
    expect(transaction.items).toMatchObject([{ resolution: null }]);
  });
});

test("a detached item is resolved without a report to the connector, which still gets its outcome report", () => {
  const { last, transaction } = stateAfter(...offUsCompleted, ...close, resolution());
  expect(last).toMatchObject({ decision: "applied", outputs: [] });
  expect(transaction).toMatchObject({
    state: "COMPLETED",
    outcomeReport: { number: 1, acknowledgedAtMs: null },
    items: [{ cause: "OUTCOME_UNDELIVERED", resolution: { isFinal: true } }],
  });
  expect(stateAfter(...offUsCompleted, ...close, ended("O"), resolution()).last).toMatchObject({ decision: "refused", reason: "no-item" });
});

test("the attached item of a credit is resolved before the detached one", () => {
  const given = [...creditOver, outcomeEnded(1, "refused")];
  const first = stateAfter(...given, resolution({ resolution: "not-made" }));
  expect(first.last.outputs.map(shortName)).toEqual(["stop:O1", "send:O2"]);
  const second = stateAfter(...given, resolution({ resolution: "not-made" }), resolution({}, "i2"));
  expect(second.last).toMatchObject({ decision: "applied", outputs: [] });
  expect(second.transaction.items.map((item) => item.resolution?.kind)).toEqual(["not-made", "made"]);
  const both = stateAfter(...given, resolution({ resolution: "not-made" }), resolution({}, "i2"), resolution({}, "i3"));
  expect(both.last).toMatchObject({ reason: "already-resolved" });
});

test("a late answer is recorded on a resolved item and does not change the resolution", () => {
  const { last, transaction } = stateAfter(...deliveredSteps, ...close, resolution({ resolution: "not-made" }), report());
  expect(last).toMatchObject({ decision: "recorded", reason: "report-late", outputs: [] });
  expect(transaction.items).toMatchObject([{ lateAnswers: [{ text: "report: made" }], resolution: { kind: "not-made", isFinal: true } }]);
});

test("a message sent again after the resolution is answered with the resolution [D4 otherwise-equal]", () => {
  const again = offUsDebit({ message: identity("M2", "c1", connector) });
  const { outcomes } = runSteps([...offUsDelivered, ...close, again, resolution(), { ...again, message: identity("M3", "c1", connector) }]);
  expect(outcomes.at(-3)?.outputs).toEqual([]);
  expect(outcomes.at(-1)?.outputs).toMatchObject([{ form: "report-again", about: "M3", resolution: "made" }]);
  const creditAgain = credit({ message: identity("M2", "c1", connector) });
  const before = stateAfter(...creditDelivered, deadlinePassed(), creditAgain);
  expect(before.last.outputs).toMatchObject([{ form: "report-again", resolution: null }]);
  const behind = stateAfter(...creditDelivered, deadlinePassed(), resolution({ resolution: "not-made" }), creditAgain);
  expect(behind.last.outputs).toMatchObject([{ form: "report-again", resolution: "not-made" }]);
});

test("the day of a credit's item is the credit's business date", () => {
  expect(stateAfter(...creditOver, resolution({ day: tomorrow })).last).toMatchObject({ reason: "other-day" });
  expect(stateAfter(...creditOver, resolution({ day: today })).last).toMatchObject({ decision: "applied" });
});

describe("I5: a second person confirms what they saw, and nothing else [D9 second-person]", () => {
  const needsSecondPerson = true;
  const proposed = [...offUs, resolution({ needsSecondPerson }, "res-1")];
  const seen = { offset: stepPosition(offUs.length).offset, contentSha256: action("res-1").contentSha256 };
  const seenIt = { ...confirmation("res-1", "c1", "sipho"), proposal: seen };
  const otherContent = { ...action("res-1"), contentSha256: "f".repeat(64) };

  test("an id that was used is refused with other content, however many actions came between", () => {
    const others = Array.from({ length: 3 * decisionsKept }, (_, index) => resolution({ needsSecondPerson }, `other-${index}`));
    const changed = resolution({ needsSecondPerson, resolution: "not-made", action: otherContent });
    const { last, transaction } = stateAfter(...proposed, ...others, changed);
    expect(last).toMatchObject({ decision: "refused", reason: "id-used", outputs: [] });
    expect(stateAfter(...proposed, ...others, changed, seenIt).last).toMatchObject({ decision: "refused", reason: "nothing-to-confirm" });
    expect(transaction.decisions).toHaveLength(decisionsKept);
    const again = stateAfter(...proposed, ...others, resolution({ needsSecondPerson }, "res-1")).last;
    expect(again).toMatchObject({ decision: "ignored", reason: "already-decided" });
  });

  test("a confirmation of another offset, of another content, or of neither finds nothing", () => {
    for (const proposal of [null, { ...seen, offset: seen.offset + 1n }, { ...seen, contentSha256: "f".repeat(64) }]) {
      const { last, transaction } = stateAfter(...proposed, { ...seenIt, proposal });
      expect(last).toMatchObject({ decision: "refused", reason: "nothing-to-confirm", outputs: [] });
      expect(transaction.items).toMatchObject([{ resolution: { isFinal: false } }]);
    }
    expect(stateAfter(...proposed, seenIt).last).toMatchObject({ decision: "applied" });
  });

  test("two tokens of one person are one person", () => {
    const second = { ...seenIt, action: { ...action("c1", "thandi-2"), person: "thandi" } };
    expect(stateAfter(...proposed, second).last).toMatchObject({ decision: "refused", reason: "same-person" });
    const elsewhere = { ...seenIt, action: { ...action("c1", "thandi-2"), person: "sipho" } };
    expect(stateAfter(...proposed, elsewhere).last).toMatchObject({ decision: "applied" });
  });

  test("I15: at the bound a new action is refused, and no id is forgotten", () => {
    const many = Array.from({ length: usedActionsMax.transaction }, (_, index) => withdrawal(`w${index}`));
    const full = stateAfter(...offUs, ...many);
    expect(full.transaction.usedActions).toHaveLength(usedActionsMax.transaction);
    expect(stateAfter(...offUs, ...many, withdrawal("one-more")).last).toMatchObject({ decision: "refused", reason: "too-many-decisions" });
    expect(stateAfter(...offUs, ...many, withdrawal("w0")).last).toMatchObject({ decision: "ignored", reason: "already-decided" });
  });
});
