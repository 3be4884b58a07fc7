// Part of the store's conformance: people's queries, ledgers and totals.

import type { Item, Transaction } from "@sluice/domain";
import { expect, test } from "vitest";
import { conformanceAction, conformanceDecisions, decidedAtMs } from "./conformance-decisions.ts";
import { conformanceParked, conformanceUetr } from "./conformance-partitions.ts";
import { conformanceDocument, conformanceOrphan, conformanceTransaction, type TransactionChanges } from "./conformance-transactions.ts";
import {
  noSearchTerms,
  type PartitionLedger,
  type SearchTerms,
  type Store,
  type TransactionQuery,
  type TransactionWrite,
} from "../port.ts";

export function ledgerPromises(open: () => Promise<Store>): void {
  test("a ledger comes back exactly as it was written and changes by compare-and-set; it is found by day and by partition", async () => {
    const { ledgers } = await open();
    const cell = { count: 3, sumTenThousandths: 3n * 2n ** 63n };
    const rows = [{ bank: "first", currency: "ZAR", columns: { accepted: cell, open: cell } }];
    const ledger: PartitionLedger = { partition: 3, day, version: 1, through: 9_007_199_254_740_993n, rows };
    const [second, next] = [
      { ...ledger, partition: 12 },
      { ...ledger, day: "ZA_EFT:2026-11-21", rows: [] },
    ];
    for (const one of [second, ledger, next]) expect(await ledgers.write(one, 0)).toBe(true);
    expect(await ledgers.write(ledger, 0)).toBe(false);
    expect(await ledgers.write({ ...ledger, version: 2, rows: [] }, 1)).toBe(true);
    expect(await ledgers.write({ ...ledger, version: 2 }, 1)).toBe(false);
    expect([...(await ledgers.load(12, [day, next.day])).entries()]).toStrictEqual([[day, second]]);
    expect(await ledgers.listByDay(day)).toStrictEqual([{ ...ledger, version: 2, rows: [] }, second]);
    expect((await ledgers.listByPartition(3)).map((one) => one.day)).toEqual([day, next.day]);
  });

  test("a partition's transactions that were ever on a day are found with their entries, even when they are on another day now", async () => {
    const { transactions } = await open();
    const entry = conformanceTransaction().transitions[0]!;
    const short = ({ state, offset, businessDate, markerOffset }: Transaction["transitions"][number]) => ({
      state,
      offset,
      businessDate,
      markerOffset,
    });
    const moved = [entry, { ...entry, stageVersion: 2, offset: 8n, businessDate: "2026-11-21" }];
    await transactions.write([
      buildWrite(1, { transitions: moved, businessDate: "2026-11-21" }),
      buildWrite(2),
      buildWrite(3, { partition: 4 }),
      buildWrite(4, { scheme: "ZA_RTC" }),
    ]);
    const found = await transactions.accounted(3, day, null, 10);
    expect(found.map((one) => one.uetr)).toEqual([conformanceUetr(1), conformanceUetr(2)]);
    const { flow, message, bank, scheme, currency, amountTenThousandths } = conformanceTransaction();
    const sender = { sender: message!.sender };
    expect(found[0]).toStrictEqual({
      uetr: conformanceUetr(1),
      flow,
      message: sender,
      bank,
      scheme,
      currency,
      amountTenThousandths,
      transitions: moved.map(short),
    });
    expect((await transactions.accounted(3, day, conformanceUetr(1), 1)).map((one) => one.uetr)).toEqual([conformanceUetr(2)]);
    expect(await transactions.accounted(3, "ZA_EFT:2026-11-21", null, 10)).toHaveLength(1);
  });
}

function buildItem(over: Partial<Item> = {}): Item {
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
    note: null,
    ...over,
  };
}

export const conformanceItem = buildItem();

function buildResolvedItem(isFinal: boolean): Item {
  return buildItem({
    resolution: {
      kind: "made",
      replacedBy: null,
      action: conformanceAction,
      offset: 15n,
      atMs: 1_795_000_001_000,
      isFinal,
      expiresAtMs: isFinal ? null : 1_795_086_401_000,
      confirmed: null,
    },
  });
}

function buildWrite(n: number, over: TransactionChanges = {}, search: Partial<SearchTerms> = {}): TransactionWrite {
  return {
    document: { ...conformanceDocument({ uetr: conformanceUetr(n), ...over }), search: { ...noSearchTerms, ...search } },
    expectedVersion: 0,
  };
}

const identity = { sender: "first", messageIdentification: "M-1", contentHash: "aa", substanceHash: "bb" };
const quarantinedSince = { sinceMs: 1_795_000_000_950, offset: 15n, records: 3 };

const buildWrites = (): readonly TransactionWrite[] => [
  buildWrite(1, {}, { endToEndIdentification: "E-1", debtorAccountEnd: "4321", reasons: ["AC01", "AM04"] }),
  buildWrite(2, { message: { ...identity, messageIdentification: "E-1" } }, { creditorAccountEnd: "4321" }),
  buildWrite(3, { state: "UNPAID", finalReport: { ...identity, messageIdentification: "E-1" } }, { transactionIdentification: "T-3" }),
  buildWrite(
    4,
    { bank: "second", businessDate: "2026-11-21", reconciliationDay: "ZA_EFT:2026-11-21", partition: 4, decisions: conformanceDecisions },
    { instructionIdentification: "I-4" },
  ),
  buildWrite(5, {
    ...conformanceOrphan,
    observations: { count: 1, last: [{ offset: 1n, atMs: 1, kind: "report-orphan", messageIdentification: "R", sender: "first" }] },
  }),
  buildWrite(6, { flow: "credit", state: "CREDIT_AUTH_DELIVERED", scheme: "ZA_RTC", currency: "USD", amountTenThousandths: 7n }),
  buildWrite(7, {
    state: "RECONCILIATION",
    items: [buildItem({ settledAtMs: 1_795_000_000_800 }), buildItem({ row: null, cause: "PDNG", madeAtMs: 7 })],
  }),
  buildWrite(8, { state: "RECONCILIATION", items: [buildResolvedItem(true), buildItem({ day: "ZA_EFT:2026-11-19", row: 3 })] }),
  buildWrite(9, { state: "RECONCILIATION", items: [buildResolvedItem(false)], quarantined: quarantinedSince }),
];

const day = "ZA_EFT:2026-11-20";
const questions: readonly (readonly [TransactionQuery, readonly number[]])[] = [
  [{}, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
  [{ identification: "E-1" }, [1, 2, 3]],
  [{ identification: "T-3" }, [3]],
  [{ identification: "I-4", sender: "first" }, [4]],
  [{ identificationStart: "E-" }, [1, 2, 3]],
  [{ identificationStart: conformanceUetr(4) }, [4]],
  [{ identificationStart: "-3", sender: "first" }, []],
  [{ uetr: conformanceUetr(4) }, [4]],
  [{ sender: "second" }, []],
  [{ bank: "second" }, [4]],
  [{ partition: 4 }, [4]],
  [{ flow: "credit" }, [6]],
  [{ state: "ORPHAN" }, [5]],
  [{ observation: "report-orphan" }, [5]],
  [{ observation: "report-foreign" }, []],
  [{ state: "HELD", bank: "first" }, [1, 2]],
  [{ scheme: "ZA_RTC" }, [6]],
  [{ schemes: ["ZA_RTC", "GB_BACS"] }, [6]],
  [{ schemes: ["ZA_RTC"], scheme: "ZA_EFT" }, []],
  [{ schemes: [] }, []],
  [{ businessDate: "2026-11-21" }, [4]],
  [{ dateFrom: "2026-11-21" }, [4]],
  [{ dateTo: "2026-11-20", state: "HELD" }, [1, 2]],
  [{ dateFrom: "2026-11-20", dateTo: "2026-11-21", state: "HELD" }, [1, 2, 4]],
  [{ reconciliationDay: "ZA_EFT:2026-11-21" }, [4]],
  [{ accountEnds: ["4321"] }, [1, 2]],
  [{ accountEnds: ["#hash", "4321"] }, [1, 2]],
  [{ accountEnds: ["4321"], identification: "E-1" }, [1, 2]],
  [{ amountTenThousandths: 7n, currency: "USD" }, [6]],
  [{ amountTenThousandths: 9_999_999_999_999_999_98n }, []],
  [{ amountFromTenThousandths: 7n, amountToTenThousandths: 7n }, [6]],
  [{ decided: { fromMs: 0, toMs: decidedAtMs } }, [4]],
  [{ decided: { operator: "zanele", kind: "RedriveRequested", fromMs: decidedAtMs, toMs: decidedAtMs + 5 } }, [4]],
  [{ decided: { operator: "thabo", kind: "RedriveRequested", fromMs: 0, toMs: decidedAtMs + 5 } }, []],
  [{ reason: "AM04" }, [1]],
  [{ itemDay: day }, [7, 8, 9]],
  [{ itemDay: day, itemRow: 3 }, []],
  [{ itemMadeToMs: 1_795_000_000_699 }, [7]],
  [{ itemRow: null, itemCause: "PDNG" }, [7]],
  [{ itemDay: day, isItemOpen: true }, [7, 9]],
  [{ itemDay: day, isItemOpen: false }, [7, 8]],
  [{ itemCause: "PDNG", isItemOpen: false }, []],
  [{ isItemProposed: true, itemMadeToMs: 1_795_000_000_700 }, [9]],
  [{ itemDay: day, isItemProposed: true, isItemOpen: false }, []],
  [{ isQuarantined: true }, [9]],
  [{ isQuarantined: false, state: "RECONCILIATION" }, [7, 8]],
];

export function queryPromises(open: () => Promise<Store>): void {
  test("a search finds the transactions that match all its terms, by UETR, in pages", async () => {
    const { transactions } = await open();
    await transactions.write(buildWrites());
    for (const [query, found] of questions) {
      const rows = await transactions.search(query, null, 1_000);
      expect([query, rows.map((row) => row.uetr)]).toEqual([query, found.map(conformanceUetr)]);
    }
    expect((await transactions.search({}, conformanceUetr(3), 2)).map((row) => row.uetr)).toEqual([conformanceUetr(4), conformanceUetr(5)]);
    await expect(transactions.search({}, null, 1_001)).rejects.toThrow("page");
  });

  test("a summary has the members that lists show, exact; the carry-overs left follow from the entries into HELD", async () => {
    const { transactions } = await open();
    const held = conformanceTransaction().transitions.flatMap((entry) =>
      [1, 2].map((stageVersion) => ({ ...entry, stageVersion, state: "HELD" as const, atMs: entry.atMs + stageVersion })),
    );
    const over = { carryOversMax: 3, transitions: held, items: [buildItem()], quarantined: quarantinedSince };
    await transactions.write([buildWrite(1, over, { debtorAccountEnd: "4321" })]);
    expect(await transactions.search({}, null, 10)).toStrictEqual([
      {
        uetr: conformanceUetr(1),
        partition: 3,
        flow: "on-us",
        state: "HELD",
        scheme: "ZA_EFT",
        sender: "first",
        messageIdentification: "M-1",
        bank: "first",
        businessDate: "2026-11-20",
        reconciliationDay: day,
        deadlineMs: null,
        receivedAtMs: 1_795_000_000_123,
        amountTenThousandths: 9_999_999_999_999_999_99n,
        currency: "ZAR",
        queueKey: `001795000000123:${conformanceUetr(1)}`,
        stageVersion: 2,
        updatedAtMs: 1_795_000_000_126,
        applied: 9_007_199_254_740_995n,
        carryOversMax: 3,
        carryOversLeft: 2,
        items: [buildItem()],
        quarantined: quarantinedSince,
        search: { ...noSearchTerms, debtorAccountEnd: "4321" },
      },
    ]);
    expect(await transactions.open(3, null, 10)).toMatchObject([{ carryOversLeft: 2 }]);
  });
}

export function totalsPromises(open: () => Promise<Store>): void {
  test("totals count and sum exactly, beyond 64 bits, too", async () => {
    const { transactions } = await open();
    const greatest = 9_223_372_036_854_775_807n;
    await transactions.write([
      ...[1, 2, 3].map((n) => buildWrite(n, { amountTenThousandths: greatest, receivedAtMs: 1_795_000_000_000 - n })),
      buildWrite(4, { amountTenThousandths: 9_007_199_254_740_993n, state: "UNPAID" }),
      buildWrite(5, conformanceOrphan),
    ]);
    const rows = await transactions.totals({});
    const group = { bank: "first", scheme: "ZA_EFT", businessDate: "2026-11-20", currency: "ZAR", flow: "on-us" };
    expect(rows.toSorted((a, b) => (a.state < b.state ? -1 : 1))).toStrictEqual([
      { ...group, state: "HELD", count: 3, sumTenThousandths: 3n * greatest, oldestReceivedAtMs: 1_794_999_999_997 },
      {
        ...group,
        bank: null,
        scheme: null,
        businessDate: null,
        currency: null,
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
  test(`${name}: people page through one receiver's messages, or all, without the bytes; totals count by receiver and day`, async () => {
    const { [name]: store } = await open();
    const given = [
      conformanceParked({
        id: "a",
        receiverId: "second",
        partition: 1,
        sequence: 5n,
        nextAttemptAtMs: 1_795_000_005_000,
        reconciliationDay: null,
        deadlineMs: 1_795_000_009_000,
      }),
      conformanceParked({ id: "b", receiverId: "first", partition: 2, sequence: 9n, nextAttemptAtMs: 1_795_000_004_000, ended: "refused" }),
      conformanceParked({
        id: "c",
        receiverId: "first",
        partition: 1,
        sequence: 9_007_199_254_740_993n,
        nextAttemptAtMs: 1_795_000_003_000,
      }),
      conformanceParked({ id: "d", receiverId: "first", partition: 0, sequence: 9n, nextAttemptAtMs: 1_795_000_002_000, ended: null }),
      conformanceParked({
        id: "e",
        receiverId: "first",
        partition: 2,
        sequence: 99n,
        nextAttemptAtMs: 1_795_000_001_000,
        reconciliationDay: "ZA_EFT:2026-11-23",
        recentAttempts: [],
      }),
      // A stopped message, which only its partition reads.
      conformanceParked({ id: "f", receiverId: "first", partition: 2, sequence: 1n, ended: "stopped" }),
    ];
    await store.insert(given);
    expect((await store.listByPartition(2, null, 10)).map(({ id }) => id)).toEqual(["f", "b", "e"]);
    const all = await store.listByReceiver(null, null, 10);
    expect(all.map(({ id }) => id)).toEqual(["b", "d", "e", "c", "a"]);
    expect("record" in all[0]!).toBe(false);
    expect(await store.listByReceiver("first", { receiverId: "first", sequence: 9n, id: "b" }, 1)).toMatchObject([{ id: "d" }]);
    expect((await store.listByReceiver(null, { receiverId: "first", sequence: 9n, id: "d" }, 10)).map(({ id }) => id)).toEqual([
      "e",
      "c",
      "a",
    ]);
    const [day, next] = ["ZA_EFT:2026-11-20", "ZA_EFT:2026-11-23"];
    const none = { refused: 0, deadlineMs: null };
    const tried = { waitingSinceMs: 1_795_000_000_001 };
    const untried = { waitingSinceMs: 1_795_000_001_000, nextAttemptAtMs: 1_795_000_001_000 };
    expect(await store.totals()).toStrictEqual([
      {
        receiverId: "first",
        reconciliationDay: day,
        ...none,
        count: 3,
        refused: 1,
        oldestSequence: 9n,
        ...tried,
        nextAttemptAtMs: 1_795_000_002_000,
      },
      { receiverId: "first", reconciliationDay: next, ...none, count: 1, oldestSequence: 99n, ...untried },
      {
        receiverId: "second",
        reconciliationDay: null,
        ...none,
        count: 1,
        oldestSequence: 5n,
        ...tried,
        nextAttemptAtMs: 1_795_000_005_000,
        deadlineMs: 1_795_000_009_000,
      },
    ]);
  });

  test(`${name}: attempts do not change since when a receiver's messages wait, and refused messages do not wait`, async () => {
    const { [name]: store } = await open();
    const earlier = { count: 1, firstAtMs: 1_794_999_999_000, lastAtMs: 1_794_999_999_000, answers: [{ httpStatusCode: null, count: 1 }] };
    await store.insert([conformanceParked({ id: "a", recentAttempts: [] }), conformanceParked({ id: "b", earlier })]);
    const since = async () => (await store.totals()).map(({ waitingSinceMs }) => waitingSinceMs);
    expect(await since()).toEqual([1_794_999_999_000]);
    const { version } = conformanceParked();
    await store.update(conformanceParked({ id: "b", earlier, ended: "refused" }), version);
    expect(await since()).toEqual([1_795_000_000_000]);
    await store.update(conformanceParked({ id: "a", nextAttemptAtMs: 1_795_000_777_000 }), version);
    expect(await since()).toEqual([1_795_000_000_000]);
    await store.update(conformanceParked({ id: "a", ended: "refused" }), version);
    expect(await since()).toEqual([null]);
  });
}
