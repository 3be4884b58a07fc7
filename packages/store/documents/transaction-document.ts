// The document of the collection `transactions`, field by field and readable for people: the domain's view as plain
// fields, the messages as bytes. Both adapters keep this shape, so the memory adapter tests the mapping too.
//
// #1 Offsets and amounts are bigint here and int64 in BSON, never a double. Times are dates of whole milliseconds.

import { assert } from "@sluice/kernel";
import {
  findUnreadCredit,
  isOutcomeShown,
  isUnreadOpen,
  isUnresolved,
  type Item,
  type OrphanState,
  type State,
  type Transaction,
} from "@sluice/domain";
import type { ObjectId } from "mongodb";
import type { OpenRow, TransactionDocument, UnreadRow } from "../port.ts";
import {
  as,
  bytes,
  type DocumentCodec,
  date,
  derived,
  document,
  list,
  nullable,
  plain,
  textSince,
  textsSince,
  type StoredIn,
} from "./codec.ts";
import {
  decisionCodec,
  identityCodec,
  itemCodec,
  noticeCodec,
  observationsCodec,
  outcomeReportCodec,
  quarantineCodec,
  rulesCodec,
  searchTermsCodec,
  transitionCodec,
  unreadMessageCodec,
} from "./transaction-parts.ts";

export type StoredTransaction = StoredIn<typeof transactionCodec>;

/** `writeId` identifies the bulk that wrote the document last. */
export type MongoTransaction = StoredTransaction & { readonly writeId: ObjectId };

const view = document<Transaction>()({
  _id: as("uetr", plain),
  version: plain,
  applied: plain,
  partition: plain,
  state: plain,
  // Unresolved, or its connector has not acknowledged the outcome report and no item says so, or it has an unread
  // message: what `open` lists.
  isOpen: derived(
    (transaction: Transaction) =>
      isUnresolved(transaction.state) ||
      (isAwaited(transaction.state, transaction.outcomeReport?.acknowledgedAtMs) && !isOutcomeShown(transaction)) ||
      isUnreadOpen(transaction),
  ),
  flow: plain,
  scheme: plain,
  bank: plain,
  businessDate: plain,
  reconciliationDay: as("reconciliationDay", plain),
  deadline: as("deadlineMs", nullable(date)),
  wantsOutcomeReport: plain,
  outcome: as("outcomeReport", nullable(outcomeReportCodec)),
  queueKey: plain,
  // Offset of the record that created it; null for an orphan.
  receivedOffset: derived(({ transitions }: Transaction) => transitions[0]?.offset ?? null),
  receivedAt: as("receivedAtMs", date),
  amountTenThousandths: plain,
  currency: plain,
  message: nullable(identityCodec),
  finalReport: nullable(identityCodec),
  finalOutcome: plain,
  pendingAt: as("pendingAtMs", nullable(date)),
  transitions: list(transitionCodec),
  notices: list(noticeCodec),
  items: list(itemCodec),
  observations: observationsCodec,
  carryOversMax: as("carryOversMax", plain),
  // How many times it may still be carried over to the next business date.
  carryOversLeft: derived(countCarryOversLeft),
  // Number and append time of the last entry; for an orphan, 0 and the time of its first report.
  stageVersion: derived(({ transitions }: Transaction) => transitions.length),
  updatedAt: derived(({ transitions, receivedAtMs }: Transaction) => new Date(transitions.at(-1)?.atMs ?? receivedAtMs)),
  quarantined: nullable(quarantineCodec),
  unreadMessage: nullable(unreadMessageCodec),
  decisions: list(decisionCodec),
  usedActions: textsSince,
});

const besideView = document<Omit<TransactionDocument, "transaction">>()({
  search: searchTermsCodec,
  acceptedMessageBytes: as("acceptedMessage", bytes),
  finalReportBytes: as("finalReport", nullable(bytes)),
  verdictBytes: as("verdict", nullable(bytes)),
  rules: rulesCodec,
  traceparent: textSince,
});

export const transactionCodec: DocumentCodec<TransactionDocument, StoredIn<typeof view> & StoredIn<typeof besideView>> = {
  encode: (value) => ({ ...view.encode(value.transaction), ...besideView.encode(value) }),
  encodeChanged: (value, before) => ({
    ...view.encodeChanged(value.transaction, before.transaction),
    ...besideView.encodeChanged(value, before),
  }),
  decode: (stored) => ({ transaction: view.decode(stored), ...besideView.decode(stored) }),
};

/** The fields that `toOpenRow` reads, for a projected query. */
export const openRowFields = {
  _id: 1,
  state: 1,
  flow: 1,
  scheme: 1,
  deadline: 1,
  outcome: 1,
  receivedOffset: 1,
  bank: 1,
  businessDate: 1,
  reconciliationDay: 1,
  queueKey: 1,
  unreadMessage: 1,
  carryOversLeft: 1,
} as const;

type StoredOpenRow = Pick<StoredTransaction, keyof typeof openRowFields>;

/** A row of `open`. */
export function toOpenOrUnreadRow(stored: StoredOpenRow): OpenRow | UnreadRow {
  const { _id: uetr, state, reconciliationDay } = stored;
  if (state !== "ORPHAN") return toOpenRow(stored);
  return { uetr, state, flow: null, reconciliationDay, unreadCreditOffset: readUnreadCredit(stored) };
}

function readUnreadCredit({ unreadMessage }: StoredOpenRow): bigint | null {
  const unread = nullable(unreadMessageCodec).decode(unreadMessage);
  return unread === null ? null : findUnreadCredit(unread);
}

export function toOpenRow(stored: StoredOpenRow): OpenRow {
  const { state, flow, scheme, queueKey, receivedOffset } = stored;
  assert(state !== "ORPHAN" && flow !== null && scheme !== null && queueKey !== null, "an orphan is not open");
  assert(receivedOffset !== null, "an open transaction has an entry");
  return {
    uetr: stored._id,
    state,
    flow,
    scheme,
    deadlineMs: stored.deadline?.getTime() ?? null,
    isOutcomeAwaited: isAwaited(state, stored.outcome?.acknowledgedAt),
    receivedOffset,
    unreadCreditOffset: readUnreadCredit(stored),
    bank: stored.bank,
    businessDate: stored.businessDate,
    reconciliationDay: stored.reconciliationDay,
    queueKey,
    carryOversLeft: stored.carryOversLeft,
  };
}

/** Each further entry into HELD is one carry-over. */
function countCarryOversLeft({ carryOversMax, transitions }: Transaction): number {
  const held = transitions.filter(({ state }) => state === "HELD").length;
  return Math.max(0, carryOversMax - Math.max(0, held - 1));
}

/** Tells whether an outcome report is unacknowledged. `acknowledgedAt` is undefined where no outcome was reported. */
function isAwaited(state: State | OrphanState, acknowledgedAt: Date | number | null | undefined): boolean {
  return state !== "ORPHAN" && acknowledgedAt === null;
}

/** Lists the reconciliation items of `day` in one transaction, for people. */
export function itemsForDay(
  stored: Pick<StoredTransaction, "_id" | "bank" | "items">,
  day: string,
): readonly { readonly uetr: string; readonly bank: string | null; readonly item: Item }[] {
  return stored.items
    .filter((item) => item.day === day)
    .map((item) => ({ uetr: stored._id, bank: stored.bank, item: itemCodec.decode(item) }));
}

/** Splits `ZA_EFT:2026-11-20` into its two parts. */
export function splitDay(day: string): { readonly scheme: string; readonly businessDate: string } {
  const colon = day.indexOf(":");
  return { scheme: day.slice(0, colon), businessDate: day.slice(colon + 1) };
}
