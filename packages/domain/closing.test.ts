// The reconciliation close: decisions.md, section 9, the table of items.

import { expect, test } from "vitest";
import {
  accepted,
  after,
  bank,
  completed,
  dayClosed,
  dayReconciled,
  debit,
  delivered,
  ended,
  gateOpened,
  held,
  openDay,
  placeOf,
  rejected,
  release,
  released,
  report,
  short,
  tellAll,
  tomorrow,
  verdict,
  windowClosed,
  windowOpened,
} from "./given.ts";
import type { Step } from "./given.ts";
import { bankPaused, bankResumed } from "./given-decisions.ts";

const close: readonly Step[] = [dayReconciled(), dayClosed()];

const items = [
  { state: "RECEIVED", given: [debit()], row: 4, outputs: ["RECONCILIATION"] },
  { state: "ACCEPTED", given: accepted, row: 5, outputs: ["RECONCILIATION", "stop:A"] },
  { state: "REJECTED", given: rejected, row: 5, outputs: ["RECONCILIATION", "stop:R"] },
  { state: "HELD", given: held, row: 0, outputs: ["RECONCILIATION"] },
  { state: "RELEASED", given: released, row: null, outputs: ["RECONCILIATION", "stop:D"] },
  { state: "DELIVERED", given: delivered, row: 9, outputs: ["RECONCILIATION"] },
];

test.each(items)("I10: the close makes an item, row $row, of $state [7.4] [7.5] [7.9] [D9 items]", ({ state, given, row, outputs }) => {
  const { last, transaction } = after(...given, ...close);
  expect(last.decision).toBe("applied");
  expect(last.outputs.map(short)).toEqual(outputs);
  expect(transaction.items).toMatchObject([{ row, state, settledAtMs: null, day: "ZA_EFT:2026-11-20" }]);
});

test("I10: what is terminal at the close makes no item", () => {
  for (const given of [completed, [...delivered, report("not-made")], [...rejected, ended("R")]]) {
    const { last, transaction } = after(...given, ...close);
    expect(last).toMatchObject({ decision: "ignored", outputs: [] });
    expect(transaction.items).toEqual([]);
  }
});

test("the close's entry carries the turn's offset and, beside it, the marker's offset and time", () => {
  const { transaction } = after(...held, ...close);
  const [marker, turn] = [placeOf(held.length), placeOf(held.length + 1)];
  expect(transaction.transitions.at(-1)).toMatchObject({ offset: turn.offset, markerOffset: marker.offset, atMs: marker.appendedAtMs });
});

test("DayClosed before the marker, or of another day, is refused", () => {
  expect(after(...held, dayClosed(), dayReconciled()).last).toMatchObject({ decision: "refused", reason: "day-not-reconciled" });
  expect(after(...held, dayReconciled(), dayClosed(tomorrow)).last).toMatchObject({ reason: "other-day" });
});

test("a report that comes after the marker is late, though no DayClosed came between: the marker is taken first", () => {
  const { last, states, transaction } = after(...delivered, dayReconciled(), report());
  expect(states.at(-1)).toBe("RECONCILIATION");
  expect(last).toMatchObject({ decision: "remarked", reason: "report-late" });
  expect(last.outputs.map(short)).toEqual(["RECONCILIATION"]);
  expect(transaction.items).toMatchObject([{ row: 9, lateAnswers: [{ text: "report: made" }] }]);
});

test("a first record after the close, and a verdict for a day that is reconciled, make the item in their own turn and time", () => {
  const first = after(dayReconciled(), debit());
  expect(first.last.outputs.map(short)).toEqual(["RECEIVED", "RECONCILIATION"]);
  const second = after(dayReconciled("2026-11-23"), debit(), verdict({ closesWith: tomorrow }));
  expect(second.last.outputs.map(short)).toEqual(["ACCEPTED", "send:A", "RECONCILIATION", "stop:A"]);
  expect(second.transaction.transitions.at(-1)).toMatchObject({ atMs: placeOf(2).appendedAtMs, markerOffset: placeOf(0).offset });
});

test("a verdict that moves the deadline to a later day is taken before that day closes", () => {
  const { states } = after(debit(), verdict({ closesWith: tomorrow, businessDate: "2026-11-23" }), ...close, ended("A"));
  expect(states.at(-1)).toBe("HELD");
});

test("RELEASED: the answer to the stop sets row 7 where no HTTP answer ever came, 8 where any did, and names a pause or a breaker [7.7] [7.8]", () => {
  const rowAfter = (evidence: object): unknown => after(...released, ...close, ended("D", "stopped", evidence)).transaction.items;
  expect(rowAfter({ anyAnswer: false, attempts: 4 })).toMatchObject([{ row: 7, cause: null, evidence: { attempts: 4 } }]);
  expect(rowAfter({ anyAnswer: true })).toMatchObject([{ row: 8, cause: null }]);
  expect(rowAfter({ anyAnswer: false, isBreakerOpen: true })).toMatchObject([{ row: 7, cause: "BREAKER_OPEN" }]);
  expect(rowAfter({ anyAnswer: false, isBankPaused: true, isBreakerOpen: true })).toMatchObject([{ row: 7, cause: "BANK_PAUSED" }]);
});

test("a second answer to the stop changes nothing", () => {
  const { last, transaction } = after(...released, ...close, ended("D", "stopped", { anyAnswer: true }), ended("D", "stopped"));
  expect(last).toMatchObject({ decision: "ignored", outputs: [] });
  expect(transaction.items).toMatchObject([{ row: 8 }]);
});

test("acknowledged after the close: recorded on the item, whose row is 8, for there was an answer", () => {
  const { last, transaction, states } = after(...released, ...close, ended("D"), ended("D", "stopped"));
  expect(states.at(-1)).toBe("RECONCILIATION");
  expect(transaction.items).toMatchObject([{ row: 8, lateAnswers: [{ text: "acknowledged: 202" }] }]);
  expect(last).toMatchObject({ decision: "ignored" });
});

test("refused after the close: row 3; it is stopped again, but not in the turn that stops it anyway", () => {
  const late = after(...released, ...close, ended("D", "refused"));
  expect(late.transaction.items).toMatchObject([{ row: 3, evidence: { httpStatusCode: 400 } }]);
  expect(late.last.outputs.map(short)).toEqual(["stop:D"]);
  const crossing = after(...released, dayReconciled(), ended("D", "refused"));
  expect(crossing.last.outputs.map(short)).toEqual(["RECONCILIATION", "stop:D"]);
  expect(crossing.transaction.items).toMatchObject([{ row: 3 }]);
});

test("row 5 keeps its row and takes the evidence of its stopped report", () => {
  const { transaction } = after(...accepted, ...close, ended("A", "stopped", { attempts: 9, isBreakerOpen: true }));
  expect(transaction.items).toMatchObject([{ row: 5, cause: "BREAKER_OPEN", evidence: { attempts: 9 } }]);
});

test.each([
  { state: "ACCEPTED", given: accepted, letter: "A" as const },
  { state: "REJECTED", given: rejected, letter: "R" as const },
  { state: "RELEASED", given: released, letter: "D" as const },
])("a not-recoverable answer in $state shows an item, row 3, at once; the state stays; the close takes over that item [7.3]", (row) => {
  const early = after(...row.given, ended(row.letter, "refused"));
  expect(early.last).toMatchObject({ decision: "applied", reason: "refused-by-bank", outputs: [] });
  expect(early.states.at(-1)).toBe(row.state);
  expect(early.transaction.items).toMatchObject([{ row: 3, state: row.state, evidence: { httpStatusCode: 400 }, settledAtMs: null }]);
  const twice = after(...row.given, ended(row.letter, "refused"), ended(row.letter, "refused", { attempts: 2 }));
  expect(twice.transaction.items).toMatchObject([{ row: 3, evidence: { attempts: 2 } }]);
  const closed = after(...row.given, ended(row.letter, "refused"), ...close, ended(row.letter, "stopped"));
  expect(closed.states.at(-1)).toBe("RECONCILIATION");
  expect(closed.transaction.items).toHaveLength(1);
  expect(closed.transaction.items).toMatchObject([{ row: 3, evidence: { httpStatusCode: 400 }, settledAtMs: null }]);
});

test("an acknowledgement or a report before the close settles an early item; a later close makes its own", () => {
  const settled = after(...released, ended("D", "refused"), ended("D"));
  expect(settled.transaction.items).toMatchObject([{ row: 3, settledAtMs: placeOf(released.length + 1).appendedAtMs }]);
  const reported = after(...released, ended("D", "refused"), report());
  expect(reported.transaction).toMatchObject({ state: "COMPLETED", items: [{ row: 3, settledAtMs: expect.any(Number) }] });
  const closed = after(...released, ended("D", "refused"), ended("D"), ...close);
  expect(closed.transaction.items.filter((item) => item.settledAtMs === null)).toMatchObject([{ row: 9 }]);
});

/** Of a close that is the second record behind an open day. */
const closesAtMs = placeOf([...held, ...openDay].length + 1).appendedAtMs;

test.each([
  { cause: "WINDOW_MISSED", why: "no window opened", given: held },
  { cause: "WINDOW_MISSED", why: "it was held after the last close", given: [...accepted, ...openDay, windowClosed(), ended("A")] },
  { cause: "GATE_CLOSED", why: "the gate never opened", given: [...held, windowOpened(), windowClosed()] },
  { cause: "GATE_CLOSED", why: "its bank was excepted", given: [...held, windowOpened(), gateOpened({ except: [bank] }), windowClosed()] },
  { cause: "GATE_CLOSED", why: "the gate opened after the close", given: [...held, windowOpened(), windowClosed(), gateOpened()] },
  { cause: "PACED_OUT", why: "its turn did not come", given: [...held, ...openDay, windowClosed()] },
  {
    cause: "PACED_OUT",
    why: "only the second window had the gate open",
    given: [...held, windowOpened(), windowClosed(), gateOpened(), windowOpened(2)],
  },
  { cause: "BANK_PAUSED", why: "its bank was paused to the end", given: [...held, ...openDay, bankPaused(), windowClosed()] },
  {
    cause: "BANK_PAUSED",
    why: "its bank was in maintenance at the close",
    given: [...held, ...openDay, bankPaused(1, bank, closesAtMs + 1), windowClosed()],
  },
  {
    cause: "PACED_OUT",
    why: "its bank's maintenance was over at the close",
    given: [...held, ...openDay, bankPaused(1, bank, closesAtMs), windowClosed()],
  },
  {
    cause: "BANK_PAUSED",
    why: "the only window with its gate open ended in a pause",
    given: [...held, windowOpened(), windowClosed(), gateOpened(), windowOpened(2), bankPaused(), windowClosed(2)],
  },
  {
    cause: "PACED_OUT",
    why: "it was resumed in time",
    given: [...held, bankPaused(), ...openDay, bankResumed(), windowClosed(), bankPaused(2)],
  },
  {
    cause: "PACED_OUT",
    why: "only one of its two windows ended in a pause",
    given: [...held, ...openDay, bankPaused(), windowClosed(), bankResumed(), windowOpened(2), windowClosed(2)],
  },
  { cause: "PACED_OUT", why: "another bank was paused", given: [...held, ...openDay, bankPaused(1, "bank-b"), windowClosed()] },
  { cause: "GATE_CLOSED", why: "the gate was, paused or not", given: [...held, windowOpened(), bankPaused(), windowClosed()] },
])("HELD at the close: $cause, $why", ({ cause, given }) => {
  expect(after(...given, ...close).transaction.items).toMatchObject([{ row: 0, cause }]);
});

test("HELD at the close shows that it was held; DELIVERED after a PDNG shows PDNG", () => {
  expect(after(...held, ...close).last.outputs).toMatchObject([{ wasHeld: true, payload: "debit-received", messageIdentification: "M1" }]);
  expect(after(...released, ...close).last.outputs[0]).toMatchObject({ wasHeld: false, payload: "inbound-debit", direction: "INBOUND" });
  expect(after(...delivered, report("pending"), ...close).transaction.items).toMatchObject([{ row: 9, cause: "PDNG" }]);
  expect(after(...delivered, ...close).transaction.items).toMatchObject([{ row: 9, cause: null }]);
});

test.each([
  { reason: "window-not-open", given: held, fact: release() },
  { reason: "window-not-open", given: [...held, ...openDay], fact: release({ windowNumber: 2 }) },
  { reason: "window-closed", given: [...held, ...openDay, windowClosed()], fact: release() },
  { reason: "gate-closed", given: [...held, windowOpened()], fact: release() },
  { reason: "gate-closed", given: [...held, windowOpened(), gateOpened({ except: [bank] })], fact: release() },
  { reason: "gate-closed", given: [...held, windowOpened(), gateOpened({ banks: ["bank-b"] })], fact: release() },
  { reason: "bank-paused", given: [...held, ...openDay, bankPaused()], fact: release() },
  { reason: "bank-paused", given: [...held, bankPaused(), bankResumed(), ...openDay, bankPaused(2)], fact: release() },
  { reason: "bank-paused", given: [...held, ...openDay, bankPaused(1, bank, closesAtMs + 1)], fact: release() },
  { reason: "other-day", given: [...held, ...openDay], fact: release({ businessDate: "2026-11-23" }) },
  { reason: "other-day", given: [...held, ...openDay], fact: release({ scheme: "ZA_RTC" }) },
  { reason: "other-bank", given: [...held, ...openDay], fact: release({ bank: "bank-b" }) },
  { reason: "not-in-this-state", given: [...accepted, ...openDay], fact: release() },
  { reason: "not-in-this-state", given: [...held, ...openDay, dayReconciled()], fact: release() },
])("I8: a release is refused: $reason", ({ reason, given, fact }) => {
  const { last, states } = after(...given, fact);
  expect(last).toMatchObject({ decision: "refused", reason });
  expect(states).not.toContain("RELEASED");
});

test("I3: a Release again is ignored once the debit has left, and refused before its turn or after the close", () => {
  for (const given of [released, delivered, completed, [...delivered, report("not-made")]]) {
    expect(after(...given, release()).last).toMatchObject({ decision: "ignored", outputs: [] });
  }
  for (const given of [[debit()], rejected, [...rejected, ended("R")], [...released, ...close]]) {
    expect(after(...given, release()).last).toMatchObject({ decision: "refused", reason: "not-in-this-state" });
  }
});

test("I8: a bank that was excepted is released once its own gate opens", () => {
  const given = [...held, windowOpened(), gateOpened({ except: [bank] }), gateOpened({ banks: [bank], number: 2 })];
  expect(after(...given, release()).states.at(-1)).toBe("RELEASED");
});

test("I8: a bank that was resumed, or was never paused itself, is released; a pause that comes later does not count", () => {
  const over = bankPaused(1, bank, closesAtMs);
  for (const pauses of [[bankPaused(), bankResumed()], [bankPaused(1, "bank-b")], [over]]) {
    expect(after(...held, ...openDay, ...pauses, release()).states.at(-1)).toBe("RELEASED");
  }
  expect(tellAll([...held, ...openDay, release(), bankPaused()]).outcomes.at(-1)).toMatchObject({ decision: "applied" });
});

test("I8: markers that the lane passed only after the release do not count, though they are known by now", () => {
  const { outcomes } = tellAll([...held, release(), ...openDay]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "window-not-open" });
});
