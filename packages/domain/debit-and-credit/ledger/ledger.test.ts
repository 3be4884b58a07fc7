import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  completedSteps,
  creditFailed,
  creditFinal,
  creditPending,
  creditRejected,
  date,
  dayClosed,
  dayReconciled,
  debit,
  ended,
  heldSteps,
  nextDate,
  offUsCompleted,
  rejectedSteps,
  report,
  runSteps,
  type SequenceStep,
  stateAfter,
  today,
  tomorrow,
  verdict,
} from "../../given.fixture.ts";
import { arbitrarySequence } from "../sequences.fixture.ts";
import { balanceBelow, DayLedger, findImbalances, findLedgerDifferences, type Movement, movementsAt } from "./ledger.ts";
import type { Flow, Transaction, Transition } from "../transaction.ts";

const everyOffset = 2n ** 62n;

/** The sign, column and date of each movement. */
function short(movements: readonly Movement[]): readonly string[] {
  return movements.map(({ day, column, count }) => `${count > 0 ? "+" : "-"}${column} ${day.slice(-2)}`);
}

function addUp(movements: readonly Movement[]): ReadonlyMap<string, DayLedger> {
  const ledgers = new Map<string, DayLedger>();
  for (const movement of movements) {
    const ledger = ledgers.get(movement.day) ?? new DayLedger();
    ledger.add(movement);
    ledgers.set(movement.day, ledger);
  }
  return ledgers;
}

const ends: readonly (readonly [string, readonly SequenceStep[], string])[] = [
  ["a debit received", [debit()], "open"],
  ["a debit held", heldSteps, "open"],
  ["a debit made", completedSteps, "completed"],
  ["a debit not made", [...completedSteps.slice(0, -1), report("not-made")], "unpaid"],
  ["a refused debit that is not reported yet", rejectedSteps, "open"],
  ["a refused debit that is reported", [...rejectedSteps, ended("R")], "rejected"],
  ["an off-us debit made", offUsCompleted, "completed"],
  ["a debit met by the close", [...heldSteps, dayReconciled(), dayClosed()], "reconciled"],
  ["a credit on its way", creditPending, "creditOpen"],
  ["a credit refused", creditRejected, "creditRejected"],
  ["a credit reported on", creditFinal, "creditResponseAccepted"],
  ["a credit not taken", creditFailed, "creditFailed"],
];

test.each(ends)("I11: %s counts once where it came from and once where it is", (_, steps, column) => {
  const { transaction } = stateAfter(...steps);
  const came = transaction.flow === "credit" ? "creditAccepted" : "accepted";
  expect(short(balanceBelow(transaction, everyOffset))).toEqual([`+${came} 20`, `+${column} 20`]);
});

test("a debit counts on the provisional date until the verdict names another, and then no longer counts on the first", () => {
  const { transaction } = stateAfter(debit(), verdict({ businessDate: nextDate, reconciliationDay: tomorrow }));
  const [received, verified] = transaction.transitions;
  expect(short(movementsAt(transaction, received!.offset))).toEqual(["+accepted 20", "+open 20"]);
  expect(short(movementsAt(transaction, verified!.offset))).toEqual(["-accepted 20", "-open 20", "+accepted 23", "+open 23"]);
  const first = addUp(transaction.transitions.flatMap(({ offset }) => movementsAt(transaction, offset))).get(today);
  expect(first?.rows()).toEqual([]);
});

/** A debit with these further entries. */
function withEntries(...over: readonly Partial<Transition>[]): Transaction {
  const { transaction } = stateAfter(...heldSteps);
  const last = transaction.transitions.at(-1)!;
  const further = over.map((one, index) => ({
    ...last,
    ...one,
    stageVersion: last.stageVersion + index + 1,
    offset: last.offset + BigInt(index) + 1n,
  }));
  return { ...transaction, transitions: [...transaction.transitions, ...further] };
}

test("I11: each carry-over moves a debit from one day to another", () => {
  const carriedOver = withEntries(
    { state: "HELD", businessDate: nextDate },
    { state: "HELD", businessDate: "2026-11-24" },
    { state: "RELEASED", businessDate: "2026-11-24" },
  );
  const expected = ["+accepted 20", "+carriedOut 20", "+carriedIn 23", "+carriedOut 23", "+carriedIn 24", "+open 24"];
  expect(short(balanceBelow(carriedOver, everyOffset))).toEqual(expected);
  const ledgers = addUp(carriedOver.transitions.flatMap(({ offset }) => movementsAt(carriedOver, offset)));
  expect([...ledgers.values()].flatMap((ledger) => ledger.rows().flatMap(findImbalances))).toEqual([]);
  expect(Object.keys(ledgers.get(today)!.rows()[0]!.columns)).toEqual(["accepted", "carriedOut"]);
});

test("a withdrawal counts in its own column, because its entry names no marker", () => {
  const entry = { state: "RECONCILIATION", businessDate: date } as const;
  expect(short(balanceBelow(withEntries({ ...entry, markerOffset: null }), everyOffset)).at(-1)).toBe("+withdrawn 20");
  expect(short(balanceBelow(withEntries({ ...entry, markerOffset: 9n }), everyOffset)).at(-1)).toBe("+reconciled 20");
});

test("a ledger with a lost or changed cell is out of balance and names the cell", () => {
  const { transaction } = stateAfter(...heldSteps);
  const ledger = new DayLedger();
  for (const movement of balanceBelow(transaction, everyOffset)) ledger.add(movement);
  const [whole] = ledger.rows();
  expect(findImbalances(whole!)).toEqual([]);
  const { open: _, ...lost } = whole!.columns;
  expect(findImbalances({ ...whole!, columns: lost })).toEqual([
    "accepted: 1 of 12505000 ten-thousandths came, 0 of 0 ten-thousandths accounted for",
  ]);
  expect(findImbalances({ ...whole!, columns: { open: { count: -1, sumTenThousandths: 0n } } })[0]).toBe("open is negative");
  const changed = { ...whole!, columns: { ...whole!.columns, open: { count: 1, sumTenThousandths: 1n } } };
  expect(findLedgerDifferences([whole!], [whole!])).toEqual([]);
  expect(findLedgerDifferences([changed], [whole!])).toEqual([
    "ZAR:bank-a open: 1 of 1 ten-thousandths, not 1 of 12505000 ten-thousandths",
  ]);
  expect(findLedgerDifferences([], [whole!])).toHaveLength(2);
});

describe.each<Flow>(["on-us", "off-us", "credit"])("%s", (flow) => {
  test("I11: the movements of all records add up to the transaction's balance, and every day is balanced at every offset", () => {
    fc.assert(
      fc.property(arbitrarySequence(flow), (steps) => {
        const { transaction } = runSteps(steps);
        if (transaction === null) return;
        const offsets = [...new Set(transaction.transitions.map(({ offset }) => offset))];
        const moved: Movement[] = [];
        for (const offset of offsets) {
          moved.push(...movementsAt(transaction, offset));
          const [byMoves, byBalance] = [addUp(moved), addUp(balanceBelow(transaction, offset + 1n))];
          for (const [day, ledger] of byMoves) {
            expect(findLedgerDifferences(ledger.rows(), byBalance.get(day)?.rows() ?? [])).toEqual([]);
            expect(ledger.rows().flatMap(findImbalances)).toEqual([]);
          }
        }
        expect(movementsAt(transaction, everyOffset)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
