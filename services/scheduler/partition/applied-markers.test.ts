import { type BankMarker, isPausedBelow, type Marker, pauseMarkersKeptMax, receiversMax } from "@sluice/domain";
import { expect, test } from "vitest";
import { createAppliedMarkers, datesKeptMax, readPartitionState, emptyMarkerHistory } from "./applied-markers.ts";
import { isReconciled, openDeclarations, findOpenWindow } from "./read-day-markers.ts";

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

test("a repeat is not applied twice: the first by offset counts, also across the memories of two owners", () => {
  const markers = createAppliedMarkers(3, {
    ofDays: [
      { marker: opened(1), position: at(9n) },
      { marker: opened(1), position: at(4n) },
    ],
    ofBanks: [],
  });
  expect(markers.apply(opened(1), at(12n))).toBe(false);
  expect(markers.apply(closed(1), at(13n))).toBe(true);
  expect(markers.markersOf("ZA_EFT:2026-11-20").map(({ position }) => position.offset)).toEqual([4n, 13n]);
});

test("I8: markers count in the order of their offsets, also where an offset has more digits than the one before", () => {
  const kept = [
    { marker: closed(1), position: at(10n) },
    { marker: opened(1), position: at(11n) },
    { marker: opened(1), position: at(9n) },
  ];
  const markers = createAppliedMarkers(0, { ofDays: kept, ofBanks: [] });
  expect(markers.markersOf("ZA_EFT:2026-11-20").map(({ position }) => position.offset)).toEqual([9n, 10n]);
  expect(markers.history().ofDays.map(({ marker: { kind } }) => kind)).toEqual(["WindowOpened", "WindowClosed"]);
});

test("I8: declarations and gates are kept of open dates and of the three that were reconciled last; a forgotten one is not applied again", () => {
  const markers = createAppliedMarkers(0);
  const dates = ["2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20", "2026-11-23"];
  const declared = (businessDate: string): Marker => ({
    kind: "CreditsDeclared",
    id: `ZA_EFT:${businessDate}:CreditsDeclared:1`,
    scheme: "ZA_EFT",
    businessDate,
    number: 1,
    bank: "first",
    declaredBy: "first",
  });
  const gate = (businessDate: string): Marker => ({
    kind: "GateOpened",
    id: `ZA_EFT:${businessDate}:GateOpened:1`,
    scheme: "ZA_EFT",
    businessDate,
    number: 1,
    banks: ["first"],
    except: [],
  });
  const reconciled = (businessDate: string): Marker => ({
    kind: "DayReconciled",
    id: `ZA_EFT:${businessDate}:DayReconciled:1`,
    scheme: "ZA_EFT",
    businessDate,
    number: 1,
  });
  let offset = 0n;
  const apply = (marker: Marker): boolean => markers.apply(marker, at((offset += 1n)));
  for (const date of dates) for (const marker of [opened(1, date), declared(date), gate(date)]) apply(marker);
  for (const date of dates.slice(1, 5)) apply(reconciled(date));
  const kinds = dates.map((date) => markers.markersOf(`ZA_EFT:${date}`).map(({ marker }) => marker.kind));
  const open = ["WindowOpened", "CreditsDeclared", "GateOpened"];
  const over = [...open, "DayReconciled"];
  expect(kinds).toEqual([open, ["WindowOpened", "DayReconciled"], over, over, over, open]);
  expect([declared("2026-11-17"), gate("2026-11-17")].map(apply)).toEqual([false, false]);
  expect(apply({ ...gate("2026-11-16"), id: "ZA_EFT:2026-11-16:GateOpened:2" })).toBe(true);
  expect(createAppliedMarkers(0, markers.history()).history()).toEqual(markers.history());
});

test("64 dates on which 500 banks declare for themselves fit into the partition's document, which has 16 MiB", () => {
  const markers = createAppliedMarkers(0);
  let offset = 0n;
  for (let day = 0; day < datesKeptMax; day += 1) {
    const businessDate = new Date(Date.UTC(2026, 8, 1 + day)).toISOString().slice(0, 10);
    const same = { scheme: "ZA_EFT", businessDate };
    for (let bank = 1; bank <= 500; bank += 1) {
      const [name, id] = [`participating-bank-${bank}`, `ZA_EFT:${businessDate}`];
      offset += 2n;
      markers.apply(
        { kind: "CreditsDeclared", id: `${id}:CreditsDeclared:${bank}`, ...same, number: bank, bank: name, declaredBy: name },
        at(offset),
      );
      markers.apply(
        { kind: "GateOpened", id: `${id}:GateOpened:${bank}`, ...same, number: bank, banks: [name], except: [] },
        at(offset + 1n),
      );
    }
    offset += 2n;
    markers.apply({ kind: "DayReconciled", id: `ZA_EFT:${businessDate}:DayReconciled:1`, ...same, number: 1 }, at(offset));
  }
  expect(markers.days()).toHaveLength(datesKeptMax);
  expect(JSON.stringify(markers.toState()).length).toBeLessThan(1_500_000);
});

test("the state in the partition's document comes back as it was, through plain JSON", () => {
  const markers = createAppliedMarkers(0);
  markers.apply(opened(1), at(2n ** 53n + 1n));
  markers.applyBankMarker(ofBank("BankPaused", 1), at(7n));
  const state: unknown = JSON.parse(JSON.stringify(markers.toState()));
  expect(readPartitionState(state)).toEqual(markers.history());
  expect(readPartitionState(null)).toEqual(emptyMarkerHistory);
  expect(() => readPartitionState({ other: 1 })).toThrow("holds its markers");
});

test("a pause written before there were maintenances has no end; a pause with an end keeps it", () => {
  const { untilMs: _, ...old } = { untilMs: null, ...ofBank("BankPaused", 1) };
  const read = readPartitionState({ markers: [], ofBanks: [{ marker: old, offset: "4", atMs: 4 }] });
  expect(read.ofBanks).toEqual([{ marker: ofBank("BankPaused", 1), position: at(4n) }]);
  const markers = createAppliedMarkers(0, read);
  markers.applyBankMarker(ofBank("BankPaused", 2, "first", 50), at(9n));
  const again = createAppliedMarkers(0, readPartitionState(JSON.parse(JSON.stringify(markers.toState()))));
  expect([49n, 50n].map((offset) => isPausedBelow(again.bankMarkersOf("first"), at(offset)))).toEqual([true, false]);
});

test("a state written before banks had markers can be read", () => {
  expect(readPartitionState({ markers: [{ marker: opened(1), offset: "4", atMs: 4 }] })).toEqual({
    ofDays: [{ marker: opened(1), position: at(4n) }],
    ofBanks: [],
  });
});

test("a bank's marker whose number is not newer than the last one is a repeat", () => {
  const markers = createAppliedMarkers(0);
  expect(markers.applyBankMarker(ofBank("BankPaused", 1), at(1n))).toBe(true);
  expect(markers.applyBankMarker(ofBank("BankPaused", 1), at(2n))).toBe(false);
  expect(markers.applyBankMarker(ofBank("BankResumed", 1), at(3n))).toBe(true);
  expect(markers.applyBankMarker(ofBank("BankPaused", 1), at(4n))).toBe(false);
  expect(markers.bankMarkersOf("first").map(({ position }) => position.offset)).toEqual([1n, 3n]);
  expect(isPausedBelow(markers.bankMarkersOf("first"), at(9n))).toBe(false);
});

test("F1: every configured receiver may be paused at once, and none is forgotten, also over a restart", () => {
  const markers = createAppliedMarkers(0);
  const ids = Array.from({ length: 1_100 }, (_, index) => `bank-${index}`);
  for (const [index, bank] of ids.entries()) markers.applyBankMarker(ofBank("BankPaused", 1, bank), at(BigInt(index)));
  const restarted = createAppliedMarkers(0, readPartitionState(JSON.parse(JSON.stringify(markers.toState()))));
  expect([markers, restarted].map((one) => ids.filter((id) => !isPausedBelow(one.bankMarkersOf(id), at(9_999n))))).toEqual([[], []]);
});

test("I15: the newest markers of each bank are kept, and paused banks before the others", () => {
  const markers = createAppliedMarkers(0);
  markers.applyBankMarker(ofBank("BankPaused", 1, "paused"), at(0n));
  for (let number = 1; number <= 20; number += 1) {
    markers.applyBankMarker(ofBank("BankPaused", number), at(BigInt(10 * number)));
    markers.applyBankMarker(ofBank("BankResumed", number), at(BigInt(10 * number + 5)));
  }
  expect(markers.bankMarkersOf("first")).toHaveLength(pauseMarkersKeptMax);
  for (let index = 0; index < receiversMax - 1; index += 1)
    markers.applyBankMarker(ofBank("BankPaused", 1, `b${index}`), at(BigInt(1_000 + index)));
  expect(markers.bankMarkersOf("first")).toEqual([]);
  expect(isPausedBelow(markers.bankMarkersOf("paused"), at(9_999n))).toBe(true);
});

test("the oldest date of a scheme is forgotten when there are too many, and does not come back", () => {
  const markers = createAppliedMarkers(0);
  const date = (index: number): string => new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);
  for (let index = 0; index <= datesKeptMax; index += 1) markers.apply(opened(1, date(index)), at(BigInt(index)));
  expect(markers.days()).toHaveLength(datesKeptMax);
  expect(markers.markersOf(`ZA_EFT:${date(0)}`).map(({ marker }) => marker.kind)).toEqual(["DayReconciled"]);
  expect(markers.apply(opened(1, date(0)), at(999n))).toBe(false);
});

test("a window is open from its opening to its closing, and none is after the reconciliation", () => {
  const markers = createAppliedMarkers(0);
  const now = () => findOpenWindow(markers.markersOf("ZA_EFT:2026-11-20"));
  expect(now()).toBeNull();
  markers.apply(opened(1), at(1n));
  expect(now()).toBe(1);
  markers.apply(closed(1), at(2n));
  expect(now()).toBeNull();
  markers.apply(opened(2), at(3n));
  expect(now()).toBe(2);
  const reconciled = { id: "r", scheme: "ZA_EFT", businessDate: "2026-11-20" };
  markers.apply({ ...reconciled, kind: "DayReconciled", number: 1 }, at(4n));
  expect(now()).toBeNull();
  expect(isReconciled(markers.markersOf("ZA_EFT:2026-11-20"))).toBe(true);
});

test("a declaration for all banks is open until the gate is, and then until each excepted bank has its own", () => {
  const markers = createAppliedMarkers(0);
  const base = { scheme: "ZA_EFT", businessDate: "2026-11-20", number: 1 };
  const open = () =>
    openDeclarations(markers.markersOf("ZA_EFT:2026-11-20")).map(({ declaration, excepted }) => [declaration.id, excepted]);
  markers.apply({ ...base, kind: "CreditsDeclared", id: "d", bank: null, declaredBy: "clock" }, at(1n));
  expect(open()).toEqual([["d", null]]);
  markers.apply({ ...base, kind: "GateOpened", id: "g", banks: null, except: ["second", "third"] }, at(2n));
  expect(open()).toEqual([["d", ["second", "third"]]]);
  markers.apply({ ...base, kind: "GateOpened", id: "h", banks: ["third"], except: [] }, at(3n));
  expect(open()).toEqual([["d", ["second"]]]);
  markers.apply({ ...base, kind: "GateOpened", id: "i", banks: ["second"], except: [] }, at(4n));
  expect(open()).toEqual([]);
});

test("a bank's own declaration is open until its gate is, or the day is reconciled", () => {
  const markers = createAppliedMarkers(0);
  const base = { scheme: "ZA_EFT", businessDate: "2026-11-20", number: 1 };
  const open = () => openDeclarations(markers.markersOf("ZA_EFT:2026-11-20")).map(({ declaration, offset }) => [declaration.bank, offset]);
  markers.apply({ ...base, kind: "CreditsDeclared", id: "d", bank: "second", declaredBy: "bank" }, at(1n));
  markers.apply({ ...base, kind: "CreditsDeclared", id: "e", bank: "third", declaredBy: "bank" }, at(2n));
  expect(open()).toEqual([
    ["second", 1n],
    ["third", 2n],
  ]);
  markers.apply({ ...base, kind: "GateOpened", id: "g", banks: ["second"], except: [] }, at(3n));
  expect(open()).toEqual([["third", 2n]]);
  markers.apply({ ...base, kind: "DayReconciled", id: "r", number: 1 }, at(4n));
  expect(open()).toEqual([]);
});

test("I10: a forgotten date counts as reconciled; a date that is not planned yet does not", () => {
  const dates = Array.from({ length: datesKeptMax + 1 }, (_, index) =>
    Temporal.PlainDate.from("2026-01-01").add({ days: index }).toString(),
  );
  const markers = createAppliedMarkers(0);
  for (const date of dates.slice(0, datesKeptMax)) markers.apply(opened(1, date), at(1n));
  expect(isReconciled(markers.markersOf("ZA_EFT:2026-01-01"))).toBe(false);
  markers.apply(opened(1, dates.at(-1)), at(2n));
  for (const day of ["ZA_EFT:2026-01-01", "ZA_EFT:2025-12-24"]) expect(isReconciled(markers.markersOf(day))).toBe(true);
  expect(markers.markersOf("ZA_EFT:2026-12-24")).toEqual([]);
  // A scheme with fewer dates forgets none.
  expect(markers.markersOf("ZA_RTC:2025-12-24")).toEqual([]);
  expect(markers.days()).toHaveLength(datesKeptMax);
});
