import type { BankMarker, Marker } from "@sluice/domain";
import { isPausedBelow } from "@sluice/domain";
import { expect, test } from "vitest";
import { banksKeptMax, createLaneMarkers, datesKeptMax, ofBankKeptMax, passedFromState, passedNothing } from "./lane-markers.ts";
import { isReconciled, openDeclarations, openWindowOf } from "./passed-day.ts";

const at = (offset: bigint) => ({ offset, appendedAtMs: Number(offset) });
const opened = (number: number, businessDate = "2026-11-20"): Marker => ({
  kind: "WindowOpened",
  id: `ZA_EFT:${businessDate}:WindowOpened:${number}`,
  scheme: "ZA_EFT",
  businessDate,
  number,
});
const closed = (number: number): Marker => ({
  ...opened(number),
  kind: "WindowClosed",
  id: `ZA_EFT:2026-11-20:WindowClosed:${number}`,
  number,
  isLast: false,
  nextBusinessDate: "2026-11-21",
});

function ofBank(kind: BankMarker["kind"], number: number, bank = "first", untilMs: number | null = null): BankMarker {
  const same = { id: `bank:${bank}:${kind}:${number}`, bank, number, reason: "maintenance" };
  return kind === "BankPaused" ? { kind, ...same, untilMs } : { kind, ...same };
}

test("a repeat is not passed twice: the first by offset counts, also across two owners' memories", () => {
  const markers = createLaneMarkers(3, {
    ofDays: [
      { marker: opened(1), place: at(9n) },
      { marker: opened(1), place: at(4n) },
    ],
    ofBanks: [],
  });
  expect(markers.pass(opened(1), at(12n))).toBe(false);
  expect(markers.pass(closed(1), at(13n))).toBe(true);
  expect(markers.passed("ZA_EFT:2026-11-20").map(({ place }) => place.offset)).toEqual([4n, 13n]);
});

test("what is kept in the lane's document comes back as it was, through plain JSON", () => {
  const markers = createLaneMarkers(0);
  markers.pass(opened(1), at(2n ** 53n + 1n));
  markers.passOfBank(ofBank("BankPaused", 1), at(7n));
  const state: unknown = JSON.parse(JSON.stringify(markers.toState()));
  expect(passedFromState(state)).toEqual(markers.all());
  expect(passedFromState(null)).toEqual(passedNothing);
  expect(() => passedFromState({ other: 1 })).toThrow("holds its markers");
});

test("a pause from before there were maintenances has no end; one with an end comes back with it", () => {
  const { untilMs: _, ...old } = { untilMs: null, ...ofBank("BankPaused", 1) };
  const read = passedFromState({ markers: [], ofBanks: [{ marker: old, offset: "4", atMs: 4 }] });
  expect(read.ofBanks).toEqual([{ marker: ofBank("BankPaused", 1), place: at(4n) }]);
  const markers = createLaneMarkers(0, read);
  markers.passOfBank(ofBank("BankPaused", 2, "first", 50), at(9n));
  const again = createLaneMarkers(0, passedFromState(JSON.parse(JSON.stringify(markers.toState()))));
  expect([49n, 50n].map((offset) => isPausedBelow(again, "first", at(offset)))).toEqual([true, false]);
});

test("a state from before banks had markers is read as well", () => {
  expect(passedFromState({ markers: [{ marker: opened(1), offset: "4", atMs: 4 }] })).toEqual({
    ofDays: [{ marker: opened(1), place: at(4n) }],
    ofBanks: [],
  });
});

test("a bank's marker that is not newer than the last one by its number is a repeat", () => {
  const markers = createLaneMarkers(0);
  expect(markers.passOfBank(ofBank("BankPaused", 1), at(1n))).toBe(true);
  expect(markers.passOfBank(ofBank("BankPaused", 1), at(2n))).toBe(false);
  expect(markers.passOfBank(ofBank("BankResumed", 1), at(3n))).toBe(true);
  expect(markers.passOfBank(ofBank("BankPaused", 1), at(4n))).toBe(false);
  expect(markers.passedOfBank("first").map(({ place }) => place.offset)).toEqual([1n, 3n]);
  expect(isPausedBelow(markers, "first", at(9n))).toBe(false);
});

test("I15: of each bank the newest markers are kept, and of banks those that are paused before the others", () => {
  const markers = createLaneMarkers(0);
  markers.passOfBank(ofBank("BankPaused", 1, "paused"), at(0n));
  for (let number = 1; number <= 20; number += 1) {
    markers.passOfBank(ofBank("BankPaused", number), at(BigInt(10 * number)));
    markers.passOfBank(ofBank("BankResumed", number), at(BigInt(10 * number + 5)));
  }
  expect(markers.passedOfBank("first")).toHaveLength(ofBankKeptMax);
  for (let index = 0; index < banksKeptMax - 1; index += 1)
    markers.passOfBank(ofBank("BankPaused", 1, `b${index}`), at(BigInt(1_000 + index)));
  expect(markers.passedOfBank("first")).toEqual([]);
  expect(isPausedBelow(markers, "paused", at(9_999n))).toBe(true);
});

test("the oldest date of a scheme falls out when there are too many, and does not come back", () => {
  const markers = createLaneMarkers(0);
  const date = (index: number): string => new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);
  for (let index = 0; index <= datesKeptMax; index += 1) markers.pass(opened(1, date(index)), at(BigInt(index)));
  expect(markers.days()).toHaveLength(datesKeptMax);
  expect(markers.passed(`ZA_EFT:${date(0)}`).map(({ marker }) => marker.kind)).toEqual(["DayReconciled"]);
  expect(markers.pass(opened(1, date(0)), at(999n))).toBe(false);
});

test("a window is open from its opening to its closing, and none is after the reconciliation", () => {
  const markers = createLaneMarkers(0);
  const now = () => openWindowOf(markers.passed("ZA_EFT:2026-11-20"));
  expect(now()).toBeNull();
  markers.pass(opened(1), at(1n));
  expect(now()).toBe(1);
  markers.pass(closed(1), at(2n));
  expect(now()).toBeNull();
  markers.pass(opened(2), at(3n));
  expect(now()).toBe(2);
  const reconciled = { id: "r", scheme: "ZA_EFT", businessDate: "2026-11-20" };
  markers.pass({ ...reconciled, kind: "DayReconciled", number: 1 }, at(4n));
  expect(now()).toBeNull();
  expect(isReconciled(markers.passed("ZA_EFT:2026-11-20"))).toBe(true);
});

test("a declaration for all banks is open until the gate is, and then until each excepted bank has its own", () => {
  const markers = createLaneMarkers(0);
  const base = { scheme: "ZA_EFT", businessDate: "2026-11-20", number: 1 };
  const open = () => openDeclarations(markers.passed("ZA_EFT:2026-11-20")).map(({ declaration, excepted }) => [declaration.id, excepted]);
  markers.pass({ ...base, kind: "CreditsDeclared", id: "d", bank: null, declaredBy: "clock" }, at(1n));
  expect(open()).toEqual([["d", null]]);
  markers.pass({ ...base, kind: "GateOpened", id: "g", banks: null, except: ["second", "third"] }, at(2n));
  expect(open()).toEqual([["d", ["second", "third"]]]);
  markers.pass({ ...base, kind: "GateOpened", id: "h", banks: ["third"], except: [] }, at(3n));
  expect(open()).toEqual([["d", ["second"]]]);
  markers.pass({ ...base, kind: "GateOpened", id: "i", banks: ["second"], except: [] }, at(4n));
  expect(open()).toEqual([]);
});

test("a bank's own declaration is open until its gate is, or the day is reconciled", () => {
  const markers = createLaneMarkers(0);
  const base = { scheme: "ZA_EFT", businessDate: "2026-11-20", number: 1 };
  const open = () => openDeclarations(markers.passed("ZA_EFT:2026-11-20")).map(({ declaration, offset }) => [declaration.bank, offset]);
  markers.pass({ ...base, kind: "CreditsDeclared", id: "d", bank: "second", declaredBy: "bank" }, at(1n));
  markers.pass({ ...base, kind: "CreditsDeclared", id: "e", bank: "third", declaredBy: "bank" }, at(2n));
  expect(open()).toEqual([
    ["second", 1n],
    ["third", 2n],
  ]);
  markers.pass({ ...base, kind: "GateOpened", id: "g", banks: ["second"], except: [] }, at(3n));
  expect(open()).toEqual([["third", 2n]]);
  markers.pass({ ...base, kind: "DayReconciled", id: "r", number: 1 }, at(4n));
  expect(open()).toEqual([]);
});

test("I10: a date that is forgotten was reconciled weeks ago, and counts so; one that nobody has planned yet does not", () => {
  const dates = Array.from({ length: datesKeptMax + 1 }, (_, index) =>
    Temporal.PlainDate.from("2026-01-01").add({ days: index }).toString(),
  );
  const markers = createLaneMarkers(0);
  for (const date of dates.slice(0, datesKeptMax)) markers.pass(opened(1, date), at(1n));
  expect(isReconciled(markers.passed("ZA_EFT:2026-01-01"))).toBe(false);
  markers.pass(opened(1, dates.at(-1)), at(2n));
  for (const day of ["ZA_EFT:2026-01-01", "ZA_EFT:2025-12-24"]) expect(isReconciled(markers.passed(day))).toBe(true);
  expect(markers.passed("ZA_EFT:2026-12-24")).toEqual([]);
  // Of a scheme of which fewer dates are known nothing is forgotten.
  expect(markers.passed("ZA_RTC:2025-12-24")).toEqual([]);
  expect(markers.days()).toHaveLength(datesKeptMax);
});
