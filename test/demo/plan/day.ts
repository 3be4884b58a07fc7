// Plans the demo's business day as data: banks and what they do, debits and credits and how each must end, and the
// times.
//
// #1 Each bank has one character, which shows that one bank's trouble does not become another's.
// #2 The plan names the end of every debit and credit; the demo passes if each ended so.
// #3 On-us debits come from the bank. Off-us debits and credits come from the clearing house's connector, which
//    declares the credits of the day final a moment after the window has opened; until then the gate is closed. One
//    bank's gate stays closed even then, because the bank does not report on a credit, and an operator opens the gate
//    over that credit. Operators resolve what the day leaves unresolved.
// #4 One bank refuses all connections for some seconds in the middle of the day and goes on sending debits. Its
//    messages wait and leave when it is back (`outage.ts`).
// #5 The zone is a fixed offset in which it is about noon, so a demo at midnight stays within one date; every date is a
//    working day.

import type { Flow } from "@sluice/domain";
import type { Random } from "@sluice/kernel";
import {
  acknowledge,
  invalidAccount,
  buildCreditTransfer,
  buildDirectDebit,
  validAccount,
  buildOffUsDebit,
  refuse,
  reportSettled,
  reportRejected,
  staySilent,
  drawUetr,
  type MessageObject,
  type ScriptRule,
} from "@sluice/testkit";
import { dateIn, noonZone } from "@sluice/environment";

export type TransactionKind =
  | "good"
  | "bad-account"
  | "posted-twice"
  | "shared-identification"
  | "late-acknowledgement"
  | "rejected"
  | "no-answer"
  | "no-report"
  | "through-outage"
  | "off-us"
  | "off-us-rejected"
  | "credit"
  | "credit-rejected"
  | "credit-no-report"
  | "credit-bad-account";

export interface DemoBank {
  readonly id: string;
  readonly name: string;
  readonly branch: string;
  /** What the bank shows, in a few words. */
  readonly character: string;
  readonly answerTimeoutMs: number;
  readonly script: readonly ScriptRule[];
}

export interface DemoTransaction {
  readonly kind: TransactionKind;
  readonly flow: Flow;
  /** Bank whose account is debited or credited; it receives the message and the events. */
  readonly bank: string;
  readonly uetr: string;
  readonly messageIdentification: string;
  /** Amount as decimal text, as it is sent. */
  readonly amount: string;
  readonly message: MessageObject;
  /** How often the same bytes are posted. */
  readonly posts: number;
  /** Milliseconds from the opening to the post; null for the ones posted before it. */
  readonly afterOpeningMs: number | null;
  readonly end: DemoEnd;
}

interface DemoEnd {
  readonly state:
    | "COMPLETED"
    | "REJECTION_REPORTED"
    | "UNPAID"
    | "RECONCILIATION"
    | "CREDIT_AUTH_RESPONSE_ACCEPTED"
    | "CREDIT_AUTH_RECONCILIATION"
    | "CREDIT_AUTH_REJECTED";
  /** Row of the reconciliation list; null if it is not on the list. */
  readonly row: number | null;
  /** Status codes of the outcome reports to the connector, without the operators' findings, in order. */
  readonly outcomeCodes: readonly ("ACSC" | "RJCT" | "PDNG")[];
  /** What operators find out about its item; null if it has none. */
  readonly found: "MADE" | "NOT_MADE" | null;
}

export interface DemoTimes {
  /** Fixed offset such as `+05:00`. */
  readonly zone: string;
  readonly businessDate: string;
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  readonly reconciliationAtMs: number;
  readonly cutOffMs: number;
}

export interface DemoDay {
  readonly banks: readonly DemoBank[];
  readonly transactions: readonly DemoTransaction[];
}

/** Milliseconds from now to the opening, from there to the close, and from there to the reconciliation. */
export interface DemoPace {
  readonly opensInMs: number;
  readonly windowMs: number;
  readonly reconcilesAfterMs: number;
}

const cutOffMs = 1_000;
const completed: DemoEnd = { state: "COMPLETED", row: null, outcomeCodes: [], found: null };
const booked: DemoEnd = { state: "CREDIT_AUTH_RESPONSE_ACCEPTED", row: null, outcomeCodes: ["ACSC"], found: null };
const answers: ScriptRule = { answer: acknowledge({ afterMs: 2, jitterMs: 20 }) };
const reports: ScriptRule = { reports: [reportSettled({ afterMs: 100, jitterMs: 400 })] };

export const demoBanks: readonly DemoBank[] = [
  {
    id: "karoo",
    name: "Karoo Bank",
    branch: "250655",
    character: "answers and reports",
    answerTimeoutMs: 5_000,
    script: [answers, reports],
  },
  {
    id: "baobab",
    name: "Baobab Bank",
    branch: "250656",
    character: "does not acknowledge first attempts",
    answerTimeoutMs: 1_000,
    script: [
      { operation: "outboundDirectDebitResponse", attempts: [1, 2], answer: refuse(503) },
      { operation: "inboundDirectDebit", attempts: [1, 1], answer: staySilent },
      { operation: "inboundDirectDebit", attempts: [2, 2], answer: refuse(503, "1") },
      answers,
      reports,
    ],
  },
  {
    id: "protea",
    name: "Protea Bank",
    branch: "250657",
    character: "reports everything as rejected",
    answerTimeoutMs: 5_000,
    script: [{ reports: [reportRejected({ afterMs: 300, reason: "AM04" })] }, answers],
  },
  {
    id: "kudu",
    name: "Kudu Bank",
    branch: "250658",
    character: "never answers a debit",
    answerTimeoutMs: 1_000,
    script: [{ operation: "inboundDirectDebit", answer: staySilent }, answers],
  },
  {
    id: "marula",
    name: "Marula Bank",
    branch: "250659",
    character: "acknowledges and never reports",
    answerTimeoutMs: 5_000,
    script: [{ reports: [] }, answers],
  },
  {
    id: "acacia",
    name: "Acacia Bank",
    branch: "250660",
    character: "goes down and comes back",
    answerTimeoutMs: 5_000,
    script: [answers, reports],
  },
];

/** Whether the kind has so many transactions that they are counted and not shown one by one. */
export function isBulkKind(kind: TransactionKind): boolean {
  return kind === "good" || kind === "through-outage";
}

export const demoConnectorId = "clearing";
/** Id of the bank whose gate stays closed, because it does not report on a credit. */
export const closedGateBankId = "marula";
/** #4. The breaker probes every ten seconds, so the bank comes back just before a probe. */
export const plannedOutage = { bank: "acacia", fromMs: 2_500, toMs: 10_500 } as const;
/** The bank's debits come at an even pace, from before it goes down until after it is back. */
const throughOutage = { count: 40, fromMs: 1_000, everyMs: 250 } as const;

interface PlannedGroup {
  readonly kind: TransactionKind;
  readonly bank: string;
  readonly count: number;
  readonly end: DemoEnd;
}

function planGroups(goodDebits: number): readonly PlannedGroup[] {
  return [
    { kind: "good", bank: "karoo", count: goodDebits, end: completed },
    { kind: "bad-account", bank: "karoo", count: 5, end: { ...completed, state: "REJECTION_REPORTED" } },
    { kind: "posted-twice", bank: "karoo", count: 1, end: completed },
    { kind: "shared-identification", bank: "karoo", count: 2, end: completed },
    { kind: "late-acknowledgement", bank: "baobab", count: 3, end: completed },
    { kind: "rejected", bank: "protea", count: 2, end: { ...completed, state: "UNPAID" } },
    { kind: "no-answer", bank: "kudu", count: 2, end: { ...completed, state: "RECONCILIATION", row: 7, found: "NOT_MADE" } },
    { kind: "no-report", bank: "marula", count: 2, end: { ...completed, state: "RECONCILIATION", row: 9, found: "MADE" } },
    { kind: "through-outage", bank: plannedOutage.bank, count: throughOutage.count, end: completed },
    { kind: "off-us", bank: "karoo", count: 3, end: { ...completed, outcomeCodes: ["ACSC"] } },
    { kind: "off-us-rejected", bank: "protea", count: 1, end: { ...completed, state: "UNPAID", outcomeCodes: ["RJCT"] } },
    { kind: "credit", bank: "karoo", count: 4, end: booked },
    { kind: "credit-rejected", bank: "protea", count: 1, end: { ...booked, outcomeCodes: ["RJCT"] } },
    {
      kind: "credit-no-report",
      bank: closedGateBankId,
      count: 1,
      end: { state: "CREDIT_AUTH_RECONCILIATION", row: 9, outcomeCodes: ["PDNG"], found: "MADE" },
    },
    { kind: "credit-bad-account", bank: "baobab", count: 1, end: { ...booked, state: "CREDIT_AUTH_REJECTED", outcomeCodes: ["RJCT"] } },
  ];
}

export function planDemoDay(random: Random, goodDebits: number, createdAtMs: number): DemoDay {
  let number = 0;
  const transactions = planGroups(goodDebits).flatMap((group) =>
    Array.from({ length: group.count }, (_, place) => {
      number += 1;
      const afterOpeningMs = group.kind === "through-outage" ? throughOutage.fromMs + place * throughOutage.everyMs : null;
      return { ...planTransaction(random, group, number, createdAtMs), afterOpeningMs };
    }),
  );
  return { banks: demoBanks, transactions: shuffled(random, transactions) };
}

/** The items of debits that were never answered stay open, for a person who tries the console after the day. */
export function leaveItemsOpen(day: DemoDay): DemoDay {
  const transactions = day.transactions.map((one) => (one.kind === "no-answer" ? { ...one, end: { ...one.end, found: null } } : one));
  return { ...day, transactions };
}

/** Number in the identification of the debit that waits: no day has so many. */
const waitingNumber = 999_999;

/** A debit that comes after the day, so that it is held for the next one. */
export function planWaitingDebit(random: Random, createdAtMs: number): Omit<DemoTransaction, "afterOpeningMs"> {
  return planTransaction(random, { kind: "good", bank: "karoo", count: 1, end: completed }, waitingNumber, createdAtMs);
}

function planTransaction(
  random: Random,
  group: PlannedGroup,
  number: number,
  createdAtMs: number,
): Omit<DemoTransaction, "afterOpeningMs"> {
  const { kind, bank, end } = group;
  const branch = demoBanks.find(({ id }) => id === bank)?.branch ?? "";
  const uetr = drawUetr(random);
  const flow = flowFor(kind);
  const sender = flow === "on-us" ? bank : demoConnectorId;
  const ofFile = kind === "shared-identification" ? "FILE-7" : String(number).padStart(6, "0");
  const messageIdentification = `${sender.toUpperCase()}-${ofFile}`;
  const cents = 1_000 + Math.floor(random.fraction() * 500_000);
  const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
  const account = kind.endsWith("bad-account") ? invalidAccount(number) : validAccount(number);
  const common = { uetr, messageIdentification, amount, creationDateTime: new Date(createdAtMs).toISOString() };
  const debit = { ...common, debtorBranch: branch, debtorAccount: account };
  const message =
    flow === "credit"
      ? buildCreditTransfer({ ...common, creditorBranch: branch, creditorAccount: account })
      : flow === "off-us"
        ? buildOffUsDebit(debit)
        : buildDirectDebit(debit);
  return { kind, flow, bank, uetr, messageIdentification, amount, message, posts: kind === "posted-twice" ? 2 : 1, end };
}

function flowFor(kind: TransactionKind): Flow {
  if (kind.startsWith("credit")) return "credit";
  return kind.startsWith("off-us") ? "off-us" : "on-us";
}

/** Mixes the special transactions with the others. */
function shuffled(random: Random, transactions: readonly DemoTransaction[]): readonly DemoTransaction[] {
  return transactions
    .map((transaction) => ({ transaction, place: random.fraction() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ transaction }) => transaction);
}

/** Plans times in whole seconds, because the configuration names whole seconds. */
export function planDemoTimes(nowMs: number, pace: DemoPace): DemoTimes {
  const zone = noonZone(nowMs);
  const opensAtMs = Math.ceil((nowMs + pace.opensInMs) / 1_000) * 1_000;
  const closesAtMs = opensAtMs + Math.ceil(pace.windowMs / 1_000) * 1_000;
  const reconciliationAtMs = closesAtMs + Math.ceil(pace.reconcilesAfterMs / 1_000) * 1_000;
  return { zone, businessDate: dateIn(zone, nowMs), opensAtMs, closesAtMs, reconciliationAtMs, cutOffMs };
}
