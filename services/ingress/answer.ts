// What ingress answers, before it is HTTP: the simulation and the routes share it.

import type { ErrorDetail } from "@sluice/contracts";

export type RefusalStatus = 400 | 403 | 422 | 429 | 500 | 503;

export type IngressAnswer =
  | { readonly status: 202 }
  | { readonly status: RefusalStatus; readonly error: ErrorDetail; readonly retryAfterSeconds: number | null };

export type Refusal = Exclude<IngressAnswer, { readonly status: 202 }>;

const retryAfterSeconds = 1;

export function refusal(status: 400 | 403 | 422 | 500, message: string, detail: string): Refusal {
  return { status, error: { schema: "ErrorDetail", message, detail }, retryAfterSeconds: null };
}

/** The caller may try the same message again, in a second. */
export function unavailable(detail: string): Refusal {
  return { status: 503, error: { schema: "ErrorDetail", message: "Not available now", detail }, retryAfterSeconds };
}

/** The caller asks for more than its share; nothing was read. */
export function tooMany(detail: string, afterSeconds: number = retryAfterSeconds): Refusal {
  return { status: 429, error: { schema: "ErrorDetail", message: "Too many requests", detail }, retryAfterSeconds: afterSeconds };
}

export const noRoom = {
  whole: unavailable("Too many requests are under way."),
  share: tooMany("Too many of your requests are under way."),
} as const;
