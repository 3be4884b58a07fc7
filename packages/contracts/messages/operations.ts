// The operations that callers may use, as one table: ingress and the console take their routes from it, the OpenAPI
// document its paths. The first path of an operation is its address; the others are aliases that behave the same.

type OperationCaller = "bank" | "connector";

export interface ServedOperation {
  readonly name: string;
  readonly service: "ingress" | "console";
  readonly method: "GET" | "POST";
  /** Paths in OpenAPI's form: a part in braces is a parameter. */
  readonly paths: readonly [string, ...string[]];
  /**
   * The kind of caller that may use the operation. Ingress answers any other caller 403; the console answers each
   * caller about its own transactions.
   */
  readonly caller: OperationCaller;
  /** The schema of the request body; null where there is no body. */
  readonly body: "DirectDebit" | "CreditTransfer" | "PaymentStatusReport" | "CreditsFinal" | null;
}

export const servedOperations = [
  {
    name: "outboundDirectDebit",
    service: "ingress",
    method: "POST",
    paths: ["/transactions/outbound/direct-debit", "/outbound/direct-debit"],
    caller: "bank",
    body: "DirectDebit",
  },
  {
    name: "inboundDirectDebitResponse",
    service: "ingress",
    method: "POST",
    paths: ["/transactions/inbound/direct-debit-response", "/inbound/direct-debit-response"],
    caller: "bank",
    body: "PaymentStatusReport",
  },
  {
    name: "inboundCreditTransferAuthorizationResponse",
    service: "ingress",
    method: "POST",
    paths: ["/transactions/inbound/credit-transfer-authorisation-response"],
    caller: "bank",
    body: "PaymentStatusReport",
  },
  {
    name: "creditsFinal",
    service: "ingress",
    method: "POST",
    paths: ["/transactions/credits-final"],
    caller: "bank",
    body: "CreditsFinal",
  },
  {
    name: "schemeInboundDirectDebit",
    service: "ingress",
    method: "POST",
    paths: ["/scheme/inbound/direct-debit"],
    caller: "connector",
    body: "DirectDebit",
  },
  {
    name: "schemeInboundCreditTransferAuthorization",
    service: "ingress",
    method: "POST",
    paths: ["/scheme/inbound/credit-transfer-authorisation"],
    caller: "connector",
    body: "CreditTransfer",
  },
  {
    name: "schemeCreditsFinal",
    service: "ingress",
    method: "POST",
    paths: ["/scheme/credits-final"],
    caller: "connector",
    body: "CreditsFinal",
  },
  {
    name: "transactionStatus",
    service: "console",
    method: "GET",
    paths: ["/transactions/{uetr}"],
    caller: "bank",
    body: null,
  },
  {
    name: "transactionEvents",
    service: "console",
    method: "GET",
    paths: ["/transactions/{uetr}/events"],
    caller: "bank",
    body: null,
  },
  {
    name: "bankEvents",
    service: "console",
    method: "GET",
    paths: ["/events"],
    caller: "bank",
    body: null,
  },
] as const satisfies readonly ServedOperation[];

export type ServedOperationName = (typeof servedOperations)[number]["name"];
