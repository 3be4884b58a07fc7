// Ports of ordered delivery. The gateway's adapter is `gateway-undici.ts`; tests and the simulation bring their own.

export interface BankRequest {
  readonly bank: string;
  readonly operation: "outboundDirectDebitResponse" | "inboundDirectDebit" | "events";
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
  close(): Promise<void>;
}
