// Questions of banks and connectors and their answers, independent of HTTP.

import type { Caller } from "@sluice/service";

export interface TransactionQuestion {
  readonly caller: Caller;
  /** UETR in lower case. */
  readonly uetr: string;
  /** First stageVersion that the caller asks for. */
  readonly fromStageVersion: number;
}

/** `body` is JSON text that is sent unchanged. */
export type TransactionAnswer =
  | { readonly kind: "found"; readonly body: string }
  | { readonly kind: "not-known"; readonly asOfMs: number }
  | { readonly kind: "unavailable"; readonly detail: string }
  /** A defect of ours; the logger has recorded it. */
  | { readonly kind: "failed" };

export type TransactionQueryHandler = (question: TransactionQuestion) => Promise<TransactionAnswer>;

export function formatInstant(atMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toString({ smallestUnit: "millisecond" });
}
