// Ports of ordered delivery. The gateway's adapter is `gateway-undici.ts`; tests and the simulation bring their own.

import type { Party } from "@sluice/config";

/** What is sent, and where: the address follows from it. */
export type Operation = keyof Party["operationUrls"] | "events";

export interface BankRequest {
  /** Id of a bank or of a scheme connector. */
  readonly bank: string;
  readonly operation: Operation;
  readonly body: Uint8Array;
  /** Without authentication, which the adapter adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** Total deadline for the answer, body included. */
  readonly timeoutMs: number;
}

/** Never a rejection: what a bank does is expected. `silent`: no HTTP answer; `reason` is short and stable (`timeout`, `ECONNREFUSED`, …). */
export type BankAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfter: string | null; readonly body: Uint8Array }
  | { readonly kind: "silent"; readonly reason: string };

export interface BankGateway {
  post(request: BankRequest): Promise<BankAnswer>;
  /** Told of each receiver for which what proves who we are, or what it is believed by, was replaced. Not given: nothing ever is. */
  onRenewed?(renewed: (bank: string) => void): void;
  close(): Promise<void>;
}
