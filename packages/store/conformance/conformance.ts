// The promises of every adapter of the store port, run on each: `describeStore(open)`.

import { expect, test } from "vitest";
import { bulkWritePromises } from "./conformance-bulk-writes.ts";
import { changedMembersPromises } from "./conformance-changed-members.ts";
import { dayPromises, partitionPromises, parkedPromises, conformanceUetr } from "./conformance-partitions.ts";
import { endpointHealthPromises } from "./conformance-endpoint-health.ts";
import { newestPromises } from "./conformance-newest.ts";
import {
  conformanceDocument,
  conformanceFullTransaction,
  conformanceOrphan,
  conformanceTransaction,
  type TransactionChanges,
} from "./conformance-transactions.ts";
import { buildPromises } from "./conformance-builds.ts";
import { conformanceItem, ledgerPromises, parkedForPeoplePromises, queryPromises, totalsPromises } from "./conformance-queries.ts";
import { bankStatePromises } from "./conformance-bank-states.ts";
import { noSearchTerms, type Store, type TransactionDocument } from "../port.ts";

/** `open` returns a prepared, empty store; its caller closes it. */
export function describeStore(open: () => Promise<Store>): void {
  transactionPromises(open);
  dayPromises(open);
  partitionPromises(open);
  bulkWritePromises(open);
  changedMembersPromises(open);
  bankStatePromises(open);
  ledgerPromises(open);
  buildPromises(open);
  endpointHealthPromises(open);
  queryPromises(open);
  newestPromises(open);
  totalsPromises(open);
  parkedPromises(open, "deliveries");
  parkedPromises(open, "postings");
  parkedForPeoplePromises(open, "deliveries");
  parkedForPeoplePromises(open, "postings");
  test("prepare can be called again, ping answers", async () => {
    const store = await open();
    await store.prepare();
    await store.prepare();
    await expect(store.ping()).resolves.toBeUndefined();
  });
}

function transactionPromises(open: () => Promise<Store>): void {
  test("a transaction comes back as it was written: every field, offset and amount exact, and bytes", async () => {
    const { transactions } = await open();
    const written: TransactionDocument = {
      transaction: conformanceFullTransaction(),
      acceptedMessage: Uint8Array.from({ length: 256 }, (_, byte) => byte),
      finalReport: Uint8Array.of(1),
      verdict: Uint8Array.of(),
      search: {
        endToEndIdentification: "E2E-1",
        transactionIdentification: "T-1",
        instructionIdentification: "I-1",
        debtorAccountEnd: "4321",
        creditorAccountEnd: "8765",
        reasons: ["AC02", "AM04"],
      },
      rules: { oldest: 1, newest: 3 },
      traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
    };
    const without: TransactionDocument = {
      transaction: conformanceTransaction({
        uetr: conformanceUetr(2),
        state: "ORPHAN",
        flow: null,
        message: null,
        bank: null,
        businessDate: null,
        transitions: [],
      }),
      acceptedMessage: Uint8Array.of(),
      finalReport: null,
      verdict: null,
      search: noSearchTerms,
      rules: { oldest: 2, newest: 2 },
      traceparent: null,
    };
    expect(await transactions.write([written, without].map((document) => ({ document, expectedVersion: 0 })))).toEqual({ conflicts: [] });
    const loaded = await transactions.load([conformanceUetr(1), conformanceUetr(2), conformanceUetr(3)]);
    expect([...loaded.keys()]).toEqual([conformanceUetr(1), conformanceUetr(2)]);
    expect(loaded.get(conformanceUetr(1))).toStrictEqual(written);
    expect(loaded.get(conformanceUetr(2))).toStrictEqual(without);
    expect(loaded.get(conformanceUetr(1))!.acceptedMessage.constructor).toBe(Uint8Array);
  });

  test("stored documents share no memory with what was written or loaded", async () => {
    const { transactions } = await open();
    const bytes = Uint8Array.of(1, 2, 3);
    await transactions.write([{ document: { ...conformanceDocument(), acceptedMessage: bytes }, expectedVersion: 0 }]);
    bytes[0] = 9;
    const first = (await transactions.load([conformanceUetr(1)])).get(conformanceUetr(1))!;
    first.acceptedMessage[1] = 9;
    expect([...(await transactions.load([conformanceUetr(1)])).get(conformanceUetr(1))!.acceptedMessage]).toEqual([1, 2, 3]);
  });

  test("a write is a compare-and-set per document: it names the conflicts and writes the others", async () => {
    const { transactions } = await open();
    await transactions.write(
      [1, 2, 3].map((n) => ({ document: conformanceDocument({ uetr: conformanceUetr(n), version: 2 }), expectedVersion: 0 })),
    );
    const { conflicts } = await transactions.write([
      { document: conformanceDocument({ uetr: conformanceUetr(4), version: 1 }), expectedVersion: 0 },
      { document: conformanceDocument({ uetr: conformanceUetr(3), version: 3, bank: "new" }), expectedVersion: 1 },
      { document: conformanceDocument({ uetr: conformanceUetr(2), version: 3, bank: "new" }), expectedVersion: 2 },
      { document: conformanceDocument({ uetr: conformanceUetr(1), version: 1, bank: "new" }), expectedVersion: 0 },
      { document: conformanceDocument({ uetr: conformanceUetr(5), version: 8 }), expectedVersion: 7 },
    ]);
    expect([...conflicts].sort()).toEqual([conformanceUetr(1), conformanceUetr(3), conformanceUetr(5)]);
    const loaded = await transactions.load([1, 2, 3, 4, 5].map(conformanceUetr));
    expect([...loaded].map(([id, { transaction }]) => [id, transaction.version, transaction.bank])).toEqual([
      [conformanceUetr(1), 2, "first"],
      [conformanceUetr(2), 3, "new"],
      [conformanceUetr(3), 2, "first"],
      [conformanceUetr(4), 1, "first"],
    ]);
  });

  test("of two writers of the same version one wins, even where both write the same new version", async () => {
    const { transactions } = await open();
    await transactions.write([{ document: conformanceDocument(), expectedVersion: 0 }]);
    const answers = await Promise.all(
      ["a", "b"].map((bank) => transactions.write([{ document: conformanceDocument({ version: 2, bank }), expectedVersion: 1 }])),
    );
    const winners = ["a", "b"].filter((_, index) => answers[index]!.conflicts.length === 0);
    expect(winners).toHaveLength(1);
    expect((await transactions.load([conformanceUetr(1)])).get(conformanceUetr(1))!.transaction.bank).toBe(winners[0]);
  });

  test("under contention no write is lost and none is counted twice", async () => {
    const { transactions } = await open();
    const [clients, wins, documents] = [12, 8, 3];
    const ids = Array.from({ length: documents }, (_, n) => conformanceUetr(n + 1));
    await transactions.write(ids.map((id) => ({ document: conformanceDocument({ uetr: id }), expectedVersion: 0 })));
    // A winning write adds the client's mark. A conflict may hide a write that was overwritten at once, so the test
    // counts the marks in the document.
    async function client(name: number): Promise<void> {
      for (let won = 0; won < wins;) {
        const loaded = await transactions.load(ids);
        const mark = `${name}/${won};`;
        const pending = ids.filter((id) => !loaded.get(id)!.transaction.currency?.includes(`;${mark}`));
        const { conflicts } = await transactions.write(
          pending.map((id) => {
            const { transaction, ...rest } = loaded.get(id)!;
            const next = { ...transaction, version: transaction.version + 1, currency: `${transaction.currency};${mark}` };
            return { document: { ...rest, transaction: conformanceTransaction(next) }, expectedVersion: transaction.version };
          }),
        );
        if (conflicts.length === 0) won += 1;
      }
    }
    await Promise.all(Array.from({ length: clients }, (_, name) => client(name)));
    for (const { transaction } of (await transactions.load(ids)).values()) {
      const marks = transaction.currency!.split(";").filter((mark) => mark.includes("/"));
      expect(marks).toHaveLength(clients * wins);
      expect(new Set(marks).size).toBe(clients * wins);
      expect(transaction.version).toBe(1 + clients * wins);
    }
  });

  test("a bulk of 1,000 is written and loaded; 1,001 is refused", async () => {
    const { transactions } = await open();
    const writes = Array.from({ length: 1_001 }, (_, n) => ({
      document: conformanceDocument({ uetr: conformanceUetr(n) }),
      expectedVersion: 0,
    }));
    await expect(transactions.write(writes)).rejects.toThrow("bulk");
    expect((await transactions.write(writes.slice(0, 1_000))).conflicts).toEqual([]);
    const again = await transactions.write(writes.slice(0, 1_000));
    expect(again.conflicts).toHaveLength(1_000);
    expect((await transactions.load(Array.from({ length: 1_000 }, (_, n) => conformanceUetr(n)))).size).toBe(1_000);
    expect((await transactions.write([])).conflicts).toEqual([]);
    expect((await transactions.load([])).size).toBe(0);
  });

  test("transactions are found by their accepted message's identification and sender; orphans are never found", async () => {
    const { transactions } = await open();
    const message = { sender: "first", messageIdentification: "FILE-7", contentHash: "c", substanceHash: "s" };
    const given: readonly TransactionChanges[] = [
      { message },
      { message: { ...message, messageIdentification: "FILE-8" } },
      { message: { ...message, sender: "second" } },
      conformanceOrphan,
      { message },
    ];
    const documents = given.map((over, n) => conformanceDocument({ uetr: conformanceUetr(n + 1), ...over }));
    await transactions.write(documents.map((each) => ({ document: each, expectedVersion: 0 })));
    expect(await transactions.identified("first", "FILE-7", 10)).toEqual([conformanceUetr(1), conformanceUetr(5)]);
    expect(await transactions.identified("first", "FILE-7", 1)).toEqual([conformanceUetr(1)]);
    expect(await transactions.identified("third", "FILE-7", 10)).toEqual([]);
  });

  test("open transactions of a partition come by UETR in pages: unresolved ones, and those whose outcome is not acknowledged", async () => {
    const { transactions } = await open();
    const awaited = { number: 1, acknowledgedAtMs: null };
    // A row gives the offset of the first record, whatever came after it.
    const [first] = conformanceTransaction().transitions;
    const entered = first === undefined ? [] : [first, { ...first, stageVersion: 2, offset: first.offset + 100n }];
    const given: readonly TransactionChanges[] = [
      { state: "RECEIVED" },
      { state: "COMPLETED" },
      { state: "HELD", flow: "off-us" },
      { ...conformanceOrphan, outcomeReport: awaited },
      { state: "COMPLETED", flow: "off-us", outcomeReport: awaited },
      { state: "UNPAID", flow: "off-us", outcomeReport: { number: 1, acknowledgedAtMs: 1_795_000_000_900 } },
      { state: "CREDIT_AUTH_DELIVERED", flow: "credit", deadlineMs: 1_795_000_007_000, reconciliationDay: null, transitions: entered },
      { state: "CREDIT_AUTH_RECONCILIATION", flow: "credit", outcomeReport: { number: 2, acknowledgedAtMs: null } },
      { state: "CREDIT_AUTH_DELIVERY_FAILURE", flow: "credit" },
      { state: "REJECTED" },
      { ...conformanceOrphan, unreadMessage: { kind: "credit", offset: 7n }, reconciliationDay: "ZA_EFT:2026-11-20" },
      { ...conformanceOrphan, unreadMessage: { kind: "debit", offset: 8n } },
      { ...conformanceOrphan, unreadMessage: { kind: "debit", offset: 8n }, items: [conformanceItem] },
      {
        state: "COMPLETED",
        flow: "off-us",
        outcomeReport: awaited,
        items: [{ ...conformanceItem, state: "COMPLETED", cause: "OUTCOME_UNDELIVERED" }],
      },
    ];
    const documents = given.map((over, n) => conformanceDocument({ uetr: conformanceUetr(n + 1), ...over }));
    await transactions.write(
      [...documents, conformanceDocument({ uetr: conformanceUetr(20), partition: 4 })].map((document) => ({
        document,
        expectedVersion: 0,
      })),
    );
    const all = await transactions.open(3, null, 20);
    expect(all.map((row) => row.uetr)).toEqual([1, 3, 5, 7, 8, 10, 11, 12].map(conformanceUetr));
    expect(all.map((row) => row.flow !== null && row.isOutcomeAwaited)).toEqual([false, false, true, false, true, false, false, false]);
    expect(all.slice(-2)).toStrictEqual([
      { uetr: conformanceUetr(11), state: "ORPHAN", flow: null, reconciliationDay: "ZA_EFT:2026-11-20", unreadCreditOffset: 7n },
      { uetr: conformanceUetr(12), state: "ORPHAN", flow: null, reconciliationDay: null, unreadCreditOffset: null },
    ]);
    expect(all[3]).toStrictEqual({
      uetr: conformanceUetr(7),
      state: "CREDIT_AUTH_DELIVERED",
      flow: "credit",
      scheme: "ZA_EFT",
      deadlineMs: 1_795_000_007_000,
      isOutcomeAwaited: false,
      receivedOffset: 9_007_199_254_740_993n,
      unreadCreditOffset: null,
      bank: "first",
      businessDate: "2026-11-20",
      reconciliationDay: null,
      queueKey: `001795000000123:${conformanceUetr(7)}`,
      carryOversLeft: 0,
    });
    expect((await transactions.open(3, conformanceUetr(1), 2)).map((row) => row.uetr)).toEqual([conformanceUetr(3), conformanceUetr(5)]);
  });

  test("quarantined transactions of a partition are listed, those quarantined longest first", async () => {
    const { transactions } = await open();
    const since = (sinceMs: number) => ({ sinceMs, offset: 15n, records: 1 });
    const given = [null, 3_000, 1_000, 1_000, 2_000].map((sinceMs, n) => ({
      uetr: conformanceUetr(n + 1),
      quarantined: sinceMs === null ? null : since(1_795_000_000_000 + sinceMs),
    }));
    const documents = [...given, { uetr: conformanceUetr(9), quarantined: since(1_795_000_000_000), partition: 4 }].map(
      conformanceDocument,
    );
    await transactions.write(documents.map((document) => ({ document, expectedVersion: 0 })));
    expect(await transactions.quarantined(3, 10)).toEqual([3, 4, 5, 2].map(conformanceUetr));
    expect(await transactions.quarantined(3, 2)).toEqual([3, 4].map(conformanceUetr));
    await transactions.write([{ document: conformanceDocument({ uetr: conformanceUetr(3), version: 2 }), expectedVersion: 1 }]);
    expect(await transactions.quarantined(3, 10)).toEqual([4, 5, 2].map(conformanceUetr));
  });

  test("a transaction is no longer open once its outcome is acknowledged", async () => {
    const { transactions } = await open();
    const buildReported = (acknowledgedAtMs: number | null, version: number) =>
      conformanceDocument({ state: "UNPAID", flow: "off-us", outcomeReport: { number: 1, acknowledgedAtMs }, version });
    await transactions.write([{ document: buildReported(null, 1), expectedVersion: 0 }]);
    expect(await transactions.open(3, null, 10)).toHaveLength(1);
    await transactions.write([{ document: buildReported(1_795_000_000_900, 2), expectedVersion: 1 }]);
    expect(await transactions.open(3, null, 10)).toEqual([]);
  });

  test("held transactions of a partition, bank and day come by queue key in pages", async () => {
    const { transactions } = await open();
    const held = (n: number, queue: number, over: TransactionChanges = {}) =>
      conformanceDocument({ uetr: conformanceUetr(n), queueKey: `${`${queue}`.padStart(15, "0")}:${conformanceUetr(n)}`, ...over });
    await transactions.write(
      [
        held(1, 30),
        held(2, 10),
        held(3, 20),
        held(4, 5, { bank: "second" }),
        held(5, 5, { businessDate: "2026-11-23" }),
        held(6, 5, { state: "RELEASED" }),
        held(7, 5, { partition: 4 }),
        held(8, 20),
      ].map((document) => ({ document, expectedVersion: 0 })),
    );
    const page = await transactions.held(3, "first", "ZA_EFT:2026-11-20", null, 2);
    expect(page.map((row) => row.uetr)).toEqual([conformanceUetr(2), conformanceUetr(3)]);
    const rest = await transactions.held(3, "first", "ZA_EFT:2026-11-20", page[1]!.queueKey, 10);
    expect(rest.map((row) => row.uetr)).toEqual([conformanceUetr(8), conformanceUetr(1)]);
  });

  test("items of a day come by UETR, each with its bank", async () => {
    const { transactions } = await open();
    const { items } = conformanceFullTransaction();
    const other = { ...items[0]!, day: "ZA_EFT:2026-11-19" };
    await transactions.write(
      [
        conformanceDocument({ uetr: conformanceUetr(1), items }),
        conformanceDocument({ uetr: conformanceUetr(2), items: [other] }),
        conformanceDocument({ uetr: conformanceUetr(3), items: [other, items[0]!], bank: null }),
        conformanceDocument({ uetr: conformanceUetr(4) }),
      ].map((document) => ({ document, expectedVersion: 0 })),
    );
    const found = await transactions.items("ZA_EFT:2026-11-20", null, 10);
    expect(found).toStrictEqual([
      { uetr: conformanceUetr(1), bank: "first", item: items[0] },
      { uetr: conformanceUetr(3), bank: null, item: items[0] },
    ]);
    expect((await transactions.items("ZA_EFT:2026-11-20", conformanceUetr(1), 10)).map((item) => item.uetr)).toEqual([conformanceUetr(3)]);
  });
}
