// What operators do, and debits that go over to the next business date: histories that the checker must reject, and legal ones that it must accept.

import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import {
  atMsOf,
  bank,
  change,
  day,
  eventRecord,
  good,
  heldOnly,
  isRecord,
  item,
  marker,
  markers,
  record,
  sent,
  tell,
  uetrOf,
  without,
} from "./given.ts";
import { tellCredit, tellOffUs } from "./given-flows.ts";
import type { HistoryEntry, RecordEntry, SnapshotEntry, Violation } from "./history.ts";

const one = uetrOf(1);
const next = "2026-11-23";
const action = { id: "a-1", operator: "thabo", reason: "wrong file", requestedAtMs: 1 };
const heldUntilClosed = { number: 1, received: 1, verified: 2, reported: 3 } as const;
const withdrawnItem = item(0, "HELD", { cause: "WITHDRAWN" });

function isVerdict(entry: HistoryEntry): entry is RecordEntry {
  return isRecord("AccountVerified", one)(entry);
}

function isSnapshot(entry: HistoryEntry): entry is SnapshotEntry {
  return entry.kind === "snapshot" && entry.uetr === one;
}

/** The last window closed with the name of the next business date. */
const dayWithNext: readonly HistoryEntry[] = change(markers, isRecord("WindowClosed"), (entry) => ({
  ...entry,
  value: { ...entry.value, nextBusinessDate: next },
}));

/** Held, and gone over at offset 81 to a date that has not come. */
function rolled(rollsMax: number, changes: { readonly at?: number; readonly to?: string } = {}): readonly HistoryEntry[] {
  const { at = 81, to = next } = changes;
  const history = change(tell(heldUntilClosed), isVerdict, (entry) => ({ ...entry, value: { ...entry.value, rollsMax } }));
  const again = eventRecord(one, 5, "HELD", at, 900);
  const event = { ...again, value: { ...again.value, businessDate: to } };
  const entered = { stageVersion: 5, state: "HELD", offset: String(at), atMs: at * 1_000 };
  const grown = change(history, isSnapshot, (snapshot) => ({
    ...snapshot,
    closesWith: `ZA_EFT:${to}`,
    transitions: [...snapshot.transitions, entered],
  }));
  return [...dayWithNext, ...grown, record("journal", at, one, "DayClosed", { day }), event];
}

/** Withdrawn at offset 20, in the state that it was in. */
function withdrawn(items = [withdrawnItem]): readonly HistoryEntry[] {
  const history = tell({ ...heldUntilClosed, reconciled: 20, items });
  const asked = record("journal", 20, one, "WithdrawalRequested", { action });
  return [...markers, ...change(history, isRecord("DayClosed", one), () => asked)];
}

/** Withdrawn by an action that was sent twice, at offsets 20 and 21; noted at these. */
function withNotes(offsets: readonly number[]): readonly HistoryEntry[] {
  const decisions = offsets.map((offset) => ({ id: "a-1", kind: "WithdrawalRequested", result: "applied", offset: String(offset) }));
  const again = record("journal", 21, one, "WithdrawalRequested", { action });
  return [...change(withdrawn(), isSnapshot, (snapshot) => ({ ...snapshot, decisions })), again];
}

const paused = record("journal", 45, `bank:${bank}`, "BankPaused", { id: `bank:${bank}:BankPaused:1:0`, bank, number: 1 });
/** Append time of the good debit's release. */
const releasedAtMs = atMsOf(good.released ?? 0);
/** A maintenance. */
const pausedUntil = (untilMs: number) => record("journal", 45, `bank:${bank}`, "BankPaused", { ...paused.value, untilMs });
const resumed = record("journal", 49, `bank:${bank}`, "BankResumed", { id: `bank:${bank}:BankResumed:1:0`, bank, number: 1 });
/** Unresolved when the gate opens at 42. */
const late = { number: 2, received: 10, verified: 11, delivered: 12, ended: 60, told: 61 } as const;
const offUs = { number: 1, received: 1, verified: 2, released: 50, delivered: 51, ended: 52, told: 53 } as const;

function gateOver(credits: readonly string[]): readonly HistoryEntry[] {
  const asked = record(
    "journal",
    41,
    day,
    "GateOpeningRequested",
    { action, scheme: "ZA_EFT", businessDate: "2026-11-20", bank, credits },
    7,
  );
  return [...markers, asked, ...tellCredit(late), ...tellOffUs(offUs)];
}

test.each<readonly [string, readonly HistoryEntry[]]>([
  ["a debit that went over once, as its verdict allows", rolled(1)],
  ["a debit that was withdrawn while it was held", withdrawn()],
  ["an action sent twice, of which the first counts", withNotes([20])],
  ["a release behind the end of a maintenance", [...markers, pausedUntil(releasedAtMs), ...tell(good)]],
  ["a release after a pause", [...markers, paused, resumed, ...tell(good)]],
  ["a gate that an operator opened over the credit that was shown", gateOver([uetrOf(2)])],
  [
    "an action answered 202 that lies in the journal",
    [...withdrawn(), { ...sent(one, 20, "operatorAction"), messageIdentification: "a-1", bank: "thabo" }],
  ],
])("accepted: %s", (_what, history) => {
  expect(checkHistory(history).violations).toEqual([]);
});

const voided = change(dayWithNext, isRecord("WindowClosed"), (entry) => ({ ...entry, type: "DayVoid" }));

test("accepted: a debit whose date was taken away goes over, whatever its verdict allows", () => {
  expect(checkHistory([...voided, ...without(rolled(0), isRecord("WindowClosed"))]).violations.map(({ promise }) => promise)).not.toContain(
    "I6",
  );
});

const cases: readonly (readonly [string, Violation["promise"], readonly HistoryEntry[]])[] = [
  ["I3: an action sent twice is noted twice", "I3", withNotes([20, 21])],
  ["I3: the second record of an action took effect", "I3", withNotes([21])],
  ["I6: a debit went over though its verdict does not allow it", "I6", rolled(0)],
  ["I6: a debit went over before its date had ended", "I6", rolled(1, { at: 79 })],
  ["I6: a debit went over to another date than the marker names", "I6", rolled(1, { to: "2026-11-24" })],
  [
    "I10: a debit that could have gone over became an item",
    "I10",
    [...dayWithNext, ...change(tell(heldOnly), isVerdict, (entry) => ({ ...entry, value: { ...entry.value, rollsMax: 1 } }))],
  ],
  ["I10: a withdrawn debit has no item", "I10", withdrawn([])],
  ["I10: a withdrawn debit has the item of a close", "I10", withdrawn([item(0, "HELD")])],
  [
    "I10: a debit was withdrawn after its release",
    "I10",
    [
      ...markers,
      ...change(tell({ ...heldUntilClosed, released: 50, reconciled: 60, items: [withdrawnItem] }), isRecord("DayClosed", one), () =>
        record("journal", 60, one, "WithdrawalRequested", { action }),
      ),
    ],
  ],
  ["I8: a debit was released before the end of a maintenance", "I8", [...markers, pausedUntil(releasedAtMs + 1), ...tell(good)]],
  ["I8: a debit was released while its bank was paused", "I8", [...markers, paused, ...tell(good)]],
  ["I8: an operator's gate was opened over a credit that was not shown", "I8", gateOver([uetrOf(9)])],
  [
    "I1: an action answered 202 is not in the journal",
    "I1",
    [...markers, ...tell(good), { ...sent(one, 20, "operatorAction"), messageIdentification: "a-1", bank: "thabo" }],
  ],
];

test.each(cases)("%s", (_what, promise, history) => {
  const violations = checkHistory(history).violations;
  expect(violations.map((violation) => violation.promise)).toContain(promise);
});

test("a marker of a window that is not the last lets nothing go over", () => {
  const open = change(rolled(1), isRecord("WindowClosed"), (entry) => ({ ...entry, value: { ...entry.value, isLast: false } }));
  expect(checkHistory(open).violations.map(({ promise }) => promise)).toContain("I6");
  expect(marker(1, "WindowClosed").type).toBe("WindowClosed");
});
