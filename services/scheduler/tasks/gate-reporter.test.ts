import type { Marker } from "@sluice/domain";
import type { OpenRow } from "@sluice/store";
import { type ListedSample, type Metrics, silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { FactToAppend } from "./append-facts.ts";
import { startGateReporter } from "./gate-reporter.ts";
import { transactionFromRow, openCreditRow, createOpenRows } from "./open-rows.fixture.ts";
import { schedulerBusinessDate } from "../journal-records.fixture.ts";
import { createAppliedMarkers } from "../partition/applied-markers.ts";
import { createSchedulerMetrics } from "../scheduler-metrics.ts";

const base = { scheme: "ZA_EFT", businessDate: schedulerBusinessDate };
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

/** A partition that has applied everything below offset 1,000. */
function setUp(rows: readonly OpenRow[], uetrsKeptMax = 2_000) {
  const time = createVirtualTime({ startAtMs: 0 });
  const markers = createAppliedMarkers(4);
  const open = createOpenRows(rows);
  const appended: FactToAppend[] = [];
  const journal = { isUp: true, during: (): void => {} };
  const crediting = startGateReporter({
    partition: 4,
    markers,
    store: open.store,
    append: (facts) => {
      if (journal.isUp) appended.push(...facts);
      journal.during();
      return Promise.resolve(journal.isUp);
    },
    time,
    logger: silentLogger,
    metrics: createSchedulerMetrics(silentMetrics),
    uetrsKeptMax,
    pageRowsMax: 5_000,
  });
  let offset = declaredAtOffset;
  return {
    time,
    open,
    journal,
    crediting,
    pass: (...passed: readonly Marker[]): void => {
      for (const marker of passed) markers.apply(marker, { offset: (offset += 1n), appendedAtMs: 0 });
      crediting.wake();
    },
    /** Changes a credit as the partition does: writes it, then shows it to the task. */
    end: (row: OpenRow): void => {
      open.rows.delete(row.uetr);
      crediting.observe(transactionFromRow({ ...row, state: "CREDIT_AUTH_RESPONSE_ACCEPTED" }));
    },
    /** The appended answers, in order. */
    said: (): readonly string[] =>
      appended.map(({ key, fact }) => {
        expect(key).toBe(`ZA_EFT:${schedulerBusinessDate}`);
        if (fact.kind === "PartitionCredits") return `${fact.declaration}/${fact.partition} names ${fact.banksUnresolved.join(" ")}`;
        return fact.kind === "PartitionBankClear" ? `${fact.declaration}/${fact.partition} clear ${fact.bank}` : fact.kind;
      }),
  };
}

test("I8: a declaration is answered with the banks that have an unresolved credit of its scheme from before its marker", async () => {
  const { time, pass, said } = setUp([
    openCreditRow(1, { bank: "b" }),
    openCreditRow(2, { bank: "a" }),
    openCreditRow(3, { bank: "a" }),
    openCreditRow(4, { bank: "other-scheme", scheme: "ZA_RTC" }),
    openCreditRow(5, { bank: "later-date", businessDate: "2026-11-21" }),
    openCreditRow(6, { bank: "earlier-date", businessDate: "2026-11-19" }),
    openCreditRow(7, { bank: "ended", state: "CREDIT_AUTH_RESPONSE_ACCEPTED", isOutcomeAwaited: true }),
    openCreditRow(8, { bank: "debit", flow: "off-us", state: "HELD" }),
    openCreditRow(9, { bank: "unjudged", state: "CREDIT_AUTH_RECEIVED", businessDate: "2026-11-21" }),
    openCreditRow(1_001, { bank: "received-later" }),
  ]);
  pass(declared());
  await time.settle();
  expect(said()).toEqual(["d/4 names a b earlier-date unjudged"]);
});

test("I8: a bank is reported clear once, when its last earlier credit has ended", async () => {
  const rows = [openCreditRow(1, { bank: "a" }), openCreditRow(2, { bank: "a" }), openCreditRow(3, { bank: "b" })];
  const { time, pass, end, said } = setUp(rows);
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

test("a credit whose verdict dates it after the day is no longer awaited", async () => {
  const row = openCreditRow(1, { bank: "a", state: "CREDIT_AUTH_RECEIVED" });
  const { time, pass, crediting, said } = setUp([row]);
  pass(declared());
  await time.settle();
  crediting.observe(transactionFromRow({ ...row, state: "CREDIT_AUTH_DELIVERY_PENDING", businessDate: "2026-11-21" }));
  await time.settle();
  expect(said()).toEqual(["d/4 names a", "d/4 clear a"]);
});

test("a credit that ends while the store is read is not named", async () => {
  const rows = [openCreditRow(1, { bank: "a" }), openCreditRow(2, { bank: "b" })];
  const { time, pass, end, open, said } = setUp(rows);
  open.during.read = () => end(rows[0]!);
  pass(declared());
  await time.settle();
  expect(said()).toEqual(["d/4 names b"]);
});

test("a bank whose credit ends while the answer that names it is sent is reported clear after it", async () => {
  const rows = [openCreditRow(1, { bank: "a" }), openCreditRow(2, { bank: "b" })];
  const { time, pass, end, journal, said } = setUp(rows);
  journal.during = () => {
    journal.during = () => {};
    end(rows[1]!);
  };
  pass(declared());
  await time.advance(1);
  expect(said()).toEqual(["d/4 names a b", "d/4 clear b"]);
});

test("an answer that was not appended is made again, with what holds by then", async () => {
  const rows = [openCreditRow(1, { bank: "a" }), openCreditRow(2, { bank: "b" })];
  const { time, pass, end, journal, said } = setUp(rows);
  journal.isUp = false;
  pass(declared());
  await time.advance(3_000);
  end(rows[0]!);
  journal.isUp = true;
  await time.advance(2_000);
  expect(said()).toEqual(["d/4 names b"]);
});

test("I16: a new owner answers again, and reports clear the excepted banks that have no awaited credit", async () => {
  const { time, pass, said } = setUp([openCreditRow(1, { bank: "b" })]);
  pass(declared(), excepting("a", "b", "c"), single("c"));
  await time.settle();
  expect(said()).toEqual(["d/4 names b", "d/4 clear a"]);
});

test("I16: a bank's own declaration is answered and reported clear at once if no credit of it is awaited", async () => {
  const rows = [openCreditRow(1, { bank: "a" }), openCreditRow(2, { bank: "b" })];
  const { time, pass, end, said } = setUp(rows);
  pass(declared("b", "e"), declared("c", "f"));
  await time.settle();
  expect(said()).toEqual(["e/4 names b", "f/4 names ", "f/4 clear c"]);
  end(rows[1]!);
  await time.settle();
  expect(said().at(-1)).toBe("e/4 clear b");
});

test("an open gate and a reconciled day get no answer", async () => {
  const rows = [openCreditRow(1, { bank: "a" })];
  const { time, pass, end, said, open } = setUp(rows);
  pass(declared(), excepting(), { ...base, kind: "DayReconciled", id: "r", number: 1 });
  await time.settle();
  end(rows[0]!);
  await time.advance(10_000);
  expect([said(), open.reads]).toEqual([[], 0]);
});

test("I15: of a bank with more credits than are kept the rest are read when the kept ones have ended", async () => {
  const rows = Array.from({ length: 25 }, (_, index) => openCreditRow(index, { bank: index % 5 === 0 ? "few" : "many" }));
  const { time, pass, end, said, open } = setUp(rows, 6);
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

test("I8: a bank whose only earlier credit is on a later page of the store is named", async () => {
  const others = Array.from({ length: 10_000 }, (_, index) => openCreditRow(index, { flow: "off-us", state: "HELD", bank: "other" }));
  const { time, pass, said } = setUp([...others, openCreditRow(10_001, { bank: "late-page", receivedOffset: 5n })]);
  pass(declared());
  await time.settle();
  expect(said()).toEqual(["d/4 names late-page"]);
});

test("the metric shows the credits that the gate waits for by bank, and no bank when they have ended", async () => {
  const lists: (() => readonly ListedSample[])[] = [];
  const shown = () =>
    lists
      .flatMap((list) => list())
      .flatMap(({ name, labels, value }) => (name === "sluice_scheduler_gate_credits" ? [`${labels["bank"]} ${value}`] : []));
  const time = createVirtualTime({ startAtMs: 0 });
  const markers = createAppliedMarkers(4);
  const rows = [openCreditRow(1, { bank: "a" }), openCreditRow(2, { bank: "a" })];
  const open = createOpenRows(rows);
  const metrics: Metrics = { ...silentMetrics, listed: (_, list) => void lists.push(list) };
  const crediting = startGateReporter({
    partition: 4,
    markers,
    store: open.store,
    append: () => Promise.resolve(true),
    time,
    logger: silentLogger,
    metrics: createSchedulerMetrics(metrics),
    pageRowsMax: 5_000,
  });
  markers.apply(declared(), { offset: 10n, appendedAtMs: 0 });
  crediting.wake();
  await time.settle();
  expect(shown()).toEqual(["a 2"]);
  for (const row of rows) {
    open.rows.delete(row.uetr);
    crediting.observe(transactionFromRow({ ...row, state: "CREDIT_AUTH_RESPONSE_ACCEPTED" }));
    await time.settle();
  }
  expect(shown()).toEqual([]);
});
