// The demo's business day as data: banks and what they do, debits and how each must end, and the times. Nothing here runs anything.
//
// #1 Each bank has one character, so one bank's trouble is seen not to be another's.
// #2 Every debit says its end beforehand; the demo is right when each ended so.
// #3 The zone is a fixed offset in which it is about noon, so a demo at midnight plays within one date; every day works.

import type { Random } from "@sluice/runtime";
import {
  acknowledge,
  badAccount,
  directDebit,
  goodAccount,
  refuse,
  reportMade,
  reportNotMade,
  staySilent,
  uetrFrom,
  type JsonObject,
  type ScriptRule,
} from "@sluice/testkit";
import { dateIn, noonZone } from "./noon-zone.ts";

export type DebitKind =
  | "good"
  | "bad-account"
  | "posted-twice"
  | "shared-identification"
  | "late-acknowledgement"
  | "not-made"
  | "no-answer"
  | "no-report";

export interface DemoBank {
  readonly id: string;
  readonly name: string;
  readonly branch: string;
  /** What it is here for, in a few words. */
  readonly character: string;
  readonly answerTimeoutMs: number;
  readonly script: readonly ScriptRule[];
}

export interface DemoDebit {
  readonly kind: DebitKind;
  readonly bank: string;
  readonly uetr: string;
  readonly messageIdentification: string;
  /** Decimal text as it is sent. */
  readonly amount: string;
  readonly message: JsonObject;
  /** How often the same bytes are posted. */
  readonly posts: number;
  readonly end: DemoEnd;
}

export interface DemoEnd {
  readonly state: "COMPLETED" | "REJECTION_REPORTED" | "UNPAID" | "RECONCILIATION";
  /** Row of the reconciliation list; null: it is not on it. */
  readonly row: number | null;
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
  readonly debits: readonly DemoDebit[];
}

/** From now to the opening, from there to the close, from there to the reconciliation. */
export interface DemoPace {
  readonly opensInMs: number;
  readonly windowMs: number;
  readonly reconcilesAfterMs: number;
}

const cutOffMs = 1_000;
const made: DemoEnd = { state: "COMPLETED", row: null };
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
    character: "reports that debits were not made",
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
    character: "acknowledges debits and never reports",
    answerTimeoutMs: 5_000,
    script: [{ reports: [] }, answers],
  },
];

interface Cast {
  readonly kind: DebitKind;
  readonly bank: string;
  readonly count: number;
  readonly end: DemoEnd;
}

function castOf(goodDebits: number): readonly Cast[] {
  return [
    { kind: "good", bank: "karoo", count: goodDebits, end: made },
    { kind: "bad-account", bank: "karoo", count: 5, end: { state: "REJECTION_REPORTED", row: null } },
    { kind: "posted-twice", bank: "karoo", count: 1, end: made },
    { kind: "shared-identification", bank: "karoo", count: 2, end: made },
    { kind: "late-acknowledgement", bank: "baobab", count: 3, end: made },
    { kind: "not-made", bank: "protea", count: 2, end: { state: "UNPAID", row: null } },
    { kind: "no-answer", bank: "kudu", count: 2, end: { state: "RECONCILIATION", row: 7 } },
    { kind: "no-report", bank: "marula", count: 2, end: { state: "RECONCILIATION", row: 9 } },
  ];
}

export function planDemoDay(random: Random, goodDebits: number, createdAtMs: number): DemoDay {
  let number = 0;
  const debits = castOf(goodDebits).flatMap((cast) =>
    Array.from({ length: cast.count }, () => {
      number += 1;
      return planDebit(random, cast, number, createdAtMs);
    }),
  );
  return { banks: demoBanks, debits: shuffled(random, debits) };
}

function planDebit(random: Random, cast: Cast, number: number, createdAtMs: number): DemoDebit {
  const { kind, bank, end } = cast;
  const branch = demoBanks.find(({ id }) => id === bank)?.branch ?? "";
  const uetr = uetrFrom(random);
  const ofFile = kind === "shared-identification" ? "FILE-7" : String(number).padStart(6, "0");
  const messageIdentification = `${bank.toUpperCase()}-${ofFile}`;
  const cents = 1_000 + Math.floor(random.fraction() * 500_000);
  const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
  const message = directDebit({
    uetr,
    messageIdentification,
    amount,
    debtorBranch: branch,
    debtorAccount: kind === "bad-account" ? badAccount(number) : goodAccount(number),
    creationDateTime: new Date(createdAtMs).toISOString(),
  });
  return { kind, bank, uetr, messageIdentification, amount, message, posts: kind === "posted-twice" ? 2 : 1, end };
}

/** The first and the last stay good ones; the special ones lie among the others. */
function shuffled(random: Random, debits: readonly DemoDebit[]): readonly DemoDebit[] {
  return debits
    .map((debit) => ({ debit, place: random.fraction() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ debit }) => debit);
}

/** Times are whole seconds, as the configuration writes them. */
export function planDemoTimes(nowMs: number, pace: DemoPace): DemoTimes {
  const zone = noonZone(nowMs);
  const opensAtMs = Math.ceil((nowMs + pace.opensInMs) / 1_000) * 1_000;
  const closesAtMs = opensAtMs + Math.ceil(pace.windowMs / 1_000) * 1_000;
  const reconciliationAtMs = closesAtMs + Math.ceil(pace.reconcilesAfterMs / 1_000) * 1_000;
  return { zone, businessDate: dateIn(zone, nowMs), opensAtMs, closesAtMs, reconciliationAtMs, cutOffMs };
}
