// What the console answers, before it is HTTP.

import type { Caller } from "@sluice/http";

export interface Question {
  readonly caller: Caller;
  /** Lower case. */
  readonly uetr: string;
  /** First stageVersion asked for. */
  readonly from: number;
}

/** `body`: finished JSON. */
export type Answer =
  | { readonly kind: "found"; readonly body: string }
  | { readonly kind: "not-known"; readonly asOfMs: number }
  | { readonly kind: "unavailable"; readonly detail: string }
  /** Our own mistake; it is in the log. */
  | { readonly kind: "failed" };

export type Answering = (question: Question) => Promise<Answer>;

export function instantText(atMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toString({ smallestUnit: "millisecond" });
}
