// Requests of operators and their answers, independent of HTTP. Each operation in the table of contracts has one
// handler.

import type { ControlOperationName, ControlRole } from "@sluice/contracts";

export interface Operator {
  /** Configured id; actions record it as their operator. */
  readonly id: string;
  readonly name: string;
  /** The person behind the token: two operators may be one person. */
  readonly person: string;
  readonly roles: ReadonlySet<ControlRole>;
  /** The one bank that the operator may see; null: every bank. */
  readonly bank: string | null;
  /** The schemes whose days and transactions the operator has; null: every scheme. */
  readonly schemes: readonly string[] | null;
}

export interface ControlRequest {
  readonly operator: Operator;
  /** Parts of the address by name, their syntax checked; a UETR in lower case. */
  readonly path: Readonly<Record<string, string>>;
  /** Only parameters that the operation has, each at most once. */
  readonly query: URLSearchParams;
  /** Bytes of the body as sent, at most `controlBodyBytesMax`; empty for a GET. */
  readonly body: Uint8Array;
  /** Value of the `Idempotency-Key` header; null: it was not sent. */
  readonly actionId: string | null;
  /** True: the request is only judged as things stand, and nothing is appended. A query does not look at it. */
  readonly isCheckOnly?: boolean;
  /** The second person who confirmed this decision; left out: it needed none. */
  readonly confirmedBy?: string;
}

export type ControlAnswer =
  /** 200 with JSON. */
  | { readonly kind: "found"; readonly body: object }
  /** 200 with any other text; one in parts is streamed. */
  | { readonly kind: "text"; readonly contentType: string; readonly text: AsyncIterable<string> | string }
  /** 202: the decision was appended; it has not been applied. */
  | { readonly kind: "accepted"; readonly body: object }
  | { readonly kind: "refused"; readonly status: 400 | 403 | 404 | 409 | 422; readonly message: string; readonly detail: string }
  /** 503: ask again; a decision under the same `Idempotency-Key`. */
  | { readonly kind: "unavailable"; readonly detail: string };

/** Rejecting with a Fault is answered 503, with anything else 500. */
export type ControlHandler = (question: ControlRequest) => Promise<ControlAnswer>;

export type ControlHandlers = Readonly<Partial<Record<ControlOperationName, ControlHandler>>>;

export const controlBodyBytesMax = 128 * 1024;
