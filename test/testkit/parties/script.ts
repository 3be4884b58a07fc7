// Scripts the behaviour of a simulated bank or connector as data. A list of rules can be printed, sent to another
// process, or drawn from a seed.
//
// #1 For each request the answer and the reports are looked up separately. Each comes from the first matching rule that
//    has it. So `[{ uetr, reports: [reportRejected()] }, { operation: "events", answer: refuse(500) }]` are two
//    independent faults.
// #2 Where no rule matches, the party acknowledges everything, and a bank reports every debit and every credit as
//    settled.
// #3 A connector sends no reports, so only the answers of its rules count.

import type { Operation } from "@sluice/delivery";

/** An operation that Sluice delivers to a bank or to a connector. */
export type DeliveredOperation = Operation;

export type AnswerPlan =
  | {
      readonly kind: "answer";
      readonly status: number;
      /** Milliseconds before the answer; a random delay between 0 and `jitterMs` is added. */
      readonly afterMs: number;
      readonly jitterMs: number;
      readonly retryAfter: string | null;
      /** With 2 the same HTTP answer is written to the connection twice. */
      readonly copies: 1 | 2;
    }
  /** The connection stays open, and no answer comes. */
  | { readonly kind: "silent" }
  /** The connection is cut without an answer. */
  | { readonly kind: "drop" };

export interface ReportPlan {
  readonly outcome: "made" | "not-made" | "pending";
  /** Milliseconds from the request to the report; a random delay between 0 and `jitterMs` is added. */
  readonly afterMs: number;
  readonly jitterMs: number;
  readonly reason: string | null;
  /** A status code that replaces the outcome's own (ACSC, RJCT, PDNG), for example ACCP, ACSP, ACCC or CANC. */
  readonly code: string | null;
  /** The number of times that the same bytes are sent. */
  readonly copies: number;
}

export interface ScriptRule {
  readonly operation?: DeliveredOperation;
  /** In lower case. */
  readonly uetr?: string;
  /** The first and the last attempt at one message to which the rule applies, from 1. */
  readonly attempts?: readonly [number, number];
  /** The times from which and before which the rule applies, in epoch milliseconds by the party's clock. */
  readonly betweenMs?: readonly [number, number];
  readonly answer?: AnswerPlan;
  readonly reports?: readonly ReportPlan[];
  /** The bank books and reports even if its answer is not a 2xx, as if the answer had been lost. */
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

export function reportSettled(options: ReportOptions = {}): ReportPlan {
  return { outcome: "made", afterMs: 0, jitterMs: 0, reason: null, code: null, copies: 1, ...options };
}

export function reportRejected(options: ReportOptions = {}): ReportPlan {
  return { outcome: "not-made", afterMs: 0, jitterMs: 0, reason: "AM04", code: null, copies: 1, ...options };
}

export function reportPending(options: ReportOptions = {}): ReportPlan {
  return { outcome: "pending", afterMs: 0, jitterMs: 0, reason: null, code: null, copies: 1, ...options };
}
