// The transactions that the conformance suite writes.

import type { Transaction } from "@sluice/domain";
import { conformanceAction } from "./conformance-decisions.ts";
import { conformanceUetr } from "./conformance-partitions.ts";
import { noSearchTerms, type TransactionDocument } from "../port.ts";

/** Members of a transaction, of whatever flow. */
export type TransactionChanges = { readonly [K in keyof Transaction]?: Transaction[K] };

/** What an orphan does not have. */
export const conformanceOrphan = {
  state: "ORPHAN",
  flow: null,
  message: null,
  scheme: null,
  amountTenThousandths: null,
  currency: null,
  bank: null,
  businessDate: null,
  reconciliationDay: null,
  deadlineMs: null,
  queueKey: null,
  transitions: [],
} as const;

export function conformanceTransaction(over: TransactionChanges = {}): Transaction {
  const id = over.uetr ?? conformanceUetr(1);
  const transaction = {
    uetr: id,
    version: 1,
    applied: 9_007_199_254_740_995n,
    partition: 3,
    state: "HELD",
    flow: "on-us",
    message: { sender: "first", messageIdentification: "M-1", contentHash: "aa", substanceHash: "bb" },
    receivedAtMs: 1_795_000_000_123,
    scheme: "ZA_EFT",
    amountTenThousandths: 9_999_999_999_999_999_99n,
    currency: "ZAR",
    bank: "first",
    businessDate: "2026-11-20",
    reconciliationDay: "ZA_EFT:2026-11-20",
    deadlineMs: null,
    wantsOutcomeReport: false,
    outcomeReport: null,
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
        reconciliationDay: "ZA_EFT:2026-11-20",
        messageIdentification: "M-1",
        httpStatusCode: 202,
      },
    ],
    notices: [],
    items: [],
    observations: { count: 0, last: [] },
    carryOversMax: 0,
    quarantined: null,
    unreadMessage: null,
    decisions: [],
    usedActions: [],
    ...over,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The store keeps any combination of members.
  return transaction as Transaction;
}

/** A transaction with every optional part filled in. */
export function conformanceFullTransaction(): Transaction {
  const evidence = {
    attempts: 3,
    anyAnswer: true,
    mayHaveBeenTaken: false,
    httpStatusCode: 503,
    isBreakerOpen: true,
    isReceiverPaused: false,
  };
  return conformanceTransaction({
    state: "RECONCILIATION",
    flow: "off-us",
    wantsOutcomeReport: true,
    outcomeReport: { number: 2, acknowledgedAtMs: 1_795_000_000_450 },
    finalReport: { sender: "first", messageIdentification: "R-1", contentHash: "cc", substanceHash: "dd" },
    finalOutcome: "not-made",
    pendingAtMs: 1_795_000_000_500,
    notices: [
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
          replacedBy: conformanceUetr(9),
          action: conformanceAction,
          offset: 15n,
          atMs: 1_795_000_001_000,
          isFinal: true,
          expiresAtMs: null,
          confirmed: { action: { ...conformanceAction, id: "a-2", operator: "zanele" }, atMs: 1_795_000_002_000 },
        },
        note: { action: conformanceAction, assignee: "thabo", offset: 16n, atMs: 1_795_000_003_000 },
      },
    ],
    carryOversMax: 2,
    quarantined: { sinceMs: 1_795_000_000_950, offset: 15n, records: 3 },
    unreadMessage: { kind: "credit", offset: 15n },
    usedActions: ["0011223344556677"],
    decisions: [
      {
        offset: 16n,
        atMs: 1_795_000_001_000,
        kind: "ItemResolutionRequested",
        action: conformanceAction,
        result: "refused",
        why: "not-in-this-state",
      },
    ],
    observations: {
      count: 11,
      last: [{ offset: 13n, atMs: 1_795_000_000_650, kind: "repeat", messageIdentification: "M-1", sender: "first" }],
    },
  });
}

export function conformanceDocument(over: TransactionChanges = {}, bytes = 7): TransactionDocument {
  return {
    transaction: conformanceTransaction(over),
    acceptedMessage: Uint8Array.of(0, 255, bytes),
    finalReport: null,
    verdict: null,
    search: noSearchTerms,
    rules: { oldest: 1, newest: 1 },
    traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  };
}
