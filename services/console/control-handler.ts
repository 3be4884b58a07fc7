// What an operator asks, and what the console answers, before it is HTTP. One handler for each operation of contracts' table.

import type { ControlOperationName, ControlRole } from "@sluice/contracts";

export interface Operator {
  /** Configured id: the "who" of an action. */
  readonly id: string;
  readonly name: string;
  readonly roles: ReadonlySet<ControlRole>;
}

export interface ControlQuestion {
  readonly operator: Operator;
  /** Parts of the address, each of its form; a UETR in lower case. */
  readonly path: Readonly<Record<string, string>>;
  /** Only names of the operation's own, each once. */
  readonly query: URLSearchParams;
  /** Of a decision: as sent, at most `controlBodyBytesMax`; empty where there is none. */
  readonly body: Uint8Array;
  /** The `Idempotency-Key` header; null: none. */
  readonly actionId: string | null;
}

export type ControlAnswer =
  /** 200, JSON. */
  | { readonly kind: "found"; readonly body: object }
  /** 200, any other text; where it comes in parts, it is sent as it comes. */
  | { readonly kind: "text"; readonly contentType: string; readonly text: AsyncIterable<string> | string }
  /** 202: appended, not more. */
  | { readonly kind: "accepted"; readonly body: object }
  | { readonly kind: "refused"; readonly status: 400 | 403 | 404 | 409 | 422; readonly message: string; readonly detail: string }
  /** 503: ask again; a decision under the same `Idempotency-Key`. */
  | { readonly kind: "unavailable"; readonly detail: string };

/** A Fault that it rejects with is answered 503, anything else 500. */
export type ControlHandler = (question: ControlQuestion) => Promise<ControlAnswer>;

export type ControlHandlers = Readonly<Partial<Record<ControlOperationName, ControlHandler>>>;

export const controlBodyBytesMax = 128 * 1024;
