// Every kind of document as MongoDB gets it, in full and with every part empty that may be: names, types and order of
// the members, in `golden/documents.json`.

import type { BankState, Day } from "@sluice/domain";
import { BSON } from "mongodb";
import { expect, test } from "vitest";
import { conformanceAction } from "../conformance/conformance-decisions.ts";
import { conformanceDay, conformanceParked } from "../conformance/conformance-partitions.ts";
import { conformanceDocument, conformanceFullTransaction, conformanceOrphan } from "../conformance/conformance-transactions.ts";
import type { EndpointHealth, ParkedMessage, TransactionDocument } from "../port.ts";
import { bankStateCodec } from "./bank-state-document.ts";
import { dayCodec } from "./day-document.ts";
import { endpointHealthCodec } from "./endpoint-health-document.ts";
import { ledgerCodec } from "./ledger-document.ts";
import { parkedMessageCodec, attemptStateCodec } from "./parked-message-document.ts";
import { partitionCodec, newStoredPartition } from "./partition-document.ts";
import { transactionCodec } from "./transaction-document.ts";

const fullTransaction: TransactionDocument = {
  transaction: conformanceFullTransaction(),
  acceptedMessage: Uint8Array.of(0, 1, 255),
  finalReport: Uint8Array.of(2),
  verdict: Uint8Array.of(3),
  search: {
    endToEndIdentification: "e",
    transactionIdentification: "t",
    instructionIdentification: "i",
    debtorAccountEnd: "1234",
    creditorAccountEnd: "5678",
    reasons: ["AC01"],
  },
  rules: { oldest: 1, newest: 2 },
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
};
const emptyTransaction = conformanceDocument(conformanceOrphan);

const fullDay: Day = conformanceDay({ reconciledAtMs: 1_795_100_000_001 });
const emptyDay: Day = conformanceDay({ isVoided: false, declarations: [], extensions: [], decisions: [], usedActions: [], markers: [] });

const since = { action: conformanceAction, atMs: 1_795_000_000_001 };
const markerBase = { bank: "first", number: 1, reason: "asked" };
const fullBankState: BankState = {
  bank: "first",
  version: 1,
  applied: 5n,
  isPaused: true,
  untilMs: 1_795_000_600_000,
  since,
  pauses: 1,
  resumes: 1,
  markers: [
    { offset: 5n, atMs: since.atMs, marker: { kind: "BankPaused", id: "bank:first:p:1", ...markerBase, untilMs: 1_795_000_600_000 } },
    { offset: 6n, atMs: since.atMs, marker: { kind: "BankResumed", id: "bank:first:r:1", ...markerBase } },
  ],
  usedActions: ["0011223344556677"],
  decisions: [{ offset: 5n, ...since, kind: "BankPauseRequested", result: "refused", why: "already-paused" }],
};
const emptyBankState: BankState = { ...fullBankState, untilMs: null, since: null, markers: [], decisions: [], usedActions: [] };

const cell = { count: 3, sumTenThousandths: 3n * 2n ** 63n };
const ledger = {
  partition: 3,
  day: "ZA_EFT:2026-11-20",
  version: 1,
  through: 9n,
  rows: [{ bank: "first", currency: "ZAR", columns: { accepted: cell, open: cell } }],
};

const fullParked: ParkedMessage = conformanceParked({
  deadlineMs: 1_795_000_000_400,
  stopsAtMs: 1_795_000_000_300,
  earlier: {
    count: 2,
    firstAtMs: 1_794_000_000_000,
    lastAtMs: 1_794_000_000_001,
    answers: [
      { httpStatusCode: 503, count: 1 },
      { httpStatusCode: null, count: 1 },
    ],
  },
  ended: "refused",
  redrive: { offset: 7n, untilMs: 1_795_000_009_000 },
  stop: { offset: 9n, operator: "thandi", confirmedBy: "sipho" },
});
const emptyParked: ParkedMessage = conformanceParked({ operation: null, traceparent: null, reconciliationDay: null, recentAttempts: [] });

const fullHealth: EndpointHealth = {
  service: "dispatcher",
  receiverId: "first",
  origin: "https://api.first.test",
  breaker: { sinceMs: 1_795_000_000_001, reason: "503" },
  concurrency: 3,
  retryAfterUntilMs: 1_795_000_060_000,
  updatedAtMs: 1_795_000_000_002,
  check: { action: "c-1", atMs: 1_795_000_000_003, tookMs: 12, httpStatusCode: 405, reason: null },
  changes: [{ atMs: 1_795_000_000_001, reason: "503" }],
  checks: [{ action: "c-1", atMs: 1_795_000_000_003, tookMs: 12, httpStatusCode: 405, reason: null, operator: "thandi" }],
};
const emptyHealth: EndpointHealth = { ...fullHealth, breaker: null, retryAfterUntilMs: null, check: null, changes: [], checks: [] };

const newPartition = newStoredPartition("scheduler", 7, "0c0c");
const lockedPartition = {
  ...newPartition,
  state: '{"a":[1]}',
  build: 2,
  log: { clusterId: "c", topicId: "t" },
  rebuildLock: { id: "h", until: new Date(1_795_000_000_000) },
  unproven: { from: 5n, written: [{ kind: "transaction" as const, id: "u", version: 3 }] },
  rebuild: {
    id: "r",
    startedAt: new Date(1_795_000_000_000),
    updatedAt: new Date(1_795_000_001_000),
    done: 5n,
    of: 9n,
    lastPartition: 7,
    end: null,
  },
};

test("every kind of document is stored with these members, in this order and with these types", async () => {
  const stored = {
    transactions: [fullTransaction, emptyTransaction].map(transactionCodec.encode),
    days: [fullDay, emptyDay].map(dayCodec.encode),
    bankStates: [fullBankState, emptyBankState].map(bankStateCodec.encode),
    ledgers: [ledger].map(ledgerCodec.encode),
    parkedMessages: [fullParked, emptyParked].map(parkedMessageCodec.encode),
    attemptStates: [fullParked, emptyParked].map(attemptStateCodec.encode),
    endpointHealth: [fullHealth, emptyHealth].map(endpointHealthCodec.encode),
    partitions: [newPartition, lockedPartition],
  };
  const inBytes = BSON.deserialize(BSON.serialize(stored), { promoteValues: false });
  await expect(`${BSON.EJSON.stringify(inBytes, undefined, 2, { relaxed: false })}\n`).toMatchFileSnapshot("golden/documents.json");
});

test("a partition that was stored before its topic, what is unproven or a rebuild was noted comes back without them", () => {
  const { log: _, unproven: __, rebuild: ___, ...older } = newPartition;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an older document lacks the member
  expect(partitionCodec.decode(older as typeof newPartition)).toMatchObject({ partition: 7, log: null, unproven: null, rebuild: null });
});

test("a transaction that was stored before its rules were noted was decided by version 1 [D11.7]", () => {
  const { rules: _, ...older } = transactionCodec.encode(fullTransaction);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an older document lacks the member
  const read = transactionCodec.decode(older as ReturnType<typeof transactionCodec.encode>);
  expect(read).toStrictEqual({ ...fullTransaction, rules: { oldest: 1, newest: 1 } });
});

test("a transaction that was stored before its trace was noted comes back without one", () => {
  const { traceparent: _, ...older } = transactionCodec.encode(fullTransaction);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an older document lacks the member
  const read = transactionCodec.decode(older as ReturnType<typeof transactionCodec.encode>);
  expect(read).toStrictEqual({ ...fullTransaction, traceparent: null });
});

test("every kind of document comes back from its bytes as it was", () => {
  const read = <Stored extends object>(stored: Stored): Stored =>
    BSON.deserialize(BSON.serialize(stored), { useBigInt64: true, promoteBuffers: true }) as Stored;
  for (const one of [fullTransaction, emptyTransaction])
    expect(transactionCodec.decode(read(transactionCodec.encode(one)))).toStrictEqual(one);
  for (const one of [fullDay, emptyDay]) expect(dayCodec.decode(read(dayCodec.encode(one)))).toStrictEqual(one);
  for (const one of [fullBankState, emptyBankState]) expect(bankStateCodec.decode(read(bankStateCodec.encode(one)))).toStrictEqual(one);
  expect(ledgerCodec.decode(read(ledgerCodec.encode(ledger)))).toStrictEqual(ledger);
  for (const one of [fullParked, emptyParked]) expect(parkedMessageCodec.decode(read(parkedMessageCodec.encode(one)))).toStrictEqual(one);
  for (const one of [fullHealth, emptyHealth]) expect(endpointHealthCodec.decode(read(endpointHealthCodec.encode(one)))).toStrictEqual(one);
  expect(partitionCodec.decode(read(lockedPartition))).toStrictEqual({
    service: "scheduler",
    partition: 7,
    owners: ["1:0c0c"],
    lastBuild: 0,
    epoch: 1,
    position: 0n,
    state: { a: [1] },
    build: 2,
    log: { clusterId: "c", topicId: "t" },
    rebuildLock: { id: "h", untilMs: 1_795_000_000_000 },
    unproven: { from: 5n, written: [{ kind: "transaction", id: "u", version: 3 }] },
    rebuild: {
      id: "r",
      startedMs: 1_795_000_000_000,
      updatedMs: 1_795_000_001_000,
      done: 5n,
      of: 9n,
      lastPartition: 7,
      end: null,
    },
  });
});
