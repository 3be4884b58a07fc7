import type { Marker } from "@sluice/domain";
import type { OpenRow } from "@sluice/store";
import { silentLog, silentMetrics } from "@sluice/telemetry";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { FactToAppend } from "./appending.ts";
import { startCrediting } from "./crediting.ts";
import { asTransaction, creditRow, openRows } from "./given-credits.ts";
import { businessDate } from "./given-records.ts";
import { createLaneMarkers } from "./lane-markers.ts";
import { schedulerMetrics } from "./scheduler-metrics.ts";

const base = { scheme: "ZA_EFT", businessDate };
const declaredAtOffset = 1_000n;
const declared = (bank: string | null = null, id = "d"): Marker => ({
  ...base,
  kind: "CreditsDeclared",
  id,
  number: 1,
  bank,
  declaredBy: "connector",
});
const excepting = (...except: readonly string[]): Marker => ({ ...base, kind: "GateOpened", id: "g", number: 1, banks: null, except });

const single = (bank: string): Marker => ({ ...base, kind: "GateOpened", id: "h", number: 2, banks: [bank], except: [] });

/** A lane that has passed what lies below offset 1,000. */
function given(rows: readonly OpenRow[], uetrsKeptMax = 2_000) {
  const time = createVirtualTime({ startAtMs: 0 });
  const markers = createLaneMarkers(4);
  const open = openRows(rows);
  const appended: FactToAppend[] = [];
  const journal = { isUp: true, during: (): void => {} };
  const crediting = startCrediting({
    lane: 4,
    markers,
    store: open.store,
    append: (facts) => {
      if (journal.isUp) appended.push(...facts);
      journal.during();
      return Promise.resolve(journal.isUp);
    },
    time,
    log: silentLog,
    metrics: schedulerMetrics(silentMetrics),
    uetrsKeptMax,
  });
  let offset = declaredAtOffset;
  return {
    time,
    open,
    journal,
    crediting,
    pass: (...passed: readonly Marker[]): void => {
      for (const marker of passed) markers.pass(marker, { offset: (offset += 1n), appendedAtMs: 0 });
      crediting.wake();
    },
    /** As the lane does it: written, then seen. */
    end: (row: OpenRow): void => {
      open.rows.delete(row.uetr);
      crediting.saw(asTransaction({ ...row, state: "CREDIT_AUTH_RESPONSE_ACCEPTED" }));
    },
    /** What was said, in order. */
    said: (): readonly string[] =>
      appended.map(({ key, fact }) => {
        expect(key).toBe(`ZA_EFT:${businessDate}`);
        if (fact.kind === "LaneCredits") return `${fact.declaration}/${fact.lane} names ${fact.banksUnresolved.join(" ")}`;
        return fact.kind === "LaneBankClear" ? `${fact.declaration}/${fact.lane} clear ${fact.bank}` : fact.kind;
      }),
  };
}

test("I8: a declaration is answered with the banks that have an unresolved credit of its scheme from before its marker", async () => {
  const { time, pass, said } = given([
    creditRow(1, { bank: "b" }),
    creditRow(2, { bank: "a" }),
    creditRow(3, { bank: "a" }),
    creditRow(4, { bank: "other-scheme", scheme: "ZA_RTC" }),
    creditRow(5, { bank: "later-date", businessDate: "2026-11-21" }),
    creditRow(6, { bank: "earlier-date", businessDate: "2026-11-19" }),
    creditRow(7, { bank: "ended", state: "CREDIT_AUTH_RESPONSE_ACCEPTED", isOutcomeAwaited: true }),
    creditRow(8, { bank: "debit", flow: "off-us", state: "HELD" }),
    creditRow(9, { bank: "unjudged", state: "CREDIT_AUTH_RECEIVED", businessDate: "2026-11-21" }),
    creditRow(1_001, { bank: "received-later" }),
  ]);
  pass(declared());
  await time.settle();
  expect(said()).toEqual(["d/4 names a b earlier-date unjudged"]);
});

test("I8: a bank is called clear when its last earlier credit has ended, and once", async () => {
  const rows = [creditRow(1, { bank: "a" }), creditRow(2, { bank: "a" }), creditRow(3, { bank: "b" })];
  const { time, pass, end, said } = given(rows);
  pass(declared());
  await time.settle();
  end(rows[0]!);
  await time.settle();
  expect(said()).toEqual(["d/4 names a b"]);
  end(rows[1]!);
  await time.settle();
  pass(excepting("a", "b"));
  await time.settle();
  expect(said()).toEqual(["d/4 names a b", "d/4 clear a"]);
});

test("a credit whose verdict dates it after the day is waited for no more", async () => {
  const row = creditRow(1, { bank: "a", state: "CREDIT_AUTH_RECEIVED" });
  const { time, pass, crediting, said } = given([row]);
  pass(declared());
  await time.settle();
  crediting.saw(asTransaction({ ...row, state: "CREDIT_AUTH_DELIVERY_PENDING", businessDate: "2026-11-21" }));
  await time.settle();
  expect(said()).toEqual(["d/4 names a", "d/4 clear a"]);
});

test("a credit that ends while the store is read is not named", async () => {
  const rows = [creditRow(1, { bank: "a" }), creditRow(2, { bank: "b" })];
  const { time, pass, end, open, said } = given(rows);
  open.during.read = () => end(rows[0]!);
  pass(declared());
  await time.settle();
  expect(said()).toEqual(["d/4 names b"]);
});

test("a credit that ends while the answer that names its bank is on its way is called clear after it", async () => {
  const rows = [creditRow(1, { bank: "a" }), creditRow(2, { bank: "b" })];
  const { time, pass, end, journal, said } = given(rows);
  journal.during = () => {
    journal.during = () => {};
    end(rows[1]!);
  };
  pass(declared());
  await time.advance(1);
  expect(said()).toEqual(["d/4 names a b", "d/4 clear b"]);
});

test("what was not appended is said again, with what is so by then", async () => {
  const rows = [creditRow(1, { bank: "a" }), creditRow(2, { bank: "b" })];
  const { time, pass, end, journal, said } = given(rows);
  journal.isUp = false;
  pass(declared());
  await time.advance(3_000);
  end(rows[0]!);
  journal.isUp = true;
  await time.advance(2_000);
  expect(said()).toEqual(["d/4 names b"]);
});

test("I16: a new owner answers again, and calls clear what the gate has excepted and is not waited for", async () => {
  const { time, pass, said } = given([creditRow(1, { bank: "b" })]);
  pass(declared(), excepting("a", "b", "c"), single("c"));
  await time.settle();
  expect(said()).toEqual(["d/4 names b", "d/4 clear a"]);
});

test("I16: a bank's own declaration is answered and called clear at once where nothing of it is waited for", async () => {
  const rows = [creditRow(1, { bank: "a" }), creditRow(2, { bank: "b" })];
  const { time, pass, end, said } = given(rows);
  pass(declared("b", "e"), declared("c", "f"));
  await time.settle();
  expect(said()).toEqual(["e/4 names b", "f/4 names ", "f/4 clear c"]);
  end(rows[1]!);
  await time.settle();
  expect(said().at(-1)).toBe("e/4 clear b");
});

test("an open gate and a reconciled day need no word any more", async () => {
  const rows = [creditRow(1, { bank: "a" })];
  const { time, pass, end, said, open } = given(rows);
  pass(declared(), excepting(), { ...base, kind: "DayReconciled", id: "r", number: 1 });
  await time.settle();
  end(rows[0]!);
  await time.advance(10_000);
  expect([said(), open.reads]).toEqual([[], 0]);
});

test("I15: of a bank with more credits than are kept the others are read when those have ended", async () => {
  const rows = Array.from({ length: 25 }, (_, index) => creditRow(index, { bank: index % 5 === 0 ? "few" : "many" }));
  const { time, pass, end, said, open } = given(rows, 6);
  pass(declared());
  await time.settle();
  expect(open.reads).toBe(1);
  for (const row of rows.slice(0, 24)) {
    end(row);
    await time.settle();
  }
  expect(said()).toEqual(["d/4 names few many", "d/4 clear few"]);
  end(rows[24]!);
  await time.settle();
  expect(said().at(-1)).toBe("d/4 clear many");
  expect(open.reads).toBeLessThanOrEqual(5);
});

test("I8: a bank is named whose only earlier credit lies on a later page of the store", async () => {
  const others = Array.from({ length: 10_000 }, (_, index) => creditRow(index, { flow: "off-us", state: "HELD", bank: "other" }));
  const { time, pass, said } = given([...others, creditRow(10_001, { bank: "late-page", receivedOffset: 5n })]);
  pass(declared());
  await time.settle();
  expect(said()).toEqual(["d/4 names late-page"]);
});

test("what the gate waits for is shown by bank, and shown as nothing when it has ended", async () => {
  const shown: string[] = [];
  const time = createVirtualTime({ startAtMs: 0 });
  const markers = createLaneMarkers(4);
  const rows = [creditRow(1, { bank: "a" }), creditRow(2, { bank: "a" })];
  const open = openRows(rows);
  const gauge = { set: (value: number, labels?: Readonly<Record<string, string>>) => void shown.push(`${labels?.["bank"]} ${value}`) };
  const metrics = { ...silentMetrics, gauge: (name: string) => (name === "sluice_scheduler_gate_credits" ? gauge : { set: () => {} }) };
  const crediting = startCrediting({
    lane: 4,
    markers,
    store: open.store,
    append: () => Promise.resolve(true),
    time,
    log: silentLog,
    metrics: schedulerMetrics(metrics),
  });
  markers.pass(declared(), { offset: 10n, appendedAtMs: 0 });
  crediting.wake();
  await time.settle();
  for (const row of rows) {
    open.rows.delete(row.uetr);
    crediting.saw(asTransaction({ ...row, state: "CREDIT_AUTH_RESPONSE_ACCEPTED" }));
    await time.settle();
  }
  expect([shown[0], shown.at(-1)]).toEqual(["a 2", "a 0"]);
});
