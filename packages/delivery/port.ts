// Ports of ordered delivery. `gateway/gateway-undici.ts` is the real adapter; tests and the simulation bring their own.

import type { ConfiguredParty } from "@sluice/config";

/** What a message asks of its receiver; the address follows from it. */
export type Operation = keyof ConfiguredParty["operationUrls"] | "events";

export interface ReceiverRequest {
  /** The id of a bank or a scheme connector. */
  readonly receiverId: string;
  readonly operation: Operation;
  readonly body: Uint8Array;
  /** The headers without authentication, which the adapter adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds until the answer, including its body, must be complete. */
  readonly timeoutMs: number;
}

/** A call without a message. */
export type EndpointCall = Pick<ReceiverRequest, "receiverId" | "operation" | "headers" | "timeoutMs">;

/**
 * What a request brought; a failure is an expected answer, never a rejection. `silent` means that there was no
 * HTTP answer, and its `reason` is a short, stable code (`timeout`, `ECONNREFUSED`, …).
 */
export type ReceiverAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfter: string | null; readonly body: Uint8Array }
  | { readonly kind: "silent"; readonly reason: string };

export interface ReceiverGateway {
  post(request: ReceiverRequest): Promise<ReceiverAnswer>;
  /** Calls the address of an operation by OPTIONS, without a message. An adapter without it checks nothing. */
  check?(call: EndpointCall): Promise<ReceiverAnswer>;
  /**
   * Calls `replaced` with each receiver whose credentials or authorities were replaced; an adapter without it never
   * replaces any.
   */
  onCredentialsReplaced?(replaced: (receiverId: string) => void): void;
  /** Takes other receivers over; connections to those that did not change stay. An adapter without it has no list. */
  replaceReceivers?(receivers: readonly ConfiguredParty[]): void;
  close(): Promise<void>;
}
