// Defines the transactions of the console bench, each by its number, so that every run fills a store with the same.
//
// #1 Those of the day before come first, then those of the day, then the newest: 48, 50 and 2 in a hundred.
// #2 Most are completed. The newest are a quarter each completed, held, delivered and unpaid.
// #3 The store keeps what it needs to answer people; nobody judges these transactions again.

import { createHash } from "node:crypto";
import { partitionCountDefault, partitionFor, sha256Hex } from "@sluice/contracts";
import { createPartitionView, decide, type DebitState, type Item, type Transaction } from "@sluice/domain";
import { noSearchTerms, type SearchTerms } from "@sluice/store";

export interface BenchSpan {
  readonly total: number;
  /** When the newest was received. */
  readonly nowMs: number;
  readonly dayBefore: string;
  readonly day: string;
  readonly banks: readonly string[];
}

export interface BenchTransaction {
  readonly transaction: Transaction;
  readonly search: SearchTerms;
}

export const scheme = "ZA_EFT";

const hourMs = 3_600_000;
/** #1: when the transactions of each part were received, before now, and up to which share of all. */
const parts = [
  { upTo: 0.48, fromMs: -26 * hourMs, toMs: -16 * hourMs },
  { upTo: 0.98, fromMs: -4 * hourMs, toMs: -hourMs },
  { upTo: 1, fromMs: -hourMs, toMs: 0 },
] as const;
const paths = {
  COMPLETED: ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "DELIVERED", "COMPLETED"],
  HELD: ["RECEIVED", "ACCEPTED", "REPORTED", "HELD"],
  DELIVERED: ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "DELIVERED"],
  UNPAID: ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "DELIVERED", "UNPAID"],
} as const satisfies Readonly<Record<string, readonly DebitState[]>>;
type BenchState = keyof typeof paths;
const newestStates = ["COMPLETED", "HELD", "DELIVERED", "UNPAID"] as const satisfies readonly BenchState[];
/** One in so many of the day before has an open item. */
const itemsEvery = 400;
const filesOf = 500;

export function buildBenchTransaction(number: number, span: BenchSpan): BenchTransaction {
  const { part, receivedAtMs } = placeInTime(number, span);
  const uetr = buildUetr(number);
  const hash = Number.parseInt(uetr.slice(0, 7), 16);
  const bank = span.banks[hash % span.banks.length] ?? "";
  const businessDate = part === 0 ? span.dayBefore : span.day;
  const hasItem = part === 0 && number % itemsEvery === 1;
  const state = hasItem ? "DELIVERED" : findState(number, part);
  const received = receive({ uetr, bank, businessDate, receivedAtMs, number, hash });
  const [first] = received.transitions;
  if (first === undefined) throw new Error("a received debit has an entry");
  const transitions = paths[state].map((entered, index) => ({
    ...first,
    state: entered,
    stageVersion: index + 1,
    atMs: receivedAtMs + index * 100,
    offset: first.offset + BigInt(index),
    businessDate,
  }));
  const items = hasItem ? [buildItem(`${scheme}:${businessDate}`, receivedAtMs)] : [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- #3: the members of a debit that has come this far.
  const transaction = { ...received, bank, businessDate, state, transitions, items, version: transitions.length } as Transaction;
  const search = {
    ...noSearchTerms,
    endToEndIdentification: `E2E-${number}`,
    transactionIdentification: `TXI-${number}`,
    instructionIdentification: `INS-${number}`,
    debtorAccountEnd: String(hash % 10_000).padStart(4, "0"),
    creditorAccountEnd: "4321",
    reasons: state === "UNPAID" ? ["AC02"] : [],
  };
  return { transaction, search };
}

function placeInTime(number: number, { total, nowMs }: BenchSpan) {
  const share = number / total;
  const part = parts.findIndex(({ upTo }) => share < upTo);
  const { upTo, fromMs, toMs } = parts[part]!;
  const from = parts[part - 1]?.upTo ?? 0;
  return { part, receivedAtMs: nowMs + Math.round(fromMs + ((toMs - fromMs) * (share - from)) / (upTo - from)) };
}

/** #2 */
function findState(number: number, part: number): BenchState {
  if (part === 2) return newestStates[number % newestStates.length]!;
  if (number % 20 === 3) return "UNPAID";
  if (part === 1 && number % 50 === 0) return "HELD";
  return part === 1 && number % 100 === 1 ? "DELIVERED" : "COMPLETED";
}

interface Received {
  readonly uetr: string;
  readonly bank: string;
  readonly businessDate: string;
  readonly receivedAtMs: number;
  readonly number: number;
  readonly hash: number;
}

function receive({ uetr, bank, businessDate, receivedAtMs, number, hash }: Received): Transaction {
  const messageIdentification = `FILE-${Math.floor(number / filesOf)}`;
  const fact = {
    kind: "DirectDebitReceived",
    flow: "on-us",
    uetr,
    message: { sender: bank, messageIdentification, contentHash: "c", substanceHash: "s" },
    bank: null,
    receivedAtMs,
    reconciliationDay: `${scheme}:${businessDate}`,
    closesAtMs: receivedAtMs + 24 * hourMs,
    scheme,
    amountTenThousandths: BigInt((hash % 9_000) + 100) * 10_000n,
    currency: "ZAR",
  } as const;
  const place = { offset: BigInt(number) * 10n, appendedAtMs: receivedAtMs };
  const view = createPartitionView(partitionFor(uetr, partitionCountDefault), []);
  const { transaction } = decide(uetr, null, fact, place, view, sha256Hex);
  if (transaction === null) throw new Error("a received debit is a transaction");
  return transaction;
}

function buildItem(day: `${string}:${string}`, receivedAtMs: number): Item {
  return {
    day,
    row: 9,
    cause: null,
    state: "DELIVERED",
    madeAtMs: receivedAtMs + 12 * hourMs,
    evidence: null,
    settledAtMs: null,
    lateAnswers: [],
    resolution: null,
    note: null,
  };
}

function buildUetr(number: number): string {
  const hex = createHash("sha256").update(`console-${number}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
