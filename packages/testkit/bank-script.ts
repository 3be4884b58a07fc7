// What a simulated bank or scheme connector does, as data: a list of rules, so that a script can be printed, sent to another process, or drawn from a seed.
//
// #1 For each request the answer and the reports are looked up apart: each comes from the first rule that matches and says it.
//    So `[{ uetr, reports: [reportNotMade()] }, { operation: "events", answer: refuse(500) }]` are two independent troubles.
// #2 Where no rule speaks, the bank is a good one: it acknowledges all, and reports every debit and every credit as made.
// #3 A connector reports on nothing: of its rules only the answers count.

import type { Operation } from "@sluice/delivery";

/** What Sluice sends to a bank or to a connector. */
export type BankOperation = Operation;

export type AnswerPlan =
  | {
      readonly kind: "answer";
      readonly status: number;
      /** How late, plus a draw between 0 and `jitterMs`. */
      readonly afterMs: number;
      readonly jitterMs: number;
      readonly retryAfter: string | null;
      /** 2: the same HTTP answer is written twice to the connection. */
      readonly copies: 1 | 2;
    }
  /** The connection is held and nothing is said. */
  | { readonly kind: "silent" }
  /** The connection is cut without an answer. */
  | { readonly kind: "drop" };

export interface ReportPlan {
  readonly outcome: "made" | "not-made" | "pending";
  /** Counted from the request, plus a draw between 0 and `jitterMs`. */
  readonly afterMs: number;
  readonly jitterMs: number;
  readonly reason: string | null;
  /** Status code in place of the outcome's own (ACSC, RJCT, PDNG): ACCP, ACSP, ACCC or CANC, for example. */
  readonly code: string | null;
  /** How often the same bytes are sent. */
  readonly copies: number;
}

export interface ScriptRule {
  readonly operation?: BankOperation;
  /** Lower case. */
  readonly uetr?: string;
  /** First and last attempt of one message that the rule is about, from 1. */
  readonly attempts?: readonly [number, number];
  /** From when on, and before when, the rule holds: epoch ms by the clock of the bank. */
  readonly betweenMs?: readonly [number, number];
  readonly answer?: AnswerPlan;
  readonly reports?: readonly ReportPlan[];
  /** The bank books and reports even if its answer is not a 2xx one (the answer got lost, or it changed its mind). */
  readonly isActedOn?: boolean;
}

export function acknowledge(options: { readonly afterMs?: number; readonly jitterMs?: number; readonly copies?: 1 | 2 } = {}): AnswerPlan {
  return { kind: "answer", status: 202, afterMs: 0, jitterMs: 0, retryAfter: null, copies: 1, ...options };
}

export function refuse(status: number, retryAfter: string | null = null): AnswerPlan {
  return { kind: "answer", status, afterMs: 0, jitterMs: 0, retryAfter, copies: 1 };
}

export const staySilent: AnswerPlan = { kind: "silent" };
export const dropConnection: AnswerPlan = { kind: "drop" };

type ReportOptions = Partial<Omit<ReportPlan, "outcome">>;

export function reportMade(options: ReportOptions = {}): ReportPlan {
  return { outcome: "made", afterMs: 0, jitterMs: 0, reason: null, code: null, copies: 1, ...options };
}

export function reportNotMade(options: ReportOptions = {}): ReportPlan {
  return { outcome: "not-made", afterMs: 0, jitterMs: 0, reason: "AM04", code: null, copies: 1, ...options };
}

export function reportPending(options: ReportOptions = {}): ReportPlan {
  return { outcome: "pending", afterMs: 0, jitterMs: 0, reason: null, code: null, copies: 1, ...options };
}
