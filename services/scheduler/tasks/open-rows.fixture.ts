// Open credits of one partition, and a store that lists them, for the tests of the background tasks.

import type { ReconciliationReason, Transaction } from "@sluice/domain";
import type { OpenRow, TransactionStore, UnreadRow } from "@sluice/store";
import { schedulerBusinessDate } from "../journal-records.fixture.ts";

export function openCreditRow(number: number, over: Partial<OpenRow> = {}): OpenRow {
  const uetr = `u${String(number).padStart(6, "0")}`;
  return {
    uetr,
    state: "CREDIT_AUTH_DELIVERED",
    flow: "credit",
    scheme: "ZA_EFT",
    deadlineMs: 1_000_000 + number,
    isOutcomeAwaited: false,
    receivedOffset: BigInt(number),
    unreadCreditOffset: null,
    bank: "first",
    businessDate: schedulerBusinessDate,
    reconciliationDay: null,
    queueKey: `${String(number).padStart(15, "0")}:${uetr}`,
    carryOversLeft: 0,
    ...over,
  };
}

/** Builds the transaction of a row, as it is after a record. */
export function transactionFromRow(row: OpenRow, causes: readonly ReconciliationReason[] = []): Transaction {
  const { uetr, state, flow, scheme, bank, businessDate: date, reconciliationDay, deadlineMs, queueKey } = row;
  const entry = {
    atMs: 0,
    markerOffset: null,
    businessDate: schedulerBusinessDate,
    reconciliationDay,
    messageIdentification: "C-1",
    httpStatusCode: null,
  };
  const made = {
    day: `${scheme}:${schedulerBusinessDate}`,
    row: 5,
    state,
    madeAtMs: 0,
    evidence: null,
    settledAtMs: null,
    lateAnswers: [],
    resolution: null,
    note: null,
  };
  const transaction = {
    uetr,
    state,
    flow,
    scheme,
    bank,
    businessDate: date,
    reconciliationDay,
    deadlineMs,
    queueKey,
    version: 1,
    applied: row.receivedOffset,
    partition: 0,
    message: { sender: "clearing", messageIdentification: "C-1", contentHash: "aa", substanceHash: "bb" },
    receivedAtMs: 0,
    amountTenThousandths: 1n,
    currency: "ZAR",
    wantsOutcomeReport: false,
    outcomeReport: row.isOutcomeAwaited ? { number: 1, acknowledgedAtMs: null } : null,
    finalReport: null,
    finalOutcome: null,
    pendingAtMs: null,
    transitions: [{ ...entry, stageVersion: 1, state: "CREDIT_AUTH_RECEIVED", offset: row.receivedOffset }],
    notices: [],
    items: causes.map((cause) => ({ ...made, cause })),
    observations: { count: 0, last: [] },
    carryOversMax: 0,
    quarantined: null,
    unreadMessage: null,
    decisions: [],
    usedActions: [],
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A row has one form for all flows.
  return transaction as Transaction;
}

export interface OpenRows {
  readonly rows: Map<string, OpenRow | UnreadRow>;
  readonly store: Pick<TransactionStore, "open">;
  reads: number;
  /** Called after each read of the store, before the rows are returned. */
  readonly during: { read: () => void };
}

export function createOpenRows(given: readonly (OpenRow | UnreadRow)[]): OpenRows {
  const rows = new Map(given.map((row) => [row.uetr, row] as const));
  const during = { read: (): void => {} };
  const open: OpenRows = {
    rows,
    during,
    reads: 0,
    store: {
      open: (_partition, afterUetr, limit) => {
        open.reads += 1;
        const after = [...rows.values()].filter(({ uetr }) => afterUetr === null || uetr > afterUetr);
        const page = after.toSorted((a, b) => (a.uetr < b.uetr ? -1 : 1)).slice(0, limit);
        during.read();
        return Promise.resolve(page);
      },
    },
  };
  return open;
}
