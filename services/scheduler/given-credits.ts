// Open credits of one lane, and a store that lists them, for the tests of the standing tasks.

import type { ItemCause, Transaction } from "@sluice/domain";
import type { OpenRow, TransactionStore } from "@sluice/store";
import { businessDate } from "./given-records.ts";

export function creditRow(number: number, over: Partial<OpenRow> = {}): OpenRow {
  const uetr = `u${String(number).padStart(6, "0")}`;
  return {
    uetr,
    state: "CREDIT_AUTH_DELIVERED",
    flow: "credit",
    scheme: "ZA_EFT",
    deadlineMs: 1_000_000 + number,
    isOutcomeAwaited: false,
    receivedOffset: BigInt(number),
    bank: "first",
    businessDate,
    closesWith: "",
    queueKey: `${String(number).padStart(15, "0")}:${uetr}`,
    rollsLeft: 0,
    ...over,
  };
}

/** A transaction as a record left it. */
export function asTransaction(row: OpenRow, causes: readonly ItemCause[] = []): Transaction {
  const { uetr, state, flow, scheme, bank, businessDate: date, closesWith, deadlineMs, queueKey } = row;
  const entry = { atMs: 0, markerOffset: null, businessDate, closesWith, messageIdentification: "C-1", httpStatusCode: null };
  const made = {
    day: `${scheme}:${businessDate}`,
    row: 5,
    state,
    madeAtMs: 0,
    evidence: null,
    settledAtMs: null,
    lateAnswers: [],
    resolution: null,
  };
  return {
    uetr,
    state,
    flow,
    scheme,
    bank,
    businessDate: date,
    closesWith,
    deadlineMs,
    queueKey,
    version: 1,
    applied: row.receivedOffset,
    lane: 0,
    message: { sender: "clearing", messageIdentification: "C-1", contentHash: "aa", substanceHash: "bb" },
    receivedAtMs: 0,
    amountTenThousandths: 1n,
    currency: "ZAR",
    wantsOutcomeReport: false,
    outcome: row.isOutcomeAwaited ? { number: 1, acknowledgedAtMs: null } : null,
    finalReport: null,
    finalOutcome: null,
    pendingAtMs: null,
    transitions: [{ ...entry, stageVersion: 1, state: "CREDIT_AUTH_RECEIVED", offset: row.receivedOffset }],
    told: [],
    items: causes.map((cause) => ({ ...made, cause })),
    remarks: { count: 0, last: [] },
    rollsMax: 0,
    parked: null,
    decisions: [],
  };
}

export interface OpenRows {
  readonly rows: Map<string, OpenRow>;
  readonly store: Pick<TransactionStore, "open">;
  reads: number;
  /** Called after each read has seen the store, before it answers. */
  readonly during: { read: () => void };
}

export function openRows(given: readonly OpenRow[]): OpenRows {
  const rows = new Map(given.map((row) => [row.uetr, row]));
  const during = { read: (): void => {} };
  const open: OpenRows = {
    rows,
    during,
    reads: 0,
    store: {
      open: (_lane, afterUetr, limit) => {
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
