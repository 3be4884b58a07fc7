// What every adapter of the store port keeps, run on each: `describeStore("memory", open)`.

import type { Transaction } from "@sluice/domain";
import { expect, test } from "vitest";
import { action, dayPromises, lanePromises, parkedPromises, uetr } from "./conformance-of-lanes.ts";
import { addressPromises } from "./conformance-of-addresses.ts";
import { buildPromises } from "./conformance-of-builds.ts";
import { bankPromises, ledgerPromises, parkedForPeoplePromises, queryPromises, totalsPromises } from "./conformance-of-queries.ts";
import { noSearchTerms } from "./port.ts";
import type { Store, TransactionDocument } from "./port.ts";

/** `open` answers a prepared, empty store; what it opened is closed by its caller. */
export function describeStore(open: () => Promise<Store>): void {
  transactionPromises(open);
  dayPromises(open);
  lanePromises(open);
  bankPromises(open);
  ledgerPromises(open);
  buildPromises(open);
  addressPromises(open);
  queryPromises(open);
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

export function transaction(over: Partial<Transaction> = {}): Transaction {
  const id = over.uetr ?? uetr(1);
  return {
    uetr: id,
    version: 1,
    applied: 9_007_199_254_740_995n,
    lane: 3,
    state: "HELD",
    flow: "on-us",
    message: { sender: "first", messageIdentification: "M-1", contentHash: "aa", substanceHash: "bb" },
    receivedAtMs: 1_795_000_000_123,
    scheme: "ZA_EFT",
    amountTenThousandths: 9_999_999_999_999_999_99n,
    currency: "ZAR",
    bank: "first",
    businessDate: "2026-11-20",
    closesWith: "ZA_EFT:2026-11-20",
    deadlineMs: null,
    wantsOutcomeReport: false,
    outcome: null,
    queueKey: `001795000000123:${id}`,
    finalReport: null,
    finalOutcome: null,
    pendingAtMs: null,
    transitions: [
      {
        stageVersion: 1,
        state: "RECEIVED",
        offset: 9_007_199_254_740_993n,
        atMs: 1_795_000_000_124,
        markerOffset: null,
        businessDate: "2026-11-20",
        closesWith: "ZA_EFT:2026-11-20",
        messageIdentification: "M-1",
        httpStatusCode: 202,
      },
    ],
    told: [],
    items: [],
    remarks: { count: 0, last: [] },
    rollsMax: 0,
    parked: null,
    decisions: [],
    ...over,
  };
}

/** Every optional part filled in. */
export function fullTransaction(): Transaction {
  const evidence = { attempts: 3, anyAnswer: true, mayHaveBeenTaken: false, httpStatusCode: 503, isBreakerOpen: true, isBankPaused: false };
  return transaction({
    state: "RECONCILIATION",
    flow: "off-us",
    deadlineMs: 1_795_000_000_400,
    wantsOutcomeReport: true,
    outcome: { number: 2, acknowledgedAtMs: 1_795_000_000_450 },
    finalReport: { sender: "first", messageIdentification: "R-1", contentHash: "cc", substanceHash: "dd" },
    finalOutcome: "not-made",
    pendingAtMs: 1_795_000_000_500,
    told: [
      {
        offset: 12n,
        atMs: 1_795_000_000_600,
        kind: "duplicate-refused",
        operation: "inboundDirectDebitResponse",
        messageIdentification: "X00",
        about: "M-2",
        receiver: "first",
        deadlineMs: 1_795_000_900_000,
      },
    ],
    items: [
      {
        day: "ZA_EFT:2026-11-20",
        row: null,
        cause: "BREAKER_OPEN",
        state: "RELEASED",
        madeAtMs: 1_795_000_000_700,
        settledAtMs: 1_795_000_000_800,
        evidence,
        lateAnswers: [{ offset: 14n, atMs: 1_795_000_000_900, text: "ACSC" }],
        resolution: {
          kind: "replaced",
          replacedBy: uetr(9),
          action,
          atMs: 1_795_000_001_000,
          isFinal: true,
          confirmed: { action: { ...action, id: "a-2", operator: "zanele" }, atMs: 1_795_000_002_000 },
        },
      },
    ],
    rollsMax: 2,
    parked: { sinceMs: 1_795_000_000_950, offset: 15n, records: 3 },
    decisions: [
      { offset: 16n, atMs: 1_795_000_001_000, kind: "ItemResolutionRequested", action, result: "refused", why: "not-in-this-state" },
    ],
    remarks: {
      count: 11,
      last: [{ offset: 13n, atMs: 1_795_000_000_650, kind: "repeat", messageIdentification: "M-1", sender: "first" }],
    },
  });
}

export function document(over: Partial<Transaction> = {}, bytes = 7): TransactionDocument {
  return {
    transaction: transaction(over),
    acceptedMessage: Uint8Array.of(0, 255, bytes),
    finalReport: null,
    verdict: null,
    search: noSearchTerms,
  };
}

function transactionPromises(open: () => Promise<Store>): void {
  test("a transaction comes back as it was written, with every field, offset and amount exact and bytes as bytes", async () => {
    const { transactions } = await open();
    const written: TransactionDocument = {
      transaction: fullTransaction(),
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
    };
    const without: TransactionDocument = {
      transaction: transaction({
        uetr: uetr(2),
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
    };
    expect(await transactions.write([written, without].map((document) => ({ document, expectedVersion: 0 })))).toEqual({ conflicts: [] });
    const loaded = await transactions.load([uetr(1), uetr(2), uetr(3)]);
    expect([...loaded.keys()]).toEqual([uetr(1), uetr(2)]);
    expect(loaded.get(uetr(1))).toStrictEqual(written);
    expect(loaded.get(uetr(2))).toStrictEqual(without);
    expect(loaded.get(uetr(1))!.acceptedMessage.constructor).toBe(Uint8Array);
  });

  test("what is kept shares nothing with what was written or loaded", async () => {
    const { transactions } = await open();
    const bytes = Uint8Array.of(1, 2, 3);
    await transactions.write([{ document: { ...document(), acceptedMessage: bytes }, expectedVersion: 0 }]);
    bytes[0] = 9;
    const first = (await transactions.load([uetr(1)])).get(uetr(1))!;
    first.acceptedMessage[1] = 9;
    expect([...(await transactions.load([uetr(1)])).get(uetr(1))!.acceptedMessage]).toEqual([1, 2, 3]);
  });

  test("a write is a compare-and-set per document: the losers are named, the others are written", async () => {
    const { transactions } = await open();
    await transactions.write([1, 2, 3].map((n) => ({ document: document({ uetr: uetr(n), version: 2 }), expectedVersion: 0 })));
    const { conflicts } = await transactions.write([
      { document: document({ uetr: uetr(4), version: 1 }), expectedVersion: 0 },
      { document: document({ uetr: uetr(3), version: 3, bank: "new" }), expectedVersion: 1 },
      { document: document({ uetr: uetr(2), version: 3, bank: "new" }), expectedVersion: 2 },
      { document: document({ uetr: uetr(1), version: 1, bank: "new" }), expectedVersion: 0 },
      { document: document({ uetr: uetr(5), version: 8 }), expectedVersion: 7 },
    ]);
    expect([...conflicts].sort()).toEqual([uetr(1), uetr(3), uetr(5)]);
    const loaded = await transactions.load([1, 2, 3, 4, 5].map(uetr));
    expect([...loaded].map(([id, { transaction }]) => [id, transaction.version, transaction.bank])).toEqual([
      [uetr(1), 2, "first"],
      [uetr(2), 3, "new"],
      [uetr(3), 2, "first"],
      [uetr(4), 1, "first"],
    ]);
  });

  test("two writers of the same version: one wins, also where they want the same new version", async () => {
    const { transactions } = await open();
    await transactions.write([{ document: document(), expectedVersion: 0 }]);
    const answers = await Promise.all(
      ["a", "b"].map((bank) => transactions.write([{ document: document({ version: 2, bank }), expectedVersion: 1 }])),
    );
    const winners = ["a", "b"].filter((_, index) => answers[index]!.conflicts.length === 0);
    expect(winners).toHaveLength(1);
    expect((await transactions.load([uetr(1)])).get(uetr(1))!.transaction.bank).toBe(winners[0]);
  });

  test("under contention no write is lost and none is counted twice", async () => {
    const { transactions } = await open();
    const [clients, wins, documents] = [12, 8, 3];
    const ids = Array.from({ length: documents }, (_, n) => uetr(n + 1));
    await transactions.write(ids.map((id) => ({ document: document({ uetr: id }), expectedVersion: 0 })));
    // A win adds the client's mark; a conflict may hide a win that was overwritten at once, so the marks in the document count.
    async function client(name: number): Promise<void> {
      for (let won = 0; won < wins;) {
        const loaded = await transactions.load(ids);
        const mark = `${name}/${won};`;
        const pending = ids.filter((id) => !loaded.get(id)!.transaction.currency.includes(`;${mark}`));
        const { conflicts } = await transactions.write(
          pending.map((id) => {
            const { transaction, ...rest } = loaded.get(id)!;
            const next = { ...transaction, version: transaction.version + 1, currency: `${transaction.currency};${mark}` };
            return { document: { ...rest, transaction: next }, expectedVersion: transaction.version };
          }),
        );
        if (conflicts.length === 0) won += 1;
      }
    }
    await Promise.all(Array.from({ length: clients }, (_, name) => client(name)));
    for (const { transaction } of (await transactions.load(ids)).values()) {
      const marks = transaction.currency.split(";").filter((mark) => mark.includes("/"));
      expect(marks).toHaveLength(clients * wins);
      expect(new Set(marks).size).toBe(clients * wins);
      expect(transaction.version).toBe(1 + clients * wins);
    }
  });

  test("a bulk of 1,000 is written and loaded; 1,001 is refused", async () => {
    const { transactions } = await open();
    const writes = Array.from({ length: 1_001 }, (_, n) => ({ document: document({ uetr: uetr(n) }), expectedVersion: 0 }));
    await expect(transactions.write(writes)).rejects.toThrow("bulk");
    expect((await transactions.write(writes.slice(0, 1_000))).conflicts).toEqual([]);
    const again = await transactions.write(writes.slice(0, 1_000));
    expect(again.conflicts).toHaveLength(1_000);
    expect((await transactions.load(Array.from({ length: 1_000 }, (_, n) => uetr(n)))).size).toBe(1_000);
    expect((await transactions.write([])).conflicts).toEqual([]);
    expect((await transactions.load([])).size).toBe(0);
  });

  test("transactions whose accepted message has one identification are found by it and its sender, orphans never", async () => {
    const { transactions } = await open();
    const message = { sender: "first", messageIdentification: "FILE-7", contentHash: "c", substanceHash: "s" };
    const given: readonly Partial<Transaction>[] = [
      { message },
      { message: { ...message, messageIdentification: "FILE-8" } },
      { message: { ...message, sender: "second" } },
      { state: "ORPHAN", message: null },
      { message },
    ];
    const documents = given.map((over, n) => document({ uetr: uetr(n + 1), ...over }));
    await transactions.write(documents.map((each) => ({ document: each, expectedVersion: 0 })));
    expect(await transactions.identified("first", "FILE-7", 10)).toEqual([uetr(1), uetr(5)]);
    expect(await transactions.identified("first", "FILE-7", 1)).toEqual([uetr(1)]);
    expect(await transactions.identified("third", "FILE-7", 10)).toEqual([]);
  });

  test("open transactions of a lane come by UETR in pages: the unresolved, and those whose outcome is not acknowledged", async () => {
    const { transactions } = await open();
    const told = { number: 1, acknowledgedAtMs: null };
    // A row says where the first record lay, whatever came after it.
    const [first] = transaction().transitions;
    const entered = first === undefined ? [] : [first, { ...first, stageVersion: 2, offset: first.offset + 100n }];
    const given: readonly Partial<Transaction>[] = [
      { state: "RECEIVED" },
      { state: "COMPLETED" },
      { state: "HELD", flow: "off-us" },
      { state: "ORPHAN", flow: null, outcome: told },
      { state: "COMPLETED", flow: "off-us", outcome: told },
      { state: "UNPAID", flow: "off-us", outcome: { number: 1, acknowledgedAtMs: 1_795_000_000_900 } },
      { state: "CREDIT_AUTH_DELIVERED", flow: "credit", deadlineMs: 1_795_000_007_000, closesWith: "", transitions: entered },
      { state: "CREDIT_AUTH_RECONCILIATION", flow: "credit", outcome: { number: 2, acknowledgedAtMs: null } },
      { state: "CREDIT_AUTH_DELIVERY_FAILURE", flow: "credit" },
      { state: "REJECTED" },
    ];
    const documents = given.map((over, n) => document({ uetr: uetr(n + 1), ...over }));
    await transactions.write([...documents, document({ uetr: uetr(20), lane: 4 })].map((document) => ({ document, expectedVersion: 0 })));
    const all = await transactions.open(3, null, 20);
    expect(all.map((row) => row.uetr)).toEqual([1, 3, 5, 7, 8, 10].map(uetr));
    expect(all.map(({ isOutcomeAwaited }) => isOutcomeAwaited)).toEqual([false, false, true, false, true, false]);
    expect(all[3]).toStrictEqual({
      uetr: uetr(7),
      state: "CREDIT_AUTH_DELIVERED",
      flow: "credit",
      scheme: "ZA_EFT",
      deadlineMs: 1_795_000_007_000,
      isOutcomeAwaited: false,
      receivedOffset: 9_007_199_254_740_993n,
      bank: "first",
      businessDate: "2026-11-20",
      closesWith: "",
      queueKey: `001795000000123:${uetr(7)}`,
      rollsLeft: 0,
    });
    expect((await transactions.open(3, uetr(1), 2)).map((row) => row.uetr)).toEqual([uetr(3), uetr(5)]);
  });

  test("a transaction is open no more once its outcome is acknowledged", async () => {
    const { transactions } = await open();
    const told = (acknowledgedAtMs: number | null, version: number) =>
      document({ state: "UNPAID", flow: "off-us", outcome: { number: 1, acknowledgedAtMs }, version });
    await transactions.write([{ document: told(null, 1), expectedVersion: 0 }]);
    expect(await transactions.open(3, null, 10)).toHaveLength(1);
    await transactions.write([{ document: told(1_795_000_000_900, 2), expectedVersion: 1 }]);
    expect(await transactions.open(3, null, 10)).toEqual([]);
  });

  test("held transactions of a lane, bank and day come by queue key in pages", async () => {
    const { transactions } = await open();
    const held = (n: number, queue: number, over: Partial<Transaction> = {}) =>
      document({ uetr: uetr(n), queueKey: `${`${queue}`.padStart(15, "0")}:${uetr(n)}`, ...over });
    await transactions.write(
      [
        held(1, 30),
        held(2, 10),
        held(3, 20),
        held(4, 5, { bank: "second" }),
        held(5, 5, { businessDate: "2026-11-23" }),
        held(6, 5, { state: "RELEASED" }),
        held(7, 5, { lane: 4 }),
        held(8, 20),
      ].map((document) => ({ document, expectedVersion: 0 })),
    );
    const page = await transactions.held(3, "first", "ZA_EFT:2026-11-20", null, 2);
    expect(page.map((row) => row.uetr)).toEqual([uetr(2), uetr(3)]);
    const rest = await transactions.held(3, "first", "ZA_EFT:2026-11-20", page[1]!.queueKey, 10);
    expect(rest.map((row) => row.uetr)).toEqual([uetr(8), uetr(1)]);
  });

  test("items of a day come by UETR, each with its bank", async () => {
    const { transactions } = await open();
    const { items } = fullTransaction();
    const other = { ...items[0]!, day: "ZA_EFT:2026-11-19" };
    await transactions.write(
      [
        document({ uetr: uetr(1), items }),
        document({ uetr: uetr(2), items: [other] }),
        document({ uetr: uetr(3), items: [other, items[0]!], bank: null }),
        document({ uetr: uetr(4) }),
      ].map((document) => ({ document, expectedVersion: 0 })),
    );
    const found = await transactions.items("ZA_EFT:2026-11-20", null, 10);
    expect(found).toStrictEqual([
      { uetr: uetr(1), bank: "first", item: items[0] },
      { uetr: uetr(3), bank: null, item: items[0] },
    ]);
    expect((await transactions.items("ZA_EFT:2026-11-20", uetr(1), 10)).map((item) => item.uetr)).toEqual([uetr(3)]);
  });
}
