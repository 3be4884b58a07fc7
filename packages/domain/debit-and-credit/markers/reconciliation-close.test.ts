// The reconciliation close: docs/spec/decisions.md D9.55 and the table of items under it.

import { expect, test } from "vitest";
import {
  acceptedSteps,
  bank,
  completedSteps,
  dayClosed,
  dayReconciled,
  debit,
  deliveredSteps,
  ended,
  gateOpened,
  heldSteps,
  openDay,
  rejectedSteps,
  release,
  releasedSteps,
  report,
  runSteps,
  type SequenceStep,
  shortName,
  stateAfter,
  stepPosition,
  tomorrow,
  verdict,
  windowClosed,
  windowOpened,
} from "../../given.fixture.ts";
import { isReceiverPaused, bankResumed } from "../decisions.fixture.ts";

const close: readonly SequenceStep[] = [dayReconciled(), dayClosed()];

const items = [
  { state: "RECEIVED", given: [debit()], row: 4, outputs: ["RECONCILIATION"] },
  { state: "ACCEPTED", given: acceptedSteps, row: 5, outputs: ["RECONCILIATION", "stop:A"] },
  { state: "REJECTED", given: rejectedSteps, row: 5, outputs: ["RECONCILIATION", "stop:R"] },
  { state: "HELD", given: heldSteps, row: 0, outputs: ["RECONCILIATION"] },
  { state: "RELEASED", given: releasedSteps, row: null, outputs: ["RECONCILIATION", "stop:D"] },
  { state: "DELIVERED", given: deliveredSteps, row: 9, outputs: ["RECONCILIATION"] },
];

test.each(items)(
  "I10: the close makes an item, row $row, of $state [7.4] [7.5] [7.9] [D9 items] [D9 RECEIVED] [D9 ACCEPTED]",
  ({ state, given, row, outputs }) => {
    const { last, transaction } = stateAfter(...given, ...close);
    expect(last.decision).toBe("applied");
    expect(last.outputs.map(shortName)).toEqual(outputs);
    expect(transaction.items).toMatchObject([{ row, state, settledAtMs: null, day: "ZA_EFT:2026-11-20" }]);
  },
);

test("I10: a transaction in a terminal state at the close gets no item", () => {
  for (const given of [completedSteps, [...deliveredSteps, report("not-made")], [...rejectedSteps, ended("R")]]) {
    const { last, transaction } = stateAfter(...given, ...close);
    expect(last).toMatchObject({ decision: "ignored", outputs: [] });
    expect(transaction.items).toEqual([]);
  }
});

test("the entry of the close has the offset of the handled record, and the offset and time of the marker", () => {
  const { transaction } = stateAfter(...heldSteps, ...close);
  const [marker, turn] = [stepPosition(heldSteps.length), stepPosition(heldSteps.length + 1)];
  expect(transaction.transitions.at(-1)).toMatchObject({ offset: turn.offset, markerOffset: marker.offset, atMs: marker.appendedAtMs });
});

test("a DayClosed before the marker, or for another day, is refused", () => {
  expect(stateAfter(...heldSteps, dayClosed(), dayReconciled()).last).toMatchObject({ decision: "refused", reason: "day-not-reconciled" });
  expect(stateAfter(...heldSteps, dayReconciled(), dayClosed(tomorrow)).last).toMatchObject({ reason: "other-day" });
});

test("a report that comes after the marker is late although no DayClosed came before it, because the marker is applied first", () => {
  const { last, states, transaction } = stateAfter(...deliveredSteps, dayReconciled(), report());
  expect(states.at(-1)).toBe("RECONCILIATION");
  expect(last).toMatchObject({ decision: "recorded", reason: "report-late" });
  expect(last.outputs.map(shortName)).toEqual(["RECONCILIATION"]);
  expect(transaction.items).toMatchObject([{ row: 9, lateAnswers: [{ text: "report: made" }] }]);
});

test("a first record after the close, and a verdict for a reconciled day, make the item with their own offset and time", () => {
  const first = stateAfter(dayReconciled(), debit());
  expect(first.last.outputs.map(shortName)).toEqual(["RECEIVED", "RECONCILIATION"]);
  const second = stateAfter(dayReconciled("2026-11-23"), debit(), verdict({ reconciliationDay: tomorrow }));
  expect(second.last.outputs.map(shortName)).toEqual(["ACCEPTED", "send:A", "RECONCILIATION", "stop:A"]);
  expect(second.transaction.transitions.at(-1)).toMatchObject({ atMs: stepPosition(2).appendedAtMs, markerOffset: stepPosition(0).offset });
});

test("a verdict that moves the deadline to a later day is applied before that day closes", () => {
  const { states } = stateAfter(debit(), verdict({ reconciliationDay: tomorrow, businessDate: "2026-11-23" }), ...close, ended("A"));
  expect(states.at(-1)).toBe("HELD");
});

test("RELEASED: the answer to the stop sets row 7 where no HTTP answer ever came, 8 where any did, and names a pause or a breaker [7.7] [7.8] [D9 RELEASED]", () => {
  const rowAfter = (evidence: object): unknown => stateAfter(...releasedSteps, ...close, ended("D", "stopped", evidence)).transaction.items;
  expect(rowAfter({ anyAnswer: false, attempts: 4 })).toMatchObject([{ row: 7, cause: null, evidence: { attempts: 4 } }]);
  expect(rowAfter({ anyAnswer: true })).toMatchObject([{ row: 8, cause: null }]);
  expect(rowAfter({ anyAnswer: false, isBreakerOpen: true })).toMatchObject([{ row: 7, cause: "BREAKER_OPEN" }]);
  expect(rowAfter({ anyAnswer: false, isReceiverPaused: true, isBreakerOpen: true })).toMatchObject([{ row: 7, cause: "BANK_PAUSED" }]);
});

test("a second answer to a stop changes nothing", () => {
  const { last, transaction } = stateAfter(...releasedSteps, ...close, ended("D", "stopped", { anyAnswer: true }), ended("D", "stopped"));
  expect(last).toMatchObject({ decision: "ignored", outputs: [] });
  expect(transaction.items).toMatchObject([{ row: 8 }]);
});

test("an acknowledgement after the close is recorded on the item, whose row is 8 because there was an answer", () => {
  const { last, transaction, states } = stateAfter(...releasedSteps, ...close, ended("D"), ended("D", "stopped"));
  expect(states.at(-1)).toBe("RECONCILIATION");
  expect(transaction.items).toMatchObject([{ row: 8, lateAnswers: [{ text: "acknowledged: 202" }] }]);
  expect(last).toMatchObject({ decision: "ignored" });
});

test("a refusal after the close makes row 3 and is stopped again, but not with the record that stops it anyway", () => {
  const late = stateAfter(...releasedSteps, ...close, ended("D", "refused"));
  expect(late.transaction.items).toMatchObject([{ row: 3, evidence: { httpStatusCode: 400 } }]);
  expect(late.last.outputs.map(shortName)).toEqual(["stop:D"]);
  const crossing = stateAfter(...releasedSteps, dayReconciled(), ended("D", "refused"));
  expect(crossing.last.outputs.map(shortName)).toEqual(["RECONCILIATION", "stop:D"]);
  expect(crossing.transaction.items).toMatchObject([{ row: 3 }]);
});

test("an item of row 5 keeps its row and takes the evidence of its stopped report", () => {
  const { transaction } = stateAfter(...acceptedSteps, ...close, ended("A", "stopped", { attempts: 9, isBreakerOpen: true }));
  expect(transaction.items).toMatchObject([{ row: 5, cause: "BREAKER_OPEN", evidence: { attempts: 9 } }]);
});

test.each([
  { state: "ACCEPTED", given: acceptedSteps, letter: "A" as const },
  { state: "REJECTED", given: rejectedSteps, letter: "R" as const },
  { state: "RELEASED", given: releasedSteps, letter: "D" as const },
])(
  "a not-recoverable answer in $state shows an item of row 3 at once; the state stays and the close takes the item over [7.3] [D9 refused]",
  (row) => {
    const early = stateAfter(...row.given, ended(row.letter, "refused"));
    expect(early.last).toMatchObject({ decision: "applied", reason: "refused-by-bank", outputs: [] });
    expect(early.states.at(-1)).toBe(row.state);
    expect(early.transaction.items).toMatchObject([{ row: 3, state: row.state, evidence: { httpStatusCode: 400 }, settledAtMs: null }]);
    const twice = stateAfter(...row.given, ended(row.letter, "refused"), ended(row.letter, "refused", { attempts: 2 }));
    expect(twice.transaction.items).toMatchObject([{ row: 3, evidence: { attempts: 2 } }]);
    const closed = stateAfter(...row.given, ended(row.letter, "refused"), ...close, ended(row.letter, "stopped"));
    expect(closed.states.at(-1)).toBe("RECONCILIATION");
    expect(closed.transaction.items).toHaveLength(1);
    expect(closed.transaction.items).toMatchObject([{ row: 3, evidence: { httpStatusCode: 400 }, settledAtMs: null }]);
  },
);

test("an acknowledgement or a report before the close settles an early item, and a later close makes a new one", () => {
  const settled = stateAfter(...releasedSteps, ended("D", "refused"), ended("D"));
  expect(settled.transaction.items).toMatchObject([{ row: 3, settledAtMs: stepPosition(releasedSteps.length + 1).appendedAtMs }]);
  const reported = stateAfter(...releasedSteps, ended("D", "refused"), report());
  expect(reported.transaction).toMatchObject({ state: "COMPLETED", items: [{ row: 3, settledAtMs: expect.any(Number) }] });
  const closed = stateAfter(...releasedSteps, ended("D", "refused"), ended("D"), ...close);
  expect(closed.transaction.items.filter((item) => item.settledAtMs === null)).toMatchObject([{ row: 9 }]);
});

/** The close as the second record behind an open day. */
const closesAtMs = stepPosition([...heldSteps, ...openDay].length + 1).appendedAtMs;

test.each([
  { cause: "WINDOW_MISSED", why: "no window opened", given: heldSteps },
  { cause: "WINDOW_MISSED", why: "it was held after the last close", given: [...acceptedSteps, ...openDay, windowClosed(), ended("A")] },
  { cause: "GATE_CLOSED", why: "the gate never opened", given: [...heldSteps, windowOpened(), windowClosed()] },
  {
    cause: "GATE_CLOSED",
    why: "the gate excepted its bank",
    given: [...heldSteps, windowOpened(), gateOpened({ except: [bank] }), windowClosed()],
  },
  { cause: "GATE_CLOSED", why: "the gate opened after the close", given: [...heldSteps, windowOpened(), windowClosed(), gateOpened()] },
  { cause: "NOT_REACHED_BEFORE_CLOSE", why: "its turn did not come", given: [...heldSteps, ...openDay, windowClosed()] },
  {
    cause: "NOT_REACHED_BEFORE_CLOSE",
    why: "only the second window had the gate open",
    given: [...heldSteps, windowOpened(), windowClosed(), gateOpened(), windowOpened(2)],
  },
  { cause: "BANK_PAUSED", why: "its bank was paused until the end", given: [...heldSteps, ...openDay, isReceiverPaused(), windowClosed()] },
  {
    cause: "BANK_PAUSED",
    why: "its bank was in maintenance at the close",
    given: [...heldSteps, ...openDay, isReceiverPaused(1, bank, closesAtMs + 1), windowClosed()],
  },
  {
    cause: "NOT_REACHED_BEFORE_CLOSE",
    why: "its bank's maintenance was over at the close",
    given: [...heldSteps, ...openDay, isReceiverPaused(1, bank, closesAtMs), windowClosed()],
  },
  {
    cause: "BANK_PAUSED",
    why: "the only window with its gate open ended in a pause",
    given: [...heldSteps, windowOpened(), windowClosed(), gateOpened(), windowOpened(2), isReceiverPaused(), windowClosed(2)],
  },
  {
    cause: "NOT_REACHED_BEFORE_CLOSE",
    why: "it was resumed in time",
    given: [...heldSteps, isReceiverPaused(), ...openDay, bankResumed(), windowClosed(), isReceiverPaused(2)],
  },
  {
    cause: "NOT_REACHED_BEFORE_CLOSE",
    why: "only one of its two windows ended in a pause",
    given: [...heldSteps, ...openDay, isReceiverPaused(), windowClosed(), bankResumed(), windowOpened(2), windowClosed(2)],
  },
  {
    cause: "NOT_REACHED_BEFORE_CLOSE",
    why: "another bank was paused",
    given: [...heldSteps, ...openDay, isReceiverPaused(1, "bank-b"), windowClosed()],
  },
  {
    cause: "GATE_CLOSED",
    why: "the gate was closed, paused or not",
    given: [...heldSteps, windowOpened(), isReceiverPaused(), windowClosed()],
  },
])("a debit in HELD at the close gets the cause $cause because $why [D9 HELD]", ({ cause, given }) => {
  expect(stateAfter(...given, ...close).transaction.items).toMatchObject([{ row: 0, cause }]);
});

test("a close in HELD shows that the debit was held, and a close in DELIVERED after a PDNG shows PDNG [D9 DELIVERED]", () => {
  expect(stateAfter(...heldSteps, ...close).last.outputs).toMatchObject([
    { wasHeld: true, payload: "debit-received", messageIdentification: "M1" },
  ]);
  expect(stateAfter(...releasedSteps, ...close).last.outputs[0]).toMatchObject({
    wasHeld: false,
    payload: "inbound-debit",
    direction: "INBOUND",
  });
  expect(stateAfter(...deliveredSteps, report("pending"), ...close).transaction.items).toMatchObject([{ row: 9, cause: "PDNG" }]);
  expect(stateAfter(...deliveredSteps, ...close).transaction.items).toMatchObject([{ row: 9, cause: null }]);
});

test.each([
  { reason: "window-not-open", given: heldSteps, fact: release() },
  { reason: "window-not-open", given: [...heldSteps, ...openDay], fact: release({ windowNumber: 2 }) },
  { reason: "window-closed", given: [...heldSteps, ...openDay, windowClosed()], fact: release() },
  { reason: "gate-closed", given: [...heldSteps, windowOpened()], fact: release() },
  { reason: "gate-closed", given: [...heldSteps, windowOpened(), gateOpened({ except: [bank] })], fact: release() },
  { reason: "gate-closed", given: [...heldSteps, windowOpened(), gateOpened({ banks: ["bank-b"] })], fact: release() },
  { reason: "bank-paused", given: [...heldSteps, ...openDay, isReceiverPaused()], fact: release() },
  { reason: "bank-paused", given: [...heldSteps, isReceiverPaused(), bankResumed(), ...openDay, isReceiverPaused(2)], fact: release() },
  { reason: "bank-paused", given: [...heldSteps, ...openDay, isReceiverPaused(1, bank, closesAtMs + 1)], fact: release() },
  { reason: "other-day", given: [...heldSteps, ...openDay], fact: release({ businessDate: "2026-11-23" }) },
  { reason: "other-day", given: [...heldSteps, ...openDay], fact: release({ scheme: "ZA_RTC" }) },
  { reason: "other-bank", given: [...heldSteps, ...openDay], fact: release({ bank: "bank-b" }) },
  { reason: "not-in-this-state", given: [...acceptedSteps, ...openDay], fact: release() },
  { reason: "not-in-this-state", given: [...heldSteps, ...openDay, dayReconciled()], fact: release() },
])("I8: a release is refused with $reason", ({ reason, given, fact }) => {
  const { last, states } = stateAfter(...given, fact);
  expect(last).toMatchObject({ decision: "refused", reason });
  expect(states).not.toContain("RELEASED");
});

test("I3: a second Release is ignored once the debit has left, and refused before its turn or after the close", () => {
  for (const given of [releasedSteps, deliveredSteps, completedSteps, [...deliveredSteps, report("not-made")]]) {
    expect(stateAfter(...given, release()).last).toMatchObject({ decision: "ignored", outputs: [] });
  }
  for (const given of [[debit()], rejectedSteps, [...rejectedSteps, ended("R")], [...releasedSteps, ...close]]) {
    expect(stateAfter(...given, release()).last).toMatchObject({ decision: "refused", reason: "not-in-this-state" });
  }
});

test("I8: a debit of a bank that was excepted is released once the bank's own gate opens", () => {
  const given = [...heldSteps, windowOpened(), gateOpened({ except: [bank] }), gateOpened({ banks: [bank], number: 2 })];
  expect(stateAfter(...given, release()).states.at(-1)).toBe("RELEASED");
});

test("I8: a debit is released if its bank was resumed or never paused; a later pause does not count", () => {
  const over = isReceiverPaused(1, bank, closesAtMs);
  for (const pauses of [[isReceiverPaused(), bankResumed()], [isReceiverPaused(1, "bank-b")], [over]]) {
    expect(stateAfter(...heldSteps, ...openDay, ...pauses, release()).states.at(-1)).toBe("RELEASED");
  }
  expect(runSteps([...heldSteps, ...openDay, release(), isReceiverPaused()]).outcomes.at(-1)).toMatchObject({ decision: "applied" });
});

test("I8: markers that come after the release in the partition do not count, although they are known", () => {
  const { outcomes } = runSteps([...heldSteps, release(), ...openDay]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "window-not-open" });
});
