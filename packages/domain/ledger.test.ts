import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  after,
  completed,
  creditFailed,
  creditFinal,
  creditPending,
  creditRejected,
  date,
  dayClosed,
  dayReconciled,
  debit,
  ended,
  held,
  nextDate,
  offUsCompleted,
  rejected,
  report,
  tellAll,
  today,
  tomorrow,
  verdict,
} from "./given.ts";
import type { Step } from "./given.ts";
import { sequencesOf } from "./given-sequences.ts";
import { DayLedger, differencesOf, imbalancesOf, movedAt, standingBelow } from "./ledger.ts";
import type { Movement } from "./ledger.ts";
import type { Flow, Transaction, Transition } from "./transaction.ts";

const everyOffset = 2n ** 62n;

/** Column and date of each. */
function short(movements: readonly Movement[]): readonly string[] {
  return movements.map(({ day, column, count }) => `${count > 0 ? "+" : "-"}${column} ${day.slice(-2)}`);
}

function ledgersOf(movements: readonly Movement[]): ReadonlyMap<string, DayLedger> {
  const ledgers = new Map<string, DayLedger>();
  for (const movement of movements) {
    const ledger = ledgers.get(movement.day) ?? new DayLedger();
    ledger.add(movement);
    ledgers.set(movement.day, ledger);
  }
  return ledgers;
}

const ends: readonly (readonly [string, readonly Step[], string])[] = [
  ["a debit received", [debit()], "open"],
  ["a debit held", held, "open"],
  ["a debit made", completed, "completed"],
  ["a debit not made", [...completed.slice(0, -1), report("not-made")], "unpaid"],
  ["a debit refused, not told yet", rejected, "open"],
  ["a debit refused and told", [...rejected, ended("R")], "rejected"],
  ["an off-us debit made", offUsCompleted, "completed"],
  ["a debit met by the close", [...held, dayReconciled(), dayClosed()], "reconciled"],
  ["a credit on its way", creditPending, "creditOpen"],
  ["a credit refused", creditRejected, "creditRejected"],
  ["a credit reported on", creditFinal, "creditResponseAccepted"],
  ["a credit not taken", creditFailed, "creditFailed"],
];

test.each(ends)("I11: %s counts once where it came from and once where it is", (_, steps, column) => {
  const { transaction } = after(...steps);
  const came = transaction.flow === "credit" ? "creditAccepted" : "accepted";
  expect(short(standingBelow(transaction, everyOffset))).toEqual([`+${came} 20`, `+${column} 20`]);
});

test("a debit counts on the provisional date until the verdict names its own, and then has never been on the first", () => {
  const { transaction } = after(debit(), verdict({ businessDate: nextDate, closesWith: tomorrow }));
  const [received, verified] = transaction.transitions;
  expect(short(movedAt(transaction, received!.offset))).toEqual(["+accepted 20", "+open 20"]);
  expect(short(movedAt(transaction, verified!.offset))).toEqual(["-accepted 20", "-open 20", "+accepted 23", "+open 23"]);
  const first = ledgersOf(transaction.transitions.flatMap(({ offset }) => movedAt(transaction, offset))).get(today);
  expect(first?.rows()).toEqual([]);
});

/** A debit whose further entries are given by hand. */
function withEntries(...over: readonly Partial<Transition>[]): Transaction {
  const { transaction } = after(...held);
  const last = transaction.transitions.at(-1)!;
  const further = over.map((one, index) => ({
    ...last,
    ...one,
    stageVersion: last.stageVersion + index + 1,
    offset: last.offset + BigInt(index) + 1n,
  }));
  return { ...transaction, transitions: [...transaction.transitions, ...further] };
}

test("I11: a roll leaves one day for another, as often as it happens", () => {
  const rolled = withEntries(
    { state: "HELD", businessDate: nextDate },
    { state: "HELD", businessDate: "2026-11-24" },
    { state: "RELEASED", businessDate: "2026-11-24" },
  );
  const expected = ["+accepted 20", "+rolledOut 20", "+rolledIn 23", "+rolledOut 23", "+rolledIn 24", "+open 24"];
  expect(short(standingBelow(rolled, everyOffset))).toEqual(expected);
  const ledgers = ledgersOf(rolled.transitions.flatMap(({ offset }) => movedAt(rolled, offset)));
  expect([...ledgers.values()].flatMap((ledger) => ledger.rows().flatMap(imbalancesOf))).toEqual([]);
  expect(Object.keys(ledgers.get(today)!.rows()[0]!.columns)).toEqual(["accepted", "rolledOut"]);
});

test("a withdrawal has its own column: its entry names no marker", () => {
  const entry = { state: "RECONCILIATION", businessDate: date } as const;
  expect(short(standingBelow(withEntries({ ...entry, markerOffset: null }), everyOffset)).at(-1)).toBe("+withdrawn 20");
  expect(short(standingBelow(withEntries({ ...entry, markerOffset: 9n }), everyOffset)).at(-1)).toBe("+reconciled 20");
});

test("a ledger that lost or changed a cell is out of balance, and says which", () => {
  const { transaction } = after(...held);
  const ledger = new DayLedger();
  for (const movement of standingBelow(transaction, everyOffset)) ledger.add(movement);
  const [whole] = ledger.rows();
  expect(imbalancesOf(whole!)).toEqual([]);
  const { open: _, ...lost } = whole!.columns;
  expect(imbalancesOf({ ...whole!, columns: lost })).toEqual([
    "accepted: 1 of 12505000 ten-thousandths came, 0 of 0 ten-thousandths accounted for",
  ]);
  expect(imbalancesOf({ ...whole!, columns: { open: { count: -1, sumTenThousandths: 0n } } })[0]).toBe("open is negative");
  const changed = { ...whole!, columns: { ...whole!.columns, open: { count: 1, sumTenThousandths: 1n } } };
  expect(differencesOf([whole!], [whole!])).toEqual([]);
  expect(differencesOf([changed], [whole!])).toEqual(["ZAR:bank-a open: 1 of 1 ten-thousandths, not 1 of 12505000 ten-thousandths"]);
  expect(differencesOf([], [whole!])).toHaveLength(2);
});

describe.each<Flow>(["on-us", "off-us", "credit"])("%s", (flow) => {
  test("I11: whatever happens, what each record moved adds up to where the transaction stands, and every day is balanced at every offset", () => {
    fc.assert(
      fc.property(sequencesOf(flow), (steps) => {
        const { transaction } = tellAll(steps);
        if (transaction === null) return;
        const offsets = [...new Set(transaction.transitions.map(({ offset }) => offset))];
        const moved: Movement[] = [];
        for (const offset of offsets) {
          moved.push(...movedAt(transaction, offset));
          const [byMoves, byStanding] = [ledgersOf(moved), ledgersOf(standingBelow(transaction, offset + 1n))];
          for (const [day, ledger] of byMoves) {
            expect(differencesOf(ledger.rows(), byStanding.get(day)?.rows() ?? [])).toEqual([]);
            expect(ledger.rows().flatMap(imbalancesOf)).toEqual([]);
          }
        }
        expect(movedAt(transaction, everyOffset)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
