// Operators note something at an item: docs/adr/0120-a-note-at-an-item.md.

import { expect, test } from "vitest";
import { dayClosed, dayReconciled, releasedSteps, stateAfter, today, tomorrow } from "../../given.fixture.ts";
import { itemNote, resolution } from "../decisions.fixture.ts";

const closed = [...releasedSteps, dayReconciled(), dayClosed()];

test("a note is kept at its item with who, when and who sees to it, and nothing follows from it", () => {
  const before = stateAfter(...closed);
  const { last, transaction, states } = stateAfter(...closed, itemNote());
  expect(last).toMatchObject({ decision: "applied", reason: null, outputs: [] });
  expect(states).toEqual(before.states);
  const [item] = before.transaction.items;
  expect(transaction.items).toEqual([{ ...item, note: { ...transaction.items[0]?.note } }]);
  expect(transaction.items[0]?.note).toMatchObject({ action: { id: "n1", operator: "thandi" }, assignee: "sipho" });
  expect(transaction.decisions).toMatchObject([{ kind: "ItemNoteRequested", result: "applied", why: null }]);
});

test("the newest note of an item counts, also of one that is resolved, and a resolution keeps it", () => {
  const { transaction } = stateAfter(...closed, itemNote(), resolution(), itemNote({ assignee: null }, "n2"));
  expect(transaction.items).toMatchObject([
    { resolution: { kind: "made", isFinal: true }, note: { action: { id: "n2" }, assignee: null } },
  ]);
  expect(stateAfter(...closed, itemNote(), resolution()).transaction.items).toMatchObject([{ note: { action: { id: "n1" } } }]);
});

test("a note that comes twice counts once, and one without its item is refused", () => {
  const { last, transaction } = stateAfter(...closed, itemNote(), itemNote());
  expect([last.decision, last.reason, transaction.decisions.length]).toEqual(["ignored", "already-decided", 1]);
  expect(stateAfter(...closed, itemNote({ day: tomorrow })).last).toMatchObject({ decision: "refused", reason: "other-day" });
  expect(stateAfter(...releasedSteps, itemNote({ day: today })).last).toMatchObject({ decision: "refused", reason: "no-item" });
});
