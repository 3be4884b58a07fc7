// The answers of ingress before they are HTTP: the simulation and the routes share them.

import type { ErrorDetail } from "@sluice/contracts";

type RefusalStatus = 400 | 403 | 422 | 429 | 500 | 503;

export type IngressAnswer =
  | { readonly status: 202 }
  | { readonly status: RefusalStatus; readonly error: ErrorDetail; readonly retryAfterSeconds: number | null };

export type Refusal = Exclude<IngressAnswer, { readonly status: 202 }>;

const retryAfterSeconds = 1;

export function refusal(status: 400 | 403 | 422 | 500, message: string, detail: string): Refusal {
  return { status, error: { schema: "ErrorDetail", message, detail }, retryAfterSeconds: null };
}

/** The caller may send the same message again in a second. */
export function unavailableAnswer(detail: string): Refusal {
  return { status: 503, error: { schema: "ErrorDetail", message: "Not available now", detail }, retryAfterSeconds };
}

/** The caller asks for more than its share; nothing of the request was read. */
export function tooManyAnswer(detail: string, afterSeconds: number = retryAfterSeconds): Refusal {
  return { status: 429, error: { schema: "ErrorDetail", message: "Too many requests", detail }, retryAfterSeconds: afterSeconds };
}

export const noRoomAnswers = {
  whole: unavailableAnswer("Too many requests are under way."),
  share: tooManyAnswer("Too many of your requests are under way."),
} as const;
