// The demo's business day as data: banks and what they do, debits and credits and how each must end, and the times. Nothing here runs anything.
//
// #1 Each bank has one character, so one bank's trouble is seen not to be another's.
// #2 Every debit and credit says its end beforehand; the demo is right when each ended so.
// #3 Debits of a bank's own customers come from the bank; debits and credits from beyond come from the clearing house's connector, which declares
//    the credits of the day final a moment after the window has opened: until then the gate is closed. One bank's gate stays closed even then,
//    for a credit that it does not report on: an operator opens it over that credit. What the day leaves unresolved people resolve.
// #4 One bank refuses all connections for some seconds in the middle of the day, and goes on sending debits: what Sluice has for it waits, and
//    leaves when it is back (`outage.ts`).
// #5 The zone is a fixed offset in which it is about noon, so a demo at midnight plays within one date; every day works.

import type { Flow } from "@sluice/domain";
import type { Random } from "@sluice/runtime";
import {
  acknowledge,
  badAccount,
  creditTransfer,
  directDebit,
  goodAccount,
  offUsDebit,
  refuse,
  reportMade,
  reportNotMade,
  staySilent,
  uetrFrom,
  type JsonObject,
  type ScriptRule,
} from "@sluice/testkit";
import { dateIn, noonZone } from "./noon-zone.ts";

export type TransactionKind =
  | "good"
  | "bad-account"
  | "posted-twice"
  | "shared-identification"
  | "late-acknowledgement"
  | "not-made"
  | "no-answer"
  | "no-report"
  | "through-outage"
  | "from-elsewhere"
  | "from-elsewhere-not-made"
  | "credit"
  | "credit-not-made"
  | "credit-no-report"
  | "credit-bad-account";

export interface DemoBank {
  readonly id: string;
  readonly name: string;
  readonly branch: string;
  /** What it is here for, in a few words. */
  readonly character: string;
  readonly answerTimeoutMs: number;
  readonly script: readonly ScriptRule[];
}

export interface DemoTransaction {
  readonly kind: TransactionKind;
  readonly flow: Flow;
  /** Whose account is debited or credited: it receives the message and the events. */
  readonly bank: string;
  readonly uetr: string;
  readonly messageIdentification: string;
  /** Decimal text as it is sent. */
  readonly amount: string;
  readonly message: JsonObject;
  /** How often the same bytes are posted. */
  readonly posts: number;
  /** How long after the opening it is posted; null: before, with all the others. */
  readonly afterOpeningMs: number | null;
  readonly end: DemoEnd;
}

export interface DemoEnd {
  readonly state:
    | "COMPLETED"
    | "REJECTION_REPORTED"
    | "UNPAID"
    | "RECONCILIATION"
    | "CREDIT_AUTH_RESPONSE_ACCEPTED"
    | "CREDIT_AUTH_RECONCILIATION"
    | "CREDIT_AUTH_REJECTED";
  /** Row of the reconciliation list; null: it is not on it. */
  readonly row: number | null;
  /** Status codes that the connector is told by itself, in order. */
  readonly told: readonly ("ACSC" | "RJCT" | "PDNG")[];
  /** What people find out about its item; null: there is none. */
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

/** From now to the opening, from there to the close, from there to the reconciliation. */
export interface DemoPace {
  readonly opensInMs: number;
  readonly windowMs: number;
  readonly reconcilesAfterMs: number;
}

const cutOffMs = 1_000;
const made: DemoEnd = { state: "COMPLETED", row: null, told: [], found: null };
const booked: DemoEnd = { state: "CREDIT_AUTH_RESPONSE_ACCEPTED", row: null, told: ["ACSC"], found: null };
const answers: ScriptRule = { answer: acknowledge({ afterMs: 2, jitterMs: 20 }) };
const reports: ScriptRule = { reports: [reportMade({ afterMs: 100, jitterMs: 400 })] };

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
    character: "does not acknowledge its first tries",
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
    character: "reports that nothing was made",
    answerTimeoutMs: 5_000,
    script: [{ reports: [reportNotMade({ afterMs: 300, reason: "AM04" })] }, answers],
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

/** One of so many that nobody wants a line about each. */
export function isOneOfMany(kind: TransactionKind): boolean {
  return kind === "good" || kind === "through-outage";
}

export const connectorId = "clearing";
/** Its gate stays closed for a credit that it does not report on. */
export const gateKeptBy = "marula";
/** #4. The breaker tries it every ten seconds, so it is back just before a try. */
export const outage = { bank: "acacia", fromMs: 2_500, toMs: 10_500 } as const;
/** Its debits come evenly, from before it goes down until after it is back. */
const throughOutage = { count: 40, fromMs: 1_000, everyMs: 250 } as const;

interface Cast {
  readonly kind: TransactionKind;
  readonly bank: string;
  readonly count: number;
  readonly end: DemoEnd;
}

function castOf(goodDebits: number): readonly Cast[] {
  return [
    { kind: "good", bank: "karoo", count: goodDebits, end: made },
    { kind: "bad-account", bank: "karoo", count: 5, end: { ...made, state: "REJECTION_REPORTED" } },
    { kind: "posted-twice", bank: "karoo", count: 1, end: made },
    { kind: "shared-identification", bank: "karoo", count: 2, end: made },
    { kind: "late-acknowledgement", bank: "baobab", count: 3, end: made },
    { kind: "not-made", bank: "protea", count: 2, end: { ...made, state: "UNPAID" } },
    { kind: "no-answer", bank: "kudu", count: 2, end: { ...made, state: "RECONCILIATION", row: 7, found: "NOT_MADE" } },
    { kind: "no-report", bank: "marula", count: 2, end: { ...made, state: "RECONCILIATION", row: 9, found: "MADE" } },
    { kind: "through-outage", bank: outage.bank, count: throughOutage.count, end: made },
    { kind: "from-elsewhere", bank: "karoo", count: 3, end: { ...made, told: ["ACSC"] } },
    { kind: "from-elsewhere-not-made", bank: "protea", count: 1, end: { ...made, state: "UNPAID", told: ["RJCT"] } },
    { kind: "credit", bank: "karoo", count: 4, end: booked },
    { kind: "credit-not-made", bank: "protea", count: 1, end: { ...booked, told: ["RJCT"] } },
    {
      kind: "credit-no-report",
      bank: gateKeptBy,
      count: 1,
      end: { state: "CREDIT_AUTH_RECONCILIATION", row: 9, told: ["PDNG"], found: "MADE" },
    },
    { kind: "credit-bad-account", bank: "baobab", count: 1, end: { ...booked, state: "CREDIT_AUTH_REJECTED", told: ["RJCT"] } },
  ];
}

export function planDemoDay(random: Random, goodDebits: number, createdAtMs: number): DemoDay {
  let number = 0;
  const transactions = castOf(goodDebits).flatMap((cast) =>
    Array.from({ length: cast.count }, (_, place) => {
      number += 1;
      const afterOpeningMs = cast.kind === "through-outage" ? throughOutage.fromMs + place * throughOutage.everyMs : null;
      return { ...planTransaction(random, cast, number, createdAtMs), afterOpeningMs };
    }),
  );
  return { banks: demoBanks, transactions: shuffled(random, transactions) };
}

function planTransaction(random: Random, cast: Cast, number: number, createdAtMs: number): Omit<DemoTransaction, "afterOpeningMs"> {
  const { kind, bank, end } = cast;
  const branch = demoBanks.find(({ id }) => id === bank)?.branch ?? "";
  const uetr = uetrFrom(random);
  const flow = flowOf(kind);
  const sender = flow === "on-us" ? bank : connectorId;
  const ofFile = kind === "shared-identification" ? "FILE-7" : String(number).padStart(6, "0");
  const messageIdentification = `${sender.toUpperCase()}-${ofFile}`;
  const cents = 1_000 + Math.floor(random.fraction() * 500_000);
  const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
  const account = kind.endsWith("bad-account") ? badAccount(number) : goodAccount(number);
  const common = { uetr, messageIdentification, amount, creationDateTime: new Date(createdAtMs).toISOString() };
  const debit = { ...common, debtorBranch: branch, debtorAccount: account };
  const message =
    flow === "credit"
      ? creditTransfer({ ...common, creditorBranch: branch, creditorAccount: account })
      : flow === "off-us"
        ? offUsDebit(debit)
        : directDebit(debit);
  return { kind, flow, bank, uetr, messageIdentification, amount, message, posts: kind === "posted-twice" ? 2 : 1, end };
}

function flowOf(kind: TransactionKind): Flow {
  if (kind.startsWith("credit")) return "credit";
  return kind.startsWith("from-elsewhere") ? "off-us" : "on-us";
}

/** The first and the last stay good ones; the special ones lie among the others. */
function shuffled(random: Random, transactions: readonly DemoTransaction[]): readonly DemoTransaction[] {
  return transactions
    .map((transaction) => ({ transaction, place: random.fraction() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ transaction }) => transaction);
}

/** Times are whole seconds, as the configuration writes them. */
export function planDemoTimes(nowMs: number, pace: DemoPace): DemoTimes {
  const zone = noonZone(nowMs);
  const opensAtMs = Math.ceil((nowMs + pace.opensInMs) / 1_000) * 1_000;
  const closesAtMs = opensAtMs + Math.ceil(pace.windowMs / 1_000) * 1_000;
  const reconciliationAtMs = closesAtMs + Math.ceil(pace.reconcilesAfterMs / 1_000) * 1_000;
  return { zone, businessDate: dateIn(zone, nowMs), opensAtMs, closesAtMs, reconciliationAtMs, cutOffMs };
}
