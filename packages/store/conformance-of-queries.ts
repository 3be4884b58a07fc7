// A part of the store's conformance: what people ask, and what operators set of a bank.

import type { BankStanding, Item, Transaction } from "@sluice/domain";
import { expect, test } from "vitest";
import { action, parked, uetr } from "./conformance-of-lanes.ts";
import { document, transaction } from "./conformance.ts";
import { noSearchTerms } from "./port.ts";
import type { LaneLedger, SearchTerms, Store, TransactionQuery, TransactionWrite } from "./port.ts";

function standing(over: Partial<BankStanding> = {}): BankStanding {
  return {
    bank: "first",
    version: 1,
    applied: 9_007_199_254_740_993n,
    isPaused: true,
    untilMs: 1_795_000_600_000,
    since: { action, atMs: 1_795_000_000_001 },
    pauses: 1,
    resumes: 0,
    told: [
      {
        offset: 5n,
        atMs: 1_795_000_000_001,
        marker: { kind: "BankPaused", id: "bank:first:p:1", bank: "first", number: 1, reason: "asked", untilMs: 1_795_000_600_000 },
      },
    ],
    decisions: [{ offset: 5n, atMs: 1_795_000_000_001, kind: "BankPauseRequested", action, result: "applied", why: null }],
    ...over,
  };
}

export function bankPromises(open: () => Promise<Store>): void {
  test("a bank's standing comes back as it was written and changes by compare-and-set", async () => {
    const { banks } = await open();
    const second = standing({ bank: "second", since: null, isPaused: false, untilMs: null, told: [], decisions: [] });
    expect(await banks.write(standing(), 0)).toBe(true);
    expect(await banks.write(second, 0)).toBe(true);
    expect(await banks.write(standing({ isPaused: false }), 0)).toBe(false);
    expect(await banks.write(standing({ version: 2, resumes: 1 }), 1)).toBe(true);
    expect(await banks.write(standing({ version: 2, resumes: 9 }), 1)).toBe(false);
    expect([...(await banks.load(["first", "third"])).values()]).toStrictEqual([standing({ version: 2, resumes: 1 })]);
    expect(await banks.all()).toStrictEqual([standing({ version: 2, resumes: 1 }), second]);
  });
}

export function ledgerPromises(open: () => Promise<Store>): void {
  test("a ledger comes back as it was written, exact, and changes by compare-and-set; it is found by day and by lane", async () => {
    const { ledgers } = await open();
    const cell = { count: 3, sumTenThousandths: 3n * 2n ** 63n };
    const rows = [{ bank: "first", currency: "ZAR", columns: { accepted: cell, open: cell } }];
    const ledger: LaneLedger = { lane: 3, day, version: 1, through: 9_007_199_254_740_993n, rows };
    const [second, next] = [
      { ...ledger, lane: 12 },
      { ...ledger, day: "ZA_EFT:2026-11-21", rows: [] },
    ];
    for (const one of [second, ledger, next]) expect(await ledgers.write(one, 0)).toBe(true);
    expect(await ledgers.write(ledger, 0)).toBe(false);
    expect(await ledgers.write({ ...ledger, version: 2, rows: [] }, 1)).toBe(true);
    expect(await ledgers.write({ ...ledger, version: 2 }, 1)).toBe(false);
    expect([...(await ledgers.load(12, [day, next.day])).entries()]).toStrictEqual([[day, second]]);
    expect(await ledgers.ofDay(day)).toStrictEqual([{ ...ledger, version: 2, rows: [] }, second]);
    expect((await ledgers.ofLane(3)).map((one) => one.day)).toEqual([day, next.day]);
  });

  test("a lane's transactions that ever stood on a day are found with their entries, also where they stand elsewhere now", async () => {
    const { transactions } = await open();
    const entry = transaction().transitions[0]!;
    const short = ({ state, offset, businessDate, markerOffset }: Transaction["transitions"][number]) => ({
      state,
      offset,
      businessDate,
      markerOffset,
    });
    const moved = [entry, { ...entry, stageVersion: 2, offset: 8n, businessDate: "2026-11-21" }];
    await transactions.write([
      write(1, { transitions: moved, businessDate: "2026-11-21" }),
      write(2),
      write(3, { lane: 4 }),
      write(4, { scheme: "ZA_RTC" }),
    ]);
    const found = await transactions.accounted(3, day, null, 10);
    expect(found.map((one) => one.uetr)).toEqual([uetr(1), uetr(2)]);
    const { flow, message, bank, scheme, currency, amountTenThousandths } = transaction();
    const sender = { sender: message!.sender };
    expect(found[0]).toStrictEqual({
      uetr: uetr(1),
      flow,
      message: sender,
      bank,
      scheme,
      currency,
      amountTenThousandths,
      transitions: moved.map(short),
    });
    expect((await transactions.accounted(3, day, uetr(1), 1)).map((one) => one.uetr)).toEqual([uetr(2)]);
    expect(await transactions.accounted(3, "ZA_EFT:2026-11-21", null, 10)).toHaveLength(1);
  });
}

function item(over: Partial<Item> = {}): Item {
  return {
    day: "ZA_EFT:2026-11-20",
    row: 0,
    cause: "GATE_CLOSED",
    state: "HELD",
    madeAtMs: 1_795_000_000_700,
    evidence: null,
    settledAtMs: null,
    lateAnswers: [],
    resolution: null,
    ...over,
  };
}

function proposed(isFinal: boolean): Item {
  return item({ resolution: { kind: "made", replacedBy: null, action, atMs: 1_795_000_001_000, isFinal, confirmed: null } });
}

function write(n: number, over: Partial<Transaction> = {}, search: Partial<SearchTerms> = {}): TransactionWrite {
  return { document: { ...document({ uetr: uetr(n), ...over }), search: { ...noSearchTerms, ...search } }, expectedVersion: 0 };
}

const identity = { sender: "first", messageIdentification: "M-1", contentHash: "aa", substanceHash: "bb" };
const parkedSince = { sinceMs: 1_795_000_000_950, offset: 15n, records: 3 };

const kept = (): readonly TransactionWrite[] => [
  write(1, {}, { endToEndIdentification: "E-1", debtorAccountEnd: "4321", reasons: ["AC01", "AM04"] }),
  write(2, { message: { ...identity, messageIdentification: "E-1" } }, { creditorAccountEnd: "4321" }),
  write(3, { state: "UNPAID", finalReport: { ...identity, messageIdentification: "E-1" } }, { transactionIdentification: "T-3" }),
  write(4, { bank: "second", businessDate: "2026-11-21", closesWith: "ZA_EFT:2026-11-21", lane: 4 }, { instructionIdentification: "I-4" }),
  write(5, { state: "ORPHAN", flow: null, message: null, bank: null, businessDate: null, transitions: [], closesWith: "" }),
  write(6, { flow: "credit", state: "CREDIT_AUTH_DELIVERED", scheme: "ZA_RTC", currency: "USD", amountTenThousandths: 7n }),
  write(7, { state: "RECONCILIATION", items: [item({ settledAtMs: 1_795_000_000_800 }), item({ row: null, cause: "PDNG" })] }),
  write(8, { state: "RECONCILIATION", items: [proposed(true), item({ day: "ZA_EFT:2026-11-19", row: 3 })] }),
  write(9, { state: "RECONCILIATION", items: [proposed(false)], parked: parkedSince }),
];

const day = "ZA_EFT:2026-11-20";
const questions: readonly (readonly [TransactionQuery, readonly number[]])[] = [
  [{}, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
  [{ identification: "E-1" }, [1, 2, 3]],
  [{ identification: "T-3" }, [3]],
  [{ identification: "I-4", sender: "first" }, [4]],
  [{ uetr: uetr(4) }, [4]],
  [{ sender: "second" }, []],
  [{ bank: "second" }, [4]],
  [{ lane: 4 }, [4]],
  [{ flow: "credit" }, [6]],
  [{ state: "ORPHAN" }, [5]],
  [{ state: "HELD", bank: "first" }, [1, 2]],
  [{ scheme: "ZA_RTC" }, [6]],
  [{ businessDate: "2026-11-21" }, [4]],
  [{ dateFrom: "2026-11-21" }, [4]],
  [{ dateTo: "2026-11-20", state: "HELD" }, [1, 2]],
  [{ dateFrom: "2026-11-20", dateTo: "2026-11-21", state: "HELD" }, [1, 2, 4]],
  [{ closesWith: "ZA_EFT:2026-11-21" }, [4]],
  [{ accountEnd: "4321" }, [1, 2]],
  [{ accountEnd: "4321", identification: "E-1" }, [1, 2]],
  [{ amountTenThousandths: 7n, currency: "USD" }, [6]],
  [{ amountTenThousandths: 9_999_999_999_999_999_98n }, []],
  [{ reason: "AM04" }, [1]],
  [{ itemDay: day }, [7, 8, 9]],
  [{ itemDay: day, itemRow: 3 }, []],
  [{ itemRow: 3 }, [8]],
  [{ itemRow: null }, [7]],
  [{ itemCause: "PDNG" }, [7]],
  [{ itemDay: day, isItemOpen: true }, [7, 9]],
  [{ itemDay: day, isItemOpen: false }, [7, 8]],
  [{ itemCause: "PDNG", isItemOpen: false }, []],
  [{ isParked: true }, [9]],
  [{ isParked: false, state: "RECONCILIATION" }, [7, 8]],
];

export function queryPromises(open: () => Promise<Store>): void {
  test("a search finds what all its terms hold for, by UETR, in pages", async () => {
    const { transactions } = await open();
    await transactions.write(kept());
    for (const [query, found] of questions) {
      const rows = await transactions.search(query, null, 1_000);
      expect([query, rows.map((row) => row.uetr)]).toEqual([query, found.map(uetr)]);
    }
    expect((await transactions.search({}, uetr(3), 2)).map((row) => row.uetr)).toEqual([uetr(4), uetr(5)]);
    await expect(transactions.search({}, null, 1_001)).rejects.toThrow("page");
  });

  test("a summary has what lists show, exact; how often a debit may still roll counts its entries into HELD", async () => {
    const { transactions } = await open();
    const held = transaction().transitions.flatMap((entry) =>
      [1, 2].map((stageVersion) => ({ ...entry, stageVersion, state: "HELD" as const, atMs: entry.atMs + stageVersion })),
    );
    const over = { rollsMax: 3, transitions: held, items: [item()], parked: parkedSince };
    await transactions.write([write(1, over, { debtorAccountEnd: "4321" })]);
    expect(await transactions.search({}, null, 10)).toStrictEqual([
      {
        uetr: uetr(1),
        lane: 3,
        flow: "on-us",
        state: "HELD",
        scheme: "ZA_EFT",
        sender: "first",
        messageIdentification: "M-1",
        bank: "first",
        businessDate: "2026-11-20",
        closesWith: day,
        deadlineMs: null,
        receivedAtMs: 1_795_000_000_123,
        amountTenThousandths: 9_999_999_999_999_999_99n,
        currency: "ZAR",
        queueKey: `001795000000123:${uetr(1)}`,
        stageVersion: 2,
        updatedAtMs: 1_795_000_000_126,
        applied: 9_007_199_254_740_995n,
        rollsMax: 3,
        rollsLeft: 2,
        items: [item()],
        parked: parkedSince,
        search: { ...noSearchTerms, debtorAccountEnd: "4321" },
      },
    ]);
    expect(await transactions.open(3, null, 10)).toMatchObject([{ rollsLeft: 2 }]);
  });
}

export function totalsPromises(open: () => Promise<Store>): void {
  test("totals count and sum exactly, beyond 64 bits too", async () => {
    const { transactions } = await open();
    const greatest = 9_223_372_036_854_775_807n;
    await transactions.write([
      ...[1, 2, 3].map((n) => write(n, { amountTenThousandths: greatest, receivedAtMs: 1_795_000_000_000 - n })),
      write(4, { amountTenThousandths: 9_007_199_254_740_993n, state: "UNPAID" }),
      write(5, { bank: null, businessDate: null, state: "ORPHAN", flow: null, message: null, amountTenThousandths: 0n }),
    ]);
    const rows = await transactions.totals({});
    const group = { bank: "first", scheme: "ZA_EFT", businessDate: "2026-11-20", currency: "ZAR", flow: "on-us" };
    expect(rows.toSorted((a, b) => (a.state < b.state ? -1 : 1))).toStrictEqual([
      { ...group, state: "HELD", count: 3, sumTenThousandths: 3n * greatest, oldestReceivedAtMs: 1_794_999_999_997 },
      {
        ...group,
        bank: null,
        businessDate: null,
        flow: null,
        state: "ORPHAN",
        count: 1,
        sumTenThousandths: 0n,
        oldestReceivedAtMs: 1_795_000_000_123,
      },
      { ...group, state: "UNPAID", count: 1, sumTenThousandths: 9_007_199_254_740_993n, oldestReceivedAtMs: 1_795_000_000_123 },
    ]);
    expect(await transactions.totals({ state: "UNPAID" })).toHaveLength(1);
    expect(await transactions.totals({ bank: "third" })).toEqual([]);
  });
}

export function parkedForPeoplePromises(open: () => Promise<Store>, name: "deliveries" | "postings"): void {
  test(`${name}: people page through one bank's, or all, without the bytes; totals count each bank's and day's`, async () => {
    const { [name]: store } = await open();
    const given = [
      parked({
        id: "a",
        bank: "second",
        lane: 1,
        sequence: 5n,
        nextAttemptAtMs: 1_795_000_005_000,
        closesWith: null,
        deadlineMs: 1_795_000_009_000,
      }),
      parked({ id: "b", bank: "first", lane: 2, sequence: 9n, nextAttemptAtMs: 1_795_000_004_000, ended: "refused" }),
      parked({ id: "c", bank: "first", lane: 1, sequence: 9_007_199_254_740_993n, nextAttemptAtMs: 1_795_000_003_000 }),
      parked({ id: "d", bank: "first", lane: 0, sequence: 9n, nextAttemptAtMs: 1_795_000_002_000, ended: null }),
      parked({
        id: "e",
        bank: "first",
        lane: 2,
        sequence: 99n,
        nextAttemptAtMs: 1_795_000_001_000,
        closesWith: "ZA_EFT:2026-11-23",
        recentAttempts: [],
      }),
      // Kept for the lane alone.
      parked({ id: "f", bank: "first", lane: 2, sequence: 1n, ended: "stopped" }),
    ];
    await store.insert(given);
    expect((await store.ofLane(2, null, 10)).map(({ id }) => id)).toEqual(["f", "b", "e"]);
    const all = await store.ofBank(null, null, 10);
    expect(all.map(({ id }) => id)).toEqual(["b", "d", "e", "c", "a"]);
    expect("record" in all[0]!).toBe(false);
    expect(await store.ofBank("first", { bank: "first", sequence: 9n, id: "b" }, 1)).toMatchObject([{ id: "d" }]);
    expect((await store.ofBank(null, { bank: "first", sequence: 9n, id: "d" }, 10)).map(({ id }) => id)).toEqual(["e", "c", "a"]);
    const [day, next] = ["ZA_EFT:2026-11-20", "ZA_EFT:2026-11-23"];
    const none = { refused: 0, deadlineMs: null };
    const tried = { waitingSinceMs: 1_795_000_000_001 };
    const untried = { waitingSinceMs: 1_795_000_001_000, nextAttemptAtMs: 1_795_000_001_000 };
    expect(await store.totals()).toStrictEqual([
      { bank: "first", closesWith: day, ...none, count: 3, refused: 1, oldestSequence: 9n, ...tried, nextAttemptAtMs: 1_795_000_002_000 },
      { bank: "first", closesWith: next, ...none, count: 1, oldestSequence: 99n, ...untried },
      {
        bank: "second",
        closesWith: null,
        ...none,
        count: 1,
        oldestSequence: 5n,
        ...tried,
        nextAttemptAtMs: 1_795_000_005_000,
        deadlineMs: 1_795_000_009_000,
      },
    ]);
  });

  test(`${name}: since when a bank's messages wait stays what it was through attempts, and refused ones do not wait`, async () => {
    const { [name]: store } = await open();
    const earlier = { count: 1, firstAtMs: 1_794_999_999_000, lastAtMs: 1_794_999_999_000, answers: [{ httpStatusCode: null, count: 1 }] };
    await store.insert([parked({ id: "a", recentAttempts: [] }), parked({ id: "b", earlier })]);
    const since = async () => (await store.totals()).map(({ waitingSinceMs }) => waitingSinceMs);
    expect(await since()).toEqual([1_794_999_999_000]);
    await store.update(parked({ id: "b", earlier, ended: "refused" }));
    expect(await since()).toEqual([1_795_000_000_000]);
    await store.update(parked({ id: "a", nextAttemptAtMs: 1_795_000_777_000 }));
    expect(await since()).toEqual([1_795_000_000_000]);
    await store.update(parked({ id: "a", ended: "refused" }));
    expect(await since()).toEqual([null]);
  });
}
